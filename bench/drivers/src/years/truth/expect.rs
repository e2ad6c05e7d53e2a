//! What has to stand against a name after a night, what may, and what is known of it then.
//!
//! Owns the table: one function for each thing that may have come of a name.

use std::collections::BTreeMap;
use std::sync::Arc;

use hashlane_catalog::Policy;

use super::elsewhere::Elsewhere;
use super::origins::{Origin, has_changed, has_facts, is_as_known, is_told_of_another};
use super::times::are_alike;
use super::{
    Bytes, Evening, Known, Listed, Name, OF_CONTENT, OF_MEDIUM, OF_NEW, Reach, Readings, Truth, Verdict,
    Wrong, brought,
};

/// What is known of a name from now on.
#[derive(Clone, Debug)]
pub(super) enum Becomes {
    Same,
    /// Nobody expects it any more.
    Nothing,
    /// Nobody may expect it any more.
    Doubtful,
    Known(Bytes),
    /// This, or what was known before.
    Maybe(Bytes),
    /// The known content was read.
    Read,
    /// One of several contents that were read, this one for example.
    OneOf(Bytes),
    /// What is known of the file of this name, which it was or is a copy of; or of one of these.
    Copy(Known, String, Vec<Known>),
}

/// What is expected of a name.
#[derive(Clone, Debug)]
pub(super) struct Expect {
    /// Something has to stand.
    pub(super) must: bool,
    /// What may stand.
    may: Vec<Verdict>,
    why: &'static str,
    /// What is known then, if nothing stands; and if something does.
    pub(super) clean: Becomes,
    pub(super) dirty: Becomes,
    /// The same if nobody has accepted it; nothing: as above.
    pub(super) unaccepted: Option<Becomes>,
    /// The same if it is a copy of damage; nothing: as above.
    pub(super) copied: Option<Becomes>,
    /// What the catalogue knows is certain again.
    pub(super) settles: bool,
}

impl Expect {
    fn of(must: bool, may: impl IntoIterator<Item = Verdict>, why: &'static str) -> Self {
        let may = may.into_iter().collect();
        let (clean, dirty, unaccepted, copied) = (Becomes::Same, Becomes::Same, None, None);
        Self { must, may, why, clean, dirty, unaccepted, copied, settles: false }
    }

    fn clean(self, clean: Becomes) -> Self {
        Self { clean, settles: true, ..self }
    }

    /// If nothing stands, another content was accepted: for certain if the audit has judged it.
    fn accepted(self, evening: &Evening<'_>, bytes: &Bytes) -> Self {
        match evening.is_judged() {
            true => self.clean(Becomes::Known(Arc::clone(bytes))),
            false => Self { clean: Becomes::Maybe(Arc::clone(bytes)), ..self },
        }
    }

    fn dirty(self, dirty: Becomes) -> Self {
        Self { dirty, ..self }
    }

    fn or(mut self, verdict: Option<Verdict>) -> Self {
        self.may.extend(verdict);
        self
    }

    /// Compares it with what stands, and with what stood before.
    pub(super) fn check(
        &self,
        path: &str,
        stood: Option<Verdict>,
        stands: Option<Verdict>,
    ) -> Result<(), Wrong> {
        let why = self.why;
        match (stood, stands) {
            (None, None) if self.must => {
                Err(Wrong::new(format!("not told: {why}"), format!("{path}: {why}, and nothing stands")))
            }
            (Some(stood), None) if self.must => Err(Wrong::new(
                format!("ended: {stood}: {why}"),
                format!("{path} was {stood}: {why}, and nothing stands any more"),
            )),
            (_, Some(stands)) if !self.may.contains(&stands) => {
                let kind = match stood {
                    None => format!("false alarm: {stands}: {why}"),
                    Some(stood) if stood == stands => format!("does not end: {stands}: {why}"),
                    Some(stood) => format!("{stood} becomes {stands}: {why}"),
                };
                let text = format!("{path} is {stands}, and was {stood:?}: {why}; expected: {:?}", self.may);
                Err(Wrong::new(kind, text))
            }
            _ => Ok(()),
        }
    }
}

pub(super) type All<'a, 'b> = (&'a Evening<'b>, &'a BTreeMap<&'b str, Readings>);

impl Truth {
    /// What is expected of a name after a night.
    pub(super) fn expect(
        &self,
        evening: &Evening<'_>,
        readings: &BTreeMap<&str, Readings>,
        path: &str,
    ) -> Result<Expect, Wrong> {
        let unknown = Name::default();
        let name = self.names.get(path).unwrap_or(&unknown);
        let all = (evening, readings);
        let mut expect = match (evening.listed.get(path), readings.get(path)) {
            (None, _) => self.absent(all, path, name),
            (Some(listed), None) => self.unread(all, path, name, listed)?,
            (Some(listed), Some(of)) => match (&of.contents[..], &name.known) {
                ([], _) => failed(evening, name, of),
                ([bytes], None) => self.fresh(all, path, (name, listed, bytes)),
                ([bytes], Some(known)) => {
                    let same = [known].into_iter().chain(&name.also).find(|known| known.bytes == *bytes);
                    match same {
                        Some(same) => self.same(all, path, (name, listed, same), of),
                        None => {
                            let mut expect = self.other(all, path, (name, listed, known), bytes);
                            if name.is_unaccepted {
                                // It is as new as before, with another content.
                                let becomes =
                                    if evening.is_judged() { Becomes::Known } else { Becomes::Maybe };
                                expect.unaccepted = Some(becomes(Arc::clone(bytes)));
                            }
                            expect
                        }
                    }
                }
                _ => {
                    let renamed = self.renamed_from(evening, path, listed);
                    let linked = self.linked(listed, path);
                    mixed(evening, name, of, Origin::any_of(renamed.into_iter().chain(linked)))
                }
            },
        };
        if let Some(origin) = self.copied_before(all, path, name) {
            expect.must |= origin.is_certain;
            if origin.is_certain {
                expect.why = "it was copied from what was found to be damage since then";
            }
            expect.may.push("corrupt");
            // What was known of it is that, though another content was read.
            expect.copied = match (expect.dirty.clone(), &name.known) {
                (Becomes::Copy(known, of, others), _) => {
                    Some(Becomes::Copy(known, of, others.into_iter().chain(origin.all()).collect()))
                }
                (Becomes::Same, Some(known)) if !is_as_known(readings, path, known) => {
                    Some(origin.or_as(known, name).becomes())
                }
                _ => Some(origin.becomes()),
            };
        }
        if (name.is_loose || name.is_of_another) && self.policy(path) == Policy::Frozen {
            // Before it was found to be a copy, or under its former name, nobody had accepted it.
            expect.may.extend(OF_NEW);
        }
        if !name.also.is_empty() && self.policy(path) == Policy::Frozen {
            // An audit that has died may have found that it has another name: then it is new here.
            expect.may.extend(OF_NEW);
        }
        if name.is_unaccepted && self.policy(path) == Policy::Frozen {
            expect.may.extend(OF_NEW);
            // Whatever comes of it, nobody has accepted it.
            let is_read = readings.get(path).is_some_and(|of| !of.contents.is_empty());
            expect.must |= is_read && evening.reach == Reach::Complete && !name.may_be_accepted;
        }
        Ok(expect)
    }

    /// A name that was not listed.
    fn absent(&self, all @ (evening, readings): All<'_, '_>, path: &str, name: &Name) -> Expect {
        let stood = stood(name);
        let is_complete = evening.reach == Reach::Complete;
        if !self.takes(path) {
            // Its file may have been renamed to a name that is listed. On another disk its number is another one.
            let is_it = |fresh: &String| {
                let listed = &evening.listed[fresh];
                let brought = brought(readings, fresh);
                let was_found = name.stands.as_ref().is_some_and(|stands| stands.found_among(brought));
                name.known.iter().chain(&name.also).any(|known| {
                    // What was found may have another time since then.
                    let has_number = known.number.is_some() && known.number == listed.number;
                    has_facts(known, listed)
                        || name.stands.as_ref().is_some_and(|stands| stands.has_looked_like(listed))
                        || has_number && was_found
                        || name.is_replaced() && !has_changed(known, listed)
                })
            };
            // The name of a log is as good as new when that was rotated.
            let has_left = self.fresh_names(evening).any(is_it)
                || evening.listed.keys().filter(|other| self.may_grow(other)).any(is_it);
            let expect = Expect::of(stood.is_some() && !has_left, stood, "a filter leaves it out");
            return if has_left { expect.clean(Becomes::Doubtful) } else { expect };
        }
        let is_missed = !name.is_loose && (!name.is_unaccepted || name.is_moved);
        let Some(known) = name.known.as_ref().filter(|_| is_missed) else {
            let expect = Expect::of(false, stood, "it is gone, and nobody has known it").or(Some("missing"));
            // As soon as nothing stands against it nobody will miss it either.
            return expect.clean(Becomes::Nothing);
        };
        if self.may_grow(path) && matches!(stood, Some("unreadable" | "unstable")) {
            // It may have been rotated before it could not be read.
            let expect = Expect::of(false, ["missing"], "it is gone, and may have been rotated").or(stood);
            return expect.clean(Becomes::Nothing);
        }
        // A file that could not be read may be the one that is gone.
        let is_all_read = self
            .fresh_names(evening)
            .all(|fresh| readings.get(fresh.as_str()).is_some_and(|readings| !readings.contents.is_empty()));
        let is_certain = is_complete && is_all_read;
        let gone = |expect: Expect| if is_certain { expect.clean(Becomes::Nothing) } else { expect };
        match self.elsewhere(all, path, known, name) {
            _ if !name.also.is_empty() => gone(Expect::of(false, ["missing"], "it is gone").or(stood)),
            Elsewhere::Yes if is_certain => gone(Expect::of(false, [], "its content has another name")),
            // A move is recorded as soon as the new name is read.
            Elsewhere::Yes if !known.bytes.is_empty() => {
                let expect = Expect::of(false, ["missing"], "its content has another name").or(stood);
                expect.clean(Becomes::Nothing)
            }
            // Its finding has gone with it, unless another file has its number by now.
            Elsewhere::Maybe | Elsewhere::No if self.is_told_elsewhere(all, path, (known, name)) => {
                let expect = Expect::of(false, ["missing"], "it is damaged under another name").or(stood);
                expect.clean(Becomes::Doubtful)
            }
            Elsewhere::Yes | Elsewhere::Maybe => {
                let expect = Expect::of(false, ["missing"], "its content may have another name").or(stood);
                // A move may have been recorded as soon as the new name was read.
                gone(Expect { clean: Becomes::Doubtful, ..expect })
            }
            Elsewhere::No => {
                let why = "it is gone, and its content is nowhere";
                Expect::of(is_certain || stood.is_some(), ["missing"], why).or(stood.filter(|_| !is_certain))
            }
        }
    }

    /// Names that are there and were not known before.
    pub(super) fn fresh_names<'a>(&'a self, evening: &'a Evening<'_>) -> impl Iterator<Item = &'a String> {
        let is_known = |name: &&String| self.names.get(*name).is_some_and(|of| of.known.is_some());
        evening.listed.keys().filter(move |name| !is_known(name))
    }

    /// Whether a damaged log has left its name.
    fn has_left_damaged(&self, all: All<'_, '_>, path: &str, of: (&Known, &Name)) -> bool {
        self.may_grow(path) && self.is_told_elsewhere(all, path, of)
    }

    /// A name that is there and was not read.
    fn unread(
        &self,
        all @ (evening, _): All<'_, '_>,
        path: &str,
        name: &Name,
        listed: &Listed,
    ) -> Result<Expect, Wrong> {
        let stood = stood(name);
        let not_read = |what: &str| Err(Wrong::new(format!("not read: {what}"), format!("{path}: {what}")));
        let is_complete = evening.reach == Reach::Complete;
        match &name.known {
            None if is_complete => not_read("a new file"),
            Some(known)
                if is_complete
                    && stood.is_none()
                    && name.also.is_empty()
                    && (known.bytes.len() as u64 != listed.length
                        || !are_alike(known.modified, listed.modified)) =>
            {
                not_read("a file that looks changed")
            }
            None => Ok(Expect::of(false, stood, "it was not read")),
            // The new file of its name is as good as new. A damaged log has left it, too.
            Some(known)
                if self.may_be_rotated(all, path, known, listed)
                    || self.has_left_damaged(all, path, (known, name)) =>
            {
                Ok(Expect::of(false, stood, "it may have been rotated").clean(Becomes::Doubtful))
            }
            Some(_) => {
                Ok(Expect::of(stood.is_some_and(|stood| stood != "missing"), stood, "it was not read"))
            }
        }
    }

    /// Whether the known content of a log was found under a new name, and another file has its own.
    fn may_be_rotated(
        &self,
        (evening, readings): All<'_, '_>,
        path: &str,
        known: &Known,
        listed: &Listed,
    ) -> bool {
        // On another disk it has another number, too.
        let is_another = known.number.is_none() || known.number != listed.number;
        let has_it = |fresh: &String| brought(readings, fresh).iter().any(|of| of.starts_with(&known.bytes));
        // The name of another log is as good as new.
        let logs = self.names.iter().filter(|(other, of)| {
            *other != path
                && self.may_grow(other)
                && of.known.is_some()
                && evening.listed.contains_key(*other)
        });
        let mut logs = logs.map(|(other, _)| other);
        is_another
            && has_changed(known, listed)
            && self.may_grow(path)
            && self.policy(path) != Policy::Frozen
            && (self.fresh_names(evening).any(has_it) || logs.any(has_it))
    }

    /// A content under a name that was not known.
    fn fresh(
        &self,
        all @ (evening, readings): All<'_, '_>,
        path: &str,
        (name, listed, bytes): (&Name, &Listed, &Bytes),
    ) -> Expect {
        let known = Becomes::Known(Arc::clone(bytes));
        let is_complete = evening.reach == Reach::Complete;
        // What nobody has judged to its end may still be unknown.
        let damage = |origin: Origin, why| {
            let must = is_complete && !evening.is_first;
            let expect = Expect::of(must, OF_CONTENT, why).dirty(origin.becomes());
            if evening.reach == Reach::Broken { expect } else { expect.clean(known.clone()) }
        };
        let renamed = self.renamed_from(evening, path, listed);
        // Another new file that has its content may be taken for it.
        let is_taken = |origin: &Origin| {
            let has_content = |fresh: &String| {
                readings.get(fresh.as_str()).is_some_and(|of| of.contents.contains(&origin.known.bytes))
            };
            self.fresh_names(evening).filter(|fresh| *fresh != path).any(has_content)
        };
        let was_elsewhere = self.names.iter().any(|(other, name)| {
            let is_gone = !evening.listed.contains_key(other) && self.takes(other);
            is_gone && name.known.as_ref().is_some_and(|known| known.bytes == *bytes)
        });
        let found = self.damaged_as(all, path, bytes);
        if let Some(mut origin) = renamed.clone()
            && origin.known.bytes != *bytes
            && origin.is_certain
            && !is_taken(&origin)
            && !was_elsewhere
            // Somebody has decided that it is not damage.
            && !self.accepted.contains(bytes)
            && !self.may_be_accepted.contains(bytes)
        {
            // Where its content was found as damage under another name, it may be judged by what is known of that.
            let others = found.into_iter().flat_map(Origin::all);
            origin.others.extend(others);
            return damage(origin, "it was renamed, and is not what was known under its old name");
        }
        let origin = found;
        if let Some(origin) = origin.clone().filter(|origin| origin.is_certain) {
            return damage(origin, "it has the content that was found to be damage elsewhere");
        }
        let mut expect = match self.policy(path) {
            _ if evening.is_first => Expect::of(false, [], "it was registered"),
            // It may be back from another name that nobody has accepted.
            Policy::Frozen => {
                let is_back = self.accepted_here.contains(&(path.to_owned(), Arc::clone(bytes)));
                Expect::of(is_complete && !is_back, OF_NEW, "it is new")
            }
            _ => Expect::of(false, [], "it is new"),
        };
        expect.unaccepted = Some(known.clone());
        // It may be judged by what is known of each of them.
        let mut origins = origin.into_iter().chain(renamed);
        if let Some(origin) = Origin::any_of(&mut origins).or_else(|| self.linked(listed, path)) {
            expect.may.extend(OF_CONTENT);
            expect.dirty = origin.becomes();
        }
        // An audit that has ended too early may have left what stood.
        let left = stood(name).filter(|_| !is_complete);
        expect.or(left).clean(known)
    }

    /// The known content was read.
    fn same(
        &self,
        all @ (evening, _): All<'_, '_>,
        path: &str,
        (name, listed, known): (&Name, &Listed, &Known),
        of: &Readings,
    ) -> Expect {
        let is_frozen = self.policy(path) == Policy::Frozen;
        let is_complete = evening.reach == Reach::Complete;
        let is_judged = evening.is_judged();
        // What has no bytes has them from nowhere.
        let is_proven = known.bytes.is_empty() || of.proven.contains(&known.bytes);
        // It may be known by one time or another.
        let mut times = name.also.iter().filter(|also| also.bytes == known.bytes).chain([known]);
        let is_touched = is_frozen && times.any(|of| !are_alike(of.modified, listed.modified));
        let stood = stood(name);
        let expect = match stood {
            None if is_touched && name.also.is_empty() => {
                Expect::of(is_judged, ["touched"], "its time alone has moved")
            }
            None if is_touched => Expect::of(false, ["touched"], "its time may have moved"),
            None => Expect::of(false, [], "it is as known"),
            Some("changed") if !is_proven || !is_complete => {
                Expect::of(false, ["changed"], "it is as known, and its medium was not read")
            }
            Some(verdict) if OF_MEDIUM.contains(&verdict) && !is_proven => {
                // A copy of a log beside it is its rotation.
                let must = !self.may_be_rotated(all, path, known, listed);
                // In a living collection, what is known of the file from which damage came is as good as an edit.
                let is_of_another = name.is_loose || !name.also.is_empty();
                let must = must && !(is_of_another && self.policy(path) == Policy::Living);
                // A damaged log has left its name when it was rotated.
                let must = must && !(self.has_left_damaged(all, path, (known, name)));
                Expect::of(must, [verdict, "misread"], "only the page cache has its known content")
            }
            Some("suspect") => Expect::of(false, ["misread"], "its known content was read from the medium")
                .or(stood.filter(|_| !is_complete)),
            Some(verdict) if OF_CONTENT.contains(&verdict) => {
                // What a log contained before it was rotated is not growth of what is known of it now.
                Expect::of(false, [], "its known content was read from the medium")
                    .or(stood.filter(|_| !is_complete))
                    .or(Some("changed").filter(|_| self.may_grow(path)))
            }
            Some(verdict) if OF_NEW.contains(&verdict) => {
                let expect = Expect::of(is_frozen, OF_NEW, "nobody has accepted it");
                if is_touched { expect.or(Some("touched")).or(Some("changed")) } else { expect }
            }
            Some("touched") if is_touched => {
                Expect::of(name.also.is_empty(), ["touched"], "its time alone has moved")
            }
            // It may be known as another version by now, which it is not; one that has died has not said so.
            Some("touched") => Expect::of(false, [], "its time is as known")
                .or(stood.filter(|_| !is_complete && !name.also.is_empty())),
            // It is here again, under whatever time.
            Some(verdict) => {
                // The log of this name was found under that of another one, while this one could not be read.
                let has = |of: &Name| of.known.as_ref().is_some_and(|of| of.bytes == known.bytes);
                let is_log = |(other, of): (&String, &Name)| other != path && self.may_grow(other) && has(of);
                let was_rotated = is_frozen && self.may_grow(path) && self.names.iter().any(is_log);
                Expect::of(false, is_touched.then_some("touched"), "it can be read and is as known")
                    .or(Some(verdict).filter(|_| !is_judged))
                    .or(Some("new").filter(|_| was_rotated))
            }
        };
        let mut expect = expect;
        // What is known of it is damage elsewhere, and it was restored to that.
        if is_proven
            && stood.is_some_and(|stood| OF_CONTENT.contains(&stood) || stood == "missing")
            && let Some(origin) = self.damaged_as(all, path, &known.bytes)
        {
            expect.may.push("corrupt");
            expect.copied = Some(origin.or_as(known, name).becomes());
        }
        if name.is_loose {
            // The file from which damage came may have been edited, and the catalogue judges by what was known of it then.
            expect.may.extend(OF_CONTENT);
        }
        let is_own = name.known.as_ref().is_some_and(|own| own.bytes == known.bytes);
        match is_own && name.also.iter().all(|also| also.bytes == known.bytes) {
            true => expect.clean(Becomes::Read).dirty(Becomes::Read),
            // It turns out which of the contents the catalogue knows.
            false => {
                let may = expect.may.into_iter().chain(OF_CONTENT).collect();
                // Of what nobody has accepted it is known what was read of it.
                let unaccepted = is_judged.then(|| Becomes::Known(Arc::clone(&known.bytes)));
                // Who is stopped has recorded it as it looks now, or not yet; what stood against it is reported later.
                Expect { must: false, may, unaccepted, ..expect }.accepted(evening, &known.bytes)
            }
        }
    }

    /// Another content than the known one was read.
    fn other(
        &self,
        all @ (evening, readings): All<'_, '_>,
        path: &str,
        (name, listed, known): (&Name, &Listed, &Known),
        bytes: &Bytes,
    ) -> Expect {
        let accepted = |expect: Expect| expect.accepted(evening, bytes);
        let stood = stood(name);
        let is_of_content = stood.is_some_and(|stood| OF_CONTENT.contains(&stood));
        let left = stood.filter(|_| evening.reach != Reach::Complete);
        if self.may_grow(path) {
            let is_frozen = self.policy(path) == Policy::Frozen;
            let is_strange = stood == Some("missing") || are_alike(known.modified, listed.modified);
            let is_doubtful = is_of_content || is_frozen || known.bytes.is_empty() || name.is_replaced();
            // With the number of another log that has left its name it is compared with that.
            let may_be_other = known.number != listed.number
                && self.linked(listed, path).is_some_and(|of| self.may_grow(&of.name));
            let is_doubtful = is_doubtful
                || !name.also.is_empty()
                || self.damaged_as(all, path, bytes).is_some()
                || may_be_other;
            let is_doubtful = is_doubtful || is_strange && !bytes.starts_with(&known.bytes);
            let expect = |why| match is_doubtful {
                true => Expect::of(false, OF_CONTENT, why).or(stood),
                false => Expect::of(false, [], why).or(left),
            };
            if bytes.starts_with(&known.bytes) {
                return accepted(expect("it has grown"));
            }
            let is_kept = |fresh: &String| {
                let brought = readings.get(fresh.as_str());
                brought.is_some_and(|brought| brought.contents.iter().any(|of| of.starts_with(&known.bytes)))
            };
            // What is read one way and another one was not known to be it when it was read first.
            let is_mixed =
                |fresh: &String| readings.get(fresh.as_str()).is_some_and(|of| of.contents.len() > 1);
            // An audit that has died may have recorded the new name before.
            let has_name = |(other, name): (&String, &Name)| {
                let is_it = |of: &Known| !known.bytes.is_empty() && of.bytes.starts_with(&known.bytes);
                other != path && name.known.as_ref().is_some_and(is_it)
            };
            // A name of another log that was rotated is as good as new.
            let is_at_other = |(other, name): (&String, &Name)| {
                other != path && self.may_grow(other) && name.known.is_some() && is_kept(other)
            };
            let is_fresh = self.fresh_names(evening).any(is_kept);
            if is_fresh || self.names.iter().any(has_name) || self.names.iter().any(is_at_other) {
                // Another file of that content that has left its name may be the one that was moved.
                let is_one = !self.names.iter().any(|(other, name)| {
                    let is_same = name.known.as_ref().is_some_and(|of| of.bytes == known.bytes);
                    let is_another = |listed: &Listed| {
                        self.keeps_numbers && name.known.as_ref().is_some_and(|of| of.number != listed.number)
                    };
                    let has_left = evening.listed.get(other).is_none_or(is_another)
                        || brought(readings, other).iter().any(|of| *of != known.bytes);
                    is_same && other != path && has_left
                });
                let has_number = self.keeps_numbers && known.number.is_some();
                // On another disk only a log that has not grown is known by its content.
                let is_known = |fresh: &&String| {
                    let has_same = readings
                        .get(fresh.as_str())
                        .is_some_and(|of| of.contents == [Arc::clone(&known.bytes)]);
                    has_same || evening.listed[*fresh].number == known.number && !is_mixed(fresh)
                };
                let is_clear =
                    self.fresh_names(evening).filter(|fresh| is_kept(fresh)).all(|fresh| is_known(&fresh));
                let is_another =
                    is_fresh && is_clear && is_one && has_number && known.number != listed.number;
                let mut expect = expect("it was rotated");
                // Whatever was renamed to its name may be judged by what is known of that.
                if let Some(origin) = self.damaged_as(all, path, bytes) {
                    expect.dirty = origin.or_as(known, name).becomes();
                } else if let Some(renamed) = self.known_as(Some(listed), &known.bytes).pop() {
                    expect.dirty = Becomes::Maybe(renamed.bytes);
                }
                return accepted(if is_another {
                    expect
                } else {
                    Expect { may: OF_CONTENT.into_iter().chain(left).collect(), ..expect }
                });
            }
        } else if self.policy(path) == Policy::Living && !is_of_content {
            return self.living(all, path, (name, listed, known), bytes);
        }
        let expect = self.differs(all, path, (name, listed, known), bytes);
        if self.policy(path) == Policy::Living && self.may_have_gone(all, path, (name, known), bytes) {
            return accepted(Expect { must: false, ..expect });
        }
        expect
    }

    /// Another content in a living collection, where nothing stood against the one before.
    fn living(
        &self,
        all @ (evening, _): All<'_, '_>,
        path: &str,
        (name, listed, known): (&Name, &Listed, &Known),
        bytes: &Bytes,
    ) -> Expect {
        let stood = stood(name);
        let is_complete = evening.reach == Reach::Complete;
        // What is missing was replaced by nothing.
        let is_replaced = name.is_replaced() && !name.is_unsure && !name.was_missing;
        if are_alike(known.modified, listed.modified) || is_replaced {
            return self.differs(all, path, (name, listed, known), bytes);
        }
        let is_later = listed.modified > known.modified;
        let why = match is_later {
            true => "somebody has edited it",
            false => "another content has come under an earlier time",
        };
        let damage = self.damaged_as(all, path, bytes);
        // What it was is found tonight to be a copy of damage: then this is neither that nor what the first file was.
        let was_copy = self.damage_of(all, path, &known.bytes);
        let is_doubtful = name.is_replaced()
            || !name.also.is_empty()
            || self.linked(listed, path).is_some()
            || damage.is_some()
            || is_told_of_another(all, path, bytes)
            || was_copy.is_some();
        let of_content = is_doubtful.then_some(OF_CONTENT).into_iter().flatten();
        // Damage under another name, which has taken the place of this file, is not an edit.
        if damage.is_some_and(|origin| origin.is_certain)
            || self.is_renamed_over(evening, path, listed, bytes)
        {
            let must = is_complete && name.also.is_empty() && !name.is_unsure;
            let expect = Expect::of(must, OF_CONTENT, "what is damaged under another name has come here");
            return expect.or(stood).accepted(evening, bytes);
        }
        // Nor is what was found of it before it was lost or could not be read.
        let was_found = name.stands.as_ref().is_some_and(|stands| {
            stands.found.as_ref() == Some(bytes) && !stands.has_varied() && !stands.is_edit
        });
        if name.was_missing || was_found {
            let must = (!is_later || was_found) && evening.is_judged() && name.also.is_empty();
            let expect = Expect::of(must, OF_CONTENT, "it was missing, and another content is there");
            return expect.or(stood).accepted(evening, bytes);
        }
        let expect = Expect::of(false, of_content, why).or(stood.filter(|_| !is_complete));
        match was_copy {
            Some(origin) => expect.dirty(origin.or_as(known, name).becomes()),
            None => expect,
        }
        .accepted(evening, bytes)
    }

    /// Another content that nothing excuses.
    fn differs(
        &self,
        all @ (evening, _): All<'_, '_>,
        path: &str,
        (name, listed, known): (&Name, &Listed, &Known),
        bytes: &Bytes,
    ) -> Expect {
        let stood = stood(name);
        let is_judged = evening.is_judged();
        if self.has_left_damaged(all, path, (known, name)) {
            let expect = Expect::of(false, OF_CONTENT, "it was damaged, and was rotated").or(stood);
            return expect.accepted(evening, bytes);
        }
        let is_alike = are_alike(known.modified, listed.modified);
        let is_unproven = name.is_replaced();
        let is_another = known.number.is_some() && known.number != listed.number;
        let is_strange = is_unproven
            || is_another
            || !name.also.is_empty()
            || known.is_unsettled
            || self.linked(listed, path).is_some()
            || self.damaged_as(all, path, bytes).is_some();
        let found = name.stands.as_ref().and_then(|stands| stands.found.as_ref());
        let has_varied = name.stands.as_ref().is_some_and(|stands| stands.has_varied());
        let must = match is_judged {
            true => name.also.is_empty(),
            // What is damage for certain is reported whatever is held back.
            false if evening.is_held && stood.is_none() && is_alike && !is_strange => {
                bytes.len() == known.bytes.len() && !name.is_unaccepted
            }
            false => stood.is_some_and(|stood| stood != "missing"),
        };
        let may: &[Verdict] = match stood {
            Some("corrupt") if found == Some(bytes) && !has_varied => &["corrupt"],
            None if is_strange => &OF_CONTENT,
            None if !is_alike => &["changed"],
            None if bytes.len() > known.bytes.len() => &["changed"],
            None => &["corrupt", "suspect", "unstable-medium"],
            _ => &OF_CONTENT,
        };
        let why = match () {
            () if is_unproven => "its first reading since it was replaced differs",
            () if is_alike => "it differs, and no time says so",
            () if stood.is_some() => "it has neither the known content nor was it accepted",
            () => "it differs",
        };
        // What stood stays as long as nothing says more.
        let left = stood.filter(|stood| OF_NEW.contains(stood) || !is_judged);
        Expect::of(must, may.iter().copied(), why).or(left)
    }
}

/// A name that could not be read.
fn failed(evening: &Evening<'_>, name: &Name, of: &Readings) -> Expect {
    let verdicts = [(of.failed, "unreadable"), (of.unstable, "unstable")];
    let verdicts = verdicts.into_iter().filter(|(is_so, _)| *is_so).map(|(_, verdict)| verdict);
    let stood = stood(name);
    let must = evening.reach == Reach::Complete || stood.is_some();
    Expect::of(must, verdicts, "it could not be read").or(stood)
}

/// A name whose readings disagree. `origin`: the known file that it was, as far as that can be seen without reading.
fn mixed(evening: &Evening<'_>, name: &Name, of: &Readings, origin: Option<Origin>) -> Expect {
    let stood = stood(name);
    let known = name.known.as_ref().map(|known| &known.bytes);
    let has_known = known.is_some_and(|known| of.contents.contains(known));
    let must = match stood {
        None => false,
        Some(stood) => OF_CONTENT.contains(&stood) && !has_known,
    };
    let expect = Expect::of(must, OF_CONTENT, "its readings disagree").or(stood);
    match &of.contents[..] {
        [.., last] if known.is_none() => {
            // What is read last is what two readings agree on, if any do.
            let one = Becomes::OneOf(Arc::clone(last));
            let dirty = origin.map_or_else(|| one.clone(), Origin::becomes);
            let may = expect.may.into_iter().chain(OF_NEW).collect();
            Expect { may, unaccepted: Some(one.clone()), ..expect }.clean(one).dirty(dirty)
        }
        _ if has_known && evening.reach != Reach::Broken => expect.clean(Becomes::Read),
        // What two readings agree on may have been accepted.
        [.., last] => Expect { clean: Becomes::Maybe(Arc::clone(last)), ..expect },
        _ => expect,
    }
}

pub(super) fn stood(name: &Name) -> Option<Verdict> {
    name.stands.as_ref().map(|stands| stands.verdict)
}
