//! One tree with its catalogue: commands that are run over it, and what is to be true of it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use fastrand::Rng;
use hashlane_catalog::Writer;

use super::faults::{Expected, Fault};
use super::hold::{Held, assert_whole};
use super::tree::Tree;

/// A record counts as settled so long after the last change of its file: two whole seconds of the clock.
pub(super) const SETTLED: Duration = Duration::from_millis(3_050);

/// Codes of an audit that has judged, whatever it has found.
pub(super) const JUDGED: std::ops::Range<i32> = 0..32;

/// The file that audits print to.
const TOLD: &str = "told";

/// What all parts are given.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ground<'a> {
    pub(super) hashlane: &'a Path,
    /// A directory that is new for each turn.
    pub(super) scratch: &'a Path,
    /// When no more is begun.
    pub(super) until: Option<Instant>,
}

impl Ground<'_> {
    pub(super) fn has_time(&self) -> bool {
        self.until.is_none_or(|until| Instant::now() < until)
    }
}

/// One tree with its catalogue.
#[derive(Clone, Debug)]
pub(super) struct Case<'a> {
    ground: Ground<'a>,
    pub(super) catalogue: PathBuf,
    /// Where the program puts temporary files.
    pub(super) temporary: PathBuf,
    /// A file system that this process serves.
    layer: Option<PathBuf>,
}

impl<'a> Case<'a> {
    pub(super) fn new(ground: Ground<'a>) -> Self {
        Self {
            ground,
            catalogue: ground.scratch.join("catalog.sqlite"),
            temporary: ground.scratch.to_path_buf(),
            layer: None,
        }
    }

    /// With its catalogue on a file system that this process serves.
    pub(super) fn on_layer(ground: Ground<'a>, layer: &Path) -> Self {
        let catalogue = layer.join("catalog.sqlite");
        Self { catalogue, layer: Some(layer.to_owned()), ..Self::new(ground) }
    }

    /// The same with its catalogue elsewhere.
    pub(super) fn at(&self, catalogue: PathBuf) -> Self {
        Self { catalogue, ..self.clone() }
    }

    pub(super) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(self.ground.hashlane);
        let scratch = self.ground.scratch;
        command.args(arguments).current_dir(scratch).env("HASHLANE_CATALOG", &self.catalogue);
        command.env("HASHLANE_CACHE", scratch.join("cache")).env("TMPDIR", &self.temporary);
        command.env("LC_ALL", "C");
        command.stdin(Stdio::null()).stdout(self.told(arguments)).stderr(Stdio::null());
        command
    }

    /// Where audits print what they find, all into one file.
    fn told(&self, arguments: &[&str]) -> Stdio {
        let file = || File::options().append(true).create(true).open(self.ground.scratch.join(TOLD));
        match arguments.first() {
            Some(&"audit") => file().map_or_else(|_| Stdio::null(), Stdio::from),
            _ => Stdio::null(),
        }
    }

    /// Asserts that whatever stands by faults was printed by some audit, however many of them were killed. A line that was cut off is none.
    pub(super) fn is_told(&self, faults: &[Fault]) -> Result<()> {
        let told = fs::read(self.ground.scratch.join(TOLD))?;
        let told = String::from_utf8_lossy(&told);
        let (lines, _) = told.rsplit_once('\n').context("nothing was printed")?;
        let expected = faults.iter().flat_map(|fault| fault.expected(false));
        for (path, _) in expected.filter(|(_, expected)| expected.standing.is_some()) {
            let line = format!("t: {path}: ");
            // What a killed audit has begun to write is followed by the line of the next one.
            ensure!(lines.lines().any(|told| told.contains(&line)), "{path} stands, and was never printed");
        }
        Ok(())
    }

    /// Runs a command to its end, which is to be one of these exit codes.
    pub(super) fn ends(&self, arguments: &[&str], codes: impl IntoIterator<Item = i32>) -> Result<Ended> {
        let ended = self.run(arguments)?;
        match codes.into_iter().any(|code| ended.code() == Some(code)) {
            true => Ok(ended),
            false => bail!("{arguments:?} ended with {ended}"),
        }
    }

    /// Runs a command to its end, whatever that is.
    pub(super) fn run(&self, arguments: &[&str]) -> Result<Ended> {
        let output = self.command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).output()?;
        if arguments.first() == Some(&"audit") {
            let told = self.ground.scratch.join(TOLD);
            File::options().append(true).create(true).open(told)?.write_all(&output.stdout)?;
        }
        Ok(Ended(output))
    }

    /// Starts a command and kills it within a time, at a random moment. `false`: it had ended before.
    pub(super) fn killed(&self, arguments: &[&str], within: Duration, rng: &mut Rng) -> Result<bool> {
        let mut child = self.command(arguments).spawn()?;
        thread::sleep(Duration::from_micros(rng.u64(..within.as_micros().max(1) as u64)));
        kill(&mut child)
    }

    /// Audits to the end. Once more: what was said stands, and is not said again.
    pub(super) fn audit_to_the_end(&self) -> Result<()> {
        self.ends(&["audit", "t"], JUDGED)?;
        self.ends(&["audit", "t"], JUDGED).map(drop)
    }

    /// Opens the catalogue. One that lies on a file system that this process serves is recovered and verified by another one, and opened
    /// as a copy.
    fn opened(&self) -> Result<Writer> {
        if self.layer.as_ref().is_none_or(|layer| !self.catalogue.starts_with(layer)) {
            return Writer::open_or_make(&self.catalogue).context("the catalogue cannot be opened");
        }
        Held::open(&self.catalogue)?.close()?;
        let place = self.ground.scratch.join("opened");
        if place.exists() {
            fs::remove_dir_all(&place)?;
        }
        fs::create_dir(&place)?;
        let copy = place.join("catalog.sqlite");
        // A command that was killed at once has not made one.
        if self.catalogue.exists() {
            fs::copy(&self.catalogue, &copy)?;
        }
        Ok(Writer::open_or_make(&copy)?)
    }

    /// Opens the catalogue, and asserts that it is whole.
    pub(super) fn verified(&self) -> Result<Writer> {
        let catalog = self.opened()?;
        assert_whole(&catalog)?;
        Ok(catalog)
    }

    /// The paths of all files whose digests are known.
    pub(super) fn known(&self) -> Result<BTreeSet<String>> {
        let catalog = self.opened()?;
        let collection = catalog.collection("t")?;
        let mut known = BTreeSet::new();
        catalog.each_item(&collection, &mut |directory, item| {
            let mut path = String::from_utf8_lossy(directory).into_owned();
            if !path.is_empty() {
                path.push('/');
            }
            path += &String::from_utf8_lossy(&item.name);
            if !item.content.digests.is_empty() {
                known.insert(path);
            }
            Ok(())
        })?;
        Ok(known)
    }

    /// Asserts that all files are known by their digests, and no others.
    pub(super) fn is_known(&self, names: &[String]) -> Result<()> {
        let known = self.known()?;
        ensure!(
            known == names.iter().cloned().collect(),
            "{} files are known of {}",
            known.len(),
            names.len()
        );
        Ok(())
    }

    /// What happened to a file, in words.
    pub(super) fn events(&self, path: &str) -> Result<Vec<String>> {
        let catalog = self.opened()?;
        let item = catalog.item_at(&catalog.collection("t")?, path.as_bytes())?;
        match item {
            Some(item) => Ok(catalog.events(item.id)?.into_iter().map(|event| event.what).collect()),
            None => Ok(Vec::new()),
        }
    }

    /// Asserts that each fault was found, once, and nothing else. `is_accepted`: files that are gone were accepted to be.
    pub(super) fn judge(&self, tree: &Tree, faults: &[Fault], is_accepted: bool) -> Result<()> {
        let expected = faults.iter().flat_map(|fault| fault.expected(is_accepted));
        let expected: BTreeMap<_, _> = expected.map(|(path, what)| (path.to_owned(), what)).collect();
        self.finds(&tree.names(), &expected)
    }

    /// Asserts that of these files, and of those where something is expected, exactly that was found.
    pub(super) fn finds(&self, names: &[String], expected: &BTreeMap<String, Expected>) -> Result<()> {
        let catalog = self.opened()?;
        let collection = catalog.collection("t")?;
        let mut names: Vec<_> = names.iter().chain(expected.keys()).collect();
        names.sort();
        names.dedup();
        for name in names {
            let item = catalog.item_at(&collection, name.as_bytes())?;
            let item = item.with_context(|| format!("{name} is not known"))?;
            let said: Vec<_> = catalog.events(item.id)?.into_iter().map(|event| event.what).collect();
            let standing =
                catalog.finding(&collection, item.id)?.filter(|finding| finding.cleared_s.is_none());
            let standing = standing.map(|finding| finding.verdict.name_in_collection());
            let (events, verdict, versions) = match expected.get(name) {
                Some(expected) => (expected.events, expected.standing, expected.versions),
                None => (&[][..], None, 0),
            };
            ensure!(said == events, "{name}: said {said:?} and not {events:?}");
            ensure!(standing == verdict, "{name}: {standing:?} stands and not {verdict:?}");
            // What came from a list and was never read has no size.
            let versions_read = catalog.versions(&collection, item.id)?.into_iter();
            let found = versions_read.filter(|version| version.size.is_some()).count();
            ensure!(found == versions, "{name}: {found} earlier versions and not {versions}");
        }
        Ok(())
    }
}

/// A command that has ended.
pub(super) struct Ended(Output);

impl Ended {
    pub(super) fn code(&self) -> Option<i32> {
        self.0.status.code()
    }

    /// What it printed.
    pub(super) fn printed(&self) -> String {
        String::from_utf8_lossy(&self.0.stdout).into_owned()
    }

    /// Its messages.
    pub(super) fn said(&self) -> String {
        String::from_utf8_lossy(&self.0.stderr).into_owned()
    }
}

impl std::fmt::Display for Ended {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}\n{}{}", self.0.status, self.printed(), self.said())
    }
}

/// Kills a process; `false` if it had ended by itself.
pub(super) fn kill(child: &mut Child) -> Result<bool> {
    if child.try_wait()?.is_some() {
        return Ok(false);
    }
    child.kill()?;
    // It may have ended in between, by itself.
    Ok(child.wait()?.code().is_none())
}
