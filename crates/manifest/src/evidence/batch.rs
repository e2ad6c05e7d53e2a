//! Completion reports of S3 Batch Operations: `Report_CSV_20180820`, of jobs that compute checksums.
//!
//! Seven columns without a header: bucket, key, version, status of the task, error code, status of the request, and what came of it. That
//! is a JSON object with the checksum. Rows of jobs that have succeeded bear the status before the code, as Amazon's own examples do.

use std::io::Read;

use csv::ByteRecord;
use data_encoding::BASE64;
use hashlane_digest::{Algorithm, Digest};
use percent_encoding::percent_decode;
use serde::Deserialize;

use super::bounded::Bounded;
use super::fields::lines;
use super::{Error, Standing, Statement, Take, first_line, malformed};
use crate::text::decode_plain;

/// The columns, as the manifest of a job names them.
const COLUMNS: [&str; 7] =
    ["Bucket", "Key", "VersionId", "TaskStatus", "ErrorCode", "HTTPStatusCode", "ResultMessage"];

/// The algorithms by Amazon's names, and ours.
const ALGORITHMS: [(&str, &str); 10] = [
    ("CRC32", "crc32"),
    ("CRC32C", "crc32c"),
    ("CRC64NVME", "crc64nvme"),
    ("MD5", "md5"),
    ("SHA1", "sha1"),
    ("SHA256", "sha256"),
    ("SHA512", "sha512"),
    ("XXHASH128", "xxh128"),
    ("XXHASH3", "xxh3"),
    ("XXHASH64", "xxh64"),
];

/// What came of one task.
#[derive(Deserialize)]
struct Computed {
    checksum_base64: Option<String>,
    checksum_hex: Option<String>,
    #[serde(rename = "checksumAlgorithm")]
    algorithm: String,
    #[serde(rename = "checksumType")]
    kind: String,
    etag: Option<String>,
}

/// Whether a text begins as such a report.
pub(super) fn is_report(text: &[u8]) -> bool {
    let Some(line) = first_line(text) else { return false };
    let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(&line[..]);
    let mut record = ByteRecord::new();
    reader.read_byte_record(&mut record).is_ok_and(|is_there| is_there)
        && (is_header(&record) || record.len() == COLUMNS.len() && has_succeeded(&record[3]).is_some())
}

fn is_header(record: &ByteRecord) -> bool {
    record.iter().map(<[u8]>::trim_ascii).eq(COLUMNS.iter().map(|column| column.as_bytes()))
}

fn has_succeeded(status: &[u8]) -> Option<bool> {
    match status {
        b"succeeded" => Some(true),
        b"failed" => Some(false),
        _ => None,
    }
}

pub(super) fn each<E: From<Error>>(text: Bounded<impl Read>, take: Take<'_, E>) -> Result<(), E> {
    lines(text, b',', &mut |line, record| match line == 1 && is_header(record) {
        true => Ok(()),
        false => take(statement(line, record)?),
    })
}

fn statement(line: u64, record: &ByteRecord) -> Result<Statement, Error> {
    if record.len() != COLUMNS.len() {
        return Err(malformed(line, format!("has {} columns instead of {}", record.len(), COLUMNS.len())));
    }
    let text = |column: usize| String::from_utf8_lossy(&record[column]).into_owned();
    let there = |text: String| Some(text).filter(|text| !text.is_empty() && text != "null");
    let Some(has_succeeded) = has_succeeded(&record[3]) else {
        return Err(malformed(line, format!("{:?} is not a task status", text(3))));
    };
    let (name, name_with_plus) = name(line, &record[1])?;
    let mut statement = Statement {
        line,
        bucket: Some(record[0].to_vec()),
        name,
        name_with_plus,
        // `null` is the name of one that is written over.
        version: Some(text(2)).filter(|version| !version.is_empty()),
        ..Statement::default()
    };
    match has_succeeded {
        true => computed(line, &record[6], &mut statement)?,
        false => {
            let why: Vec<_> = [4, 5, 6].into_iter().filter_map(|column| there(text(column))).collect();
            statement.standing = Standing::Failed(why.join(" "));
        }
    }
    Ok(statement)
}

/// A key without its encoding.
fn name(line: u64, key: &[u8]) -> Result<(Vec<u8>, Option<Vec<u8>>), Error> {
    if key.is_empty() {
        return Err(malformed(line, "has no key"));
    }
    let is_encoded =
        |at: usize| key.get(at + 1..at + 3).is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit));
    if key.iter().enumerate().any(|(at, byte)| *byte == b'%' && !is_encoded(at)) {
        return Err(malformed(
            line,
            format!("the key {:?} is not URL-encoded", String::from_utf8_lossy(key)),
        ));
    }
    let with_plus: Vec<u8> = percent_decode(key).collect();
    if !key.contains(&b'+') {
        return Ok((with_plus, None));
    }
    let with_spaces: Vec<u8> = key.iter().map(|byte| if *byte == b'+' { b' ' } else { *byte }).collect();
    Ok((percent_decode(&with_spaces).collect(), Some(with_plus)))
}

/// Takes the checksum out of what came of a task.
fn computed(line: u64, message: &[u8], statement: &mut Statement) -> Result<(), Error> {
    let computed: Computed = serde_json::from_slice(message).map_err(|_| {
        let what = "the task did not compute a checksum, or the file was cut off here";
        malformed(line, what)
    })?;
    statement.etag = computed.etag;
    match &computed.kind[..] {
        "FULL_OBJECT" => {}
        "COMPOSITE" => {
            statement.standing = Standing::Composite;
            statement.other = Some(computed.algorithm);
            return Ok(());
        }
        other => return Err(malformed(line, format!("{other:?} is not a checksum type"))),
    }
    let known = ALGORITHMS.iter().find(|(theirs, _)| theirs.eq_ignore_ascii_case(&computed.algorithm));
    let Some(algorithm) = known.and_then(|(_, ours)| Algorithm::named(ours)) else {
        statement.other = Some(computed.algorithm);
        return Ok(());
    };
    let wrong = || malformed(line, format!("the checksum is not a valid {} checksum", algorithm.name()));
    let base64 = computed.checksum_base64.filter(|text| !text.is_empty());
    let hex = computed.checksum_hex.filter(|text| !text.is_empty());
    let from_base64 =
        base64.map(|text| of_base64(algorithm, text.as_bytes()).ok_or_else(wrong)).transpose()?;
    let from_hex =
        hex.map(|text| decode_plain(algorithm, text.as_bytes()).map_err(|_| wrong())).transpose()?;
    match (from_base64, from_hex) {
        (None, None) => return Err(malformed(line, "there is no checksum")),
        (Some(one), Some(other)) if one != other => {
            return Err(malformed(line, "the checksums in base64 and in hexadecimal differ"));
        }
        (one, other) => statement.digests.extend(one.or(other)),
    }
    Ok(())
}

/// A digest in base64, and in nothing else: some look like hexadecimal digits.
pub(super) fn of_base64(algorithm: Algorithm, text: &[u8]) -> Option<Digest> {
    Digest::new(algorithm, &BASE64.decode(text).ok()?).ok()
}
