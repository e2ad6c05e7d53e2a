//! Years on a real tree, audited by the program itself, whose clock libfaketime moves on: what a made-up disk cannot show, such as what a file
//! system does, what programs print, and what is written into a catalogue by processes that are killed.
//!
//! Owns what is done to the tree, and what has to stand then. It knows what is harmed, and asks none of the rules.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, FileTimes, Permissions};
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result, bail, ensure};
use fastrand::Rng;
use jiff::Timestamp;
use tempfile::TempDir;

use crate::damage;

const NAME: &str = "years";

const DAY_S: i64 = 24 * 3600;

/// Within how many days each file is read again.
const EVERY_DAYS: i64 = 30;

/// Days between two looks at the whole catalogue.
const VERIFIED_EVERY: i64 = 30;

/// A file as its keeper wants it to be.
struct Kept {
    content: Vec<u8>,
    modified: SystemTime,
    harm: Option<Harm>,
}

/// What has happened to a file.
#[derive(Clone, Copy, Debug)]
struct Harm {
    what: What,
    is_told: bool,
    /// Since when it is whole again.
    mended: Option<i64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    Rot,
    Torn,
    Lost,
}

impl What {
    /// What an audit is to say of it.
    fn verdict(self) -> &'static str {
        match self {
            Self::Rot | Self::Torn => "corrupt",
            Self::Lost => "missing",
        }
    }
}

/// A tree with its keeper.
struct Real {
    program: PathBuf,
    /// libfaketime.
    library: PathBuf,
    directory: TempDir,
    /// How often it was moved to another place.
    moves: u32,
    files: BTreeMap<String, Kept>,
    /// Files that somebody has made, written to or renamed today: no audit has seen them so.
    touched: BTreeSet<String>,
    day: i64,
    rng: Rng,
    made: u64,
    told: u64,
    kills: u64,
    verified: u64,
    wrongs: Vec<String>,
}

/// Years of one tree. True if nothing is wrong.
pub(super) fn years(years: u64, files: usize, seed: u64, place: Option<&Path>) -> Result<bool> {
    let mut real = Real::begin(files, seed, place)?;
    let days = years as i64 * 365;
    while real.day < days && real.wrongs.len() < 10 {
        real.day += 1;
        real.do_deeds()?;
        real.audit()?;
        if real.day % VERIFIED_EVERY == 0 {
            real.verify()?;
        }
        if real.day % 365 == 0 {
            println!(
                "year {}: {} files, {} harmed, {} told",
                real.day / 365,
                real.files.len(),
                real.made,
                real.told
            );
        }
    }
    println!("years on a real tree                {:.1}", real.day as f64 / 365.0);
    println!("harmed                              {}", real.made);
    println!("told in the same night              {}", real.told);
    println!("audits that were killed             {}", real.kills);
    println!("moves to another place              {}", real.moves);
    println!("catalogues that were verified       {}", real.verified);
    real.wrongs.iter().for_each(|wrong| println!("wrong: {wrong}"));
    Ok(real.wrongs.is_empty())
}

impl Real {
    fn begin(files: usize, seed: u64, place: Option<&Path>) -> Result<Self> {
        let driver = std::env::current_exe().context("which program this is")?;
        let program = driver.with_file_name("hashlane");
        ensure!(program.exists(), "{} is not built: build the workspace", program.display());
        let library = library().context("libfaketime is not installed; on Debian: apt install faketime")?;
        let mut real = Self {
            program,
            library,
            directory: crate::shipped::scratch(place)?,
            moves: 0,
            files: BTreeMap::new(),
            touched: BTreeSet::new(),
            day: 0,
            rng: Rng::with_seed(seed),
            made: 0,
            told: 0,
            kills: 0,
            verified: 0,
            wrongs: Vec::new(),
        };
        for number in 0..files {
            let end = ["jpg", "xmp", "raw"][number % 3];
            real.add(&format!("d{}/f{number}.{end}", number % 7))?;
        }
        // What was written just now may be written to again under the same time.
        std::thread::sleep(Duration::from_millis(3200));
        let root = real.root();
        let every = format!("{EVERY_DAYS}d");
        real.run(&[
            "collection",
            "add",
            NAME,
            &root.display().to_string(),
            "--every",
            &every,
            "--policy",
            "living:*.xmp",
        ])?;
        Ok(real)
    }

    fn root(&self) -> PathBuf {
        self.directory.path().join(format!("tree{}", self.moves))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root().join(name)
    }

    /// A call of the program on the day that it is.
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.args(arguments).env("HOME", self.directory.path());
        // Not by its wrapper, which leaves something behind when it is killed.
        command.env("LD_PRELOAD", &self.library).env("FAKETIME", format!("+{}d", self.day));
        command
            .env("FAKETIME_DONT_FAKE_MONOTONIC", "1")
            .env("FAKETIME_DISABLE_SHM", "1")
            .env("NO_FAKE_STAT", "1");
        for name in
            ["XDG_DATA_HOME", "XDG_CACHE_HOME", "HASHLANE_CATALOG", "HASHLANE_BACKUPS", "HASHLANE_CACHE"]
        {
            command.env_remove(name);
        }
        command
    }

    /// What the program prints, if it goes well.
    fn run(&self, arguments: &[&str]) -> Result<Vec<u8>> {
        let output = self.command(arguments).output().context("cannot run the program")?;
        let words = arguments.join(" ");
        let errors = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "day {}: hashlane {words}: {}\n{errors}", self.day, output.status);
        Ok(output.stdout)
    }

    /// Writes a file of its own, and what was written reaches the disk.
    fn put(&self, name: &str, content: &[u8], modified: Option<SystemTime>) -> Result<SystemTime> {
        let path = self.path(name);
        let directory = path.parent().unwrap_or(&path);
        fs::create_dir_all(directory)?;
        let mut file = tempfile::NamedTempFile::new_in(directory)?;
        file.write_all(content)?;
        if let Some(modified) = modified {
            file.as_file().set_times(FileTimes::new().set_modified(modified))?;
        }
        file.as_file().sync_all()?;
        let modified = file.as_file().metadata()?.modified()?;
        file.persist(&path)?;
        Ok(modified)
    }

    fn add(&mut self, name: &str) -> Result<()> {
        let content: Vec<u8> = (0..self.rng.usize(1..3000)).map(|_| self.rng.u8(..)).collect();
        let modified = self.put(name, &content, None)?;
        self.files.insert(name.to_owned(), Kept { content, modified, harm: None });
        self.touched.insert(name.to_owned());
        Ok(())
    }

    /// A file that nothing has happened to.
    fn whole(&mut self, end: &str) -> Option<String> {
        let whole = self.files.iter().filter(|(name, kept)| kept.harm.is_none() && name.ends_with(end));
        let whole: Vec<_> = whole.map(|(name, _)| name).collect();
        (!whole.is_empty()).then(|| whole[self.rng.usize(..whole.len())].clone())
    }

    fn happens(&mut self, once_in: u32) -> bool {
        self.rng.u32(..once_in) == 0
    }

    fn do_deeds(&mut self) -> Result<()> {
        let day = self.day;
        if self.happens(400) {
            // Whoever moves a tree does nothing else on that day.
            return self.relocate();
        }
        self.touched.clear();
        if self.happens(3) {
            self.add(&format!("d{}/n{day}.{}", day % 9, ["jpg", "xmp"][day as usize % 2]))?;
        }
        if self.happens(2)
            && let Some(name) = self.whole(".xmp")
        {
            self.add(&name)?;
        }
        if self.happens(10)
            && let Some(name) = self.whole("")
        {
            let to = format!("r{}/{day}-{}", day % 5, name.rsplit('/').next().unwrap_or(&name));
            fs::create_dir_all(self.path(&to).parent().unwrap_or(Path::new("/")))?;
            fs::rename(self.path(&name), self.path(&to))?;
            if let Some(kept) = self.files.remove(&name) {
                self.touched.insert(to.clone());
                self.files.insert(to, kept);
            }
        }
        if self.happens(20)
            && let Some(name) = self.whole("")
        {
            let mode = [0o600, 0o640, 0o644][self.rng.usize(..3)];
            fs::set_permissions(self.path(&name), Permissions::from_mode(mode))?;
        }
        if self.happens(15)
            && let Some(name) = self.whole("").filter(|name| !self.touched.contains(name))
        {
            self.harm(&name)?;
        }
        self.mend()
    }

    fn harm(&mut self, name: &str) -> Result<()> {
        let (path, length) = (self.path(name), self.files[name].content.len() as u64);
        let what = [What::Rot, What::Rot, What::Torn, What::Lost][self.rng.usize(..4)];
        match what {
            What::Rot => {
                let byte = self.rng.u64(..length);
                damage::keeping_time(&path, |path| damage::flip(path, byte, 3))?;
            }
            What::Torn => damage::keeping_time(&path, |path| damage::cut_off(path, length / 2))?,
            What::Lost => fs::remove_file(&path)?,
        }
        self.made += 1;
        if let Some(kept) = self.files.get_mut(name) {
            kept.harm = Some(Harm { what, is_told: false, mended: None });
        }
        Ok(())
    }

    /// Brings back some of the files that were reported as harmed.
    fn mend(&mut self) -> Result<()> {
        let is_told = |kept: &Kept| kept.harm.is_some_and(|harm| harm.is_told && harm.mended.is_none());
        let told: Vec<_> =
            self.files.iter().filter(|(_, kept)| is_told(kept)).map(|(name, _)| name.clone()).collect();
        for name in told {
            if self.happens(3) {
                let kept = &self.files[&name];
                self.put(&name, &kept.content, Some(kept.modified))?;
                if let Some(harm) = self.files.get_mut(&name).and_then(|kept| kept.harm.as_mut()) {
                    harm.mended = Some(self.day);
                }
            }
        }
        Ok(())
    }

    /// To another disk, as it were: each file is another one.
    fn relocate(&mut self) -> Result<()> {
        let from = self.root();
        self.moves += 1;
        let to = self.root();
        let copied = Command::new("cp").arg("-a").args([&from, &to]).status().context("cannot run cp")?;
        ensure!(copied.success(), "cp has failed");
        ensure!(Command::new("sync").status().context("cannot run sync")?.success(), "sync has failed");
        fs::remove_dir_all(&from)?;
        self.run(&["collection", "relocate", NAME, &to.display().to_string()])?;
        Ok(())
    }

    /// Audits, and compares what stands with what has happened. Some audits are killed, and done again.
    fn audit(&mut self) -> Result<()> {
        let is_killed = self.happens(20);
        if is_killed {
            let mut command = self.command(&["audit", "-q", NAME]);
            command.stdout(Stdio::null()).stderr(Stdio::null());
            let mut child = command.spawn().context("cannot run the program")?;
            std::thread::sleep(Duration::from_micros(self.rng.u64(..60_000)));
            child.kill()?;
            // Some have ended before.
            self.kills += u64::from(child.wait()?.signal().is_some());
        }
        let audited = self.command(&["audit", "-q", NAME]).output().context("cannot run the program")?;
        let code = audited.status.code().unwrap_or(-1);
        let standing = self.standing()?;
        let day = self.day;
        let mut wrongs = Vec::new();
        if (code == 0) != standing.is_empty() || !(0..32).contains(&code) {
            let errors = String::from_utf8_lossy(&audited.stderr).into_owned();
            wrongs.push(format!("the audit ends with {code}, and {} files stand: {errors}", standing.len()));
        }
        for (name, verdict) in &standing {
            match self.files.get_mut(name).and_then(|kept| kept.harm.as_mut()) {
                None => wrongs.push(format!("{name} stands, and nothing has happened to it")),
                Some(harm) if harm.mended.is_some_and(|mended| mended < day) => {
                    wrongs.push(format!("{name} stands, and was mended: {harm:?}"));
                }
                Some(harm) if !harm.is_told => {
                    harm.is_told = true;
                    self.told += 1;
                    if verdict != harm.what.verdict() {
                        wrongs.push(format!("{name} is {verdict}: {harm:?}"));
                    }
                }
                Some(_) => {}
            }
        }
        for (name, kept) in &mut self.files {
            let Some(harm) = kept.harm.filter(|_| !standing.contains_key(name)) else { continue };
            match harm {
                Harm { mended: Some(_), .. } => kept.harm = None,
                Harm { is_told: true, .. } => {
                    wrongs
                        .push(format!("{name} does not stand any more, and nobody has mended it: {harm:?}"));
                }
                // The change time of a file shows that it was written to, so it is read at once.
                Harm { is_told: false, .. } => wrongs.push(format!("{name} is not told: {harm:?}")),
            }
        }
        self.wrongs.extend(wrongs.into_iter().map(|wrong| format!("day {day}: {wrong}")));
        Ok(())
    }

    /// The files against which something stands, and what, as the program says it.
    fn standing(&self) -> Result<BTreeMap<String, String>> {
        let output = self.command(&["collection", "report", "--format", "json", NAME]).output()?;
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).with_context(|| {
            let errors = String::from_utf8_lossy(&output.stderr);
            format!("day {}: the report ends with {} and is no JSON: {errors}", self.day, output.status)
        })?;
        let at: Timestamp = report["at"].as_str().context("the report has no time")?.parse()?;
        let ahead_s = at.as_second() - Timestamp::now().as_second();
        ensure!((ahead_s - self.day * DAY_S).abs() < DAY_S / 2, "the clock of the program was not moved on");
        let Some([collection]) = report["collections"].as_array().map(Vec::as_slice) else {
            bail!("the report is not about one collection");
        };
        let findings = collection["findings"].as_array().context("the report has no findings")?;
        let is_open = |finding: &&serde_json::Value| finding["recovered"].is_null();
        let text = |finding: &serde_json::Value, what: &str| finding[what].as_str().map(str::to_owned);
        let told = |finding| text(finding, "path").zip(text(finding, "verdict"));
        findings
            .iter()
            .filter(is_open)
            .map(|finding| told(finding).context("a finding has no path or no verdict"))
            .collect()
    }

    fn verify(&mut self) -> Result<()> {
        self.run(&["catalog", "verify"])?;
        self.verified += 1;
        Ok(())
    }
}

/// Where libfaketime lies.
fn library() -> Option<PathBuf> {
    let above = [Path::new("/usr/lib"), Path::new("/usr/lib64"), Path::new("/usr/local/lib")];
    let below = above.into_iter().filter_map(|above| fs::read_dir(above).ok()).flatten().flatten();
    let places = above.into_iter().map(Path::to_path_buf).chain(below.map(|entry| entry.path()));
    places.map(|place| place.join("faketime/libfaketime.so.1")).find(|library| library.is_file())
}
