//! Looks digests up in an index on disk.

use std::fs::File;

use hashlane_digest::{Algorithm, Digest};

use crate::error::{Error, while_doing};
use crate::layout::{
    Description, MAGIC, MAX_DESCRIPTION_BYTES, NAME_BYTES, PREFIX_BYTES, Section, SetDescription, TAIL_BYTES,
    TableDescription, VERSION, prefix, row_bytes, rows_of_page,
};
use crate::pages::{PAGE_BYTES, Page, Pages, checksum, pages_of};

const OF_DIRECTORY: &str = "a directory of pages";
const OF_ROWS: &str = "a page of rows";
const OF_NAMES: &str = "a page of names";
const OF_NO_SET: Error = Error::Damaged { what: "a row does not belong to any set" };

/// The longest name that is believed.
const MAX_NAME_BYTES: u64 = 1 << 20;

/// An index, open. Of it the directories of pages are in memory, 8 bytes for 4 KiB.
#[derive(Debug)]
pub struct Index {
    pages: Pages,
    sets: Vec<SetDescription>,
    names: Option<Section>,
    tables: Vec<Table>,
}

/// The digests of one algorithm.
#[derive(Debug)]
pub struct Table {
    algorithm: Algorithm,
    rows: u64,
    complete: bool,
    /// The first page of its rows.
    first: u64,
    row_bytes: usize,
    /// The first bytes of each page's first digest.
    directory: Vec<u64>,
}

/// A row of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// The algorithm by which it was found.
    pub algorithm: Algorithm,
    /// Its number in the table of that algorithm, from 0 in ascending order; of equal digests the first.
    pub row: u64,
    /// The number of its set.
    pub set: u8,
    /// Where its name begins.
    name: Option<u64>,
}

/// What an index says of a content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// It is known.
    Known(Found),
    /// It is not known.
    Unknown,
    /// Some digests are known and others should be too, and are not: two contents have a digest in common.
    Collision {
        /// What is known.
        found: Found,
        /// The algorithm in which it is not.
        other: Algorithm,
    },
    /// No digest is of an algorithm that the index has.
    NotComparable,
}

impl Index {
    /// Whether a file that begins so is an index.
    pub fn is_index(beginning: &[u8]) -> bool {
        beginning.starts_with(&MAGIC)
    }

    /// Opens an index.
    ///
    /// # Errors
    /// The file cannot be read, is not an index, or is damaged.
    pub fn new(file: File) -> Result<Self, Error> {
        let length = file.metadata().map_err(while_doing("reading the index"))?.len();
        if length < (MAGIC.len() + TAIL_BYTES) as u64 {
            return Err(Error::NotAnIndex);
        }
        let pages = Pages::new(file);
        let mut magic = [0; MAGIC.len()];
        pages.read(&mut magic, 0)?;
        if magic != MAGIC {
            return Err(Error::NotAnIndex);
        }
        let (description, end) = description(&pages, length)?;
        pages.fill(0, &mut [0; PAGE_BYTES], "its header")?;
        let algorithms = description.tables.iter().map(|table| Algorithm::named(&table.algorithm));
        let algorithms = algorithms.collect::<Option<Vec<_>>>();
        let algorithms = algorithms.ok_or(Error::Damaged { what: "an algorithm that does not exist" })?;
        let parts = description.pages(&algorithms).and_then(|count| count.checked_mul(PAGE_BYTES as u64));
        if parts != Some(end) {
            return Err(Error::Damaged { what: "its parts do not match the file" });
        }
        let Description { sets, names, tables, .. } = description;
        let tables = tables.iter().zip(algorithms);
        let tables = tables.map(|(table, algorithm)| Table::open(&pages, table, algorithm, names.is_some()));
        Ok(Self { tables: tables.collect::<Result<_, _>>()?, pages, sets, names })
    }

    /// The sets that went into it, by their numbers.
    pub fn sets(&self) -> &[SetDescription] {
        &self.sets
    }

    /// The tables, one for each algorithm.
    pub fn tables(&self) -> &[Table] {
        &self.tables
    }

    /// Whether it has names.
    pub fn has_names(&self) -> bool {
        self.names.is_some()
    }

    /// The table of an algorithm.
    pub fn table(&self, algorithm: Algorithm) -> Option<&Table> {
        self.tables.iter().find(|table| table.algorithm == algorithm)
    }

    /// Finds a digest; `None` if it is not there, or if nothing is of its algorithm.
    ///
    /// # Errors
    /// The index cannot be read, or is damaged.
    pub fn find(&self, digest: &Digest) -> Result<Option<Found>, Error> {
        let Some(table) = self.table(digest.algorithm()) else { return Ok(None) };
        let wanted = digest.as_bytes();
        let key = prefix(wanted);
        let mut bytes = [0; PAGE_BYTES];
        // The page before the first that begins with as much may end with it.
        let mut page = table.directory.partition_point(|&first| first < key).saturating_sub(1);
        while table.directory.get(page).is_some_and(|&first| first <= key) {
            table.fill(&self.pages, page, &mut bytes)?;
            let rows = table.rows_of(page);
            let row = |at: usize| &bytes[at * table.row_bytes..][..table.row_bytes];
            let at = first_at_least(rows, |at| row(at)[..wanted.len()].cmp(wanted).is_lt());
            if at < rows {
                let found = row(at);
                if found[..wanted.len()] != *wanted {
                    return Ok(None);
                }
                let found = table.found(page, at, found);
                let is_of_a_set = usize::from(found.set) < self.sets.len();
                return if is_of_a_set { Ok(Some(found)) } else { Err(OF_NO_SET) };
            }
            page += 1;
        }
        Ok(None)
    }

    /// What the index says of a content with these digests.
    ///
    /// # Errors
    /// The index cannot be read, or is damaged.
    pub fn judge(&self, digests: &[Digest]) -> Result<Judgement, Error> {
        let (mut found, mut missing, mut compared) = (None, None, false);
        for digest in digests {
            let Some(table) = self.table(digest.algorithm()) else { continue };
            compared = true;
            match self.find(digest)? {
                Some(row) => found = found.or(Some(row)),
                None if table.complete => missing = missing.or(Some(table.algorithm)),
                None => {}
            }
        }
        Ok(match (found, missing) {
            (Some(found), None) => Judgement::Known(found),
            (Some(found), Some(other)) => Judgement::Collision { found, other },
            (None, _) if compared => Judgement::Unknown,
            (None, _) => Judgement::NotComparable,
        })
    }

    /// The name of what was found, where names were kept.
    ///
    /// # Errors
    /// The index cannot be read, or is damaged.
    pub fn name(&self, found: &Found) -> Result<Option<Vec<u8>>, Error> {
        let (Some(names), Some(place)) = (self.names, found.name) else { return Ok(None) };
        let mut bytes = self.pages.stream(names.page, place, OF_NAMES);
        let (mut length, mut used) = (0_u64, 0);
        let left = loop {
            let left = names.bytes.checked_sub(place + used).filter(|&left| left > 0 && used < 9);
            let left = left.ok_or(Error::Damaged { what: OF_NAMES })?;
            let mut byte = [0];
            bytes.take(&mut byte)?;
            length |= u64::from(byte[0] & 0x7f) << (7 * used);
            used += 1;
            if byte[0] & 0x80 == 0 {
                break left - 1;
            }
        };
        if length > MAX_NAME_BYTES.min(left) {
            return Err(Error::Damaged { what: OF_NAMES });
        }
        let mut name = vec![0; length as usize];
        bytes.take(&mut name)?;
        Ok(Some(name))
    }

    /// All rows of a table, in ascending order.
    pub fn rows<'a>(&'a self, table: &'a Table) -> Rows<'a> {
        Rows { index: self, table, page: Box::new([0; PAGE_BYTES]), row: 0 }
    }

    /// Reads what opening it has left: every row, and every name.
    ///
    /// # Errors
    /// The index cannot be read, or is damaged: a checksum does not hold, or rows are out of order.
    pub fn verify(&self) -> Result<(), Error> {
        for table in &self.tables {
            let mut last: Option<Digest> = None;
            for row in self.rows(table) {
                let (digest, found) = row?;
                if last.is_some_and(|last| last.as_bytes() > digest.as_bytes()) {
                    return Err(Error::Damaged { what: "rows are out of order" });
                }
                if usize::from(found.set) >= self.sets.len() {
                    return Err(OF_NO_SET);
                }
                last = Some(digest);
            }
        }
        let Some(names) = self.names else { return Ok(()) };
        let mut page = [0; PAGE_BYTES];
        (0..pages_of(names.bytes))
            .try_for_each(|number| self.pages.fill(names.page + number, &mut page, OF_NAMES))
    }
}

impl Table {
    /// The algorithm.
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// How many rows it has: different digests, or digests with different names where names were kept.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Whether every record of the index had a digest of this algorithm.
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// Takes the directory in.
    fn open(
        pages: &Pages,
        described: &TableDescription,
        algorithm: Algorithm,
        names: bool,
    ) -> Result<Self, Error> {
        let Section { page, bytes } = described.directory;
        let mut stream = pages.stream(page, 0, OF_DIRECTORY);
        let mut directory = Vec::new();
        for _ in 0..bytes / PREFIX_BYTES as u64 {
            let mut first = [0; PREFIX_BYTES];
            stream.take(&mut first)?;
            directory.push(u64::from_be_bytes(first));
        }
        if !directory.is_sorted() {
            return Err(Error::Damaged { what: OF_DIRECTORY });
        }
        let (rows, complete, first) = (described.rows, described.complete, described.page);
        let row_bytes = row_bytes(algorithm, names);
        Ok(Self { algorithm, rows, complete, first, row_bytes, directory })
    }

    /// How many rows a page has.
    fn rows_of(&self, page: usize) -> usize {
        let most = rows_of_page(self.row_bytes);
        most.min(usize::try_from(self.rows - page as u64 * most as u64).unwrap_or(usize::MAX))
    }

    /// Reads a page of rows, which has to begin as the directory says.
    fn fill(&self, pages: &Pages, page: usize, bytes: &mut Page) -> Result<(), Error> {
        pages.fill(self.first + page as u64, bytes, OF_ROWS)?;
        let begins = prefix(&bytes[..self.algorithm.length()]);
        if self.directory.get(page) == Some(&begins) { Ok(()) } else { Err(Error::Damaged { what: OF_ROWS }) }
    }

    /// What a row says.
    fn found(&self, page: usize, at: usize, row: &[u8]) -> Found {
        let (_, rest) = row.split_at(self.algorithm.length());
        let name = (rest.len() > NAME_BYTES).then(|| {
            let mut place = [0; 8];
            place[8 - NAME_BYTES..].copy_from_slice(&rest[1..]);
            u64::from_be_bytes(place)
        });
        let row = page as u64 * rows_of_page(self.row_bytes) as u64 + at as u64;
        Found { algorithm: self.algorithm, row, set: rest[0], name }
    }
}

/// Goes through the rows of a table.
#[derive(Debug)]
pub struct Rows<'a> {
    index: &'a Index,
    table: &'a Table,
    page: Box<Page>,
    row: u64,
}

impl Iterator for Rows<'_> {
    type Item = Result<(Digest, Found), Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let table = self.table;
        if self.row == table.rows {
            return None;
        }
        let most = rows_of_page(table.row_bytes) as u64;
        let (page, at) = ((self.row / most) as usize, (self.row % most) as usize);
        if at == 0
            && let Err(error) = table.fill(&self.index.pages, page, &mut self.page)
        {
            self.row = table.rows;
            return Some(Err(error));
        }
        self.row += 1;
        let row = &self.page[at * table.row_bytes..][..table.row_bytes];
        let digest = Digest::new(table.algorithm, &row[..table.algorithm.length()])
            .expect("a row begins with as many bytes as the digest has");
        Some(Ok((digest, table.found(page, at, row))))
    }
}

/// What an index says of itself, if it is complete and its checksum holds; and where that begins.
fn description(pages: &Pages, length: u64) -> Result<(Description, u64), Error> {
    let damaged = || Error::Damaged { what: "its description" };
    let mut tail = [0; TAIL_BYTES];
    pages.read(&mut tail, length - TAIL_BYTES as u64)?;
    let (numbers, magic) = tail.split_at(8);
    if magic != MAGIC {
        return Err(Error::Damaged { what: "its end is missing" });
    }
    let number =
        |at: usize| u32::from_le_bytes([numbers[at], numbers[at + 1], numbers[at + 2], numbers[at + 3]]);
    let (bytes, sum) = (number(0) as usize, number(4));
    let begin = (length - TAIL_BYTES as u64).checked_sub(bytes as u64);
    let begin = begin.filter(|_| bytes <= MAX_DESCRIPTION_BYTES).ok_or_else(damaged)?;
    let mut text = vec![0; bytes];
    pages.read(&mut text, begin)?;
    if checksum(&text) != sum {
        return Err(damaged());
    }
    let value: serde_json::Value = serde_json::from_slice(&text).map_err(|_| damaged())?;
    let version = value["version"].as_u64().and_then(|version| u32::try_from(version).ok());
    match version {
        Some(VERSION) => Ok((serde_json::from_value(value).map_err(|_| damaged())?, begin)),
        Some(found) => Err(Error::OtherVersion { found, known: VERSION }),
        None => Err(damaged()),
    }
}

/// The first of `count` for which `is_less` is false, where it is true before and false behind.
fn first_at_least(count: usize, is_less: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = low.midpoint(high);
        if is_less(middle) { low = middle + 1 } else { high = middle }
    }
    low
}
