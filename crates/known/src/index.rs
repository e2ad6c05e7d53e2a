//! Looks digests up in an index on disk.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;

use hashlane_digest::{Algorithm, Digest};

use crate::error::{Error, while_doing};
use crate::layout::{
    CHECKSUM_BYTES, Description, MAGIC, MAX_DESCRIPTION_BYTES, NAME_BYTES, PAGE_BYTES, PREFIX_BYTES, Section,
    SetDescription, TAIL_BYTES, TableDescription, VERSION, checksum, crc32c, number, prefix, row_bytes,
    rows_of_page,
};

const OF_NO_SET: Error = Error::Damaged { what: "a row is of no set" };

/// The longest name that is believed.
const MAX_NAME_BYTES: u64 = 1 << 20;

/// An index, open. Of it the directories of pages are in memory, 8 bytes for 4 KiB.
#[derive(Debug)]
pub struct Index {
    file: File,
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
    pages: u64,
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

/// A page whose checksum holds.
type Page = [u8; PAGE_BYTES];

impl Index {
    /// Whether a file that begins so is an index.
    pub fn is_index(beginning: &[u8]) -> bool {
        beginning.starts_with(&MAGIC)
    }

    /// Opens an index.
    ///
    /// # Errors
    /// The file cannot be read, is no index, or is damaged.
    pub fn new(file: File) -> Result<Self, Error> {
        let length = file.metadata().map_err(while_doing("reading the index"))?.len();
        let mut magic = [0; MAGIC.len()];
        if length < (MAGIC.len() + TAIL_BYTES) as u64 {
            return Err(Error::NotAnIndex);
        }
        read(&file, &mut magic, 0)?;
        if magic != MAGIC {
            return Err(Error::NotAnIndex);
        }
        let description = description(&file, length)?;
        let mut tables = Vec::new();
        for table in &description.tables {
            tables.push(Table::open(&file, table, description.names.is_some(), length)?);
        }
        if description.names.is_some_and(|names| !names.is_within(length)) {
            return Err(Error::Damaged { what: "names lie outside" });
        }
        Ok(Self { file, sets: description.sets, names: description.names, tables })
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
        // The page before the first that begins with as much may end with it.
        let mut page = table.directory.partition_point(|&first| first < key).saturating_sub(1);
        while table.directory.get(page).is_some_and(|&first| first <= key) {
            let bytes = table.page(&self.file, page)?;
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
        const DAMAGED: Error = Error::Damaged { what: "a name" };
        let (Some(names), Some(place)) = (self.names, found.name) else { return Ok(None) };
        let left = names.length.checked_sub(place).filter(|&left| left > 0).ok_or(DAMAGED)?;
        let mut head = [0; 128];
        let count = usize::try_from(left).unwrap_or(usize::MAX).min(head.len());
        read(&self.file, &mut head[..count], names.offset + place)?;
        let (mut length, mut used) = (0_u64, 0);
        loop {
            let byte = *head[..count].get(used).filter(|_| used < 9).ok_or(DAMAGED)?;
            length |= u64::from(byte & 0x7f) << (7 * used);
            used += 1;
            if byte & 0x80 == 0 {
                break;
            }
        }
        if length > MAX_NAME_BYTES || used as u64 + length > left {
            return Err(DAMAGED);
        }
        let mut name = vec![0; length as usize];
        match head[..count].get(used..used + name.len()) {
            Some(bytes) => name.copy_from_slice(bytes),
            None => read(&self.file, &mut name, names.offset + place + used as u64)?,
        }
        Ok(Some(name))
    }

    /// All rows of a table, in ascending order.
    pub fn rows<'a>(&'a self, table: &'a Table) -> Rows<'a> {
        Rows { index: self, table, page: Box::new([0; PAGE_BYTES]), row: 0 }
    }

    /// Reads all of it.
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
        let mut hasher = crc32c().hasher();
        let mut buffer = vec![0; 1 << 18];
        let mut done = 0;
        while done < names.length {
            let count = buffer.len().min(usize::try_from(names.length - done).unwrap_or(usize::MAX));
            read(&self.file, &mut buffer[..count], names.offset + done)?;
            hasher.update(&buffer[..count]);
            done += count as u64;
        }
        if number(&hasher.finish()) == names.crc32c { Ok(()) } else { Err(Error::Damaged { what: "names" }) }
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

    fn open(file: &File, described: &TableDescription, names: bool, length: u64) -> Result<Self, Error> {
        let damaged = |what| Error::Damaged { what };
        let algorithm =
            Algorithm::named(&described.algorithm).ok_or(damaged("an algorithm that does not exist"))?;
        let row_bytes = row_bytes(algorithm, names);
        let pages = described.rows.div_ceil(rows_of_page(row_bytes) as u64);
        let section = described.directory;
        let all_pages =
            pages.checked_mul(PAGE_BYTES as u64).and_then(|bytes| described.pages.checked_add(bytes));
        let fits = section.is_within(length)
            && Some(section.length) == pages.checked_mul(PREFIX_BYTES as u64)
            && all_pages.is_some_and(|end| end <= length);
        if !fits {
            return Err(damaged("tables lie outside"));
        }
        let mut bytes = vec![0; section.length as usize];
        read(file, &mut bytes, section.offset)?;
        if checksum(&bytes) != section.crc32c {
            return Err(damaged("a directory of pages"));
        }
        let directory: Vec<u64> = bytes
            .chunks_exact(PREFIX_BYTES)
            .map(|bytes| u64::from_be_bytes(bytes.try_into().expect("chunks are as long")))
            .collect();
        if !directory.is_sorted() {
            return Err(damaged("a directory of pages"));
        }
        let (rows, complete, pages) = (described.rows, described.complete, described.pages);
        Ok(Self { algorithm, rows, complete, pages, row_bytes, directory })
    }

    /// How many rows a page has.
    fn rows_of(&self, page: usize) -> usize {
        let most = rows_of_page(self.row_bytes);
        most.min(usize::try_from(self.rows - page as u64 * most as u64).unwrap_or(usize::MAX))
    }

    fn page(&self, file: &File, page: usize) -> Result<Page, Error> {
        let mut bytes = [0; PAGE_BYTES];
        self.fill(file, page, &mut bytes)?;
        Ok(bytes)
    }

    fn fill(&self, file: &File, page: usize, bytes: &mut Page) -> Result<(), Error> {
        read(file, bytes, self.pages + (page * PAGE_BYTES) as u64)?;
        let (rows, sum) = bytes.split_at(PAGE_BYTES - CHECKSUM_BYTES);
        if checksum(rows).to_le_bytes() == *sum { Ok(()) } else { Err(Error::Damaged { what: "a page" }) }
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
            && let Err(error) = table.fill(&self.index.file, page, &mut self.page)
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

impl Section {
    fn is_within(&self, length: u64) -> bool {
        self.offset.checked_add(self.length).is_some_and(|end| end <= length)
    }
}

/// What an index says of itself, if it is complete and its checksum holds.
fn description(file: &File, length: u64) -> Result<Description, Error> {
    let damaged = |what| Error::Damaged { what };
    let mut tail = [0; TAIL_BYTES];
    read(file, &mut tail, length - TAIL_BYTES as u64)?;
    let (numbers, magic) = tail.split_at(8);
    if magic != MAGIC {
        return Err(damaged("its end is missing"));
    }
    let number =
        |at: usize| u32::from_le_bytes([numbers[at], numbers[at + 1], numbers[at + 2], numbers[at + 3]]);
    let (bytes, sum) = (number(0) as usize, number(4));
    let begin = (length - TAIL_BYTES as u64).checked_sub(bytes as u64);
    let begin = begin.filter(|_| bytes <= MAX_DESCRIPTION_BYTES).ok_or(damaged("its description"))?;
    let mut text = vec![0; bytes];
    read(file, &mut text, begin)?;
    if checksum(&text) != sum {
        return Err(damaged("its description"));
    }
    let value: serde_json::Value = serde_json::from_slice(&text).map_err(|_| damaged("its description"))?;
    let version = value["version"].as_u64().and_then(|version| u32::try_from(version).ok());
    match version {
        Some(VERSION) => serde_json::from_value(value).map_err(|_| damaged("its description")),
        Some(found) => Err(Error::OtherVersion { found, known: VERSION }),
        None => Err(damaged("its description")),
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

fn read(file: &File, bytes: &mut [u8], at: u64) -> Result<(), Error> {
    match file.read_exact_at(bytes, at) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
            Err(Error::Damaged { what: "it is too short" })
        }
        result => result.map_err(while_doing("reading the index")),
    }
}
