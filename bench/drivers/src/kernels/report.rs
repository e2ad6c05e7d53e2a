//! What was measured, as data and as a page of Markdown.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use hashlane_measure::Machine;
use hashlane_measure::statistics::{Estimate, median};
use serde::Serialize;

use super::bars::{Bar, figure};
use super::cells::{Hash, Placing, shown};
use super::contest::Contest;
use super::contestants::OURS;
use super::limits::Core;

/// What is recorded.
#[derive(Debug, Serialize)]
pub(super) struct Record {
    pub(super) schema: &'static str,
    pub(super) command: String,
    pub(super) date: String,
    pub(super) version: &'static str,
    pub(super) machine: Machine,
    /// As maker, family, model and stepping.
    pub(super) cpu: Option<String>,
    /// Whether the bars bind on this CPU.
    pub(super) bars_bind: bool,
    pub(super) rounds: usize,
    pub(super) seed: u64,
    /// The libraries that took part.
    pub(super) peers: BTreeMap<&'static str, String>,
    pub(super) warnings: Vec<String>,
    pub(super) contests: Vec<Contest>,
    pub(super) bars: Vec<Bar>,
}

impl Record {
    /// For people.
    pub(super) fn page(&self, core: Option<Core>) -> String {
        let machine = &self.machine;
        let mut page = format!(
            "# Kernels and their peers\n\n`{}` on {}; hashlane {}; {} ({}), {} cores, Linux {}, {}.\n\n",
            self.command,
            self.date,
            self.version,
            machine.processor.name,
            self.cpu.as_deref().unwrap_or("a CPU that does not say its model"),
            machine.processor.cores,
            machine.kernel,
            self.clock(),
        );
        let peers = self.peers.iter().map(|(name, version)| format!("{name} ({version})"));
        let _ = writeln!(page, "Peers: {}.", peers.collect::<Vec<_>>().join(", "));
        page += "One thread, in turns, digests proven equal first. ";
        page += "A ratio is the median over the rounds of the peer's time by ours, with its 95 % interval.\n";
        match core {
            Some(core) => {
                let _ = writeln!(page, "Limits are those of the vector ports of {}.", core.name());
            }
            None => page += "The ports of this CPU are not known, so there are no limits.\n",
        }
        for warning in &self.warnings {
            let _ = writeln!(page, "\nWarning: {warning}.");
        }
        for (algorithm, placing) in self.sections() {
            self.section(&mut page, algorithm, placing);
        }
        self.whole(&mut page);
        page += "\n## Bars\n\n";
        for bar in &self.bars {
            page += &self.verdict(bar);
        }
        page
    }

    fn clock(&self) -> String {
        let clocks: Vec<f64> = self.contests.iter().flat_map(|contest| &contest.clock_ghz).copied().collect();
        median(&clocks).map_or_else(String::new, |clock| format!("{clock:.2} GHz"))
    }

    fn of(&self, algorithm: Hash, placing: Placing) -> impl Iterator<Item = &Contest> {
        let is_it = move |contest: &&Contest| {
            contest.cell.algorithm == algorithm
                && contest.cell.placing == placing
                && !contest.peers().is_empty()
        };
        self.contests.iter().filter(is_it)
    }

    fn sections(&self) -> Vec<(Hash, Placing)> {
        let mut sections = Vec::new();
        for Contest { cell, .. } in self.contests.iter().filter(|contest| !contest.peers().is_empty()) {
            if !sections.contains(&(cell.algorithm, cell.placing)) {
                sections.push((cell.algorithm, cell.placing));
            }
        }
        sections
    }

    fn section(&self, page: &mut String, algorithm: Hash, placing: Placing) {
        let _ = write!(page, "\n## {}, {}\n\n", algorithm.name(), placing.name());
        *page +=
            "| messages | size | kernel | ours, GB/s | best peer | GB/s | ours / best peer | % of limit |\n";
        *page += "|---:|---:|---|---:|---|---:|---:|---:|\n";
        for contest in self.of(algorithm, placing) {
            let Some((peer, ratio)) = contest.peers().into_iter().next() else { continue };
            let limit = contest.share_of_limit();
            let limit = limit.map_or_else(String::new, |share| format!("{:.0}", share.median * 100.0));
            let _ = writeln!(
                page,
                "| {} | {} | {} | {} | {peer} | {} | {} | {limit} |",
                contest.cell.messages,
                shown(contest.cell.size_bytes),
                contest.kernel,
                rate(contest.rate(OURS)),
                rate(contest.rate(peer)),
                figure(&ratio)
            );
        }
    }

    /// `digest_many` by slots that are kept.
    fn whole(&self, page: &mut String) {
        let found: Vec<(&Contest, Estimate)> =
            self.contests.iter().filter_map(|contest| Some((contest, contest.whole_by_kept()?))).collect();
        if found.is_empty() {
            return;
        }
        *page += "\n## Short messages: `digest_many` by `Streams` that are kept\n\n";
        *page += "| | messages | size | `Streams`, ns a message | ratio |\n|---|---:|---:|---:|---:|\n";
        for (contest, ratio) in found {
            let cell = &contest.cell;
            let time = contest.rate(OURS).map(|rate| cell.size_bytes as f64 / rate);
            let _ = writeln!(
                page,
                "| {} | {} | {} | {:.0} | {} |",
                cell.algorithm.name(),
                cell.messages,
                shown(cell.size_bytes),
                time.unwrap_or_default(),
                figure(&ratio)
            );
        }
    }

    fn verdict(&self, bar: &Bar) -> String {
        let verdict = match (bar.is_met(), self.bars_bind) {
            (true, _) => "met".to_owned(),
            (false, true) => format!("MISSED by {} of {}", bar.missed.len(), bar.figures),
            (false, false) => format!("recorded; {} of {} are below", bar.missed.len(), bar.figures),
        };
        let missed: String = bar.missed.iter().map(|missed| format!("  - {missed}\n")).collect();
        format!("- {}: {verdict}\n{missed}", bar.name)
    }
}

fn rate(rate: Option<f64>) -> String {
    rate.map_or_else(|| "–".to_owned(), |rate| format!("{rate:.2}"))
}

#[cfg(test)]
mod tests {
    use super::super::bars::judge;
    use super::super::cells::Cell;
    use super::super::contest::testing::contest;
    use super::super::contestants::DIGEST_MANY;
    use super::*;

    #[test]
    fn a_page_says_what_was_measured_and_what_is_below_the_bars() {
        let cell = Cell { algorithm: Hash::Md5, messages: 48, size_bytes: 4096, placing: Placing::Staggered };
        let short = Cell { size_bytes: 64, ..cell };
        let contests = vec![
            contest(cell, &[(OURS, [20.0; 7]), ("openssl", [19.0; 7]), ("slow", [90.0; 7])]),
            contest(short, &[(OURS, [480.0; 7]), (DIGEST_MANY, [480.0; 7])]),
        ];
        let mut record = Record {
            schema: "hashlane-kernels/1",
            command: "cargo xtask kernels".to_owned(),
            date: "today".to_owned(),
            version: "0",
            machine: Machine::describe(),
            cpu: None,
            bars_bind: true,
            rounds: 7,
            seed: 1,
            peers: BTreeMap::from([("openssl", "3".to_owned())]),
            warnings: vec!["the machine is busy".to_owned()],
            bars: judge(&contests),
            contests,
        };
        let page = record.page(Some(Core::Zen4));
        for line in [
            "Warning: the machine is busy.",
            "| 48 | 4 KiB | avx512 x 16 | 9830.40 | openssl | 10347.79 | 0.950 [0.950, 0.950] | 125 |",
            "| md5 | 48 | 64 B | 10 | 1.000 [1.000, 1.000] |",
            "- md5: at least 1.0 of every peer, from 4 KiB on: MISSED by 1 of 2",
            "  - md5 48 x 4 KiB, staggered, openssl: 0.950 [0.950, 0.950]",
            "- digest_many of short messages: at least 0.95 of streams that are kept: met",
        ] {
            assert!(page.lines().any(|found| found == line), "no {line} in\n{page}");
        }
        record.bars_bind = false;
        assert!(record.page(None).contains("from 4 KiB on: recorded; 1 of 2 are below"));
    }
}
