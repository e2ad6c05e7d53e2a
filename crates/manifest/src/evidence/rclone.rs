//! Lists by `rclone lsjson --hash`: one JSON array. Each object is a file.

use std::collections::BTreeMap;
use std::fmt;
use std::io::Read;

use hashlane_digest::Algorithm;
use serde::Deserialize;
use serde::de::{Deserializer as _, Error as _, SeqAccess, Visitor};

use super::bounded::{Allowance, Bounded};
use super::fields::time;
use super::{Error, Statement, Take, malformed};
use crate::text::decode_plain;

/// Hashes that rclone and hashlane have in common, as it names them since 2020. Older ones had dashes and capitals.
const ALGORITHMS: [&str; 9] =
    ["blake3", "crc32", "md5", "sha1", "sha256", "sha512", "whirlpool", "xxh128", "xxh3"];

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Listed {
    path: String,
    #[serde(default)]
    size: Option<i64>,
    #[serde(default)]
    mod_time: Option<String>,
    #[serde(default)]
    is_dir: bool,
    #[serde(default)]
    hashes: BTreeMap<String, String>,
}

pub(super) fn each<E: From<Error>>(text: Bounded<impl Read>, take: Take<'_, E>) -> Result<(), E> {
    let (allowance, mut ended) = (text.allowance(), None);
    let mut list = serde_json::Deserializer::from_reader(text);
    let files = Files { allowance, take, ended: &mut ended, files: 0 };
    let read = list.deserialize_seq(files).and_then(|()| list.end());
    match (ended, read) {
        (Some(error), _) => Err(error),
        (None, Ok(())) => Ok(()),
        (None, Err(error)) => Err(of_json(error).into()),
    }
}

fn of_json(error: serde_json::Error) -> Error {
    let line = error.line() as u64;
    match error.io_error_kind() {
        Some(std::io::ErrorKind::InvalidData) | None if error.is_eof() => {
            malformed(line, "the list was cut off before its end")
        }
        Some(std::io::ErrorKind::InvalidData) | None => {
            let what = error.to_string();
            // It says where once more.
            malformed(line, what.split(" at line ").next().unwrap_or(&what))
        }
        Some(kind) => Error::Input(kind.into()),
    }
}

/// Takes the files of a list, one at a time.
struct Files<'a, E> {
    allowance: Allowance,
    take: Take<'a, E>,
    /// What has ended it from outside.
    ended: &'a mut Option<E>,
    files: u64,
}

impl<'de, E: From<Error>> Visitor<'de> for Files<'_, E> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a list of files")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut list: A) -> Result<(), A::Error> {
        loop {
            self.allowance.renew();
            let Some(listed) = list.next_element::<Listed>()? else { return Ok(()) };
            self.files += 1;
            if listed.is_dir {
                continue;
            }
            let taken = match statement(self.files, listed) {
                Ok(statement) => (self.take)(statement),
                Err(what) => Err(Error::Row { row: self.files, what }.into()),
            };
            if let Err(error) = taken {
                *self.ended = Some(error);
                return Err(A::Error::custom("it was ended from outside"));
            }
        }
    }
}

fn statement(number: u64, listed: Listed) -> Result<Statement, String> {
    let Listed { path, size, mod_time, hashes, .. } = listed;
    if path.is_empty() {
        return Err("a file has no path".to_owned());
    }
    let modified = match mod_time.filter(|text| !text.is_empty()) {
        Some(text) => Some(time(&text).ok_or_else(|| format!("{text:?} is not a time"))?),
        None => None,
    };
    let mut statement = Statement {
        line: number,
        name: path.into_bytes(),
        // It says -1 of what it does not know.
        size: size.and_then(|size| u64::try_from(size).ok()),
        modified,
        ..Statement::default()
    };
    for (name, hash) in hashes.into_iter().filter(|(_, hash)| !hash.is_empty()) {
        let plain = name.to_ascii_lowercase().replace('-', "");
        let known =
            ALGORITHMS.iter().find(|known| **known == plain).and_then(|known| Algorithm::named(known));
        match known {
            Some(algorithm) => {
                let digest = decode_plain(algorithm, hash.as_bytes())
                    .map_err(|_| format!("{hash:?} is not a hash of {name}"))?;
                statement.digests.push(digest);
            }
            None => statement.other = Some(name),
        }
    }
    Ok(statement)
}
