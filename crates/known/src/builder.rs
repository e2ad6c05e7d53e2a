//! Builds an index: records come in any order, and go through a sorter for each algorithm.

use std::fs::File;
use std::io;

use hashlane_digest::{Algorithm, Digest};
use hashlane_sort::Sorter;

use crate::error::{Error, while_doing};
use crate::layout::{
    Description, MAGIC, MAX_ROW_BYTES, MAX_SETS, NAME_BYTES, Section, SetDescription, TableDescription,
    VERSION, prefix, row_bytes,
};
use crate::pages::{PageWriter, checksum};

const SORTING: &str = "sorting digests in a temporary file";

/// Builds an index.
pub struct Builder {
    out: PageWriter,
    sets: Vec<SetDescription>,
    tables: Vec<Gathering>,
    /// Where the names are that were written so far.
    names: Option<Section>,
}

/// A table whose rows are being gathered.
struct Gathering {
    algorithm: Algorithm,
    sorter: Sorter,
    /// How many records had a digest of it.
    records: u64,
}

impl Builder {
    /// Builds an index of digests of `algorithms` into an empty file, taking about `memory` bytes for sorting. Of other
    /// algorithms nothing is taken in. `names`: whether names are kept, which takes their length and 7 bytes a record more.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn new(file: File, algorithms: &[Algorithm], names: bool, memory: usize) -> Result<Self, Error> {
        let mut out = PageWriter::new(file);
        out.stream(&MAGIC).and_then(|()| out.end()).map_err(written)?;
        let share = memory / algorithms.len().max(1);
        let gathering = |&algorithm: &Algorithm| Gathering {
            algorithm,
            sorter: Sorter::new(share, std::env::temp_dir()),
            records: 0,
        };
        let names = names.then(|| Section { page: out.number(), bytes: 0 });
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
            Some(names) => Some(write_name(names, &mut self.out, name).map_err(written)?),
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
            table.sorter.push((&row[..length], b"")).map_err(sorting)?;
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
        out.end().map_err(written)?;
        let mut described = Vec::new();
        for table in tables {
            described.push(table.write(&mut out, names.is_some(), records)?);
        }
        let description = Description { version: VERSION, sets, names, tables: described };
        let text = serde_json::to_vec(&description).expect("a description has nothing that JSON has not");
        let length = u32::try_from(text.len()).expect("a description is short");
        let behind = [&text[..], &length.to_le_bytes(), &checksum(&text).to_le_bytes(), &MAGIC].concat();
        out.finish(&behind).map_err(written)
    }
}

impl Gathering {
    /// Sorts the rows and writes them as pages, and the directory of these.
    fn write(self, out: &mut PageWriter, names: bool, records: u64) -> Result<TableDescription, Error> {
        let row_bytes = row_bytes(self.algorithm, names);
        let digest_bytes = self.algorithm.length();
        let page = out.number();
        let mut directory: Vec<u8> = Vec::new();
        let mut last = [0; MAX_ROW_BYTES];
        let mut rows = 0_u64;
        // Without names a digest is one row, of the first set that has it.
        let compared = if names { row_bytes } else { digest_bytes };
        let mut sorted = self.sorter.finish().map_err(sorting)?;
        while let Some((row, _)) = sorted.next_pair().map_err(sorting)? {
            if rows > 0 && last[..compared] == row[..compared] {
                continue;
            }
            last[..row_bytes].copy_from_slice(row);
            if out.is_empty() {
                directory.extend_from_slice(&prefix(&row[..digest_bytes]).to_be_bytes());
            }
            rows += 1;
            out.row(row).map_err(written)?;
        }
        let ended = |out: &mut PageWriter| out.end().map_err(written);
        ended(out)?;
        let section = Section { page: out.number(), bytes: directory.len() as u64 };
        out.stream(&directory).map_err(written)?;
        ended(out)?;
        Ok(TableDescription {
            algorithm: self.algorithm.name().to_owned(),
            rows,
            complete: self.records == records,
            page,
            directory: section,
        })
    }
}

fn sorting(error: hashlane_sort::Error) -> Error {
    while_doing(SORTING)(error.into())
}

fn written(source: io::Error) -> Error {
    Error::Written { source }
}

/// Writes a name behind the others; gives where it begins, from the first.
fn write_name(names: &mut Section, out: &mut PageWriter, name: &[u8]) -> io::Result<u64> {
    let place = names.bytes;
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
        out.stream(part)?;
        names.bytes += part.len() as u64;
    }
    Ok(place)
}

impl std::fmt::Debug for Builder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Builder")
            .field("sets", &self.sets)
            .field("pages", &self.out.number())
            .finish_non_exhaustive()
    }
}
