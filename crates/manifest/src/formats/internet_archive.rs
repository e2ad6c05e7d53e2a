//! `ITEM_files.xml`: what the Internet Archive lists of an item. Read only.
//!
//! ```text
//! <files>
//!   <file name="disc1/track01.flac" source="original">
//!     <mtime>1768500000</mtime><size>4</size>
//!     <md5>098f6bcd4621d373cade4e832627b4f6</md5><crc32>d87f7e0c</crc32><sha1>a94a8fe5ccb19ba61c4c0873d391e987982fbbd3</sha1>
//!   </file>
//! </files>
//! ```
//!
//! Names are relative to the directory that the list is in. The list has an entry of its own, which cannot be right and has no size: it
//! is passed over, under the name that the list has. A CRC-32 of only zeros says that none was computed.
//!
//! Source: lists of public items, and <https://archive.org/developers/md-read.html>.

use hashlane_digest::{Algorithm, Digest};
use hashlane_record::{ItemPath, Timestamp};

use super::mhl::digest_named;
use crate::error::Error;
use crate::file_name::directory_of_list;
use crate::format::{Parser, Setup, Spec};
use crate::header::Recorded;
use crate::item::{Item, add_digest, keep_wanted};
use crate::lines::Lines;
use crate::problem::ProblemKind;
use crate::text::{checked_name, parse_number};
use crate::xml::entries::{Came, Elements, Text, put_once, size_of, wrong_entry};
use crate::xml::{Attributes, Fault, Place, entries, root_element};

pub(crate) const SPEC: Spec = Spec {
    name: "internet-archive",
    shape: "<file name=\"…\"><size>…</size><md5>HEX</md5></file>",
    many_algorithms: true,
    detected_by: "its root element, <files>",
    by_first_line: true,
    sizes: true,
    times: true,
    recognizes: is_document,
    ..Spec::read_by(parser)
};

/// The element of a file.
const ENTRY: &str = "file";

/// How the name of a list ends.
const OF_LIST: &[u8] = b"_files.xml";

/// Whether a text is XML with the root element, as far as can be seen.
pub(crate) fn is_document(text: &[u8]) -> bool {
    root_element(text) == Some(b"files")
}

/// What is known of the present file.
#[derive(Debug, Default)]
struct Draft {
    place: Place,
    path: Option<ItemPath>,
    size: Option<u64>,
    modified: Option<Timestamp>,
    digests: Vec<Digest>,
    /// What is wrong with it first.
    wrong: Option<ProblemKind>,
}

/// What is known of the document so far.
struct Document {
    wanted: Option<Algorithm>,
    /// What the list itself is called.
    own_name: Vec<u8>,
    recorded: Recorded,
    draft: Option<Draft>,
    /// The element whose text is gathered.
    gathering: Option<(Vec<u8>, Text)>,
}

fn parser(lines: &mut Lines<'_>, setup: Setup) -> Result<Box<dyn Parser>, Error> {
    if !is_document(lines.window()?) {
        return Err(Error::MissingHeader { format: setup.format, expected: "the root element <files>" });
    }
    let Setup { wanted, recorded, file_name, .. } = setup;
    let own_name = file_name.as_deref().and_then(|name| name.rsplit(|&byte| byte == b'/').next());
    let own_name = own_name.unwrap_or_default().to_vec();
    entries::parser(lines, Document { wanted, own_name, recorded, draft: None, gathering: None })
}

impl Elements for Document {
    fn root(&mut self, name: &[u8], _: &Attributes<'_>) -> Result<(), Fault> {
        match name {
            b"files" => Ok(()),
            _ => Err(Fault::What("the root element is not <files>")),
        }
    }

    fn start(
        &mut self,
        place: Place,
        depth: usize,
        name: &[u8],
        attributes: &Attributes<'_>,
    ) -> Result<(), Fault> {
        match &mut self.draft {
            // Nothing but files is listed, so this was one.
            None if depth == 2 => {
                let path = attributes.value(b"name")?.map(|name| checked_name(&name)).transpose();
                let (path, wrong) = match path {
                    Ok(path) => (path, None),
                    Err(kind) => (None, Some(kind)),
                };
                let expected = "<file name=\"…\">";
                let wrong =
                    wrong.or((name != ENTRY.as_bytes()).then_some(ProblemKind::NotALine { expected }));
                self.draft = Some(Draft { place, path, wrong, ..Draft::default() });
            }
            Some(draft) if name == ENTRY.as_bytes() => {
                draft.wrong.get_or_insert(ProblemKind::TwoElements { element: ENTRY, of: ENTRY });
            }
            Some(_) if depth == 3 => self.gathering = Some((name.to_vec(), Text::default())),
            _ => {}
        }
        Ok(())
    }

    fn text(&mut self) -> Option<&mut Text> {
        self.gathering.as_mut().map(|(_, text)| text)
    }

    fn gathered(&mut self, _: Place) -> Came {
        let (element, text) = self.gathering.take()?;
        let draft = self.draft.as_mut()?;
        if let Err(kind) = draft.put(&element, &text) {
            draft.wrong.get_or_insert(kind);
        }
        None
    }

    fn end(&mut self, depth: usize) -> Came {
        let draft = self.draft.take_if(|_| depth < 2)?;
        draft.finish(self.wanted, &self.own_name)
    }

    fn recorded(&self) -> &Recorded {
        &self.recorded
    }

    fn directory_of_names(&self, list: &[u8]) -> Option<Vec<u8>> {
        Some(directory_of_list(list).to_vec())
    }
}

impl Draft {
    /// Takes in an element that is complete. Most of them say nothing of the content.
    fn put(&mut self, element: &[u8], text: &Text) -> Result<(), ProblemKind> {
        let whole = || {
            text.must_be_whole("only text in the elements of a <file>")?;
            Ok(text.bytes.trim_ascii())
        };
        match element {
            b"size" => put_once(&mut self.size, "size", ENTRY, size_of(whole()?)?),
            b"mtime" => put_once(&mut self.modified, "mtime", ENTRY, time(whole()?)?),
            b"crc32" if whole()? == b"00000000" => Ok(()),
            _ => match digest_named(element, text.bytes.trim_ascii()) {
                Some(digest) => {
                    whole()?;
                    add_digest(&mut self.digests, digest?)
                }
                None => Ok(()),
            },
        }
    }

    fn finish(mut self, wanted: Option<Algorithm>, own_name: &[u8]) -> Came {
        if self.is_of_list(own_name) {
            return None;
        }
        keep_wanted(&mut self.digests, wanted);
        let Self { place, path, size, modified, digests, wrong } = self;
        let wrong = wrong.or_else(|| digests.is_empty().then_some(ProblemKind::NoDigest));
        Some(match (wrong, path) {
            (None, Some(path)) => {
                let line = place.line;
                Ok(Item { line, path, size, modified, digests, ..Item::default() })
            }
            (wrong, path) => Err(wrong_entry(place, wrong, path)),
        })
    }

    /// Whether it is the entry of the list itself. One that was renamed, or comes through a pipe, has no other claim to it.
    fn is_of_list(&self, own_name: &[u8]) -> bool {
        let name = self.path.as_ref().map_or(&b""[..], |path| path.as_bytes());
        self.size.is_none() && self.wrong.is_none() && name == own_name && name.ends_with(OF_LIST)
    }
}

/// A time in seconds since 1970.
fn time(text: &[u8]) -> Result<Timestamp, ProblemKind> {
    let seconds = parse_number(text).and_then(|seconds| i64::try_from(seconds).ok());
    Ok(Timestamp { seconds: seconds.ok_or(ProblemKind::MalformedTime)?, nanos: 0 })
}
