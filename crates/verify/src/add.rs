//! Digests of more algorithms, for files whose listed digests hold.
//!
//! What is read of a file is given along with the verdict of the same reading on what was listed. So who lists more of the files
//! that are as listed says of each what was said before, or nothing.

use std::sync::Arc;

use hashlane_audit::Verdict;
use hashlane_digest::Algorithm;
use hashlane_engine::{AlgorithmSet, Control, Input, Options, Sink, Summary, Taken};
use hashlane_manifest::Item;
use hashlane_record::Record;

use crate::base::Base;
use crate::error::Error;
use crate::expected::Expected;
use crate::judge::judge;

/// A listed file that was read for more digests, or was to be.
#[derive(Debug)]
#[non_exhaustive]
pub struct Reread {
    /// The line of its entry.
    pub line: u64,
    /// The verdict on what is listed.
    pub verdict: Verdict,
    /// What is listed.
    pub expected: Expected,
    /// What came of reading it: the digests that are listed come first.
    pub record: Record,
}

/// Reads the files of entries for the digests that are listed and for more. `found` takes the files in the order of the entries and
/// may end it all. Where an entry has no digest, its file has nothing to be judged by: it is best left out.
///
/// # Errors
/// The engine or `found` failed.
pub fn reread(
    entries: impl Iterator<Item = Item> + Send + 'static,
    more: &[Algorithm],
    base: Option<&Base>,
    engine: Options,
    found: &mut dyn FnMut(Reread) -> Taken,
    control: &Arc<Control>,
) -> Result<Summary, Error> {
    let more = more.to_vec();
    let base = base.map(|base| Arc::clone(base.directory()));
    // What was wanted last: mostly it is wanted again.
    let mut last: AlgorithmSet = Arc::new([]);
    let inputs = entries.map(move |item| {
        let expected = Expected::of(&item);
        let tag = [&item.line.to_le_bytes()[..], &expected.encode()].concat().into();
        let (base, division) = (base.clone(), expected.division());
        let algorithms = expected.algorithms(&more, &mut last);
        Input::File { path: item.path, base, algorithms, division, tag }
    });
    Ok(hashlane_engine::run(engine, inputs, &mut Rereading { found }, control)?)
}

/// Judges what was read.
struct Rereading<'a> {
    found: &'a mut dyn FnMut(Reread) -> Taken,
}

impl Sink for Rereading<'_> {
    fn record(&mut self, record: Record) -> Taken {
        let line = record.tag.first_chunk().map(|line| u64::from_le_bytes(*line));
        let (Some(line), Some(expected)) = (line, record.tag.get(8..).and_then(Expected::decode)) else {
            unreachable!("every entry carries its line and what is expected of it");
        };
        let verdict = judge(&expected, &record).verdict;
        (self.found)(Reread { line, verdict, expected, record })
    }
}
