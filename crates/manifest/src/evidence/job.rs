//! The `manifest.json` of a completion report of S3: which files it has, and when it was made.

use hashlane_digest::{Algorithm, Digest};
use hashlane_record::Timestamp;
use serde::Deserialize;

use super::{Error, fields};
use crate::text::decode_plain;

/// What a completion report consists of.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Job {
    /// When it was made.
    pub made: Option<Timestamp>,
    /// Its files.
    pub files: Vec<JobFile>,
}

/// A file of a completion report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobFile {
    /// Its key in the bucket that the report was written to.
    pub key: String,
    /// The MD5 of its bytes, if the list has it.
    pub md5: Option<Digest>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Listed {
    format: String,
    #[serde(default)]
    report_creation_date: Option<String>,
    results: Vec<Part>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Part {
    key: String,
    #[serde(rename = "MD5Checksum")]
    #[serde(default)]
    md5: Option<String>,
}

/// The only form of reports that there is.
const FORMAT: &str = "Report_CSV_20180820";

impl Job {
    /// Takes the list apart.
    ///
    /// # Errors
    /// It is not one of S3 Batch Operations, or is malformed.
    pub fn parse(text: &[u8]) -> Result<Self, Error> {
        let listed: Listed = serde_json::from_slice(text).map_err(|_| Error::Unknown)?;
        if listed.format != FORMAT {
            return Err(Error::Unknown);
        }
        let wrong = |what: String| Error::Line { line: 1, what };
        let made = listed.report_creation_date;
        let made =
            made.map(|text| fields::time(&text).ok_or_else(|| wrong(format!("{text:?} is not a time"))));
        let file = |Part { key, md5 }: Part| {
            let of_text = |text: String| {
                decode_plain(Algorithm::MD5, text.as_bytes())
                    .map_err(|_| wrong(format!("{text:?} is not an MD5")))
            };
            Ok(JobFile { key, md5: md5.map(of_text).transpose()? })
        };
        let files = listed.results.into_iter().map(file).collect::<Result<_, Error>>()?;
        Ok(Self { made: made.transpose()?, files })
    }
}
