//! What is true of each file, and what an audit has to say of it. It asks none of the rules of hashlane: it knows what each reading brought,
//! and says which findings have to stand after a night, and which may.
//!
//! Owns the names with what is known of them. Where two answers are both right, either one passes.

mod elsewhere;
mod expect;
mod faults;
mod losses;
mod origins;
mod times;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hashlane_catalog::Policy;
use hashlane_record::Timestamp;

use super::ground::{Brought, Bytes, Source};
use super::night::shown_content;
use super::story::{Rule, policy_of, takes};
use expect::{Becomes, Expect};
use faults::Damage;
pub(super) use faults::Found;
pub(super) use losses::Alarm;

/// What may stand against a file, as the catalogue calls it.
pub(super) type Verdict = &'static str;

/// Findings that a content differs.
const OF_CONTENT: [Verdict; 6] = ["corrupt", "changed", "collision", "suspect", "unstable-medium", "misread"];
/// Those of them that only a reading of the medium ends.
const OF_MEDIUM: [Verdict; 5] = ["corrupt", "collision", "suspect", "unstable-medium", "misread"];
/// Findings that nobody has accepted a file.
const OF_NEW: [Verdict; 3] = ["new", "moved", "copied"];

/// A file that a program uses in this many nights is as good as read from the medium.
const NIGHTS_IN_USE: u32 = 3;

/// What is known of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Known {
    pub(super) bytes: Bytes,
    pub(super) modified: Timestamp,
    /// Nothing where numbers say nothing, and of a file on another disk.
    number: Option<u64>,
    /// It was read so soon after it was written to that one more change may not show.
    is_unsettled: bool,
}

/// What stands against a name.
#[derive(Clone, Debug)]
struct Stands {
    verdict: Verdict,
    /// What was found there, if something was read, and how it looked.
    found: Option<Bytes>,
    looked: Option<Listed>,
    /// How it looked when it was found before, where it is not said which of that the finding is about.
    looked_before: Vec<Listed>,
    /// A living collection would accept it.
    is_edit: bool,
    /// What else was found before: which of all that the finding is about is not said.
    earlier: Vec<Bytes>,
}

impl Stands {
    /// Whether something that was found is among these contents.
    fn found_among(&self, contents: &[Bytes]) -> bool {
        self.found.iter().chain(&self.earlier).any(|found| contents.contains(found))
    }

    /// Whether it was found as a file looks, with its number.
    fn has_looked_like(&self, listed: &Listed) -> bool {
        let looks = |of: &Listed| (of.length, of.modified, of.number);
        listed.number.is_some() && self.looks().any(|looked| looks(looked) == looks(listed))
    }

    /// How it looked whenever something was found that it may be about.
    fn looks(&self) -> impl Iterator<Item = &Listed> {
        self.looked.iter().chain(&self.looked_before)
    }

    /// Whether other contents were found before.
    fn has_varied(&self) -> bool {
        !self.earlier.is_empty()
    }
}

/// What is true of a name.
#[derive(Clone, Debug, Default)]
struct Name {
    known: Option<Known>,
    /// What the catalogue may know of it as well: an audit has died, or the keeper has changed the policy.
    also: Vec<Known>,
    /// Since when another file lies here that was not read.
    unproven_s: Option<i64>,
    /// Whether the catalogue has noticed that is not known.
    is_unsure: bool,
    /// When it was last read good, and when it was last read.
    read_s: i64,
    seen_s: i64,
    /// In how many nights it was read out of the page cache, which does not let go of it, since it was last read from the medium.
    nights_in_use: u32,
    stands: Option<Stands>,
    /// It was missing, and no content of it was read since.
    was_missing: bool,
    /// It is the copy of a damaged file: nobody may miss it.
    is_loose: bool,
    /// It was new to a frozen collection, and nobody has accepted it.
    is_unaccepted: bool,
    /// Unless a policy has that welcomed it, though something else stands against it still.
    may_be_accepted: bool,
    /// It is judged by what is known of another one, and nobody may have accepted that.
    is_of_another: bool,
    /// Nor has anybody accepted it under this name, but under another one.
    is_moved: bool,
}

impl Name {
    /// Whether another file lies there that was not read.
    fn is_replaced(&self) -> bool {
        self.unproven_s.is_some() || self.is_unsure
    }
}

/// What a listing shows of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Listed {
    pub(super) length: u64,
    pub(super) modified: Timestamp,
    pub(super) changed: Timestamp,
    pub(super) number: Option<u64>,
}

/// How far an audit has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// All that was to be read was read.
    Complete,
    /// A budget has ended it.
    Budget,
    /// It was stopped, held, or has died: it has judged nothing to its end.
    Broken,
    /// It has not looked at any file.
    Nothing,
}

/// What an audit did.
pub(super) struct Evening<'a> {
    pub(super) now_s: i64,
    pub(super) reach: Reach,
    /// It was held, and has read all the same.
    pub(super) is_held: bool,
    pub(super) is_first: bool,
    pub(super) listed: &'a BTreeMap<String, Listed>,
    pub(super) log: &'a [(String, Brought)],
    pub(super) standing: &'a BTreeMap<String, Verdict>,
    pub(super) period_s: i64,
    /// Seconds since the audit before.
    pub(super) gap_s: i64,
    /// How many files are said to be late.
    pub(super) late: u64,
}

impl Evening<'_> {
    /// Whether it has judged to its end what it has read.
    fn is_judged(&self) -> bool {
        matches!(self.reach, Reach::Complete | Reach::Budget)
    }
}

/// What is wrong. `kind` is the same for the same fault of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Wrong {
    pub(super) kind: String,
    pub(super) text: String,
}

impl Wrong {
    pub(super) fn new(kind: impl Into<String>, text: impl Into<String>) -> Self {
        Self { kind: kind.into(), text: text.into() }
    }
}

/// What the readings of a night brought of a name.
#[derive(Debug, Default)]
struct Readings {
    /// Contents, each once.
    contents: Vec<Bytes>,
    /// Those that came from the medium, or where nothing better will ever come.
    proven: Vec<Bytes>,
    failed: bool,
    unstable: bool,
}

/// The truth about a collection.
#[derive(Debug)]
pub(super) struct Truth {
    keeps_numbers: bool,
    pub(super) rules: Vec<Rule>,
    pub(super) append_only: Vec<String>,
    pub(super) excluded: Vec<String>,
    names: BTreeMap<String, Name>,
    /// Contents that were known of any name, and since when.
    once_known: BTreeMap<Bytes, i64>,
    /// Contents that were found to be damage, and what was known of the files in which they were, with their names.
    once_damaged: BTreeMap<Bytes, Vec<(String, Known)>>,
    /// Contents that somebody has accepted in the place of others.
    accepted: BTreeSet<Bytes>,
    /// Contents that somebody may have accepted one of: what was found had varied.
    may_be_accepted: BTreeSet<Bytes>,
    /// Names and contents that somebody has accepted under them, or registered.
    accepted_here: BTreeSet<(String, Bytes)>,
    damages: Vec<Damage>,
    /// The last audit that has looked at a file has judged nothing to its end.
    is_unfinished: bool,
}

impl Truth {
    pub(super) fn new(keeps_numbers: bool, rules: Vec<Rule>, append_only: Vec<String>) -> Self {
        let (names, damages, excluded) = (BTreeMap::new(), Vec::new(), Vec::new());
        let (once_known, once_damaged, accepted) = (BTreeMap::new(), BTreeMap::new(), BTreeSet::new());
        Self {
            keeps_numbers,
            rules,
            append_only,
            excluded,
            names,
            once_known,
            once_damaged,
            accepted,
            may_be_accepted: BTreeSet::new(),
            accepted_here: BTreeSet::new(),
            damages,
            is_unfinished: false,
        }
    }

    /// Whether a name belongs to the collection.
    pub(super) fn takes(&self, name: &str) -> bool {
        !self.excluded.iter().any(|glob| takes(glob, name))
    }

    pub(super) fn policy(&self, name: &str) -> Policy {
        policy_of(&self.rules, name)
    }

    fn may_grow(&self, name: &str) -> bool {
        self.append_only.iter().any(|glob| takes(glob, name))
    }

    /// What is known of a name: what somebody has kept a copy of.
    pub(super) fn known(&self, name: &str) -> Option<&Known> {
        self.names.get(name)?.known.as_ref()
    }

    /// Whether each of these was read once, or could not be.
    pub(super) fn has_read_all(&self, listed: &BTreeMap<String, Listed>) -> bool {
        let is_read = |name: &Name| name.known.is_some() || name.stands.is_some();
        listed.keys().all(|path| self.names.get(path).is_some_and(is_read))
    }

    /// A file that looks as it is known, and that an audit of all files has not read though it had to: one that is held for what is lost or has
    /// changed reads all else.
    pub(super) fn passed_over<'e>(&self, evening: &Evening<'e>) -> Option<&'e str> {
        let is_as_known = |(path, listed): &(&String, &Listed)| {
            let name = self.names.get(*path);
            let known = name.filter(|name| name.stands.is_none() && name.also.is_empty() && !name.is_loose);
            known.and_then(|name| name.known.as_ref()).is_some_and(|known| {
                known.bytes.len() as u64 == listed.length && known.modified == listed.modified
            })
        };
        let is_read = |path: &String| evening.log.iter().any(|(name, _)| name == path);
        let mut as_known = evening.listed.iter().filter(is_as_known).map(|(path, _)| path);
        as_known.find(|path| self.takes(path) && !is_read(path)).map(String::as_str)
    }

    /// What is true of a name, in words for whoever looks at a story.
    pub(super) fn about(&self, name: &str) -> String {
        let Some(of) = self.names.get(name) else { return "nothing is known of it".into() };
        let known = of.known.iter().chain(&of.also).map(|known| shown_content(&known.bytes));
        let stands = of.stands.as_ref().map(|stands| {
            let found = stands.found.as_ref().map(|found| shown_content(found));
            let (edit, varied) =
                (if stands.is_edit { " edit" } else { "" }, if stands.has_varied() { " varied" } else { "" });
            format!("{} {found:?}{edit}{varied}", stands.verdict)
        });
        let (known, replaced) = (known.collect::<Vec<_>>().join(" or "), of.is_replaced());
        let (loose, unaccepted) = (of.is_loose, of.is_unaccepted);
        format!(
            "known {known:?}, stands {stands:?}, replaced {replaced}, loose {loose}, unaccepted {unaccepted}"
        )
    }

    /// The names against which something stands.
    pub(super) fn standing(&self) -> impl Iterator<Item = (&String, Verdict)> {
        self.names.iter().filter_map(|(name, of)| Some((name, of.stands.as_ref()?.verdict)))
    }

    /// All files are others now, and none of them was read; `over_s`: but for those that an audit may have read since then.
    pub(super) fn replace_all(&mut self, now_s: i64, over_s: Option<i64>) {
        for name in self.names.values_mut().filter(|name| name.known.is_some()) {
            if over_s.is_some_and(|over_s| name.seen_s >= over_s) {
                name.is_unsure = true;
                continue;
            }
            name.unproven_s = Some(now_s);
            for known in name.known.iter_mut().chain(&mut name.also) {
                known.number = None;
            }
        }
    }

    /// The keeper has accepted a name as it was found.
    pub(super) fn accept(&mut self, name: &str, listed: Option<Listed>) {
        self.accept_as(name, listed, false);
    }

    /// The keeper has accepted a name as it was found, or a policy has: then nobody has decided what the content is.
    fn accept_as(&mut self, name: &str, listed: Option<Listed>, is_by_policy: bool) {
        let Some(name) = self.names.get_mut(name) else { return };
        let Some(stands) = name.stands.take() else { return };
        match (stands.verdict, stands.found, listed) {
            ("missing", ..) => (name.known, name.also) = (None, Vec::new()),
            // What is known stays, unless something else has come since.
            ("misread", found, Some(listed)) => {
                name.also.extend(found.map(|bytes| known_of(bytes, listed, i64::MIN)));
            }
            // One of the contents that it had, and nobody knows which.
            ("unstable-medium", found, Some(listed)) => {
                name.also.extend(found.map(|bytes| known_of(bytes, listed, i64::MIN)));
            }
            (verdict, found, Some(listed)) => {
                let found = found.or_else(|| name.known.as_ref().map(|known| Arc::clone(&known.bytes)));
                let before = name.known.take();
                // Of what nobody has accepted so far its first content may be kept.
                let is_of_new = OF_NEW.contains(&verdict) && !stands.earlier.is_empty();
                let first = before.clone().filter(|_| is_of_new);
                name.known = found.map(|bytes| known_of(bytes, listed, i64::MIN)).or(before);
                // What was found then is good now. Of what a filter leaves out nothing is promised.
                name.read_s = name.read_s.max(name.seen_s);
                let earlier = stands.earlier.into_iter().map(|bytes| known_of(bytes, listed, i64::MIN));
                name.also = earlier.chain(first).collect();
                // What has come in its place since then was not read, and need not look like what was found.
                let is_of_before = name.unproven_s.is_some_and(|replaced_s| replaced_s > name.seen_s);
                if !OF_NEW.contains(&verdict) {
                    name.is_unsure |= is_of_before;
                    name.unproven_s = None;
                }
            }
            _ => {}
        }
        if !OF_NEW.contains(&stands.verdict) {
            let accepted = if name.also.is_empty() { &mut self.accepted } else { &mut self.may_be_accepted };
            for known in name.known.iter().chain(&name.also) {
                if !is_by_policy {
                    accepted.insert(Arc::clone(&known.bytes));
                }
                self.once_known.entry(Arc::clone(&known.bytes)).or_insert(name.seen_s);
            }
        }
        (name.is_loose, name.is_unaccepted, name.is_moved) = (false, false, false);
    }

    /// The keeper has set another policy, which ends what it accepts. `standing`: what is left.
    pub(super) fn set_rules(
        &mut self,
        rules: Vec<Rule>,
        standing: &BTreeMap<String, Verdict>,
    ) -> Result<(), Wrong> {
        let rules_before = std::mem::replace(&mut self.rules, rules);
        let before: Vec<_> = self.names.iter().filter(|(_, name)| name.stands.is_some()).collect();
        let ended = before.into_iter().filter(|(path, _)| !standing.contains_key(*path));
        let ended: Vec<_> = ended.map(|(path, name)| (path.clone(), name.stands.clone())).collect();
        for (path, stands) in ended {
            let Some(stands) = stands else { continue };
            let (verdict, has_varied) = (stands.verdict, stands.has_varied());
            let policy = self.policy(&path);
            let may_end = match verdict {
                // What came after it was found may have been an edit.
                "changed" => policy == Policy::Living && (stands.is_edit || has_varied),
                verdict => policy != Policy::Frozen && (OF_NEW.contains(&verdict) || verdict == "touched"),
            };
            // Of other files nothing was decided.
            let may_end = may_end && policy != policy_of(&rules_before, &path);
            if !may_end {
                let text =
                    format!("{path} was {verdict}, and a policy has ended it that does not accept that");
                return Err(Wrong::new(
                    format!("ended: {verdict}: by a policy that does not accept it"),
                    text,
                ));
            }
            self.accept_as(&path, stands.looked, true);
        }
        Ok(())
    }

    /// Judges what stands after an audit, and learns from it.
    pub(super) fn judge(&mut self, evening: &Evening<'_>) -> Result<(), Wrong> {
        if evening.reach == Reach::Nothing {
            return self.nothing_changed(evening);
        }
        let readings = self.readings(evening);
        let mut paths: Vec<String> = self.names.keys().cloned().collect();
        paths.extend(evening.listed.keys().chain(evening.standing.keys()).cloned());
        paths.sort_unstable();
        paths.dedup();
        let mut expected = Vec::with_capacity(paths.len());
        for path in paths {
            let expect = self.expect(evening, &readings, &path)?;
            expect.check(&path, self.stood(&path), evening.standing.get(&path).copied())?;
            expected.push((path, expect));
        }
        for (path, expect) in expected {
            self.learn(evening, &readings, path, expect);
        }
        for known in self.names.values().flat_map(|name| name.known.iter().chain(&name.also)) {
            self.once_known.entry(Arc::clone(&known.bytes)).or_insert(evening.now_s);
        }
        let here = self.names.iter().filter(|(_, name)| !name.is_unaccepted && !name.is_loose);
        let here =
            here.filter_map(|(path, name)| Some((path.clone(), Arc::clone(&name.known.as_ref()?.bytes))));
        self.accepted_here.extend(here);
        for (path, name) in &self.names {
            let (Some(known), Some(stands)) = (&name.known, &name.stands) else { continue };
            if !matches!(stands.verdict, "corrupt" | "suspect") {
                continue;
            }
            for found in stands.found.iter().chain(&stands.earlier) {
                let of = self.once_damaged.entry(Arc::clone(found)).or_default();
                if !of.iter().any(|(_, other)| other.bytes == known.bytes) {
                    of.push((path.clone(), known.clone()));
                }
            }
        }
        self.notice_replaced(evening, &readings);
        let excluded = std::mem::take(&mut self.excluded);
        let is_out = |path: &str| excluded.iter().any(|glob| takes(glob, path));
        // Nothing is promised of what a filter leaves out.
        self.names
            .iter_mut()
            .filter(|(path, _)| is_out(path))
            .for_each(|(_, name)| name.read_s = evening.now_s);
        self.excluded = excluded;
        self.is_unfinished = evening.reach == Reach::Broken;
        self.check_promise(evening)
    }

    /// An audit that has not looked at any file ends no finding and makes none. Only which new files are copies, of those that were recorded
    /// before it died, is reported when it goes on.
    fn nothing_changed(&mut self, evening: &Evening<'_>) -> Result<(), Wrong> {
        for (path, name) in &mut self.names {
            let (stood, stands) =
                (name.stands.as_ref().map(|stands| stands.verdict), evening.standing.get(path));
            if let Some(found) = &mut name.stands
                && self.is_unfinished
                && (found.verdict, stands) == ("new", Some(&"copied"))
            {
                found.verdict = "copied";
            } else if stood != stands.copied() {
                let text = format!("{path} was {stood:?} and is {stands:?}, and no file was looked at");
                return Err(Wrong::new("changed without a look", text));
            }
        }
        Ok(())
    }

    fn readings<'a>(&self, evening: &'a Evening<'_>) -> BTreeMap<&'a str, Readings> {
        let mut all: BTreeMap<&str, Readings> = BTreeMap::new();
        for (path, brought) in evening.log {
            let readings = all.entry(path).or_default();
            match brought {
                Brought::Failed => readings.failed = true,
                Brought::Unstable => readings.unstable = true,
                Brought::Grown(..) if !self.may_grow(path) => readings.unstable = true,
                Brought::Grown(bytes, source) | Brought::Bytes(bytes, source) => {
                    if !readings.contents.contains(bytes) {
                        readings.contents.push(Arc::clone(bytes));
                    }
                    // What has no bytes has them from nowhere.
                    if *source != Source::Cache || bytes.is_empty() {
                        readings.proven.push(Arc::clone(bytes));
                    }
                }
            }
        }
        all
    }

    fn stood(&self, path: &str) -> Option<Verdict> {
        Some(self.names.get(path)?.stands.as_ref()?.verdict)
    }

    /// Takes over what a night has shown of a name.
    fn learn(
        &mut self,
        evening: &Evening<'_>,
        readings: &BTreeMap<&str, Readings>,
        path: String,
        expect: Expect,
    ) {
        let brought = brought(readings, &path);
        let is_proven = readings.get(&path[..]).is_none_or(|of| !of.proven.is_empty());
        let listed = evening.listed.get(&path);
        let may_grow = self.may_grow(&path);
        let is_welcome = self.policy(&path) != Policy::Frozen;
        let verdict = evening.standing.get(&path).copied();
        let is_unaccepted = verdict.is_some_and(|verdict| OF_NEW.contains(&verdict));
        let becomes = match expect.unaccepted {
            _ if verdict.is_none() => expect.clean,
            _ if verdict == Some("corrupt") && expect.copied.is_some() => {
                expect.copied.unwrap_or(Becomes::Same)
            }
            Some(unaccepted) if is_unaccepted => unaccepted,
            _ => expect.dirty,
        };
        let alike = match &becomes {
            Becomes::Copy(known, ..) => Some(self.known_as(listed, &known.bytes)),
            _ => None,
        };
        let is_of_another = alike.is_some();
        let name = self.names.entry(path.clone()).or_default();
        // What is found out of it without a reading is what it was known to contain.
        let was_known = match &becomes {
            Becomes::Copy(..) => name.known.as_ref().map(|known| Arc::clone(&known.bytes)),
            _ => None,
        };
        let has_other_time = listed.is_some_and(|listed| {
            let mut known = name.known.iter().chain(&name.also);
            known.any(|known| !times::are_alike(known.modified, listed.modified))
        });
        let is_put_back = name.was_missing
            && listed
                .zip(name.known.as_ref())
                .is_some_and(|(listed, known)| listed.modified < known.modified);
        // An audit that has ended too early may not have noticed that it was replaced.
        let proves_nothing = is_put_back || name.unproven_s.is_some() || may_grow && expect.must;
        let is_edit = has_other_time && (!proves_nothing || !name.also.is_empty());
        if !brought.is_empty() {
            name.seen_s = evening.now_s;
            name.nights_in_use = match &becomes {
                _ if !is_proven => name.nights_in_use + 1,
                Becomes::Read => 0,
                // It may have been in use under another name.
                _ => NIGHTS_IN_USE,
            };
            // What differs is forgotten if the audit judges nothing to its end.
            let is_good = name.known.as_ref().is_some_and(|known| brought.contains(&known.bytes));
            if evening.reach != Reach::Broken || is_good {
                // Where only the page cache was read, its time runs since it was replaced.
                name.read_s = name.read_s.max(name.unproven_s.unwrap_or(name.read_s));
                (name.unproven_s, name.is_unsure) = (None, false);
            }
        }
        let is_settled = expect.settles && !matches!(becomes, Becomes::Doubtful);
        if is_settled && verdict.is_none() {
            name.also.clear();
        }
        match (becomes, listed) {
            (Becomes::Nothing, _) => (name.known, name.is_loose) = (None, false),
            (Becomes::Doubtful, _) => name.also.extend(name.known.clone()),
            (Becomes::Known(bytes), Some(listed)) => {
                name.known = Some(known_of(bytes, *listed, evening.now_s));
                (name.read_s, name.is_loose) = (evening.now_s, false);
            }
            (Becomes::Copy(known, other, others), _) => {
                name.also = others.into_iter().chain(alike.into_iter().flatten()).collect();
                // As long as something stands against the other one, nobody misses this one.
                let is_told = evening.standing.contains_key(&other) || evening.listed.contains_key(&other);
                let number = listed.map_or(known.number, |listed| listed.number);
                (name.known, name.is_loose) = (Some(Known { number, ..known }), is_told);
            }
            (Becomes::Maybe(bytes), Some(listed)) => {
                name.also.push(known_of(bytes, *listed, evening.now_s));
                name.read_s = evening.now_s;
            }
            (Becomes::Read, Some(listed)) => {
                // A promise is kept by the medium, unless nothing better will come.
                if is_proven || name.nights_in_use >= NIGHTS_IN_USE {
                    name.read_s = evening.now_s;
                }
                if let Some(known) = &mut name.known {
                    let modified = if verdict == Some("touched") { known.modified } else { listed.modified };
                    let bytes = brought.iter().find(|bytes| **bytes == known.bytes).unwrap_or(&known.bytes);
                    *known = Known { modified, ..known_of(Arc::clone(bytes), *listed, evening.now_s) };
                }
            }
            (Becomes::OneOf(bytes), Some(listed)) => {
                name.known = Some(known_of(bytes, *listed, evening.now_s));
                name.read_s = evening.now_s;
            }
            _ => {}
        }
        // Each once: what is handed on from name to name would grow with the nights.
        for other in std::mem::take(&mut name.also) {
            if !name.also.contains(&other) {
                name.also.push(other);
            }
        }
        let before = name.stands.take();
        name.stands = verdict.map(|verdict| {
            let known = name.known.as_ref().map(|known| &known.bytes);
            // Where several may be known, what was read last is what was found.
            let is_any = is_unaccepted || !name.also.is_empty();
            let differs = brought.iter().rev().find(|bytes| is_any || Some(*bytes) != known);
            let is_another = before.as_ref().is_some_and(|before| before.verdict != verdict);
            match (differs, before) {
                (None, _) if was_known.is_some() => {
                    let (found, looked) = (was_known.clone(), listed.copied());
                    let (looked_before, earlier) = (Vec::new(), Vec::new());
                    Stands { verdict, found, looked, looked_before, is_edit: false, earlier }
                }
                // Its time is what that is about.
                (None, Some(before)) if verdict == "touched" && !brought.is_empty() => {
                    Stands { verdict, looked: listed.copied(), ..before }
                }
                // What was found stays what it is, also where the file is lost.
                (None, Some(before)) => Stands { verdict, ..before },
                // What has judged nothing to its end may have left what was found before.
                (Some(found), Some(mut before)) if !evening.is_judged() && before.verdict == verdict => {
                    before.earlier.push(Arc::clone(found));
                    before.looked_before.extend(listed.copied());
                    before
                }
                (found, before) => {
                    let before = before.filter(|_| !is_another);
                    // Another reading of it says nothing else.
                    let is_again = before.as_ref().is_some_and(|before| before.found.as_ref() == found);
                    let is_edit = match &before {
                        Some(before) if is_again => has_other_time && before.is_edit,
                        _ => is_edit,
                    };
                    let earlier = before.map_or_else(Vec::new, |before| {
                        before.earlier.into_iter().chain(before.found.filter(|_| !is_again)).collect()
                    });
                    let (found, looked, looked_before) = (found.cloned(), listed.copied(), Vec::new());
                    Stands { verdict, found, looked, looked_before, is_edit, earlier }
                }
            }
        });
        name.was_missing = match verdict {
            Some("missing") => true,
            Some("unreadable" | "unstable") => name.was_missing,
            _ => false,
        };
        name.is_loose &= name.stands.is_some();
        name.is_of_another = name.stands.is_some() && (name.is_of_another || is_of_another);
        name.is_unaccepted = name.stands.is_some() && (name.is_unaccepted || is_unaccepted);
        name.may_be_accepted =
            name.is_unaccepted && (name.may_be_accepted || is_welcome && !brought.is_empty());
        name.is_moved = name.is_unaccepted
            && match verdict {
                Some("moved") => true,
                Some("new" | "copied") => false,
                _ => name.is_moved,
            };
        if name.known.is_none() && name.stands.is_none() && listed.is_none() {
            self.names.remove(&path);
        }
    }

    /// A file that looks unchanged and has another number is another file that nobody has read.
    fn notice_replaced(&mut self, evening: &Evening<'_>, readings: &BTreeMap<&str, Readings>) {
        for (path, listed) in evening.listed {
            let Some(name) = self.names.get_mut(path) else { continue };
            let Some(known) = &name.known else { continue };
            let looks_same = known.bytes.len() as u64 == listed.length && known.modified == listed.modified;
            let is_other = known.number.is_some() && known.number != listed.number;
            // The one that was found there was read.
            let was_found =
                name.stands.as_ref().filter(|stands| stands.found.is_some()).and_then(|stands| stands.looked);
            let is_found = was_found.is_some_and(|found| found.number == listed.number);
            // A reading that brought nothing proves nothing.
            let is_read = readings.get(path.as_str()).is_some_and(|of| !of.contents.is_empty());
            if !looks_same || !is_other || is_found || is_read {
                continue;
            }
            match evening.reach {
                Reach::Broken => name.is_unsure = true,
                _ => _ = name.unproven_s.get_or_insert(evening.now_s),
            }
        }
    }

    /// Each file is read within the promised time, or is said to be late.
    fn check_promise(&self, evening: &Evening<'_>) -> Result<(), Wrong> {
        const DAY_S: i64 = 24 * 3600;

        for path in evening.listed.keys() {
            let Some(name) = self.names.get(path) else { continue };
            // An audit that has ended too early may have noted that another file lies here: then its time begins anew.
            let may_be_new = name.is_unsure && name.unproven_s.is_none();
            if name.known.is_none() || name.stands.is_some() || !name.also.is_empty() || may_be_new {
                continue;
            }
            let since_s = name.unproven_s.map_or(name.read_s, |replaced_s| replaced_s.max(name.read_s));
            let over_s = evening.now_s - since_s - evening.period_s;
            let text = || format!("{path} was not read for {} days", (evening.now_s - since_s) / DAY_S);
            // What a program uses is late until it has been so for some nights, and is said to be.
            let is_in_use = (1..NIGHTS_IN_USE).contains(&name.nights_in_use);
            if evening.reach == Reach::Complete && over_s > evening.gap_s.max(DAY_S) && !is_in_use {
                let what = if name.unproven_s.is_some() { "a replaced file" } else { "a file" };
                return Err(Wrong::new(format!("promise: {what} was not read in time"), text()));
            }
            if over_s > evening.gap_s.max(DAY_S) && evening.late == 0 {
                return Err(Wrong::new("promise: late, and not said", text()));
            }
        }
        Ok(())
    }
}

/// The contents that a night brought of a name.
fn brought<'a>(readings: &'a BTreeMap<&str, Readings>, name: &str) -> &'a [Bytes] {
    readings.get(name).map_or(&[], |readings| &readings.contents)
}

/// What is known of a file that was read.
fn known_of(bytes: Bytes, listed: Listed, now_s: i64) -> Known {
    let is_near = |time: Timestamp| (time.seconds - now_s).abs() <= 8;
    let is_unsettled = now_s == i64::MIN || is_near(listed.modified) || is_near(listed.changed);
    Known { bytes, modified: listed.modified, number: listed.number, is_unsettled }
}
