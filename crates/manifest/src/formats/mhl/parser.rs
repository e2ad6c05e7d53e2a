//! Reads [`crate::formats::mhl`].
//!
//! A `<hash>` that is wrong is one problem, and the next one is read. An element that is not known may hold anything: it counts for nothing beside a digest that can be verified, and is what is wrong
//! with an entry that has none.

use hashlane_digest::{Algorithm, Digest};
use hashlane_record::{ItemPath, Timestamp};

use super::{NAMESPACE, digest_in, digest_named};
use crate::error::Error;
use crate::file_name::directory_of_list;
use crate::format::{Parser, Setup};
use crate::formats::mhl;
use crate::header::Recorded;
use crate::item::{Item, keep_wanted};
use crate::lines::Lines;
use crate::problem::{LineProblem, ProblemKind};
use crate::rfc3339;
use crate::text::checked_name;
use crate::xml::entries::{Came, Elements, Prefixes, Text, problem, put_once, size_of, wrong_entry};
use crate::xml::{Attributes, Fault, Place, entries, local_name};

/// The element of a file.
const ENTRY: &str = "hash";

/// Elements of an entry that hold no digest, and none of what is kept of it.
const PASSED_OVER: [&[u8]; 4] = [b"creationdate", b"hashdate", b"metadata", b"previousPath"];

/// What a digest of version 2.0 is called that was found where another one was expected.
const FAILED: &[u8] = b"failed";

/// What is known of the present file.
#[derive(Debug, Default)]
struct Draft {
    place: Place,
    /// The depth at which its children are.
    depth: usize,
    path: Option<ItemPath>,
    size: Option<u64>,
    modified: Option<Timestamp>,
    digests: Vec<Digest>,
    /// It had a digest that its file failed to have.
    has_failed: bool,
    /// The first element that is not known.
    unknown: Option<Vec<u8>>,
    /// What is wrong with it first.
    wrong: Option<ProblemKind>,
}

/// An element whose text is being gathered.
#[derive(Debug)]
struct Gathering {
    /// Its name, without a prefix; of our own, with a colon before it.
    element: Vec<u8>,
    text: Text,
    /// Of version 2.0: the size and the time beside a name, and what became of a digest.
    size: Option<Vec<u8>>,
    modified: Option<Vec<u8>>,
    action: Option<Vec<u8>>,
}

/// What is known of the document so far.
struct Document {
    wanted: Option<Algorithm>,
    recorded: Recorded,
    /// Whether it is a generation of ASC MHL.
    is_generation: bool,
    prefixes: Prefixes,
    draft: Option<Draft>,
    gathering: Option<Gathering>,
}

pub(super) fn parser(lines: &mut Lines<'_>, setup: Setup) -> Result<Box<dyn Parser>, Error> {
    if !mhl::is_document(lines.window()?) {
        return Err(Error::MissingHeader { format: setup.format, expected: "the root element <hashlist>" });
    }
    let document = Document {
        wanted: setup.wanted,
        recorded: setup.recorded,
        is_generation: false,
        prefixes: Prefixes::default(),
        draft: None,
        gathering: None,
    };
    entries::parser(lines, document)
}

impl Document {
    fn gather(&mut self, element: Vec<u8>, attributes: &Attributes<'_>) -> Result<(), Fault> {
        let base64 = self.prefixes.own_value(attributes, b"b64")?;
        self.gathering = Some(Gathering {
            element,
            text: Text::hiding(base64),
            size: attributes.value(b"size")?,
            modified: attributes.value(b"lastmodificationdate")?,
            action: attributes.value(b"action")?,
        });
        Ok(())
    }
}

impl Elements for Document {
    fn start(
        &mut self,
        place: Place,
        depth: usize,
        name: &[u8],
        attributes: &Attributes<'_>,
    ) -> Result<(), Fault> {
        if self.prefixes.of_own(name) == Some(b"root") {
            return self.gather(b":root".to_vec(), attributes);
        }
        let Some(element) = self.prefixes.of_format(name) else { return Ok(()) };
        match &mut self.draft {
            None if element == ENTRY.as_bytes() => {
                self.draft = Some(Draft { place, depth, ..Draft::default() });
            }
            None if element == b"startdate" => self.gather(element.to_vec(), attributes)?,
            None => {}
            Some(draft) if element == ENTRY.as_bytes() => {
                draft.put_wrong(ProblemKind::TwoElements { element: ENTRY, of: ENTRY });
            }
            Some(draft) if depth == draft.depth + 1 => self.gather(element.to_vec(), attributes)?,
            Some(_) => {}
        }
        Ok(())
    }

    fn root(&mut self, name: &[u8], attributes: &Attributes<'_>) -> Result<(), Fault> {
        let local = local_name(name);
        if local != b"hashlist" {
            return Err(Fault::What("the root element is not <hashlist>"));
        }
        match attributes.value(b"version")? {
            Some(version) if version.trim_ascii().starts_with(b"1.") => {}
            Some(version) if version.trim_ascii().starts_with(b"2.") => {
                self.is_generation = true;
            }
            _ => return Err(Fault::What("a version of MHL that is not known")),
        }
        self.prefixes = Prefixes::of(name, attributes, NAMESPACE)?;
        Ok(())
    }

    fn text(&mut self) -> Option<&mut Text> {
        self.gathering.as_mut().map(|gathering| &mut gathering.text)
    }

    fn gathered(&mut self, place: Place) -> Came {
        let gathering = self.gathering.take()?;
        let noted = match (&mut self.draft, &gathering.element[..]) {
            (Some(draft), _) => {
                draft.put(&gathering, self.is_generation);
                return None;
            }
            (None, b":root") => gathering.name().and_then(|root| self.recorded.add_root(root)),
            // That of another program may have any form, and says nothing that anybody asked for.
            (None, _) => {
                let _ =
                    self.recorded.add_started(&String::from_utf8_lossy(gathering.text.bytes.trim_ascii()));
                return None;
            }
        };
        noted.err().map(|kind| Err(problem(place, kind, b"")))
    }

    fn end(&mut self, depth: usize) -> Came {
        let draft = self.draft.take_if(|draft| depth < draft.depth)?;
        Some(draft.finish(self.wanted))
    }

    fn recorded(&self) -> &Recorded {
        &self.recorded
    }

    /// That of the list; of a generation, the one that has the history.
    fn directory_of_names(&self, list: &[u8]) -> Option<Vec<u8>> {
        let directory = directory_of_list(list);
        Some(match self.is_generation {
            true => above_history(directory),
            false => directory.to_vec(),
        })
    }
}

impl Gathering {
    /// Its text, if it has nothing else.
    fn whole(&self) -> Result<&[u8], ProblemKind> {
        self.text.must_be_whole("only text in the elements of a <hash>")?;
        Ok(&self.text.bytes)
    }

    fn name(&self) -> Result<ItemPath, ProblemKind> {
        match self.text.hidden_name()? {
            Some(name) => checked_name(&name),
            None => checked_name(&self.text.bytes),
        }
    }
}

impl Draft {
    /// Takes in an element that is complete.
    fn put(&mut self, gathering: &Gathering, is_generation: bool) {
        let put = match is_generation {
            true => self.put_of_generation(gathering),
            false => self.put_of_list(gathering),
        };
        if let Err(kind) = put {
            self.put_wrong(kind);
        }
    }

    fn put_wrong(&mut self, kind: ProblemKind) {
        self.wrong.get_or_insert(kind);
    }

    /// The same, of version 1.
    fn put_of_list(&mut self, gathering: &Gathering) -> Result<(), ProblemKind> {
        match &gathering.element[..] {
            b"file" => put_once(&mut self.path, "file", ENTRY, checked_name(gathering.whole()?)?),
            b"size" => put_once(&mut self.size, "size", ENTRY, size_of(gathering.whole()?)?),
            b"lastmodificationdate" => {
                put_once(&mut self.modified, "lastmodificationdate", ENTRY, time(gathering.whole()?)?)
            }
            element => self.put_other(gathering, digest_in(element, gathering.text.bytes.trim_ascii())),
        }
    }

    /// The same, of version 2.0: size and time stand beside the name.
    fn put_of_generation(&mut self, gathering: &Gathering) -> Result<(), ProblemKind> {
        match &gathering.element[..] {
            b"path" => {
                put_once(&mut self.path, "path", ENTRY, checked_name(gathering.whole()?)?)?;
                self.size = gathering.size.as_deref().map(size_of).transpose()?;
                self.modified = gathering.modified.as_deref().map(time).transpose()?;
                Ok(())
            }
            element => {
                let digest = digest_named(element, gathering.text.bytes.trim_ascii());
                if gathering.action.as_deref() == Some(FAILED) && digest.is_some() {
                    self.has_failed = true;
                    return Ok(());
                }
                self.put_other(gathering, digest)
            }
        }
    }

    /// Takes in an element that may hold a digest.
    fn put_other(
        &mut self,
        gathering: &Gathering,
        digest: Option<Result<Digest, ProblemKind>>,
    ) -> Result<(), ProblemKind> {
        match digest {
            Some(digest) => {
                gathering.whole()?;
                self.put_digest(digest?)?;
            }
            None if PASSED_OVER.contains(&&gathering.element[..]) => {}
            None => _ = self.unknown.get_or_insert_with(|| gathering.element.clone()),
        }
        Ok(())
    }

    /// Takes in a digest. XXH64 may stand there in both orders of its bytes.
    fn put_digest(&mut self, digest: Digest) -> Result<(), ProblemKind> {
        let algorithm = digest.algorithm();
        match self.digests.iter().find(|other| other.algorithm() == algorithm) {
            None => self.digests.push(digest),
            Some(other) if *other == digest => {}
            Some(_) => return Err(ProblemKind::DuplicateDigest { algorithm }),
        }
        Ok(())
    }

    fn finish(mut self, wanted: Option<Algorithm>) -> Result<Item, LineProblem> {
        keep_wanted(&mut self.digests, wanted);
        let Self { place, path, size, modified, digests, has_failed, unknown, wrong, .. } = self;
        let wrong = match (wrong, unknown) {
            (Some(wrong), _) => Some(wrong),
            (None, _) if digests.is_empty() && has_failed => Some(ProblemKind::FailedThen),
            (None, Some(element)) if digests.is_empty() => Some(ProblemKind::unknown_algorithm(&element)),
            (None, _) if digests.is_empty() => Some(ProblemKind::NoDigest),
            (None, _) => None,
        };
        match (wrong, path) {
            (None, Some(path)) => {
                let line = place.line;
                Ok(Item { line, path, size, modified, digests, ..Item::default() })
            }
            (wrong, path) => Err(wrong_entry(place, wrong, path)),
        }
    }
}

fn time(text: &[u8]) -> Result<Timestamp, ProblemKind> {
    rfc3339::parse_zoned(text.trim_ascii()).ok_or(ProblemKind::MalformedTime)
}

/// What names of a generation begin with: they are relative to the directory that has the history, `ascmhl`, which the generation is in.
fn above_history(directory: &[u8]) -> Vec<u8> {
    let bare = directory.strip_suffix(b"/").unwrap_or(directory);
    match bare.strip_suffix(b"ascmhl") {
        Some(above) if above.is_empty() || above.ends_with(b"/") => above.to_vec(),
        _ if matches!(bare, b"" | b".") && is_in_history() => [directory, b"../"].concat(),
        _ => directory.to_vec(),
    }
}

/// Whether the current directory is one of a history. Lists of one may lie elsewhere, too, and are about the directory that they are in.
fn is_in_history() -> bool {
    std::env::current_dir().is_ok_and(|here| here.ends_with("ascmhl"))
}
