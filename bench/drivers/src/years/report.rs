//! What was done in all stories, and what came of it.
//!
//! Owns the counts and how they are printed.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::people::What;
use super::truth::Found;

/// Counts of one story, or of many.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    pub(super) stories: u64,
    pub(super) days: i64,
    pub(super) audits: u64,
    pub(super) kills: u64,
    pub(super) holds: u64,
    pub(super) verified: u64,
    pub(super) deeds: BTreeMap<What, u64>,
    pub(super) found: Found,
}

impl Tally {
    pub(super) fn add(&mut self, other: Self) {
        let Self { stories, days, audits, kills, holds, verified, deeds, found } = other;
        self.stories += stories;
        self.days += days;
        self.audits += audits;
        self.kills += kills;
        self.holds += holds;
        self.verified += verified;
        for (what, number) in deeds {
            *self.deeds.entry(what).or_default() += number;
        }
        for (what, faults) in found.faults {
            let sum = self.found.faults.entry(what).or_default();
            (sum.made, sum.found, sum.gone) =
                (sum.made + faults.made, sum.found + faults.found, sum.gone + faults.gone);
        }
        self.found.nights.extend(found.nights);
    }

    pub(super) fn years(&self) -> f64 {
        self.days as f64 / 365.0
    }

    /// The table. `wrongs`: how many false alarms there were, and how many findings that have ended otherwise than they may.
    pub(super) fn table(&self, false_alarms: usize, ended: usize) -> String {
        let mut text = String::new();
        let mut line = |what: &str, number: String| {
            writeln!(text, "{what:<36}{number:>10}").expect("a text takes all");
        };
        line("years", format!("{:.1}", self.years()));
        line("stories", self.stories.to_string());
        line("nights with an audit", self.audits.to_string());
        line("audits that were stopped or killed", self.kills.to_string());
        line("audits that were held", self.holds.to_string());
        line("catalogues that were verified", self.verified.to_string());
        line("deeds", self.deeds.values().sum::<u64>().to_string());
        for (what, number) in &self.deeds {
            line(&format!("  {}", what.name()), number.to_string());
        }
        line("faults: made, found, over before", String::new());
        for (what, faults) in &self.found.faults {
            let (made, found, gone) = (faults.made, faults.found, faults.gone);
            line(&format!("  {}", what.name()), format!("{made} {found} {gone}"));
        }
        let mut nights = self.found.nights.clone();
        nights.sort_unstable();
        let at = |part: usize| nights.get((nights.len() * part / 1000).min(nights.len().saturating_sub(1)));
        let shown = |night: Option<&u64>| night.map_or_else(|| "–".to_owned(), u64::to_string);
        line("nights to detection, median", shown(at(500)));
        line("nights to detection, p99", shown(at(990)));
        line("nights to detection, worst", shown(nights.last()));
        line("false alarms", false_alarms.to_string());
        line("findings that ended otherwise", ended.to_string());
        text
    }
}
