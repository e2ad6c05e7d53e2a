//! What one run of `peers` found out, as it is written to the record. Data only.

use serde::Serialize;

use super::bars::Bar;
use super::machine::Machine;
use super::statistics::{Estimate, Summary, speed_ratio};

/// Changes whenever a reader of the JSON would have to know.
pub(crate) const SCHEMA: &str = "hashlane-peers/1";

/// The whole run.
#[derive(Debug, Serialize)]
pub(crate) struct Run {
    /// [`SCHEMA`].
    pub(crate) schema: &'static str,
    /// Version line of the hashlane that was measured.
    pub(crate) version: String,
    /// Begin, in UTC.
    pub(crate) started: String,
    /// The command line that does it again.
    pub(crate) command: String,
    /// Of inputs and orders.
    pub(crate) seed: u64,
    /// Measured rounds of an ordinary contest.
    pub(crate) rounds: usize,
    /// 1 unless the inputs were made smaller.
    pub(crate) scale: f64,
    /// Where it ran.
    pub(crate) machine: Machine,
    /// Everything that was timed.
    pub(crate) contests: Vec<Contest>,
    /// What the issue asks for, and what came out.
    pub(crate) bars: Vec<Bar>,
    /// What may make a reader doubt.
    pub(crate) warnings: Vec<String>,
}

/// Programs that did the same work on the same input in the same rounds.
#[derive(Debug, Serialize)]
pub(crate) struct Contest {
    /// Which part it belongs to, and with [`Contest::work`] its identity.
    pub(crate) part: String,
    /// What was read.
    pub(crate) input: String,
    /// Algorithms, joined by `+`.
    pub(crate) work: String,
    /// Page cache: `warm`, `cold` or why neither.
    pub(crate) state: String,
    /// Files in the input.
    pub(crate) files: u64,
    /// Bytes in the input.
    pub(crate) bytes: u64,
    /// One for each program.
    pub(crate) entries: Vec<Entry>,
}

/// What a program takes part as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Role {
    /// The hashlane command.
    Ours,
    /// Another build of ours.
    Against,
    /// Ours with a part of the work, to compare with.
    Part,
    /// What users would pick instead.
    Peer,
    /// No program that reads files: digests of memory.
    Reference,
}

/// One program in one contest.
#[derive(Debug, Serialize)]
pub(crate) struct Entry {
    /// Shown in tables.
    pub(crate) name: String,
    /// What it takes part as.
    pub(crate) role: Role,
    /// How it was called.
    pub(crate) command: String,
    /// Measured rounds.
    pub(crate) samples: Vec<Sample>,
    /// Largest memory of all its processes together, shared pages and mapped files counted.
    pub(crate) peak_memory_bytes: Option<u64>,
    /// The memory is no more than that, but cannot be distinguished from the harness's own.
    pub(crate) peak_is_bound: bool,
    /// Why it was not timed.
    pub(crate) excluded: Option<String>,
    /// What a reader should know about it.
    pub(crate) remark: Option<String>,
    /// Over all samples.
    pub(crate) summary: Option<Summary>,
    /// How many times faster hashlane is.
    pub(crate) hashlane_ratio: Option<Estimate>,
}

impl Entry {
    /// An entry without samples.
    pub(crate) fn new(name: &str, role: Role, command: String) -> Self {
        Self {
            name: name.to_owned(),
            role,
            command,
            samples: Vec::new(),
            peak_memory_bytes: None,
            peak_is_bound: false,
            excluded: None,
            remark: None,
            summary: None,
            hashlane_ratio: None,
        }
    }
}

/// One timing.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Sample {
    /// Programs of a contest are compared within a round.
    pub(crate) round: usize,
    /// From before the start to after the end.
    pub(crate) wall_ns: u64,
    /// Of all its processes.
    pub(crate) user_ns: u64,
    /// Of all its processes.
    pub(crate) sys_ns: u64,
    /// Bytes that were digested.
    pub(crate) bytes: u64,
    /// Largest process, as the kernel says at its end; absent if below what the harness itself has.
    pub(crate) max_rss_bytes: Option<u64>,
    /// Bytes that came in by read calls, as the kernel counted them.
    pub(crate) read_bytes: Option<u64>,
}

impl Contest {
    /// The entry of this name that was timed.
    pub(crate) fn entry(&self, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.name == name && !entry.samples.is_empty())
    }

    /// The hashlane command, if it was timed.
    pub(crate) fn ours(&self) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.role == Role::Ours && !entry.samples.is_empty())
    }

    /// The other build, if it was timed.
    pub(crate) fn against(&self) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.role == Role::Against && !entry.samples.is_empty())
    }

    /// The fastest peer.
    pub(crate) fn best_peer(&self) -> Option<&Entry> {
        let wall = |entry: &Entry| entry.summary.as_ref().map_or(f64::MAX, |summary| summary.wall_s.median);
        let timed = self.entries.iter().filter(|entry| entry.role == Role::Peer && !entry.samples.is_empty());
        timed.min_by(|left, right| wall(left).total_cmp(&wall(right)))
    }

    /// Fills in summaries and ratios from the samples.
    pub(crate) fn summarise(&mut self) {
        for entry in &mut self.entries {
            entry.summary = Summary::of(&entry.samples);
        }
        let Some(ours) = self.ours() else { return };
        let ratio = |entry: &Entry| match entry.role {
            Role::Ours => None,
            // What reads less than its peers is not faster or slower than they are.
            Role::Part if !same_bytes(ours, entry) => None,
            _ => speed_ratio(ours, entry),
        };
        let ratios: Vec<_> = self.entries.iter().map(ratio).collect();
        for (entry, ratio) in self.entries.iter_mut().zip(ratios) {
            entry.hashlane_ratio = ratio;
        }
    }
}

fn same_bytes(one: &Entry, other: &Entry) -> bool {
    let bytes = |entry: &Entry| entry.samples.first().map(|sample| sample.bytes);
    bytes(one) == bytes(other)
}
