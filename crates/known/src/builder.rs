//! Builds an index: records come in any order, and go through a sorter for each algorithm.

use std::fs::File;
use std::io::{self, BufWriter, Write};

use hashlane_digest::{Algorithm, Digest, Hasher};

use crate::error::{Error, while_doing};
use crate::layout::{
    CHECKSUM_BYTES, Description, MAGIC, MAX_ROW_BYTES, MAX_SETS, NAME_BYTES, PAGE_BYTES, Section,
    SetDescription, TableDescription, VERSION, checksum, crc32c, number, prefix, row_bytes, rows_of_page,
};
use crate::sorter::Sorter;

const WRITING: &str = "writing the index";
const SORTING: &str = "writing a temporary file";

/// Builds an index.
pub struct Builder {
    out: Out,
    sets: Vec<SetDescription>,
    tables: Vec<Gathering>,
    names: Option<Names>,
}

/// A table whose rows are being gathered.
struct Gathering {
    algorithm: Algorithm,
    sorter: Sorter,
    /// How many records had a digest of it.
    records: u64,
}

/// The names that were written so far.
struct Names {
    begin: u64,
    hasher: Hasher,
}

impl Builder {
    /// Builds an index of digests of `algorithms` into an empty file, taking about `memory` bytes for sorting. Of other
    /// algorithms nothing is taken in. `names`: whether names are kept, which takes their length and 7 bytes a record more.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn new(file: File, algorithms: &[Algorithm], names: bool, memory: usize) -> Result<Self, Error> {
        let mut out = Out { writer: BufWriter::with_capacity(1 << 18, file), written: 0 };
        out.write(&MAGIC)?;
        let share = memory / algorithms.len().max(1);
        let gathering = |&algorithm: &Algorithm| Gathering {
            algorithm,
            sorter: Sorter::new(row_bytes(algorithm, names), share),
            records: 0,
        };
        let names = names.then(|| Names { begin: out.written, hasher: crc32c().hasher() });
        Ok(Self { out, sets: Vec::new(), tables: algorithms.iter().map(gathering).collect(), names })
    }

    /// A set that records come from; gives its number.
    ///
    /// # Errors
    /// There are as many as there can be.
    pub fn set(&mut self, name: impl Into<String>) -> Result<u8, Error> {
        let set = u8::try_from(self.sets.len()).map_err(|_| Error::ManySets { most: MAX_SETS })?;
        self.sets.push(SetDescription { name: name.into(), records: 0 });
        Ok(set)
    }

    /// Takes a record in. Says whether it had a digest of any of the algorithms; if not, it is not counted.
    ///
    /// # Errors
    /// The index or a temporary file cannot be written.
    ///
    /// # Panics
    /// `set` did not come from [`Builder::set`].
    pub fn add(&mut self, set: u8, name: &[u8], digests: &[Digest]) -> Result<bool, Error> {
        let wanted = |tables: &[Gathering], digest: &Digest| {
            tables.iter().position(|table| table.algorithm == digest.algorithm())
        };
        if !digests.iter().any(|digest| wanted(&self.tables, digest).is_some()) {
            return Ok(false);
        }
        self.sets[usize::from(set)].records += 1;
        let place = match &mut self.names {
            Some(names) => Some(names.write(&mut self.out, name)?),
            None => None,
        };
        for digest in digests {
            let Some(table) = wanted(&self.tables, digest) else { continue };
            let mut row = [0; MAX_ROW_BYTES];
            let mut length = digest.as_bytes().len();
            row[..length].copy_from_slice(digest.as_bytes());
            row[length] = set;
            length += 1;
            if let Some(place) = place {
                row[length..][..NAME_BYTES].copy_from_slice(&place.to_be_bytes()[8 - NAME_BYTES..]);
                length += NAME_BYTES;
            }
            let table = &mut self.tables[table];
            table.sorter.push(&row[..length]).map_err(while_doing(SORTING))?;
            table.records += 1;
        }
        Ok(true)
    }

    /// Writes the tables, and gives the file back.
    ///
    /// # Errors
    /// The index cannot be written, or a temporary file not read.
    pub fn finish(self) -> Result<File, Error> {
        let Self { mut out, sets, tables, names } = self;
        let records: u64 = sets.iter().map(|set| set.records).sum();
        let names = names.map(|mut names| Section {
            offset: names.begin,
            length: out.written - names.begin,
            crc32c: number(&names.hasher.finish()),
        });
        let mut described = Vec::new();
        for table in tables {
            described.push(table.write(&mut out, names.is_some(), records)?);
        }
        let description = Description { version: VERSION, sets, names, tables: described };
        let text = serde_json::to_vec(&description).expect("a description has nothing that JSON has not");
        out.write(&text)?;
        let length = u32::try_from(text.len()).expect("a description is short");
        out.write(&length.to_le_bytes())?;
        out.write(&checksum(&text).to_le_bytes())?;
        out.write(&MAGIC)?;
        out.writer.into_inner().map_err(|error| while_doing(WRITING)(error.into_error()))
    }
}

impl Names {
    /// Writes a name; gives where it begins, from the first.
    fn write(&mut self, out: &mut Out, name: &[u8]) -> Result<u64, Error> {
        let place = out.written - self.begin;
        let mut length = [0; 10];
        let mut count = 0;
        let mut rest = name.len();
        loop {
            let more = rest >= 0x80;
            length[count] = (rest & 0x7f) as u8 | if more { 0x80 } else { 0 };
            count += 1;
            rest >>= 7;
            if !more {
                break;
            }
        }
        for part in [&length[..count], name] {
            self.hasher.update(part);
            out.write(part)?;
        }
        Ok(place)
    }
}

impl Gathering {
    /// Sorts the rows and writes them as pages, and the directory of these.
    fn write(self, out: &mut Out, names: bool, records: u64) -> Result<TableDescription, Error> {
        let row_bytes = row_bytes(self.algorithm, names);
        let digest_bytes = self.algorithm.length();
        let most = rows_of_page(row_bytes);
        let begin = out.written;
        let mut page = Vec::with_capacity(PAGE_BYTES);
        let mut directory: Vec<u8> = Vec::new();
        let mut last = [0; MAX_ROW_BYTES];
        let mut rows = 0_u64;
        // Without names a digest is one row, of the first set that has it.
        let compared = if names { row_bytes } else { digest_bytes };
        self.sorter
            .drain(|row| {
                if rows > 0 && last[..compared] == row[..compared] {
                    return Ok(());
                }
                last[..row_bytes].copy_from_slice(row);
                if page.len() == most * row_bytes {
                    out.page(&mut page)?;
                }
                if page.is_empty() {
                    directory.extend_from_slice(&prefix(&row[..digest_bytes]).to_be_bytes());
                }
                page.extend_from_slice(row);
                rows += 1;
                Ok(())
            })
            .map_err(while_doing("sorting digests"))?;
        if !page.is_empty() {
            out.page(&mut page).map_err(while_doing(WRITING))?;
        }
        let section =
            Section { offset: out.written, length: directory.len() as u64, crc32c: checksum(&directory) };
        out.write(&directory)?;
        Ok(TableDescription {
            algorithm: self.algorithm.name().to_owned(),
            rows,
            complete: self.records == records,
            pages: begin,
            directory: section,
        })
    }
}

/// The index, as far as it is written.
struct Out {
    writer: BufWriter<File>,
    written: u64,
}

impl Out {
    fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.put(bytes).map_err(while_doing(WRITING))
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.writer.write_all(bytes)?;
        self.written += bytes.len() as u64;
        Ok(())
    }

    /// Writes a page and empties it.
    fn page(&mut self, page: &mut Vec<u8>) -> io::Result<()> {
        page.resize(PAGE_BYTES - CHECKSUM_BYTES, 0);
        let checksum = checksum(page);
        page.extend_from_slice(&checksum.to_le_bytes());
        self.put(page)?;
        page.clear();
        Ok(())
    }
}

impl std::fmt::Debug for Builder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Builder")
            .field("sets", &self.sets)
            .field("written", &self.out.written)
            .finish_non_exhaustive()
    }
}
