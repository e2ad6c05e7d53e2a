//! Where the content of a file that is gone may be now.
//!
//! Owns what counts as another name of it.

use super::expect::All;
use super::origins::has_facts;
use super::{Evening, Known, Listed, Name, Truth, brought};

/// Where the content of a file that is gone is now.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Elsewhere {
    /// Under a new name.
    Yes,
    /// Two answers are right.
    Maybe,
    No,
}

impl Truth {
    /// Whether the content of a file that is gone has another name now.
    pub(super) fn elsewhere(
        &self,
        (evening, readings): All<'_, '_>,
        path: &str,
        known: &Known,
        name: &Name,
    ) -> Elsewhere {
        let is_gone = |other: &str| !evening.listed.contains_key(other) && self.takes(other);
        if known.bytes.is_empty() {
            return self.empty_elsewhere(evening, path, known);
        }
        let fresh =
            self.fresh_names(evening).filter(|fresh| brought(readings, fresh).contains(&known.bytes)).count();
        let gone = self.names.iter().filter(|(other, of)| {
            // What is known of it may be that.
            of.known.iter().chain(&of.also).any(|of| of.bytes == known.bytes) && is_gone(other)
        });
        let is_rotated = self.may_grow(path)
            && self
                .fresh_names(evening)
                .any(|fresh| brought(readings, fresh).iter().any(|of| of.starts_with(&known.bytes)));
        // A log that was rotated has left the same content.
        let rotated = self.names.iter().filter(|(other, of)| {
            let has_known = of.known.as_ref().is_some_and(|of| of.bytes == known.bytes);
            let has_other =
                !brought(readings, other).is_empty() && !brought(readings, other).contains(&known.bytes);
            has_known && has_other && self.may_grow(other)
        });
        if fresh > 0 && fresh >= gone.count() + rotated.count() {
            return Elsewhere::Yes;
        }
        let was_found = |fresh: &String| {
            name.stands.as_ref().is_some_and(|stands| stands.found_among(brought(readings, fresh)))
        };
        let is_log = self.may_grow(path);
        let lies_at_other = |(other, of): (&String, &Name)| {
            let has_it = |of: &Known| of.bytes == known.bytes || is_log && of.bytes.starts_with(&known.bytes);
            other != path && of.known.as_ref().is_some_and(has_it) && !is_gone(other)
        };
        let may_be = fresh > 0
            || is_rotated
            || evening.listed.keys().any(was_found)
            || evening.listed.values().any(|listed| {
                let stands = name.stands.as_ref();
                has_facts(known, listed) || stands.is_some_and(|stands| stands.has_looked_like(listed))
            })
            || self.names.iter().any(lies_at_other)
            || readings.values().any(|readings| readings.contents.contains(&known.bytes));
        if may_be { Elsewhere::Maybe } else { Elsewhere::No }
    }

    /// Where an empty file is now that is gone: all are alike, so number and name tell.
    fn empty_elsewhere(&self, evening: &Evening<'_>, path: &str, known: &Known) -> Elsewhere {
        let last = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
        let is_empty = |name: &&String| evening.listed[*name].length == 0;
        let fresh: Vec<&String> = self.fresh_names(evening).filter(is_empty).collect();
        let namesakes = fresh.iter().filter(|name| last(name) == last(path)).count();
        let gone = self.names.iter().filter(|(other, of)| {
            let is_gone = !evening.listed.contains_key(*other) && self.takes(other);
            is_gone && last(other) == last(path) && of.known.as_ref().is_some_and(|of| of.bytes.is_empty())
        });
        // Of several that had its number any one may be meant.
        let has_number = |number| known.number.is_some() && number == known.number;
        let gone_of_number = self.names.iter().filter(|(other, of)| {
            let number = of.known.as_ref().and_then(|of| of.number);
            !evening.listed.contains_key(*other) && self.takes(other) && has_number(number)
        });
        let of_number = fresh.iter().filter(|name| has_number(evening.listed[**name].number)).count();
        let is_renamed = of_number > 0 && of_number >= gone_of_number.count();
        let may_be = |(other, listed): (&String, &Listed)| {
            let is_number = known.number.is_some() && listed.number == known.number;
            listed.length == 0 && (is_number || last(other) == last(path))
        };
        match () {
            () if is_renamed || namesakes > 0 && namesakes >= gone.count() => Elsewhere::Yes,
            () if fresh.is_empty() && !evening.listed.iter().any(may_be) => Elsewhere::No,
            () => Elsewhere::Maybe,
        }
    }
}
