//! How damage has spread: which contents stand as damaged, and which files are copies of it that were read before it was found. A file that rots is
//! copied as it is, and the copy may be as good as new long before the turn of the first one comes.
//!
//! That two files have one content does not say which one was there first. A file is a copy of a damaged one if it became known after that
//! was last read good, and its time says that it was made after that was last written to, or with its times. Any other file that has the
//! content shows that it is a content of its own, which somebody has put into the damaged one.

use std::collections::{BTreeMap, HashMap, HashSet};

use hashlane_audit::TimeMatch;
use hashlane_catalog::{
    Batch, Cause, Collection, Content, DamagedContent, HeldContent, HeldUntil, Item, ItemId, Reader, Result,
    RunBegan, RunId, Seen, State, Stint, UNREAD, Verdict, blob_of, digests_of,
};
use hashlane_digest::Digest;
use hashlane_record::{Timestamp, shown_name};

use crate::told::{Audited, Outcome, Stands};
use crate::under_way::{Audit, Left};

/// Rows that are written together.
const TOGETHER: usize = 8192;

/// Files of one byte over and over that are recognized, in bytes, and all sizes of them together: more would take long to digest.
const MOST_BLANK: u64 = 16 << 20;
const MOST_BLANK_IN_ALL: u64 = 64 << 20;

/// What the history of a file says that was found to be a copy of damage.
const COPY_OF_DAMAGE: &str = "it was damaged there";

/// Files in which contents were found to be damage, by those contents.
pub(crate) type Damage = HashMap<Vec<Digest>, Vec<Origin>>;

/// Of files that are damaged alike, at most this many are asked whether one of them is meant.
pub(crate) const MOST_ALIKE: usize = 1000;

/// A file in which a content was found to be damage.
pub(crate) struct Origin {
    pub(crate) item: ItemId,
    /// In which run it was found.
    found: RunId,
    /// It was read twice.
    is_certain: bool,
    /// The damage came here from another file: what is known of this one may be what had its name before.
    is_spread: bool,
    /// When it was last written to before that was found, and when anything of it changed last.
    modified: Option<Timestamp>,
    changed: Option<Timestamp>,
    /// In which run it was last read good. What became known since then may be a copy.
    since: Option<RunId>,
}

/// A file that has such a content, or had it.
struct Holder {
    run: RunId,
    /// When its last stint began, in seconds since 1970: what a run that is gone on with has read was there until then.
    began_s: i64,
    modified: Option<Timestamp>,
}

impl Origin {
    /// Whether a file that has its content now, which was read in a run, has it from here. When it was found before, no other way is left.
    pub(crate) fn has_spread_to(
        &self,
        content: &Content,
        (run, began_s): (RunId, i64),
        is_in_store: bool,
    ) -> bool {
        let holder = Holder { run, began_s, modified: content.modified };
        self.found < run || self.is_origin_of(&holder, is_in_store)
    }

    /// Whether a file that has its content now is a copy of it.
    fn is_origin_of(&self, copy: &Holder, is_in_store: bool) -> bool {
        let is_later = self.since.is_some_and(|since| copy.run > since);
        let has_its_time = self
            .modified
            .zip(copy.modified)
            .is_some_and(|(one, other)| TimeMatch::between(one, other).is_same(is_in_store));
        is_later
            && match self.changed {
                // Who has written to it after the other one was known has not damaged that.
                Some(changed) if changed.seconds > copy.began_s => false,
                Some(changed) => has_its_time || copy.modified.is_some_and(|modified| modified >= changed),
                None => has_its_time,
            }
    }
}

/// What stands as damaged, and copies of it that nobody has reported yet with the files that they are copies of.
#[derive(Default)]
struct Spread {
    damage: Damage,
    copies: Vec<(ItemId, ItemId)>,
}

/// What stands as damaged in a collection. Those contents that are known of other files are contents of their own.
pub(crate) fn damage(catalog: &Reader, collection: &Collection) -> Result<Damage> {
    Ok(spread(catalog, collection)?.damage)
}

impl Audit<'_> {
    /// Makes findings of files that are copies of damage. Returns what stands as damaged.
    pub(crate) fn find_copies_of_damage(
        &mut self,
        stint: Stint,
        audited: &mut Audited,
        Left { found, course, .. }: &Left<'_>,
    ) -> Result<Damage> {
        let is_held = matches!(audited.outcome, Outcome::Held(_));
        let Spread { damage, copies } = spread(self.catalog, self.collection)?;
        for together in copies.chunks(TOGETHER) {
            let mut told = Vec::new();
            let mut batch = self.catalog.batch(self.collection.id, stint)?;
            for (copy, of) in together {
                // What is gone is reported in another way, and each file is reported once: the next audit reports it.
                let is_gone = found.gone.has(*copy)? || found.unmissed.contains(copy.0 as u64);
                // What was withheld of it is reported when that is applied, beside what it was.
                let is_withheld = batch.is_withheld(*copy)?;
                if is_gone || course.is_told(*copy) || is_withheld && is_held {
                    continue;
                }
                let read_as = batch.read_as(*copy, audited.is_first)?;
                if !found_to_be_copy(&mut batch, self.collection, (*copy, *of), self.now_s)? || is_withheld {
                    continue;
                }
                let was = course.take_back(*copy).or(read_as);
                was.into_iter().for_each(|was| audited.counts.remove(was));
                audited.counts.add(Verdict::Corrupt, 1);
                told.push(Stands { item: *copy, verdict: Verdict::Corrupt, is_new: true });
            }
            batch.commit()?;
            for told in told {
                self.tell(told)?;
            }
        }
        Ok(damage)
    }
}

/// Makes a finding of a copy of damage: what was known of the first file is known of it. `false`: of what cannot be read now it is kept for later,
/// and of what stands for another reason nothing is said.
fn found_to_be_copy(
    batch: &mut Batch<'_>,
    collection: &Collection,
    (copy, of): (ItemId, ItemId),
    now_s: i64,
) -> Result<bool> {
    let stands = batch.stands(collection, copy)?;
    let stood = stands.as_ref().map(|finding| finding.verdict);
    let is_unread = stood.is_some_and(|stood| UNREAD.contains(&stood));
    let may_be_copy = |verdict: Verdict| {
        use Verdict::{Contradicted, Copied, Moved, New, Touched};
        matches!(verdict, New | Moved | Copied | Touched | Contradicted)
    };
    let was_found = is_unread && stands.as_ref().is_some_and(|finding| finding.before.is_some());
    if was_found || stood.is_some_and(|stood| !is_unread && !may_be_copy(stood)) {
        return Ok(false);
    }
    // Nothing is read of it today: if somebody accepts it, its time runs from its last reading.
    let last_good = batch.last_good(copy)?;
    let is_replaced = batch.replaced_in(copy)?.is_some();
    let read_in = match last_good {
        Some(span) => Some(span.stint),
        None => batch.recorded_in(copy)?,
    };
    let reading = last_good.map(|span| span.reading);
    let version = batch.read_version(copy)?.map(String::into_boxed_str);
    let Item { content, state, .. } = batch.item(collection, copy)?;
    let known = batch.item(collection, of)?.content;
    // What a filter leaves out is left out with its findings, and what nobody has accepted is not accepted because it is made whole.
    let state = if matches!(state, State::Ignored | State::Unaccepted) { state } else { State::Present };
    let known = Content { changed: content.changed, inode: content.inode, ..known };
    batch.replace(copy, &known, state)?;
    // What has come in its place since then stays unread.
    if !is_replaced {
        batch.forget_good(copy, copy)?;
    }
    batch.happened(copy, Verdict::Copied.name(), Some(of), COPY_OF_DAMAGE, now_s)?;
    if is_unread {
        batch.found_meanwhile(copy, (Verdict::Corrupt, Cause::CopyOfDamage), &content.digests)?;
        return Ok(false);
    }
    let detail = format!("a copy of what was found at {}", shown_name(&batch.path_of(of)?));
    let cause = Some(Cause::CopyOfDamage);
    let seen = Seen { content, reading, detail, version, cause, ..Seen::default() };
    batch.put_finding(copy, Verdict::Corrupt, &seen, now_s)?;
    if let Some(read_in) = read_in {
        batch.looked_at_in(copy, read_in)?;
    }
    Ok(true)
}

/// Looks once through all that is known, if anything stands as damaged.
fn spread(catalog: &Reader, collection: &Collection) -> Result<Spread> {
    let mut origins = origins(catalog, collection)?;
    if origins.is_empty() {
        return Ok(Spread::default());
    }
    let is_in_store = collection.terms.is_in_store();
    let runs = catalog.runs_began(collection.id)?;
    let copied = Verdict::Copied.name();
    let damaged: HashMap<_, HashSet<_>> = origins
        .iter()
        .map(|(digests, origins)| (digests.clone(), origins.iter().map(|origin| origin.item).collect()))
        .collect();
    let mut copies: BTreeMap<ItemId, (ItemId, Vec<u8>)> = BTreeMap::new();
    catalog.each_held_content(collection.id, &mut |content| {
        let HeldContent { item, digests, run, modified, held } = content;
        let Some(of_content) = origins.get(digests) else { return Ok(()) };
        let RunBegan { began_s, is_decided } =
            runs.get(&run).copied().unwrap_or(RunBegan { began_s: i64::MIN, is_decided: false });
        let holder = Holder { run, began_s, modified };
        // A copy that was found to be one had it for a time. Who has accepted it has decided.
        if !is_decided && damaged[digests].contains(&item) {
            return Ok(());
        }
        let is_origin = |origin: &&Origin| origin.is_origin_of(&holder, is_in_store);
        let origin = of_content.iter().take(MOST_ALIKE).find(is_origin).filter(|_| !is_decided);
        match (origin, held) {
            // What a file had until it was found to be a copy of damage is none of its own, also where it was renamed since.
            (None, HeldUntil::Run(until))
                if !is_decided && catalog.has_happened(item, until, copied, COPY_OF_DAMAGE)? => {}
            (None, _) => _ = origins.remove(digests),
            (Some(origin), HeldUntil::Now(state))
                if origin.is_certain && !matches!(state, State::Retired | State::Unread) =>
            {
                copies.insert(item, (origin.item, digests.to_vec()));
            }
            _ => {}
        }
        Ok(())
    })?;
    copies.retain(|_, (_, digests)| origins.contains_key(digests));
    let copies = copies.into_iter().map(|(copy, (of, _))| (copy, of)).collect();
    let of_digests =
        |(digests, origins): (Vec<u8>, _)| Ok((digests_of(&collection.terms.algorithms, &digests)?, origins));
    Ok(Spread { damage: origins.into_iter().map(of_digests).collect::<Result<_>>()?, copies })
}

/// The files against which a content stands as damaged, or did until lately, by its digests: a copy stays damaged when the first file is restored.
/// Empty files are all alike, and so are those of one byte over and over, which is what a disk returns that has lost a file. What was written
/// over damage is not known to be damage.
fn origins(catalog: &Reader, collection: &Collection) -> Result<HashMap<Vec<u8>, Vec<Origin>>> {
    let (mut origins, mut blank): (HashMap<_, Vec<_>>, _) = (HashMap::new(), Blank::new(collection));
    catalog.each_damaged_content(collection.id, &mut |content| {
        let DamagedContent { item, cause, digests, found, .. } = content;
        if cause == Some(Cause::Restored) || blank.is(content.size, &digests) {
            return Ok(());
        }
        // Of one that is good again, and of one that counts as unread, only that is known since when its content is.
        // What never was as it is listed may have been so from the first.
        let since = match content.stands {
            true => catalog
                .last_run_before_good(collection, item)?
                .or(content.was_read.then_some(content.recorded)),
            false => Some(content.known_since.min(RunId(found.0 - 1))),
        };
        // Who renames a file changes it: it may have been damaged, and copied, long before. Another file is known under its new name.
        let (modified, changed) = match cause {
            Some(Cause::Renamed) => (content.found_modified, content.found_modified),
            _ => (content.modified, content.found_changed),
        };
        origins.entry(digests).or_default().push(Origin {
            item,
            found,
            is_certain: content.verdict == Verdict::Corrupt,
            is_spread: cause.is_some_and(Cause::is_spread),
            modified,
            changed,
            since,
        });
        Ok(())
    })?;
    origins.values_mut().for_each(|origins| origins.sort_by_key(|origin| origin.is_spread));
    Ok(origins)
}

/// Contents of one byte over and over, by their size in bytes.
struct Blank<'a> {
    collection: &'a Collection,
    of_size: HashMap<u64, [Option<Vec<u8>>; 2]>,
    left_bytes: u64,
}

impl<'a> Blank<'a> {
    fn new(collection: &'a Collection) -> Self {
        Self { collection, of_size: HashMap::new(), left_bytes: MOST_BLANK_IN_ALL }
    }

    fn is(&mut self, size: Option<u64>, digests: &[u8]) -> bool {
        let Some(size) = size.filter(|size| *size <= MOST_BLANK) else { return false };
        if !self.of_size.contains_key(&size) {
            let Some(left_bytes) = self.left_bytes.checked_sub(size) else { return false };
            self.left_bytes = left_bytes;
        }
        let algorithms = &self.collection.terms.algorithms;
        let of_size = self.of_size.entry(size).or_insert_with(|| {
            [0x00, 0xff].map(|byte| {
                let content = vec![byte; size as usize];
                blob_of(&algorithms.iter().map(|algorithm| algorithm.digest(&content)).collect::<Vec<_>>())
            })
        });
        of_size.iter().any(|blank| blank.as_deref() == Some(digests))
    }
}
