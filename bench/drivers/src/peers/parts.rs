//! The parts of a run: which inputs, which algorithms, who takes part.

use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use clap::ValueEnum;
use hashlane_digest::{Algorithm, Backend, LaneSet};

use super::bars;
use super::contest::{Contender, Settings, hold, note_memory};
use super::inputs::{Input, Recipe};
use super::programs::{AGAINST, Tools};
use super::residency::residency;
use super::run::{Contest, Entry, Role};
use super::sampling::{Amount, DigestJob, Invocation, Job, LanesJob, Output};
use super::statistics::Summary;

/// Four algorithms in one reading.
pub(crate) const FOUR: &str = "md5+sha1+sha256+sha512";

/// Start-ups to be timed; one takes milliseconds.
const STARTUP_ROUNDS: usize = 101;

/// The measured command as if nothing were known of the device.
pub(crate) const NO_PROFILE: &str = "hashlane, no profile";

/// Folder of the profiles of the device under the inputs, beside them: a record shows it as it is called there.
const PROFILES: &str = "profiles";

/// Messages that a worker may have side by side.
const SLOTS: usize = hashlane_engine::SLOTS_PER_WORKER;

/// Length of one sample of messages side by side.
const LANES_TIME: Duration = Duration::from_millis(300);

/// Length of one sample of the digest ceiling.
const CEILING_TIME: Duration = Duration::from_secs(1);

/// One part of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub(crate) enum Part {
    /// One file of 1 GiB
    OneFile,
    /// 2,000 files of 1 MiB
    Many,
    /// 100,000 small files
    Small,
    /// A real tree
    Usr,
    /// `--version` in turns
    Startup,
    /// Messages in the cache, side by side, on one core
    Lanes,
    /// With what `hashlane tune` has found out about the device, and without
    Tuned,
    /// 64 GiB with 10 MiB of data
    Sparse,
    /// 1,000,000 tiny files, for memory
    Million,
    /// The same in one folder
    MillionFlat,
    /// 10,000 tiny files, for the cost of one among a million
    TenThousand,
    /// 8 GiB first, then 100,000 tiny files, for memory
    Huge,
}

impl Part {
    /// As it is written on the command line.
    pub(crate) fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }

    /// How its input is made; none where there is nothing to make.
    pub(crate) fn recipe(self, scale: f64) -> Option<Recipe> {
        Some(match self {
            Self::OneFile => Recipe::one_file(scale),
            Self::Many => Recipe::many(scale),
            Self::Small => Recipe::small(scale),
            Self::Sparse => Recipe::sparse(scale),
            Self::Million => Recipe::million(scale, false),
            Self::MillionFlat => Recipe::million(scale, true),
            Self::Huge => Recipe::huge(scale),
            Self::TenThousand => Recipe::ten_thousand(scale),
            Self::Usr | Self::Startup | Self::Lanes | Self::Tuned => return None,
        })
    }

    /// Heavy ones are left out, and that is said, where the disk is too small.
    pub(crate) fn is_optional(self) -> bool {
        matches!(self, Self::Sparse | Self::Million | Self::MillionFlat | Self::Huge)
    }

    /// What is measured on it unless the command line says otherwise.
    pub(crate) fn works(self, quick: bool) -> Vec<String> {
        let bars = bars::best_peer_works(&self.name());
        let works: &[&str] = match (self, quick) {
            (_, true) if !bars.is_empty() => &bars,
            (Self::OneFile, false) => {
                &["sha256", "sha1", "sha512", "md5", "blake2b", "blake3", "xxh128", "md5+sha256", FOUR]
            }
            (Self::OneFile, true) => &["sha256", "blake3", FOUR],
            (Self::Many, false) => &["sha256", "sha1", "sha512", "md5", "blake2b", "blake3", "md5+sha256"],
            (Self::Small, false) => &["sha256", "sha1", "md5", "blake3", "md5+sha256"],
            (Self::Usr, false) => &["sha256", "md5", "blake3"],
            (Self::Lanes, _) => &["md5", "sha1", "sha256", "sha512"],
            _ => &["sha256"],
        };
        works.iter().map(|work| (*work).to_owned()).collect()
    }

    /// Whether others take part, and the page cache matters.
    pub(crate) fn has_peers(self) -> bool {
        matches!(self, Self::OneFile | Self::Many | Self::Small | Self::Usr)
    }
}

/// Everything that a part needs besides its input.
#[derive(Debug)]
pub(crate) struct Stage<'a> {
    /// Programs.
    pub(crate) tools: &'a Tools,
    /// Rounds.
    pub(crate) settings: Settings,
    /// 1 unless inputs are smaller.
    pub(crate) scale: f64,
}

impl Stage<'_> {
    /// One algorithm, or several in one reading, on one input.
    pub(crate) fn contest(&self, part: Part, work: &str, input: &Input) -> Result<Contest> {
        let mut contenders = Vec::new();
        // Peers come first: where two outputs stand against each other, the older program is believed.
        if part.has_peers() && !self.tools.alone {
            contenders
                .extend(self.tools.peers(work).iter().map(|peer| self.contender(peer, Role::Peer, input)));
        }
        let against = self.tools.against_on(work, input);
        contenders.extend(against.map(|against| self.contender(&against, Role::Against, input)));
        let mut ours = self.contender(&self.tools.ours_on(work, input), Role::Ours, input);
        if !part.has_peers() && self.tools.against.is_none() {
            ours.check = None;
        }
        contenders.push(ours);
        if self.tools.alone {
            return hold(&part.name(), work, input, contenders, &self.settings);
        }
        contenders.extend(input.has_links().then(|| self.links_once(work, input)));
        contenders.extend(self.bare(part, work, input)?);
        if part == Part::OneFile && !self.settings.cold {
            contenders.extend(self.references(work));
            if work == FOUR {
                contenders.extend(work.split('+').map(|alone| self.alone(alone, input)));
            }
        }
        hold(&part.name(), work, input, contenders, &self.settings)
    }

    fn contender(&self, program: &super::programs::Program, role: Role, input: &Input) -> Contender {
        let forms = program.jobs(input, self.tools.cores, self.settings.cold);
        let command = forms.first().map(Job::shown).unwrap_or_default();
        let check = Some((program.verification(input), program.shape));
        Contender { entry: Entry::new(&program.name, role, command), forms, check }
    }

    /// The default of hashlane, which has less to read than the peers. Its rate is of what it reads.
    fn links_once(&self, work: &str, input: &Input) -> Contender {
        let once = Input { bytes: input.bytes_once, ..input.clone() };
        let mut contender = self.contender(&self.tools.ours(work), Role::Part, &once);
        contender.entry.name = "hashlane, hard links once".to_owned();
        let megabytes = |bytes: u64| bytes as f64 / 1e6;
        let (read, all) = (megabytes(input.bytes_once), megabytes(input.bytes));
        contender.entry.remark = Some(format!("the default: reads {read:.1} MB, the others {all:.1} MB"));
        contender
    }

    /// What reading costs without digesting, and what one core does alone.
    fn bare(&self, part: Part, work: &str, input: &Input) -> Result<Vec<Contender>> {
        let cores = self.tools.cores;
        let bare = |threads: usize| -> Result<Contender> {
            let program = self.tools.bare(threads)?;
            let mut contender = self.contender(&program, Role::Reference, input);
            contender.check = None;
            Ok(contender)
        };
        let mut contenders = Vec::new();
        match part {
            Part::OneFile if self.settings.cold => {
                contenders.push(bare(1)?);
                let (folder, name) = (input.folder.clone(), input.name.clone());
                let fio = Job::Fio { folder, name, bytes: input.bytes };
                contenders.push(Contender::new("fio", Role::Reference, fio));
            }
            // Who waits for the disk gains from more threads than there are cores.
            Part::Many | Part::Small if self.settings.cold => contenders.push(bare(64)?),
            Part::Many | Part::Small => {
                contenders.push(bare(cores)?);
                if part == Part::Many && self.with_lanes(work).is_some() {
                    contenders.push(bare(1)?);
                    for count in [1, cores] {
                        let jobs = format!("-j{count}");
                        let program = self.tools.ours_with(work, &format!("hashlane {jobs}"), &[jobs]);
                        let mut contender = self.contender(&program, Role::Part, input);
                        contender.check = None;
                        contenders.push(contender);
                    }
                    contenders.extend(self.with_lanes(work));
                }
            }
            Part::Million | Part::TenThousand => contenders.push(bare(cores)?),
            _ => {}
        }
        Ok(contenders)
    }

    /// The rate of one core that digests as many messages side by side as it does at its best.
    fn with_lanes(&self, work: &str) -> Option<Contender> {
        let algorithm = Algorithm::named(work)?;
        let best = LaneSet::new(algorithm, SLOTS);
        let backend = Backend::named(best.backend()).filter(|_| best.width() > 1)?;
        Some(self.lanes_contender("lanes", algorithm, backend, best.width()))
    }

    fn lanes_contender(
        &self,
        name: &str,
        algorithm: Algorithm,
        backend: Backend,
        messages: usize,
    ) -> Contender {
        let time = LANES_TIME.mul_f64(self.scale.min(1.0));
        Contender::new(name, Role::Reference, Job::Lanes(LanesJob { algorithm, backend, messages, time }))
    }

    /// Has the device under a directory measured; the profile is kept in [`PROFILES`] there. Returns the line that says what
    /// was taken.
    pub(crate) fn tune(&self, directory: &Path) -> Result<String> {
        eprintln!("tune");
        let mut command = Command::new(&self.tools.hashlane);
        command.args(["tune", ".", "--cache", PROFILES]).current_dir(directory);
        let ran = command.stderr(Stdio::inherit()).output().context("cannot run hashlane tune")?;
        ensure!(ran.status.success(), "hashlane tune ended with {}", ran.status);
        let said = String::from_utf8_lossy(&ran.stdout);
        let taken = said.lines().rev().find(|line| line.starts_with("Taken: "));
        Ok(taken.context("hashlane tune does not say what was taken")?.to_owned())
    }

    /// By the profile that lies beside the input, and without it.
    pub(crate) fn tuned(&self, input: &Input, taken: &str) -> Result<Contest> {
        let cache = format!("--cache={PROFILES}");
        let contender = |name: &str, role: Role, more: &[String]| {
            self.contender(&self.tools.ours_with("sha256", name, more), role, input)
        };
        let mut ours = contender("hashlane", Role::Ours, std::slice::from_ref(&cache));
        ours.entry.remark = Some(taken.to_owned());
        let without = [cache, "--no-profile".to_owned()];
        let contenders = vec![ours, contender(NO_PROFILE, Role::Part, &without)];
        let part = format!("{}, {}", Part::Tuned.name(), input.name);
        hold(&part, "sha256", input, contenders, &self.settings)
    }

    /// One algorithm by every backend, one message and many, against the one message of OpenSSL.
    pub(crate) fn lanes(&self, work: &str) -> Result<Contest> {
        let algorithm = Algorithm::named(work).with_context(|| format!("{work} is not registered"))?;
        let openssl = Job::OpensslSpeed(work.to_owned());
        let mut contenders = vec![Contender::new("openssl speed", Role::Reference, openssl)];
        contenders.extend(self.with_lanes(work));
        for (backend, messages) in algorithm.lanes().into_iter().flat_map(|lanes| lanes.kernels()) {
            let name = format!("{backend} x {messages}");
            contenders.push(self.lanes_contender(&name, algorithm, backend, messages));
        }
        let settings = Settings { cold: false, ..self.settings.clone() };
        hold(&Part::Lanes.name(), work, &nothing(&settings), contenders, &settings)
    }

    fn alone(&self, algorithm: &str, input: &Input) -> Contender {
        let mut contender = self.contender(&self.tools.ours(algorithm), Role::Part, input);
        contender.entry.name = format!("hashlane, {algorithm} alone");
        contender.check = None;
        contender
    }

    /// The digest rates of one core, without files. BLAKE3 uses several cores and so has no such ceiling.
    fn references(&self, work: &str) -> Vec<Contender> {
        let mut references = Vec::new();
        if let (Some(algorithm), "md5" | "sha1" | "sha256" | "sha512") = (Algorithm::named(work), work) {
            let amount = Amount::Time(CEILING_TIME.mul_f64(self.scale.min(1.0)));
            let job = Job::Digest(DigestJob { algorithm, block_bytes: 1 << 20, zeros: false, amount });
            references.push(Contender::new("digest ceiling", Role::Reference, job));
            references.push(Contender::new(
                "openssl speed",
                Role::Reference,
                Job::OpensslSpeed(work.to_owned()),
            ));
        }
        references
    }

    /// `--version` of ours and of coreutils, in turns.
    pub(crate) fn startup(&self) -> Result<Contest> {
        let contender = |name: &str, role: Role, program: &Path| {
            let invocation = Invocation {
                program: program.into(),
                arguments: vec!["--version".into()],
                folder: self.settings.scratch.clone(),
                shown: format!("{name} --version"),
                bytes: 0,
                may_fail: false,
            };
            Contender::new(name, role, Job::Program(invocation))
        };
        let mut contenders = vec![contender("hashlane", Role::Ours, &self.tools.hashlane)];
        contenders.extend(self.tools.against.iter().map(|path| contender(AGAINST, Role::Against, path)));
        if !self.tools.alone {
            contenders.push(contender("sha256sum", Role::Peer, Path::new("sha256sum")));
        }
        let settings = Settings { rounds: STARTUP_ROUNDS, cold: false, ..self.settings.clone() };
        hold(&Part::Startup.name(), "--version", &nothing(&settings), contenders, &settings)
    }

    /// A sparse file against as many zeros. In each round one half of them is digested before and one after, so that
    /// a slow minute meets both.
    pub(crate) fn sparse(&self, input: &Input) -> Result<Contest> {
        let algorithm = Algorithm::SHA256;
        let amount = Amount::Bytes(input.bytes / 2);
        let half = DigestJob { algorithm, block_bytes: 4096, zeros: true, amount };
        let program = self.tools.ours("sha256").verification(input);
        let mut ours = Entry::new("hashlane", Role::Ours, program.shown.clone());
        let mut zeros = Entry::new("zeros", Role::Reference, Job::Digest(half.clone()).shown());
        for round in 0..self.settings.rounds.min(3) {
            eprintln!("sparse, round {}", round + 1);
            evict(input)?;
            let mut sample = half.measure(round);
            match program.measure(round, Output::Dropped) {
                Ok(sample) => ours.samples.push(sample),
                Err(error) => {
                    ours.excluded = Some(format!("{error:#}"));
                    break;
                }
            }
            // Read calls are counted by the kernel; pages that came in by other ways would show here.
            ours.remark = Some(format!("{} of its pages resident afterwards", residency(input)));
            let other = half.measure(round);
            sample.wall_ns += other.wall_ns;
            sample.user_ns += other.user_ns;
            sample.bytes += other.bytes;
            zeros.samples.push(sample);
        }
        note_memory(&mut ours);
        ours.summary = Summary::of(&ours.samples);
        let mut contest = Contest {
            part: Part::Sparse.name(),
            input: input.title.clone(),
            work: "sha256".to_owned(),
            state: "holes are in no cache".to_owned(),
            files: input.files,
            bytes: input.bytes,
            entries: vec![ours, zeros],
        };
        contest.summarise();
        Ok(contest)
    }
}

/// No input.
fn nothing(settings: &Settings) -> Input {
    Input {
        title: "none".to_owned(),
        folder: settings.scratch.clone(),
        name: String::new(),
        tree: false,
        files: 0,
        bytes: 0,
        bytes_once: 0,
    }
}

/// Takes one file, which must be clean, out of the page cache. Other files stay.
fn evict(input: &Input) -> Result<()> {
    let path = input.folder.join(&input.name);
    let file = File::open(&path).with_context(|| format!("cannot open {}", path.display()))?;
    rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed).context("cannot evict")
}
