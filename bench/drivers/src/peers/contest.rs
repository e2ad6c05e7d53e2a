//! Rounds: outputs are compared, the best form of each program is found, then all programs take turns.
//!
//! Order: comparison, trial of forms, one unmeasured round in which memory is watched, measured rounds, each visiting
//! all programs in an order shuffled from the seed. Whatever fails or differs is excluded and named, and the rest goes on.

use std::fs::{self, File};
use std::path::PathBuf;

use anyhow::{Context, Result};

use super::inputs::Input;
use super::memory;
use super::outputs::{Judgement, Shape, judge, read_output};
use super::random::Random;
use super::run::{Contest, Entry, Role};
use super::sampling::{Invocation, Job, Output};

/// A program that takes part.
#[derive(Debug)]
pub(crate) struct Contender {
    /// What will be known of it.
    pub(crate) entry: Entry,
    /// Ways to call it; the fastest is kept.
    pub(crate) forms: Vec<Job>,
    /// How its output is made for the comparison; none where there is nothing to compare.
    pub(crate) check: Option<(Invocation, Shape)>,
}

/// How rounds are run.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// Measured rounds.
    pub(crate) rounds: usize,
    /// Of the orders.
    pub(crate) seed: u64,
    /// Drop the page cache before every sample.
    pub(crate) cold: bool,
    /// A folder for outputs.
    pub(crate) scratch: PathBuf,
}

impl Contender {
    /// A program with one form and nothing to compare.
    pub(crate) fn new(name: &str, role: Role, job: Job) -> Self {
        Self { entry: Entry::new(name, role, job.shown()), forms: vec![job], check: None }
    }

    fn exclude(&mut self, reason: &anyhow::Error) {
        self.entry.excluded = Some(format!("{reason:#}"));
        self.entry.samples.clear();
        eprintln!("  {} is excluded: {reason:#}", self.entry.name);
    }

    fn takes_part(&self) -> bool {
        self.entry.excluded.is_none()
    }
}

/// Runs one contest to its end.
pub(crate) fn hold(
    part: &str,
    work: &str,
    input: &Input,
    mut contenders: Vec<Contender>,
    settings: &Settings,
) -> Result<Contest> {
    eprintln!("{part}, {work}{}", if settings.cold { ", cold" } else { "" });
    compare(&mut contenders, settings)?;
    let mut random = Random::for_item(settings.seed, 1);
    choose_forms(&mut contenders, settings, &mut random)?;
    warm_up(&mut contenders, settings)?;
    for round in 0..settings.rounds {
        for index in random.order(contenders.len()) {
            sample(&mut contenders[index], round, settings)?;
        }
    }
    let mut contest = Contest {
        part: part.to_owned(),
        input: input.title.clone(),
        work: work.to_owned(),
        state: if settings.cold { "cold (for this kernel)" } else { "warm" }.to_owned(),
        files: input.files,
        bytes: input.bytes,
        entries: contenders.into_iter().map(finish).collect(),
    };
    contest.summarise();
    Ok(contest)
}

/// Runs those that print digests, and excludes those that print others than most.
fn compare(contenders: &mut [Contender], settings: &Settings) -> Result<()> {
    let mut compared: Vec<_> = contenders.iter_mut().filter(|contender| contender.check.is_some()).collect();
    let mut outputs = Vec::new();
    for contender in &compared {
        let Some((invocation, shape)) = &contender.check else { continue };
        let path = settings.scratch.join("output");
        let file = File::create(&path).with_context(|| format!("cannot make {}", path.display()))?;
        // A failure may be a file that the program cannot open; what it printed shows it.
        let invocation = Invocation { may_fail: true, ..invocation.clone() };
        let ran = invocation.measure(0, Output::Kept(file));
        let printed = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        outputs.push(ran.and_then(|_| read_output(&printed, *shape)));
    }
    for (contender, judgement) in compared.iter_mut().zip(judge(&outputs)) {
        match judgement {
            Judgement::Incomplete(reason) if contender.entry.role == Role::Peer => {
                eprintln!("  {} {reason}", contender.entry.name);
                contender.entry.remark = Some(reason);
                contender.forms.iter_mut().for_each(allow_failure);
            }
            Judgement::Incomplete(reason) | Judgement::Different(reason) => {
                contender.exclude(&anyhow::anyhow!(reason));
            }
            Judgement::Same => {}
        }
    }
    Ok(())
}

fn allow_failure(job: &mut Job) {
    if let Job::Program(invocation) = job {
        invocation.may_fail = true;
    }
}

/// Times each form of those that have several, and leaves each its fastest.
fn choose_forms(contenders: &mut [Contender], settings: &Settings, random: &mut Random) -> Result<()> {
    let open = |contender: &&mut Contender| contender.forms.len() > 1 && contender.takes_part();
    for contender in contenders.iter_mut().filter(open) {
        let mut times = vec![u64::MAX; contender.forms.len()];
        // Twice, because the first try may find caches in another state.
        for _ in 0..2 {
            for index in random.order(contender.forms.len()) {
                prepare(settings)?;
                match contender.forms[index].sample(0) {
                    Ok(sample) => times[index] = times[index].min(sample.wall_ns),
                    Err(error) => contender.exclude(&error),
                }
            }
        }
        let best = (0..times.len()).min_by_key(|index| times[*index]).unwrap_or(0);
        contender.forms.swap(0, best);
        contender.forms.truncate(1);
        contender.entry.command = contender.forms[0].shown();
    }
    Ok(())
}

/// The round that is not measured, in which memory is watched.
fn warm_up(contenders: &mut [Contender], settings: &Settings) -> Result<()> {
    for contender in contenders.iter_mut().filter(|contender| contender.takes_part()) {
        prepare(settings)?;
        match contender.forms[0].peak_memory_bytes() {
            Ok(peak) => contender.entry.peak_memory_bytes = peak,
            Err(error) => contender.exclude(&error),
        }
    }
    Ok(())
}

fn sample(contender: &mut Contender, round: usize, settings: &Settings) -> Result<()> {
    if contender.takes_part() {
        prepare(settings)?;
        match contender.forms[0].sample(round) {
            Ok(sample) => contender.entry.samples.push(sample),
            Err(error) => contender.exclude(&error),
        }
    }
    Ok(())
}

/// Takes the page cache away if the round is a cold one. Never within a timed span.
fn prepare(settings: &Settings) -> Result<()> {
    if settings.cold {
        rustix::fs::sync();
        fs::write("/proc/sys/vm/drop_caches", "3").context("cannot drop the page cache; that takes root")?;
    }
    Ok(())
}

fn finish(contender: Contender) -> Entry {
    let mut entry = contender.entry;
    note_memory(&mut entry);
    entry
}

/// Combines what was watched with what the kernel said of the largest process in each sample.
pub(crate) fn note_memory(entry: &mut Entry) {
    let told = entry.samples.iter().filter_map(|sample| sample.max_rss_bytes).max();
    entry.peak_memory_bytes = entry.peak_memory_bytes.max(told);
    let is_program = matches!(entry.role, Role::Ours | Role::Against | Role::Part | Role::Peer);
    if entry.peak_memory_bytes.is_none() && is_program && !entry.samples.is_empty() {
        entry.peak_memory_bytes = Some(memory::reset_own_peak());
        entry.peak_is_bound = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contender(name: &str, script: &str) -> Contender {
        let invocation = Invocation {
            program: "sh".into(),
            arguments: vec!["-c".into(), script.into()],
            folder: "/".into(),
            shown: script.to_owned(),
            bytes: 1,
            may_fail: false,
        };
        let check = Some((invocation.clone(), Shape::Gnu));
        Contender { check, ..Contender::new(name, Role::Peer, Job::Program(invocation)) }
    }

    #[test]
    fn a_contest_times_those_that_agree_and_names_the_others() {
        let scratch = tempfile::tempdir().expect("a temporary folder");
        let settings = Settings { rounds: 3, seed: 1, cold: false, scratch: scratch.path().to_path_buf() };
        let input = Input {
            title: "t".into(),
            folder: "/".into(),
            name: "n".into(),
            tree: false,
            files: 1,
            bytes: 1,
            bytes_once: 1,
        };
        let right = "echo 'aa  x'";
        let mut slow = contender("slow", "sleep 1");
        slow.check = None;
        slow.forms.push(contender("", ":").forms.remove(0));
        let contenders =
            vec![contender("a", right), contender("b", right), contender("odd", "echo 'bb  x'"), slow];
        let contest = hold("part", "sha256", &input, contenders, &settings).expect("the contest ends");
        let samples: Vec<_> = contest.entries.iter().map(|entry| entry.samples.len()).collect();
        assert_eq!(samples, [3, 3, 0, 3]);
        assert_eq!(contest.entries[2].excluded.as_deref(), Some("prints bb  x where others print aa  x"));
        assert_eq!(contest.entries[3].command, ":");
    }
}
