//! Inventories by Google and Azure: which columns they have, and what those say. As CSV here, as Parquet in `table`.

use std::io::Read;

use csv::ByteRecord;
use hashlane_digest::Algorithm;
use hashlane_record::Timestamp;

use super::batch::of_base64;
use super::bounded::Bounded;
use super::fields::{self, lines};
use super::{Error, Provider, Standing, Statement, Take, first_line, malformed};

/// What a column says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Field {
    Bucket,
    Name,
    Size,
    /// When the object was written, and not when something about it was changed.
    Written,
    /// The same, where nothing better is known.
    Updated,
    Digest(&'static str),
    /// A checksum that is not a digest here.
    Other(&'static str),
    Version,
    Etag,
    /// Says something of objects that are no longer there.
    Gone,
    /// Says whether it is the current version.
    Current,
    /// Says whether it is a folder, and no object.
    Folder,
}

/// The columns of Storage Insights: <https://cloud.google.com/storage/docs/insights/inventory-reports>.
const GOOGLE: [(&str, Field); 10] = [
    ("bucket", Field::Bucket),
    ("name", Field::Name),
    ("size", Field::Size),
    ("timeCreated", Field::Written),
    ("updated", Field::Updated),
    ("crc32c", Field::Digest("crc32c")),
    ("md5Hash", Field::Digest("md5")),
    ("generation", Field::Version),
    ("etag", Field::Etag),
    ("timeDeleted", Field::Gone),
];

/// The columns of a blob inventory: <https://learn.microsoft.com/azure/storage/blobs/blob-inventory>. Its names begin with the container.
const AZURE: [(&str, Field); 11] = [
    ("Name", Field::Name),
    ("Content-Length", Field::Size),
    ("Last-Modified", Field::Written),
    ("Content-MD5", Field::Digest("md5")),
    // In which order its bytes are written is not published.
    ("ContentCRC64", Field::Other("ContentCRC64")),
    ("VersionId", Field::Version),
    ("Etag", Field::Etag),
    ("Snapshot", Field::Gone),
    ("Deleted", Field::Gone),
    ("IsCurrentVersion", Field::Current),
    ("hdi_isfolder", Field::Folder),
];

/// The columns of an inventory.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    provider: Provider,
    delimiter: u8,
    /// What each column says, of those that are read.
    fields: Vec<Option<Field>>,
}

impl Layout {
    /// That of columns of these names; nothing if they are no inventory that states checksums.
    pub(super) fn of<'n>(names: impl IntoIterator<Item = &'n [u8]>) -> Option<Self> {
        let names: Vec<_> = names.into_iter().map(<[u8]>::trim_ascii).collect();
        let fields = |table: &[(&str, Field)]| -> Vec<Option<Field>> {
            let field =
                |name: &&[u8]| table.iter().find(|(known, _)| known.as_bytes() == *name).map(|known| known.1);
            names.iter().map(field).collect()
        };
        let tables = [(Provider::Google, &GOOGLE[..]), (Provider::Azure, &AZURE[..])];
        tables.into_iter().find_map(|(provider, table)| {
            let layout = Self { provider, delimiter: b',', fields: fields(table) };
            let has = |wanted: fn(&Field) -> bool| layout.fields.iter().flatten().any(wanted);
            let is_it = has(|field| *field == Field::Name)
                && has(|field| matches!(field, Field::Digest(_) | Field::Other(_)));
            is_it.then_some(layout)
        })
    }

    pub(super) fn provider(&self) -> Provider {
        self.provider
    }

    pub(super) fn fields(&self) -> &[Option<Field>] {
        &self.fields
    }

    /// Shows the statements of a text.
    pub(super) fn each<E: From<Error>>(self, text: Bounded<impl Read>, take: Take<'_, E>) -> Result<(), E> {
        let mut is_header = true;
        lines(text, self.delimiter, &mut |line, record| {
            if std::mem::take(&mut is_header) {
                return Ok(());
            }
            match self.statement(line, record)? {
                Some(statement) => take(statement),
                None => Ok(()),
            }
        })
    }

    fn statement(&self, line: u64, record: &ByteRecord) -> Result<Option<Statement>, Error> {
        if record.len() != self.fields.len() {
            let what = format!("has {} columns instead of {}", record.len(), self.fields.len());
            return Err(malformed(line, what));
        }
        let mut taken = Taken::new(self.provider, line);
        for (field, cell) in self.fields.iter().zip(record.iter()) {
            if let Some(field) = field.filter(|_| !cell.is_empty()) {
                taken.text(field, cell).map_err(|what| malformed(line, what))?;
            }
        }
        taken.end().map_err(|what| malformed(line, what))
    }
}

/// The layout of a text, if it begins with the header of an inventory.
pub(super) fn layout(text: &[u8]) -> Option<Layout> {
    let line = first_line(text)?;
    [b',', b';', b'|', b'\t'].into_iter().find_map(|delimiter| {
        let mut reader =
            csv::ReaderBuilder::new().has_headers(false).delimiter(delimiter).from_reader(&line[..]);
        let mut record = ByteRecord::new();
        reader.read_byte_record(&mut record).ok()?;
        Layout::of(record.iter()).map(|layout| Layout { delimiter, ..layout })
    })
}

/// A statement that is put together.
pub(super) struct Taken {
    provider: Provider,
    statement: Statement,
    updated: Option<Timestamp>,
    is_folder: bool,
}

impl Taken {
    pub(super) fn new(provider: Provider, line: u64) -> Self {
        let statement = Statement { line, ..Statement::default() };
        Self { provider, statement, updated: None, is_folder: false }
    }

    /// Takes a cell that is text.
    pub(super) fn text(&mut self, field: Field, cell: &[u8]) -> Result<(), String> {
        let text = || String::from_utf8_lossy(cell).into_owned();
        let time = || {
            let time = std::str::from_utf8(cell).ok().and_then(fields::time);
            time.ok_or_else(|| format!("{:?} is not a time", text()))
        };
        match field {
            Field::Bucket => self.statement.bucket = Some(cell.to_vec()),
            Field::Name => self.statement.name = cell.to_vec(),
            Field::Size => {
                let size = text().parse().map_err(|_| format!("{:?} is not a size", text()))?;
                self.statement.size = Some(size);
            }
            Field::Written => self.statement.modified = Some(time()?),
            Field::Updated => self.updated = Some(time()?),
            Field::Digest(name) => {
                let Some(algorithm) = Algorithm::named(name) else { return Ok(()) };
                let digest = of_base64(algorithm, cell)
                    .ok_or_else(|| format!("{:?} is not a {name} checksum in base64", text()))?;
                self.statement.digests.push(digest);
            }
            Field::Other(name) => self.statement.other = Some(name.to_owned()),
            Field::Version => self.statement.version = Some(text()),
            Field::Etag => self.statement.etag = Some(text()),
            Field::Gone => self.truth(field, !cell.eq_ignore_ascii_case(b"false")),
            Field::Current | Field::Folder => self.truth(field, cell.eq_ignore_ascii_case(b"true")),
        }
        Ok(())
    }

    /// Takes a cell that is a number.
    pub(super) fn number(&mut self, field: Field, number: i64) -> Result<(), String> {
        match field {
            Field::Size => {
                let size = u64::try_from(number).map_err(|_| format!("{number} is not a size"))?;
                self.statement.size = Some(size);
            }
            Field::Version => self.statement.version = Some(number.to_string()),
            _ => {}
        }
        Ok(())
    }

    /// Takes a cell that is a time.
    pub(super) fn time(&mut self, field: Field, time: Timestamp) {
        match field {
            Field::Written => self.statement.modified = Some(time),
            Field::Updated => self.updated = Some(time),
            Field::Gone => self.truth(field, true),
            _ => {}
        }
    }

    /// Takes a cell that says yes or no.
    pub(super) fn truth(&mut self, field: Field, is_so: bool) {
        let is_earlier = match field {
            Field::Gone => is_so,
            Field::Current => !is_so,
            Field::Folder => {
                self.is_folder = is_so;
                false
            }
            _ => false,
        };
        if is_earlier {
            self.statement.standing = Standing::Earlier;
        }
    }

    /// What it comes to; nothing for a folder.
    pub(super) fn end(self) -> Result<Option<Statement>, String> {
        let Self { provider, mut statement, updated, is_folder } = self;
        if is_folder {
            return Ok(None);
        }
        if statement.name.is_empty() {
            return Err("has no name".to_owned());
        }
        statement.modified = statement.modified.or(updated);
        if provider == Provider::Azure {
            let slash = statement.name.iter().position(|byte| *byte == b'/');
            let slash = slash.ok_or("the name does not begin with a container")?;
            statement.bucket = Some(statement.name[..slash].to_vec());
            statement.name.drain(..=slash);
            if statement.name.is_empty() {
                return Err("has no name".to_owned());
            }
        }
        Ok(Some(statement))
    }
}
