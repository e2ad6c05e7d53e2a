//! Contents that are left over once names are matched: where they come from, and where they remain.

use crate::algorithms::{Algorithms, NONE_PLACED};
use crate::diff::Error;
use crate::diff::row::{Row, Rows};
use crate::disk::findings::Results;
use crate::disk::inputs::Mark;
use crate::disk::{Name, OnDisk};
use crate::entry::{Draft, take, take_number};
use crate::judge::Likeness;
use crate::names::Names;
use crate::records::Records;
use crate::state::State;
use crate::tables::{Tables, Which, judged_name};
use crate::verdict::Verdict;
use crate::{moves, remains};
use hashlane_record::bytes::put_number;
use hashlane_sort::Sorter;
use hashlane_sort::Spool;

/// What a row stands for, in the place of the number of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// A known file without an input.
    Gone,
    /// The same, and it is set aside.
    Aside,
    /// A known file whose content is there, as it is listed.
    Verified,
    /// A known file with an input that has another content, or none.
    Known,
    /// An input whose name is not known.
    Unnamed,
    /// The content of an input at its place, which is not as listed or has digests beyond.
    Present,
}

/// What was found of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NameFinding {
    /// An input of unknown name that was moved or copied from the other one, or collides with it.
    Input(Verdict),
    /// An input of unknown name whose digest of some algorithm is that of the other one.
    Collides,
    /// A known file whose content has moved: it stands with the input that it moved to.
    MovedAway,
    /// A known file whose content remains in the other one.
    Remains,
}

/// Judges what is left over: rows for each name with a finding, in their order.
pub(super) fn match_contents(audit: &OnDisk) -> Result<Vec<Spool>, Error> {
    let Some((&primary, others)) = audit.places.split_first() else { return Ok(Vec::new()) };
    let is_left_over = |name: &Name<'_>| Ok(name.is_gone() || name.is_unnamed());
    let Some(wanted) = Wanted::of(audit, primary, is_left_over)? else { return Ok(Vec::new()) };
    let mut results = audit.place.sorter();
    let mut sorter = audit.place.sorter();
    audit.each_name(|name| push_contents(audit, name, primary, &wanted, &mut sorter))?;
    let mut group = Group::new();
    each_group(sorter, |rows| group.judge(audit, rows, &mut results))?;
    let mut found = vec![audit.place.spool(results.finish()?)?];
    if others.is_empty() {
        return Ok(found);
    }
    let mut collisions = audit.place.sorter();
    for &place in others {
        let Some(wanted) = Wanted::of(audit, place, unmatched(audit, &found)?)? else { continue };
        let (mut is_unmatched, mut sorter) = (unmatched(audit, &found)?, audit.place.sorter());
        audit.each_name(|name| {
            let is_asked = is_unmatched(name)?;
            push_others(name, is_asked, place, &wanted, &mut sorter)
        })?;
        find_collisions(sorter, &mut collisions)?;
    }
    found.push(audit.place.spool(collisions.finish()?)?);
    Ok(found)
}

/// Whether a name is that of an input whose content is looked for, and no known file has it. Names are asked for in order.
fn unmatched(audit: &OnDisk, found: &[Spool]) -> Result<impl FnMut(&Name<'_>) -> Result<bool, Error>, Error> {
    let (mut results, mut other) = (Results::new(found)?, Row::default());
    Ok(move |name: &Name<'_>| {
        let found = results.at(name.path(), &mut other)?;
        let has_content = matches!(found, Some(NameFinding::Input(Verdict::Moved | Verdict::Copied)));
        let is_empty = name.input.is_some_and(|input| audit.empty.is(&input.entry()));
        Ok(name.is_unnamed() && !has_content && !is_empty)
    })
}

/// The beginnings of the digests of what is left over: of all that is there, only what has one of them is sorted.
enum Wanted {
    Some(Vec<u64>),
    /// There are too many to remember.
    All,
}

impl Wanted {
    /// How many are remembered, in 8 MiB.
    const MOST: usize = 1 << 20;

    /// Those of an algorithm; `None` if nothing is left over.
    fn of(
        audit: &OnDisk,
        place: usize,
        mut is_left_over: impl FnMut(&Name<'_>) -> Result<bool, Error>,
    ) -> Result<Option<Self>, Error> {
        let mut beginnings = Vec::new();
        let mut are_many = false;
        audit.each_name(|name| {
            let Some(row) = name.known.or(name.input).filter(|_| !are_many) else { return Ok(()) };
            if !is_left_over(name)? {
                return Ok(());
            }
            let entry = row.entry();
            if let Some(digest) = entry.digest(place).filter(|_| !audit.empty.is(&entry)) {
                beginnings.push(beginning(digest));
                are_many = beginnings.len() > Self::MOST;
            }
            Ok(())
        })?;
        if are_many {
            return Ok(Some(Self::All));
        }
        beginnings.sort_unstable();
        Ok((!beginnings.is_empty()).then_some(Self::Some(beginnings)))
    }

    fn has(&self, digest: &[u8]) -> bool {
        match self {
            Self::All => true,
            Self::Some(beginnings) => beginnings.binary_search(&beginning(digest)).is_ok(),
        }
    }
}

/// The first bytes of a digest as a number.
fn beginning(digest: &[u8]) -> u64 {
    digest.iter().take(8).fold(0, |number, &byte| number << 8 | u64::from(byte))
}

/// The contents at a name, by their digests.
fn push_contents(
    audit: &OnDisk,
    name: &Name<'_>,
    primary: usize,
    wanted: &Wanted,
    sorter: &mut Sorter,
) -> Result<(), Error> {
    let mut push =
        |role: Role, draft: &Draft<'_>| match draft.digests[primary].filter(|digest| wanted.has(digest)) {
            Some(digest) => row_of(digest, role as u64, name.path(), draft).push_to(sorter),
            None => Ok(()),
        };
    let Some(known) = name.known else {
        return match name.input.filter(|input| Mark::of(input) == Mark::Read) {
            Some(input) => push(Role::Unnamed, &input.entry().draft()),
            None => Ok(()),
        };
    };
    let listed = known.entry().draft();
    let Some(input) = name.input else {
        return push(if name.aside.is_some() { Role::Aside } else { Role::Gone }, &listed);
    };
    match Mark::of(input) {
        Mark::Read => {}
        Mark::Told { verified: true } => return push(Role::Verified, &listed),
        // What was read of it has what is listed beside it already.
        Mark::Told { verified: false } => {
            push(Role::Known, &listed)?;
            return push(Role::Present, &input.entry().draft());
        }
        Mark::Disputed { .. } | Mark::Unread(_) | Mark::Aside(_) => return push(Role::Known, &listed),
    }
    let is_pass = name.verdict(audit.rules).is_some_and(Verdict::is_pass);
    let mut seen = Draft { modified: None, ..input.entry().draft() };
    let beyond = |(own, seen): (&Option<_>, &Option<_>)| own.is_none() && seen.is_some();
    if is_pass && !listed.digests.iter().zip(&seen.digests).any(beyond) {
        return push(Role::Verified, &listed);
    }
    push(Role::Known, &listed)?;
    if is_pass {
        seen.add(&Draft { modified: None, ..listed });
    }
    push(Role::Present, &seen)
}

/// The content at a name, if it is listed or asked for, by a digest of another algorithm. Of those with equal digests known
/// files come first.
fn push_others(
    name: &Name<'_>,
    is_asked: bool,
    place: usize,
    wanted: &Wanted,
    sorter: &mut Sorter,
) -> Result<(), Error> {
    let (role, row) = match name {
        Name { known: Some(known), .. } => (Role::Known, *known),
        Name { input: Some(input), .. } if is_asked => (Role::Unnamed, *input),
        _ => return Ok(()),
    };
    let draft = row.entry().draft();
    let Some(digest) = draft.digests[place].filter(|digest| wanted.has(digest)) else { return Ok(()) };
    let key = [digest, &[role as u8]].concat();
    row_of(&key, role as u64, name.path(), &draft).push_to(sorter)
}

/// The row of a key, and behind it a number, a name and a content.
fn row_of(key: &[u8], number: u64, name: &[u8], content: &Draft<'_>) -> Row {
    let mut bytes = Vec::with_capacity(name.len() + content.most_bytes());
    put_number(&mut bytes, number);
    put_number(&mut bytes, name.len() as u64);
    bytes.extend_from_slice(name);
    let mut inner = Row::default();
    inner.fill(0, &Draft { name: b"", ..*content });
    bytes.extend_from_slice(inner.content());
    let mut row = Row::default();
    row.put(key, &bytes);
    row
}

/// The number, and what [`row_of`] was given as name and content, as a row of its own.
fn parts_of(row: &Row) -> (u64, Row) {
    let mut rest = row.content();
    let number = take_number(&mut rest);
    let length = take_number(&mut rest) as usize;
    let name = take(&mut rest, length);
    let mut inner = Row::default();
    inner.put(name, rest);
    (number, inner)
}

/// Goes through the rows of each digest. Those of one come in the order of their names, since they were pushed so.
fn each_group(
    sorter: Sorter,
    mut each: impl FnMut(&[(Role, Row)]) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut sorted = sorter.finish()?;
    let (mut row, mut key, mut rows) = (Row::default(), Vec::new(), Vec::new());
    loop {
        let is_there = sorted.next(&mut row)?;
        if !is_there || row.name() != key {
            each(&rows)?;
            rows.clear();
            key.clear();
            key.extend_from_slice(row.name());
        }
        if !is_there {
            return Ok(());
        }
        let (role, row) = parts_of(&row);
        rows.push((Role::of(role), row));
    }
}

impl Role {
    const ALL: [Self; 6] =
        [Self::Gone, Self::Aside, Self::Verified, Self::Known, Self::Unnamed, Self::Present];

    fn of(number: u64) -> Self {
        Self::ALL[number as usize]
    }
}

/// Files whose contents have a digest in common, as an audit in memory has them.
struct Group {
    tables: Tables,
}

impl Group {
    fn new() -> Self {
        let records = || Records::new(Algorithms::registered().clone());
        Self { tables: Tables { names: Names::new(false), known: records(), held: records() } }
    }

    fn judge(&mut self, audit: &OnDisk, rows: &[(Role, Row)], results: &mut Sorter) -> Result<(), Error> {
        let has = |wanted: &[Role]| rows.iter().any(|(role, _)| wanted.contains(role));
        let has_known = has(&[Role::Gone, Role::Aside, Role::Verified, Role::Known]);
        let has_seen = has(&[Role::Verified, Role::Unnamed, Role::Present]);
        let is_asked = has(&[Role::Unnamed]) && has_known || has(&[Role::Gone]) && has_seen;
        if !is_asked {
            return Ok(());
        }
        self.tables.known.clear();
        self.tables.held.clear();
        rows.iter().for_each(|(role, row)| self.take_in(*role, row));
        let unnamed: Vec<u32> = self.tables.held.in_state(0, State::waits).collect();
        for found in moves::match_contents(&mut self.tables, &unnamed, &audit.empty) {
            let (Which::Input(_), Some(other)) = (found.subject, found.other) else { continue };
            self.push(NameFinding::Input(found.verdict), found.subject, other, results)?;
            if found.verdict == Verdict::Moved {
                self.push(NameFinding::MovedAway, other, found.subject, results)?;
            }
        }
        for (number, other) in remains::find(&self.tables, &audit.empty) {
            self.push(NameFinding::Remains, Which::Known(number), other, results)?;
        }
        Ok(())
    }

    fn take_in(&mut self, role: Role, row: &Row) {
        let Tables { known, held, .. } = &mut self.tables;
        let draft = Draft { name: row.name(), ..row.entry().draft() };
        let state = match role {
            Role::Gone => State::Unseen,
            Role::Aside => State::Aside(Verdict::Excluded),
            Role::Verified => State::Verified,
            Role::Known => State::Seen,
            Role::Unnamed => State::Waiting,
            Role::Present => {
                // It has the name of a known file, whose listed content may be another one.
                let nameless = Draft { size: None, modified: None, digests: NONE_PLACED, ..draft };
                let number = known.push(&nameless, State::Seen).expect(ROOM);
                held.push(&Draft { name: &judged_name(number), ..draft }, State::Judged).expect(ROOM);
                return;
            }
        };
        let records = if role == Role::Unnamed { held } else { known };
        records.push(&draft, state).expect(ROOM);
    }

    /// Keeps what was found of a file, with name and listed content of the other one.
    fn push(&self, finding: NameFinding, of: Which, other: Which, results: &mut Sorter) -> Result<(), Error> {
        let content = match other {
            Which::Known(number) => self.tables.known.entry(number).draft(),
            Which::Input(number) => self.tables.held.entry(number).draft(),
        };
        row_of(self.tables.path(of), finding.number(), self.tables.path(other), &content).push_to(results)
    }
}

const ROOM: &str = "fewer than 2^32 files of equal content and less than 1 TiB of their names and digests";

/// Finds the known file that each input collides with, of rows that [`push_others`] has pushed.
///
/// Nobody has the content of such an input: all known files that share a digest with it collide with it, and it is the first
/// of them that is reported. So of those one is enough, however many there are.
fn find_collisions(sorter: Sorter, results: &mut Sorter) -> Result<(), Error> {
    let (mut sorted, mut row) = (sorter.finish()?, Row::default());
    let (mut digest, mut first) = (Vec::new(), None);
    while sorted.next(&mut row)? {
        let (role, content) = parts_of(&row);
        let own = row.name().split_last().map_or(row.name(), |(_role, digest)| digest);
        if digest != own {
            own.clone_into(&mut digest);
            first = None;
        }
        match (Role::of(role), &first) {
            (Role::Known, None) => first = Some(content),
            (Role::Unnamed, Some(known)) if collide(known, &content) => {
                let row = row_of(
                    content.name(),
                    NameFinding::Collides.number(),
                    known.name(),
                    &known.entry().draft(),
                );
                row.push_to(results)?;
            }
            _ => {}
        }
    }
    Ok(())
}

fn collide(known: &Row, input: &Row) -> bool {
    Likeness::between(&known.entry(), &input.entry()) == Likeness::Collision
}

impl NameFinding {
    fn number(self) -> u64 {
        match self {
            Self::Collides => 0,
            Self::MovedAway => 1,
            Self::Remains => 2,
            Self::Input(verdict) => 3 + verdict.code(),
        }
    }

    /// What a row of the results says, and the other file.
    pub(super) fn of(row: &Row) -> (Self, Row) {
        let (number, other) = parts_of(row);
        let finding = match number {
            0 => Self::Collides,
            1 => Self::MovedAway,
            2 => Self::Remains,
            number => Self::Input(Verdict::of_code(number - 3)),
        };
        (finding, other)
    }
}
