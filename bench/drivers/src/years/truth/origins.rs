//! Which known file lies under a name: the one that was renamed to it or copied there, or the one that is damaged like it.
//!
//! Owns what a file may be judged by, beside what is known of its own name.

use std::collections::BTreeMap;

use super::expect::{All, Becomes, stood};
use super::times::are_alike;
use super::{
    Bytes, Evening, Known, Listed, Name, OF_CONTENT, OF_NEW, Reach, Readings, Stands, Truth, Verdict, brought,
};

/// A known file that another one was, is a copy of, or is damaged like.
#[derive(Clone)]
pub(super) struct Origin {
    pub(super) known: Known,
    pub(super) name: String,
    pub(super) is_certain: bool,
    /// What else it may be judged by.
    pub(super) others: Vec<Known>,
}

impl Origin {
    pub(super) fn of(known: &Known, name: &str, is_certain: bool) -> Self {
        Self { known: known.clone(), name: name.to_owned(), is_certain, others: Vec::new() }
    }

    /// The first one, which may be any of the others as well.
    pub(super) fn any_of(mut origins: impl Iterator<Item = Self>) -> Option<Self> {
        let mut origin = origins.next()?;
        origin.others.extend(origins.flat_map(Self::all));
        Some(origin)
    }

    /// The file of a name itself, as it is known or may be, if it is not this one.
    pub(super) fn or_as(self, known: &Known, name: &Name) -> Self {
        let own = name.known.iter().chain(&name.also).cloned();
        let (origin, known) = (self.name.clone(), known.clone());
        Self { others: self.all().chain(own).collect(), known, name: origin, is_certain: false }
    }

    /// All that it may be.
    pub(super) fn all(self) -> impl Iterator<Item = Known> {
        [self.known].into_iter().chain(self.others)
    }

    pub(super) fn becomes(self) -> Becomes {
        Becomes::Copy(self.known, self.name, self.others)
    }
}

impl Truth {
    /// The known file that lies under a new name now, as number, size and time tell.
    pub(super) fn renamed_from(&self, evening: &Evening<'_>, path: &str, listed: &Listed) -> Option<Origin> {
        let mut origins = self.names.iter().filter_map(|(other, name)| {
            // What a filter leaves out may have got a name that it does not.
            let is_gone = other != path && !evening.listed.contains_key(other);
            // On another disk its number is another one, too.
            let is_it = |known: &&Known| {
                has_facts(known, listed) || name.is_replaced() && !has_changed(known, listed)
            };
            let known = name.known.iter().chain(&name.also).find(|known| is_gone && is_it(known));
            // It may have come to that name damaged, and is known by what that had; or be back from a medium with coarser times.
            let is_certain = known.is_some();
            let was_found =
                || name.stands.as_ref().filter(|stands| is_gone && stands.has_looked_like(listed));
            let is_alike = |known: &&Known| is_gone && has_facts_alike(known, listed);
            let known = known
                .or_else(|| name.known.iter().chain(&name.also).find(is_alike))
                .or_else(|| was_found().and(name.known.as_ref()))?;
            // Nobody expects what nobody has accepted.
            let is_certain = is_certain && !name.is_unaccepted && !name.is_replaced() && name.also.is_empty();
            Some(Origin { others: name.also.clone(), ..Origin::of(known, other, is_certain) })
        });
        let mut origin = origins.next()?;
        for Origin { known, others, .. } in origins {
            origin.is_certain &= known.bytes == origin.known.bytes;
            origin.others.extend([known].into_iter().chain(others));
        }
        Some(origin)
    }

    /// Whether a known file lies under the name of another one now, and is not what it was there.
    pub(super) fn is_renamed_over(
        &self,
        evening: &Evening<'_>,
        path: &str,
        listed: &Listed,
        bytes: &Bytes,
    ) -> bool {
        if self.was_known(bytes) || bytes.is_empty() {
            return false;
        }
        let mut origins =
            self.names.iter().filter(|(other, _)| *other != path).filter_map(|(other, name)| {
                let known = name.known.as_ref().filter(|known| has_facts(known, listed))?;
                let has_other = evening.listed.get(other).is_none_or(|there| there.number != known.number);
                let is_certain = name.also.is_empty() && !name.is_unsure;
                (has_other && is_certain && self.takes(other)).then_some(())
            });
        origins.next().is_some() && origins.next().is_none()
    }

    /// Other known files that have or had its number, as they are known or were found: what is found there may be judged by any of them.
    pub(super) fn linked(&self, listed: &Listed, path: &str) -> Option<Origin> {
        let origins = self.names.iter().filter(|(other, _)| *other != path).filter_map(|(other, name)| {
            let known = name.known.as_ref()?;
            let looks = name.stands.iter().flat_map(Stands::looks);
            let mut numbers = looks.map(|looked| looked.number).chain([known.number]);
            let has_number = listed.number.is_some() && numbers.any(|number| number == listed.number);
            // On another disk it may have got the number that the other one had, and nobody has read the other one good since then.
            let may_have_number =
                known.number.is_none() && listed.number.is_some() && !has_changed(known, listed);
            (has_number || may_have_number)
                .then(|| Origin { others: name.also.clone(), ..Origin::of(known, other, false) })
        });
        Origin::any_of(origins)
    }

    /// What else is known of files that looked like this one and had its number: a file that has changed places was one of them.
    pub(super) fn known_as(&self, listed: Option<&Listed>, bytes: &Bytes) -> Vec<Known> {
        let known = self.names.values().filter_map(|name| name.known.as_ref());
        let is_it = |of: &&Known| of.bytes != *bytes && listed.is_some_and(|listed| has_facts(of, listed));
        known.filter(is_it).cloned().collect()
    }

    /// Whether a content is known of any name, or was.
    fn was_known(&self, bytes: &Bytes) -> bool {
        let is_known = |name: &Name| name.known.iter().chain(&name.also).any(|of| of.bytes == *bytes);
        self.once_known.contains_key(bytes) || self.names.values().any(is_known)
    }

    /// A file in which this very content was found as damage.
    pub(super) fn damaged_as(
        &self,
        (evening, readings): All<'_, '_>,
        path: &str,
        bytes: &Bytes,
    ) -> Option<Origin> {
        if bytes.is_empty() {
            return None;
        }
        // What is good elsewhere is not damage.
        let is_good = self.was_known(bytes);
        let mut origins = Vec::new();
        for (other, name) in self.names.iter().filter(|(other, _)| *other != path) {
            let Some(known) = &name.known else { continue };
            // Of what nobody has accepted its own content was found.
            let differs = *bytes != known.bytes || !name.also.is_empty();
            let was_found =
                differs && name.stands.as_ref().is_some_and(|stands| stands.found.as_ref() == Some(bytes));
            let is_found = differs
                && readings.get(other.as_str()).is_some_and(|readings| readings.contents.contains(bytes));
            let stands = evening.standing.get(other).is_some_and(|verdict| OF_CONTENT.contains(verdict));
            let is_gone = !evening.listed.contains_key(other) && self.takes(other);
            // What was written over damage is not known to be damage.
            let is_clear = name.stands.as_ref().is_some_and(|stands| !stands.has_varied() && !stands.is_edit);
            let is_certain = was_found && is_clear && stood(name) == Some("corrupt") && (stands || is_gone);
            let was_earlier = name.stands.as_ref().is_some_and(|stands| stands.earlier.contains(bytes));
            if was_found || is_found || was_earlier {
                let origin = Origin::of(known, other, is_certain && !is_good);
                origins.push(Origin { others: name.also.clone(), ..origin });
            }
        }
        // A copy stays damaged when the first one is restored.
        origins.extend(self.once_damaged_as(bytes));
        // The same damage may have been found in several, and only one of them is asked.
        let place = origins.iter().position(|origin| origin.is_certain).unwrap_or(0);
        let mut origin = (place < origins.len()).then(|| origins.swap_remove(place))?;
        let others = origins.into_iter().flat_map(Origin::all);
        let own = origin.known.bytes.clone();
        origin.others.extend(others.filter(|other| other.bytes != own));
        Some(origin)
    }

    /// Files in which a content was once found to be damage, as they were known then or are known now.
    fn once_damaged_as<'a>(&'a self, bytes: &'a Bytes) -> impl Iterator<Item = Origin> + 'a {
        let once = self.once_damaged.get(bytes).into_iter().flatten();
        once.filter(|(_, known)| known.bytes != *bytes).map(|(other, known)| {
            let now = self.known(other).filter(|now| now.bytes != *bytes);
            Origin { others: now.cloned().into_iter().collect(), ..Origin::of(known, other, false) }
        })
    }

    /// A file in which a content is found to be damage, whether its name was known before or not.
    pub(super) fn damage_of(&self, all: All<'_, '_>, path: &str, bytes: &Bytes) -> Option<Origin> {
        self.damaged_as(all, path, bytes).or_else(|| self.damage_of_fresh(all, bytes))
    }

    /// A known file in which a content is found to be damage under a name that was not known before.
    fn damage_of_fresh(&self, (evening, readings): All<'_, '_>, bytes: &Bytes) -> Option<Origin> {
        let fresh = evening
            .standing
            .iter()
            .filter(|(other, verdict)| OF_CONTENT.contains(verdict) && self.known(other).is_none());
        let found = fresh
            .filter(|(other, _)| readings.get(other.as_str()).is_some_and(|of| of.contents.contains(bytes)));
        let mut renamed = found.filter_map(|(other, _)| {
            let listed = evening.listed.get(other)?;
            self.renamed_from(evening, other, listed).or_else(|| self.linked(listed, other))
        });
        renamed.next().map(|origin| Origin { is_certain: false, ..origin })
    }

    /// A file in which the very content that is known of this one, or may be, is found to be damage, though that was not said when this one was
    /// read.
    pub(super) fn copied_before(&self, all: All<'_, '_>, path: &str, name: &Name) -> Option<Origin> {
        let known = name.known.iter().chain(&name.also).filter(|known| !known.bytes.is_empty());
        Origin::any_of(known.filter_map(|known| self.known_copied_before(all, path, (name, known))))
    }

    /// The same for one of the contents that it may be.
    fn known_copied_before(
        &self,
        all @ (evening, readings): All<'_, '_>,
        path: &str,
        (name, known): (&Name, &Known),
    ) -> Option<Origin> {
        let stood = stood(name);
        let is_out = !self.takes(path);
        if !is_out {
            evening.listed.get(path)?;
        }
        let is_open = stood.is_none_or(|stood| OF_NEW.contains(&stood) || stood == "touched");
        let is_as_known = is_as_known(readings, path, known);
        // Who has accepted it has decided.
        if !is_open || self.accepted.contains(&known.bytes) {
            return None;
        }
        let found = |(other, of): &(&String, &Name)| {
            let differs = of.known.as_ref().is_some_and(|of| of.bytes != known.bytes);
            let was_found = of
                .stands
                .as_ref()
                .is_some_and(|stands| stands.found_among(std::slice::from_ref(&known.bytes)));
            *other != path
                && (differs || !of.also.is_empty())
                && (was_found || brought(readings, other).contains(&known.bytes))
        };
        let standing = evening.standing.iter().filter(|(_, verdict)| OF_CONTENT.contains(verdict));
        let found: Vec<_> =
            standing.filter_map(|(other, _)| self.names.get_key_value(other)).filter(found).collect();
        let once = self.once_damaged_as(&known.bytes);
        let Some((first, of)) = found.first().copied() else {
            if let Some(origin) = self.damage_of_fresh(all, &known.bytes) {
                return Some(origin);
            }
            return Origin::any_of(once);
        };
        let is_settled = |of: &Name| of.also.is_empty() && !of.is_replaced() && !of.is_unaccepted;
        // What was known for longer is a content of its own; the clock may have been wrong.
        let known_s = self.once_known.get(&known.bytes);
        // Only a file that was made after that was last written to is a copy of it, or one that has its time.
        let is_after = |copy: &Known| {
            of.known.as_ref().zip(evening.listed.get(first)).is_some_and(|(of, there)| {
                let has_time = are_alike(of.modified, copy.modified);
                let is_later = copy.modified >= there.changed && self.keeps_numbers;
                let was_known = known_s.is_some_and(|known_s| there.changed.seconds <= *known_s);
                (has_time || is_later) && (was_known || !self.keeps_numbers)
            })
        };
        // Any that is none shows that it is a content of its own.
        let others = self.names.iter().filter(|(other, _)| *other != path && *other != first);
        let mut others = others.flat_map(|(_, name)| name.known.iter().chain(&name.also));
        let is_its_own = others.any(|other| other.bytes == known.bytes && !is_after(other));
        let is_certain = found.len() == 1
            && is_after(known)
            && !is_its_own
            && !self.may_be_accepted.contains(&known.bytes)
            && !is_out
            && is_as_known
            && evening.reach == Reach::Complete
            && evening.standing.get(first) == Some(&"corrupt")
            && of.stands.is_none()
            && is_settled(of)
            && is_settled(name)
            && known_s.is_some_and(|known_s| (of.read_s + 1..=evening.now_s).contains(known_s))
            && name.stands.is_none();
        let mut origin = Origin::of(of.known.as_ref()?, first, is_certain);
        let once: Vec<_> = once.flat_map(Origin::all).collect();
        let others = found[1..].iter().filter_map(|(_, of)| of.known.clone());
        origin.others = others.chain(found.iter().flat_map(|(_, of)| of.also.clone())).chain(once).collect();
        Some(origin)
    }

    /// Whether something stands against a new name that a file has now, or that has what was found of it. Of a log the name of another one is as
    /// good as new.
    pub(super) fn is_told_elsewhere(
        &self,
        (evening, readings): All<'_, '_>,
        path: &str,
        (known, name): (&Known, &Name),
    ) -> bool {
        let is_log = self.may_grow(path);
        let others = evening.listed.keys().filter(|other| *other != path);
        let mut meant = others.filter(|other| self.known(other).is_none() || is_log && self.may_grow(other));
        meant.any(|fresh| {
            let is_told = evening.standing.get(fresh).is_some_and(|verdict| OF_CONTENT.contains(verdict));
            let brought = brought(readings, fresh);
            // It may have grown since.
            let listed = &evening.listed[fresh];
            let has_number = known.number.is_some() && known.number == listed.number;
            let was_found = |stands: &Stands| stands.found_among(brought) || stands.has_looked_like(listed);
            is_told && (has_number || has_facts(known, listed) || name.stands.as_ref().is_some_and(was_found))
        })
    }

    /// Whether damage that stands against a name may have gone: it came from another name, or lies there, and what is here now was known at
    /// some time.
    pub(super) fn may_have_gone(
        &self,
        (evening, readings): All<'_, '_>,
        path: &str,
        (name, known): (&Name, &Known),
        bytes: &Bytes,
    ) -> bool {
        let Some(stands) = &name.stands else { return false };
        let is_of_another =
            stands.looked.is_none_or(|looked| looked.number.is_none() || looked.number != known.number);
        let lies_there = |(other, verdict): (&String, &Verdict)| {
            let there = self.names.get(other).and_then(|of| of.stands.as_ref());
            let was_found = there.is_some_and(|of| of.found.is_some() && of.found == stands.found);
            let brought = brought(readings, other);
            other != path && OF_CONTENT.contains(verdict) && (was_found || stands.found_among(brought))
        };
        self.once_known.contains_key(bytes)
            && stands.found.as_ref() != Some(bytes)
            && (is_of_another || evening.standing.iter().any(lies_there))
    }
}

/// Whether nothing else was read of a name tonight than what is known of it.
pub(super) fn is_as_known(readings: &BTreeMap<&str, Readings>, path: &str, known: &Known) -> bool {
    brought(readings, path).iter().all(|bytes| *bytes == known.bytes)
}

/// Whether a content was read of another name tonight, and stands there.
pub(super) fn is_told_of_another((evening, readings): All<'_, '_>, path: &str, bytes: &Bytes) -> bool {
    evening.standing.iter().any(|(other, verdict)| {
        let brought = brought(readings, other);
        other != path && OF_CONTENT.contains(verdict) && brought.contains(bytes)
    })
}

pub(super) fn has_changed(known: &Known, listed: &Listed) -> bool {
    known.bytes.len() as u64 != listed.length || known.modified != listed.modified
}

/// The same, where only times that all media keep are compared.
fn has_facts_alike(known: &Known, listed: &Listed) -> bool {
    known.number.is_some()
        && known.number == listed.number
        && known.bytes.len() as u64 == listed.length
        && are_alike(known.modified, listed.modified)
}

/// Whether a file looks like a known one, and has its number.
pub(super) fn has_facts(known: &Known, listed: &Listed) -> bool {
    known.number.is_some() && known.number == listed.number && !has_changed(known, listed)
}
