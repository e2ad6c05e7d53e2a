//! What a manifest says about itself: the run that wrote it, its roots and its algorithm.
//!
//! In gnu, bsd and base64 files these are comments, which other tools skip (hashdeep's own say command and directory, ours below
//! them the roots; when the run began is not among them, so that a list of the same tree is the same):
//!
//! ```text
//! # hashlane program: hashlane 0.1.0
//! # hashlane command: hashlane sum photos
//! # hashlane cwd: /home/ada
//! # hashlane started: 2026-01-31T23:59:59.000000000Z
//! # hashlane algorithm: sha256
//! # hashlane root: photos
//! ```
//!
//! Values are always escaped as names are, so that a newline in a root cannot end its line.

use std::num::NonZeroU64;

use hashlane_digest::Algorithm;
use hashlane_record::{ItemPath, Timestamp};

use crate::escape::{push_escaped, unescape};
use crate::problem::ProblemKind;
use crate::rfc3339;
use crate::shard::Shard;

/// All roots of a header together are shorter than this, in bytes.
pub(crate) const MAX_ROOTS_BYTES: usize = 16 << 20;

/// What a header shows of a command line, in bytes.
const MAX_COMMAND_BYTES: usize = 32 << 10;

/// What is to be said about the run at the top of a manifest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// Name and version of the program: `hashlane 0.1.0`.
    pub program: String,
    /// The command line, as one would type it.
    pub command: Vec<u8>,
    /// The current directory of the run.
    pub cwd: ItemPath,
    /// The files and directories that were asked for, as they were given.
    pub roots: Vec<ItemPath>,
    /// When the run began: before any file was looked at.
    pub started: Option<Timestamp>,
    /// What names the file systems of the roots, where their files keep their inodes. Only formats that hold inodes hold it.
    pub file_systems: Vec<NonZeroU64>,
    /// Which part of a listing it is, if not all of it.
    pub shard: Option<Shard>,
    /// Whether the run had the rights of the superuser; hashdeep shows it as its prompt.
    pub superuser: bool,
}

/// What a manifest was found to say about itself.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recorded {
    pub(crate) roots: Vec<ItemPath>,
    pub(crate) algorithm: Option<Algorithm>,
    /// When the run began; of several the earliest.
    pub(crate) started: Option<Timestamp>,
    pub(crate) file_systems: Vec<NonZeroU64>,
    /// The parts of listings that it says it is: several, where it is several manifests; two at most.
    pub(crate) shards: Vec<Shard>,
    /// Columns of a table that mean nothing here.
    pub(crate) columns_passed_over: Vec<String>,
    /// Entries that stand behind the marks of comments.
    pub(crate) commented_out: u64,
    /// Whether other text may stand between entries: then a comment that reads like a damaged one is a comment.
    pub(crate) has_prose: bool,
    roots_bytes: usize,
}

impl Header {
    /// The command line, without what is beyond a limit.
    pub(crate) fn shown_command(&self) -> &[u8] {
        &self.command[..self.command.len().min(MAX_COMMAND_BYTES)]
    }

    /// The memory that the roots cost a reader, in bytes.
    pub(crate) fn roots_bytes(&self) -> usize {
        self.roots.iter().map(cost).sum()
    }
}

/// Appends our comment lines, each ended by `end`; none without a header.
pub(crate) fn push_comments(
    text: &mut Vec<u8>,
    header: Option<&Header>,
    algorithm: Option<Algorithm>,
    end: u8,
) {
    let Some(header) = header else { return };
    push_comment(text, "# hashlane program: ", header.program.as_bytes(), end);
    push_comment(text, "# hashlane command: ", header.shown_command(), end);
    push_comment(text, "# hashlane cwd: ", header.cwd.as_bytes(), end);
    if let Some(started) = header.started {
        push_comment(text, "# hashlane started: ", &rfc3339::time_text(started), end);
    }
    if let Some(algorithm) = algorithm {
        push_comment(text, "# hashlane algorithm: ", algorithm.name().as_bytes(), end);
    }
    if let Some(shard) = &header.shard {
        push_comment(text, "# hashlane shard: ", shard.to_string().as_bytes(), end);
    }
    for root in &header.roots {
        push_comment(text, "# hashlane root: ", root.as_bytes(), end);
    }
}

/// Appends one comment line.
pub(crate) fn push_comment(text: &mut Vec<u8>, start: &str, value: &[u8], end: u8) {
    text.extend_from_slice(start.as_bytes());
    push_escaped(text, value);
    text.push(end);
}

/// The memory that a root costs, in bytes.
fn cost(root: &ItemPath) -> usize {
    root.as_bytes().len() + size_of::<ItemPath>()
}

impl Recorded {
    /// Takes in a comment line, if it is one of ours, and whether it is.
    pub(crate) fn note_own(&mut self, comment: &[u8]) -> Result<bool, ProblemKind> {
        let text = comment.strip_prefix(b"#").unwrap_or(comment);
        let text = text.strip_prefix(b"#").unwrap_or(text);
        let Some(text) = text.strip_prefix(b" hashlane ") else {
            return Ok(false);
        };
        if let Some(root) = text.strip_prefix(b"root: ") {
            let root = unescape(root).ok_or(ProblemKind::BadEscape)?;
            self.add_root(ItemPath::new(root.as_ref()))?;
        }
        if let Some(time) = text.strip_prefix(b"started: ") {
            self.add_started(&String::from_utf8_lossy(time))?;
        }
        if let Some(shard) = text.strip_prefix(b"shard: ") {
            self.add_shard(&String::from_utf8_lossy(shard));
        }
        if let Some(name) = text.strip_prefix(b"algorithm: ") {
            let name = String::from_utf8_lossy(name);
            let known = Algorithm::named(&name);
            self.algorithm = Some(known.ok_or_else(|| ProblemKind::unknown_algorithm(name.as_bytes()))?);
        }
        Ok(true)
    }

    /// Takes in when a run began.
    pub(crate) fn add_started(&mut self, time: &str) -> Result<(), ProblemKind> {
        let time = rfc3339::parse(time).ok_or(ProblemKind::MalformedTime)?;
        self.started = Some(self.started.map_or(time, |before| before.min(time)));
        Ok(())
    }

    /// Takes in what names a file system. What does not, names none.
    pub(crate) fn add_file_system(&mut self, text: &str) {
        self.file_systems.extend(u64::from_str_radix(text, 16).ok().and_then(NonZeroU64::new));
    }

    /// Takes in which part of a listing it is. What says nothing of it binds nobody.
    pub(crate) fn add_shard(&mut self, text: &str) {
        if let Ok(shard) = text.parse()
            && self.shards.len() < 2
            && !self.shards.contains(&shard)
        {
            self.shards.push(shard);
        }
    }

    /// Takes in a root, unless all together become too long.
    pub(crate) fn add_root(&mut self, root: ItemPath) -> Result<(), ProblemKind> {
        self.roots_bytes += cost(&root);
        if self.roots_bytes > MAX_ROOTS_BYTES {
            return Err(ProblemKind::HeaderTooLong { limit: MAX_ROOTS_BYTES });
        }
        self.roots.push(root);
        Ok(())
    }
}

/// What headers say of two times, in each format that has a place for it: as many bytes for the one as for the other.
pub fn times_of_headers(one: Timestamp, other: Timestamp) -> impl Iterator<Item = (Vec<u8>, Vec<u8>)> {
    const BEFORE: [&[u8]; 4] =
        [b"\"started\":\"", b"# hashlane started: ", b"; hashlane started: ", b"started>"];
    let (one, other) = (rfc3339::time_text(one), rfc3339::time_text(other));
    BEFORE.into_iter().map(move |before| ([before, &one].concat(), [before, &other].concat()))
}
