//! Records of CSV, one at a time.

use std::io::Read;

use csv::ByteRecord;

use super::bounded::Bounded;
use super::{Error, malformed};

/// Shows all records of a text, with the lines that they begin at.
pub(super) fn lines<E: From<Error>>(
    text: Bounded<impl Read>,
    delimiter: u8,
    take: &mut dyn FnMut(u64, &ByteRecord) -> Result<(), E>,
) -> Result<(), E> {
    let allowance = text.allowance();
    let mut reader =
        csv::ReaderBuilder::new().has_headers(false).flexible(true).delimiter(delimiter).from_reader(text);
    let mut record = ByteRecord::new();
    let mut line = 1;
    loop {
        allowance.renew();
        // Behind a carriage return the library has not counted the line yet.
        line = reader.position().line().max(line);
        match reader.read_byte_record(&mut record) {
            Ok(true) => take(line, &record)?,
            Ok(false) => return Ok(()),
            Err(error) => return Err(of_csv(line, error).into()),
        }
        line += 1 + memchr::memchr_iter(b'\n', record.as_slice()).count() as u64;
    }
}

fn of_csv(line: u64, error: csv::Error) -> Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) if error.kind() == std::io::ErrorKind::InvalidData => {
            malformed(line, error.to_string())
        }
        csv::ErrorKind::Io(error) => Error::Input(error),
        _ => malformed(line, "is no CSV"),
    }
}
