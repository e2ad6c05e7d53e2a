//! Faults: what media and people have damaged or lost, and how long it took until that was reported.
//!
//! Owns the counts.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::super::ground::{Bytes, Disk, Key};
use super::super::people::What;
use super::{Truth, Wrong};

/// A file that was damaged or lost.
#[derive(Clone, Debug)]
pub(in super::super) struct Damage {
    what: What,
    name: String,
    key: Key,
    bytes: Bytes,
    /// The first night in which a reading would show it.
    night: u64,
    /// Since when it has to be reported within the promise: what was replaced counts from the night in which that was noticed.
    since: u64,
    /// Since then files were said to be late, a filter has left it out, or the clock was wrong: it may be found later than promised.
    is_excused: bool,
}

/// What became of the faults of a kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in super::super) struct Faults {
    pub(in super::super) made: u64,
    pub(in super::super) found: u64,
    /// Somebody has written to the file, removed it or restored it, or has accepted what had come before.
    pub(in super::super) gone: u64,
}

/// Faults by kind, and how many nights each took to be found.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Found {
    pub(in super::super) faults: BTreeMap<What, Faults>,
    pub(in super::super) nights: Vec<u64>,
}

impl Truth {
    /// Takes note of a fault, if something shows that it is one: the file was as it is known.
    pub(in super::super) fn damaged(
        &mut self,
        what: What,
        (name, key): (&str, Key),
        (before, after): (&Bytes, &Bytes),
        night: u64,
        found: &mut Found,
    ) {
        let is_known = self.known(name).is_some_and(|known| known.bytes == *before);
        let stands = self.names.get(name).is_some_and(|name| name.stands.is_some());
        if !is_known || stands || (before == after && what != What::Remove) || !self.takes(name) {
            return;
        }
        found.faults.entry(what).or_default().made += 1;
        let (name, bytes) = (name.to_owned(), Arc::clone(after));
        self.damages.push(Damage { what, name, key, bytes, night, since: night, is_excused: false });
    }

    /// Looks which faults are reported now, and which are none any more. `within`: in how many nights they have to be reported.
    pub(in super::super) fn count(
        &mut self,
        disk: &Disk,
        (night, now_s, within, is_late): (u64, i64, u64, bool),
        found: &mut Found,
    ) -> Result<(), Wrong> {
        let mut late = None;
        let mut damages = std::mem::take(&mut self.damages);
        damages.retain_mut(|damage| {
            let counts = found.faults.entry(damage.what).or_default();
            let names = disk.names().filter(|(_, key)| *key == damage.key).map(|(name, _)| name);
            let names: Vec<_> = names.chain([&damage.name]).collect();
            if names.iter().any(|name| self.names.get(*name).is_some_and(|name| name.stands.is_some())) {
                counts.found += 1;
                found.nights.push(night.saturating_sub(damage.night));
                return false;
            }
            damage.is_excused |= is_late || names.iter().any(|name| !self.takes(name));
            // A file of its content that was renamed may have been taken for the one that is gone.
            let is_doubtful = self.names.get(&damage.name).is_some_and(|name| !name.also.is_empty());
            damage.is_excused |= damage.what == What::Remove && is_doubtful;
            let name = self.names.get(&damage.name);
            if name.is_some_and(|name| name.unproven_s == Some(now_s) || name.is_unsure) {
                damage.since = night;
            }
            let is_over = match damage.what {
                What::Remove => self.known(&damage.name).is_none() || disk.has(&damage.name),
                _ => match disk.node_of(damage.key) {
                    None => true,
                    Some(node) if node.bytes() == &damage.bytes => {
                        // Where numbers say nothing, it is as good as new under another name.
                        let is_accepted = |name: &&&String| {
                            self.known(name).is_some_and(|known| known.bytes == damage.bytes)
                        };
                        self.known(&damage.name).is_none() || names.iter().any(|name| is_accepted(&name))
                    }
                    // The page cache still has what was there before. As long as it does not let go of it, nobody can know.
                    Some(node) if node.medium == damage.bytes => {
                        if node.is_in_use || disk.kind.hides_cache() {
                            (damage.night, damage.since) = (night + 1, night + 1);
                        }
                        false
                    }
                    Some(_) => true,
                },
            };
            counts.gone += u64::from(is_over);
            let nights = (night + 1).saturating_sub(damage.since);
            if !is_over && !damage.is_excused && nights > within {
                late.get_or_insert_with(|| {
                    let text = format!("{}: {:?} was not told for {nights} nights", damage.name, damage.what);
                    Wrong::new("promise: damage is not told in time", text)
                });
            }
            !is_over
        });
        self.damages = damages;
        late.map_or(Ok(()), Err)
    }
}
