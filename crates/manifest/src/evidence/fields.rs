//! Records of CSV, one at a time, and what may stand in a cell.

use std::io::Read;

use csv::ByteRecord;
use hashlane_record::Timestamp;

use super::bounded::Bounded;
use super::{Error, malformed};
use crate::rfc3339;

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

/// A time of RFC 3339: in UTC, or with an offset from it.
pub(crate) fn time(text: &str) -> Option<Timestamp> {
    if text.ends_with('Z') {
        return rfc3339::parse(text);
    }
    let (local, offset) = text.split_at_checked(text.len().checked_sub(6)?)?;
    let (sign, offset) = offset.split_at_checked(1)?;
    let sign = match sign {
        "+" => 1,
        "-" => -1,
        _ => return None,
    };
    let (hours, minutes) = offset.split_once(':')?;
    let two =
        |text: &str| text.parse::<i64>().ok().filter(|_| text.bytes().all(|byte| byte.is_ascii_digit()));
    let (hours, minutes) = (two(hours)?, two(minutes)?);
    if hours > 23 || minutes > 59 {
        return None;
    }
    let local = rfc3339::parse(&format!("{local}Z"))?;
    Some(Timestamp { seconds: local.seconds - sign * (hours * 3600 + minutes * 60), ..local })
}
