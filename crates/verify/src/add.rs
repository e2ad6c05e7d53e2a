//! Digests of more algorithms, for files whose listed digests match.
//!
//! Each record comes with the verdict that the same reading gives on the listed digests. So the new digests of a file that matches
//! are those of the content that was listed.

use std::ffi::OsStr;
use std::sync::Arc;

use hashlane_audit::Verdict;
use hashlane_digest::Algorithm;
use hashlane_engine::{AlgorithmSet, Control, Input, Options, Sink, Summary, Taken};
use hashlane_manifest::Item;
use hashlane_record::bytes::{Rest, put_bytes, put_number};
use hashlane_record::{ItemPath, Record};

use crate::base::Base;
use crate::error::Error;
use crate::expected::Expected;
use crate::judge::judge;
use crate::lists::ListOptions;
use crate::out_of_place::{OutOfPlace, has_scheme};
use crate::places::Places;

/// A listed file that was read, or should have been read, for more digests.
#[derive(Debug)]
#[non_exhaustive]
pub struct Reread {
    /// The line of its entry.
    pub line: u64,
    /// The listed name.
    pub path: ItemPath,
    /// The verdict on the listed digests.
    pub verdict: Verdict,
    /// Why it was not looked for: it is an object, say.
    pub out_of_place: Option<OutOfPlace>,
    /// The listed entry.
    pub expected: Expected,
    /// The result of reading it: the listed digests come first.
    pub record: Record,
}

/// Where the files of a list lie, before it is read: below a directory if there is one. `first`: its first name.
///
/// # Errors
/// That name is none of a file there, so the list is of something else.
pub fn places_of(
    list: &OsStr,
    reading: &ListOptions,
    first: &ItemPath,
    base: Option<&Base>,
) -> Result<Places, Error> {
    const NONE: [&str; 0] = [];
    let mut places = Places::new(None, &NONE).of_what_is_there().read_from(base.map(Base::path));
    places.begin(list, reading);
    match places.first_out_of_place(first.as_bytes(), false) {
        None => Ok(places),
        Some(why) => Err(places.refused(list, first, why)),
    }
}

/// Reads the files of entries and computes the listed digests and more. `found` takes the files in the order of the entries and may end the
/// run. An entry without a digest gives nothing to judge its file by; leave out such entries.
///
/// # Errors
/// The engine or `found` failed.
pub fn reread(
    entries: impl Iterator<Item = Item> + Send + 'static,
    more: &[Algorithm],
    (places, base): (&Places, Option<&Base>),
    engine: Options,
    found: &mut dyn FnMut(Reread) -> Taken,
    control: &Arc<Control>,
) -> Result<Summary, Error> {
    let more = more.to_vec();
    let (places, base) = (places.clone(), base.map(|base| Arc::clone(base.directory())));
    // What was wanted last: mostly it is wanted again.
    let mut last: AlgorithmSet = Arc::new([]);
    let inputs = entries.map(move |item| {
        let expected = Expected::of(&item);
        let name = item.path.as_bytes();
        let mut tag = Vec::new();
        put_number(&mut tag, item.line);
        put_bytes(&mut tag, name);
        tag.extend(expected.encode());
        let tag = tag.into();
        let (base, division) = (base.clone(), expected.division());
        let algorithms = expected.algorithms(&more, &mut last);
        let path = ItemPath::from(&*places.bare(name));
        Input::File { path, base, algorithms, division, tag }
    });
    Ok(hashlane_engine::run(engine, inputs, &mut Rereading { found }, control)?)
}

/// What an entry carries.
fn decoded(tag: &[u8]) -> Option<(u64, ItemPath, Expected)> {
    let mut rest = Rest(tag);
    Some((rest.number()?, ItemPath::from(rest.bytes()?), Expected::decode(rest.0)?))
}

/// Judges what was read.
struct Rereading<'a> {
    found: &'a mut dyn FnMut(Reread) -> Taken,
}

impl Sink for Rereading<'_> {
    fn record(&mut self, record: Record) -> Taken {
        let Some((line, path, expected)) = decoded(&record.tag) else {
            unreachable!("every entry carries its line, its name and what is expected of it");
        };
        let verdict = judge(&expected, &record, false).verdict;
        let is_object = verdict == Verdict::Missing && has_scheme(record.path.as_bytes());
        let out_of_place = is_object.then_some(OutOfPlace::Object);
        let verdict = if is_object { Verdict::Unreadable } else { verdict };
        (self.found)(Reread { line, path, verdict, out_of_place, expected, record })
    }
}
