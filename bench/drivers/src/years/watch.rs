//! Who watches a collection night by night knows in a word how it is, and which audits had to be held, without asking the catalogue.
//!
//! Owns what a watcher has seen of the audits so far.

use std::collections::{BTreeMap, BTreeSet};

use super::ground::Root;
use super::truth::{Alarm, Verdict, Wrong};

const DAY_S: i64 = 24 * 3600;

/// As many intervals between audits are usual, and may be left out.
const USUAL: usize = 5;
const LEFT_OUT: i64 = 3;

/// What a watcher has seen.
#[derive(Debug, Default)]
pub(super) struct Watch {
    /// When audits that have judged began and ended, in seconds.
    judged: Vec<(i64, i64)>,
    /// Names of whose findings the keeper has said that they are known.
    acknowledged: BTreeSet<String>,
    /// Names against which something stood at the last look.
    stood: BTreeSet<String>,
    /// A budget has ended the last audit that has judged: what it did not come to may be late some day.
    is_limited: bool,
    /// The last audit could not reach the files.
    is_offline: bool,
    is_empty: bool,
    /// Whether the last one was held; nothing where one has died or was stopped since.
    pub(super) is_held: Option<bool>,
    /// The clock was wrong.
    pub(super) is_astray: bool,
}

/// How a collection is at a time.
pub(super) struct Moment<'a> {
    pub(super) now_s: i64,
    pub(super) created_s: i64,
    /// The promised time.
    pub(super) period_s: i64,
    pub(super) standing: &'a BTreeMap<String, Verdict>,
    /// Whether a name belongs to the collection: what a filter leaves out is kept apart.
    pub(super) takes: &'a dyn Fn(&str) -> bool,
    /// Files that are said to be late, and whether the first audit is over.
    pub(super) late: u64,
    pub(super) is_listed: bool,
}

/// How an audit ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// It has judged.
    Judged {
        /// When it began.
        began_s: i64,
        /// A budget has ended it.
        is_limited: bool,
    },
    Held,
    Offline,
    /// It was the first one, and has found no file.
    Empty,
    /// It was stopped, or has died.
    Broken,
    /// It was not begun.
    NotBegun,
}

impl Watch {
    pub(super) fn new() -> Self {
        Self { is_held: Some(false), ..Self::default() }
    }

    pub(super) fn acknowledge(&mut self, name: String) {
        self.acknowledged.insert(name);
    }

    /// Takes note of an audit.
    pub(super) fn note(&mut self, ended: Ended, now_s: i64) {
        match ended {
            Ended::Judged { began_s, is_limited } => {
                self.judged.push((began_s, now_s));
                (self.is_held, self.is_limited) = (Some(false), is_limited);
            }
            Ended::Held => self.is_held = Some(true),
            // It was the last one, and was not held.
            Ended::Offline => self.is_held = Some(false),
            Ended::Broken if self.is_held != Some(false) => self.is_held = None,
            Ended::Broken | Ended::Empty | Ended::NotBegun => {}
        }
        match ended {
            Ended::NotBegun => {}
            _ => (self.is_offline, self.is_empty) = (ended == Ended::Offline, ended == Ended::Empty),
        }
    }

    /// Compares the word that the catalogue has for a collection with those that are right.
    pub(super) fn check(&mut self, said: &'static str, of: &Moment<'_>) -> Result<(), Wrong> {
        // What the keeper knows of goes with a file that is renamed.
        let is_gone = |name: &String| !of.standing.contains_key(name);
        if self.acknowledged.iter().any(is_gone) {
            let anew = of.standing.keys().filter(|name| !self.stood.contains(*name));
            self.acknowledged.extend(anew.cloned());
        }
        self.acknowledged.retain(|name| !is_gone(name));
        self.stood = of.standing.keys().cloned().collect();
        let right = self.right(of);
        match right.is_empty() || right.contains(&said) {
            true => Ok(()),
            false => {
                let text = format!("it is said to be {said}, and is {}", right.join(" or "));
                Err(Wrong::new(format!("state: {said} instead of {}", right.join(" or ")), text))
            }
        }
    }

    /// The words that are right; none: nobody knows.
    fn right(&self, of: &Moment<'_>) -> Vec<&'static str> {
        let mut right = Vec::new();
        match self.is_held {
            None => return right,
            Some(true) => return vec!["held"],
            Some(false) if self.is_offline => return vec!["offline"],
            Some(false) => {}
        }
        if of.standing.keys().any(|name| (of.takes)(name) && !self.acknowledged.contains(name)) {
            return vec!["attention"];
        }
        if !of.standing.is_empty() {
            // How long the keeper knows of it is decided elsewhere.
            right.push("attention");
        }
        let [least_s, most_s] = self.silent_from_s(of.created_s);
        if of.now_s > least_s || self.is_astray {
            right.push("silent");
        }
        if of.now_s > most_s && !self.is_astray {
            return right;
        }
        // What is given a day may not be enough.
        right.extend((of.late > 0 || self.is_limited).then_some("late"));
        match () {
            () if of.late > 0 => {}
            () if self.is_empty => right.push("empty"),
            () if !of.is_listed => {
                right.extend(["first audit not over", "never audited"]);
                // It may be that nothing was read since it was replaced.
                right.extend((of.now_s > of.created_s + of.period_s).then_some("late"));
            }
            () => right.push("ok"),
        }
        right
    }

    /// From when on nobody has heard of it for too long, in seconds: three times the middle one of the last intervals, and two days at least.
    /// Where there are two in the middle, either one is.
    fn silent_from_s(&self, created_s: i64) -> [i64; 2] {
        let began = self.judged.iter().rev().map(|(began_s, _)| *began_s);
        let began: Vec<_> = began.take(USUAL + 1).collect();
        let mut intervals: Vec<_> = began.windows(2).map(|two| two[0] - two[1]).collect();
        intervals.sort_unstable();
        let last_s = self.judged.last().map_or(created_s, |(_, ended_s)| *ended_s);
        let middle = |place: usize| intervals.get(place).copied().unwrap_or(0);
        let (lower, upper) = (intervals.len().saturating_sub(1) / 2, intervals.len() / 2);
        [lower, upper].map(|place| last_s + (LEFT_OUT * middle(place)).max(2 * DAY_S))
    }
}

/// Compares how an audit ended with how it had to. `root`: what it found, and whether that is another one than was seen before. `why`: of one
/// that was held, in words.
pub(super) fn check_hold(
    ended: Ended,
    why: Option<&str>,
    (root, is_other): (Root, bool),
    (alarm, hold): (&Alarm, u64),
) -> Result<(), Wrong> {
    let wrong = |kind: &str, text: String| Err(Wrong::new(kind, text));
    match (ended, root) {
        (Ended::Broken | Ended::Empty | Ended::NotBegun, _) => Ok(()),
        (Ended::Offline, Root::There) => wrong("hold: offline", "its root is there".into()),
        (Ended::Offline, _) => Ok(()),
        (_, Root::Away | Root::Bare) => {
            wrong("hold: not offline", format!("its root is {root:?}, and the audit is {ended:?}"))
        }
        (Ended::Held, Root::There) if is_other => Ok(()),
        (Ended::Held, Root::There) if alarm.most <= hold && !alarm.may_be_emptied => {
            let (why, most) = (why.unwrap_or_default(), alarm.most);
            wrong("hold: without a cause", format!("{why}, and {most} files may count at most"))
        }
        (Ended::Held, Root::There) => Ok(()),
        (Ended::Judged { .. }, Root::There) if is_other => {
            wrong("hold: another root", "its root is another one, and it was not held".into())
        }
        (Ended::Judged { .. }, Root::There) => match &alarm.must {
            Some(why) => wrong("hold: not held", format!("{why}, and it was not held")),
            None => Ok(()),
        },
    }
}
