//! Digests of more algorithms, for files whose listed digests match.
//!
//! Each record comes with the verdict that the same reading gives on the listed digests. So the new digests of a file that matches
//! are those of the content that was listed.

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

/// A listed file that was read, or should have been read, for more digests.
#[derive(Debug)]
#[non_exhaustive]
pub struct Reread {
    /// The line of its entry.
    pub line: u64,
    /// The verdict on the listed digests.
    pub verdict: Verdict,
    /// The listed entry.
    pub expected: Expected,
    /// The result of reading it: the listed digests come first.
    pub record: Record,
}

/// Reads the files of entries and computes the listed digests and more. `found` takes the files in the order of the entries and may end the
/// run. An entry without a digest gives nothing to judge its file by; leave out such entries.
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
        let verdict = judge(&expected, &record, false).verdict;
        (self.found)(Reread { line, verdict, expected, record })
    }
}
