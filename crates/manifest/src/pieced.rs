//! Lines with names as those of pieces, put together with the file that they are of.

use std::collections::VecDeque;

use hashlane_digest::Digest;
use hashlane_record::{Extent, ItemPath};

use crate::item::Item;
use crate::merged::Merged;
use crate::pieces::{Row, piece_of_name};
use crate::problem::{LineProblem, ProblemKind};

/// Files whose pieces are put together at once: as many as threads of hashdeep may be at, which list theirs as they come.
const MOST_OPEN: usize = 256;

/// Bytes of digests of all of them.
const MOST_BYTES: usize = 256 << 20;

/// Makes one item of items `NAME offset 0-9`, `NAME offset 10-19` and so on, and of one called `NAME` behind or before them,
/// which has the digests of the whole. Those of several files may be mixed.
///
/// For lists that are known to be of pieces: a file may really be named so. An item may have no digests but those of its
/// pieces; the file is then as long as they are. Pieces that do not lie in a row from 0, or have different lengths or
/// algorithms, are one [`LineProblem`] of their file, and those digests of it that are of the whole are an item all the same.
#[derive(Debug)]
pub struct Pieced<I> {
    items: Merged<I>,
    /// An item that may be the whole of the pieces behind it.
    held: Option<Item>,
    /// The files whose pieces are read, the one with the latest piece last.
    open: VecDeque<File>,
    /// Bytes of their digests.
    bytes: usize,
    ready: VecDeque<Result<Item, LineProblem>>,
}

/// A file whose pieces are read.
#[derive(Debug)]
struct File {
    name: ItemPath,
    line: u64,
    pieces: Parts,
    /// Whether lines have sizes.
    has_sizes: bool,
    /// What stood before the pieces.
    whole: Option<Item>,
}

#[derive(Debug)]
enum Parts {
    /// A file of no bytes, and its digests.
    Nothing(Vec<Digest>),
    Row(Row),
    /// Something was wrong, and was said.
    Wrong,
}

impl<I> Merged<I> {
    /// Items that are pieces by their names as one with their file. For lists that are known to be so, in
    /// formats that have [`crate::Piecewise::ByName`].
    pub fn pieced(self) -> Pieced<I> {
        Pieced::new(self)
    }
}

impl<I> Pieced<I> {
    fn new(items: Merged<I>) -> Self {
        Self { items, held: None, open: VecDeque::new(), bytes: 0, ready: VecDeque::new() }
    }

    /// What is put together.
    pub fn get_ref(&self) -> &I {
        self.items.get_ref()
    }
}

impl<I: Iterator<Item = Result<Item, LineProblem>>> Iterator for Pieced<I> {
    type Item = Result<Item, LineProblem>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(ready) = self.ready.pop_front() {
                return Some(ready);
            }
            match self.items.next() {
                Some(Ok(item)) => self.take_in(item),
                Some(Err(problem)) => {
                    self.let_go();
                    self.ready.push_back(Err(problem));
                }
                None => {
                    self.let_go();
                    let mut open = std::mem::take(&mut self.open);
                    open.make_contiguous().sort_by_key(|file| file.line);
                    self.ready.extend(open.into_iter().flat_map(|file| file.finish(None)));
                    return self.ready.pop_front();
                }
            }
        }
    }
}

impl<I> Pieced<I> {
    fn take_in(&mut self, item: Item) {
        // The name of a file with pieces may itself look like that of a piece.
        if let Some(at) = self.position(item.path.as_bytes()) {
            self.let_go();
            return self.finish(at, Some(item));
        }
        // What has no digest, because another algorithm was asked for, stays what it is, so that it is noticed.
        let has_more = item.pieces.is_some()
            || item.outcome.is_some()
            || item.modified.is_some()
            || item.digests.is_empty();
        let piece = piece_of_name(item.path.as_bytes()).filter(|_| !has_more);
        let Some((name, extent)) = piece else {
            self.let_go();
            // Where the whole of a file stands before its pieces, that of the next one ends them.
            while let Some(at) = self.open.iter().position(|file| file.whole.is_some()) {
                self.finish(at, None);
            }
            self.held = Some(item);
            return;
        };
        let extent = extent_of(&item, extent);
        match self.position(name) {
            // What begins again is listed again.
            Some(at) if extent.offset == 0 => self.finish(at, None),
            Some(at) => return self.push(at, &item, extent),
            None => {}
        }
        let whole = self.held.take_if(|held| held.path.as_bytes() == name);
        self.let_go();
        let name = ItemPath::from(name);
        let (line, has_sizes) = (item.line, item.size.is_some());
        let pieces = Parts::start(&item, extent).unwrap_or_else(|kind| {
            self.ready.push_back(Err(problem(&item, kind)));
            Parts::Wrong
        });
        self.bytes += pieces.bytes();
        self.open.push_back(File { name, line, pieces, has_sizes, whole });
        self.make_room();
    }

    /// The place of the file of this name, if its pieces are read.
    fn position(&self, name: &[u8]) -> Option<usize> {
        self.open.iter().rposition(|file| file.name.as_bytes() == name)
    }

    /// Takes the next piece of a file.
    fn push(&mut self, at: usize, item: &Item, extent: Extent) {
        let Some(mut file) = self.open.remove(at) else { return };
        self.bytes -= file.pieces.bytes();
        if let Err(kind) = file.push(item, extent) {
            self.ready.push_back(Err(problem(item, kind)));
        }
        self.bytes += file.pieces.bytes();
        self.open.push_back(file);
        self.make_room();
    }

    /// Ends the files that had no piece for longest, where there are more than are held.
    fn make_room(&mut self) {
        while self.open.len() > 1 && (self.open.len() > MOST_OPEN || self.bytes > MOST_BYTES) {
            self.finish(0, None);
        }
    }

    /// Ends a file, with an item that stands behind its pieces and is its whole.
    fn finish(&mut self, at: usize, behind: Option<Item>) {
        let Some(file) = self.open.remove(at) else { return };
        self.bytes -= file.pieces.bytes();
        self.ready.extend(file.finish(behind));
    }

    /// What was held is not the whole of what follows.
    fn let_go(&mut self) {
        self.ready.extend(self.held.take().map(Ok));
    }
}

impl Parts {
    fn start(item: &Item, extent: Extent) -> Result<Self, ProblemKind> {
        check_size(item, extent)?;
        match extent {
            Extent { offset: 0, length: 0 } => nothing(item).map(Self::Nothing),
            Extent { offset: 0, .. } => Row::start(extent, &item.digests).map(Self::Row),
            Extent { offset, .. } => Err(ProblemKind::PieceOffset { found: offset, expected: 0 }),
        }
    }

    /// Bytes of digests.
    fn bytes(&self) -> usize {
        match self {
            Self::Row(row) => row.bytes(),
            Self::Nothing(_) | Self::Wrong => 0,
        }
    }
}

impl File {
    fn push(&mut self, item: &Item, extent: Extent) -> Result<(), ProblemKind> {
        let pushed = match &mut self.pieces {
            // One problem is enough for a file of a million pieces.
            Parts::Wrong => return Ok(()),
            Parts::Nothing(_) => Err(ProblemKind::PieceOffset { found: extent.offset, expected: 0 }),
            Parts::Row(row) if extent.length == 0 && extent.offset == row.end() => nothing(item).map(|_| ()),
            Parts::Row(row) => row.push(extent, &item.digests),
        };
        let pushed = check_size(item, extent).and(pushed);
        if pushed.is_err() {
            self.pieces = Parts::Wrong;
        }
        pushed
    }

    /// The item of a file, and of its whole where there was one.
    fn finish(self, behind: Option<Item>) -> impl Iterator<Item = Result<Item, LineProblem>> {
        let Self { name: path, line, pieces, has_sizes, whole: before } = self;
        let (before, whole) = match behind {
            Some(behind) => (before, Some(behind)),
            None => (None, before),
        };
        let item = |size: u64, digests, pieces| {
            let size = has_sizes.then_some(size);
            Item { line, path, size, modified: None, digests, outcome: None, pieces, ..Item::default() }
        };
        let items = match (pieces, whole) {
            (Parts::Wrong, None) => [None, None],
            (Parts::Wrong, Some(whole)) => [None, Some(Ok(whole))],
            (Parts::Nothing(digests), None) => [None, Some(Ok(item(0, digests, None)))],
            (Parts::Nothing(_), Some(whole)) => {
                [nothing(&whole).err().map(|kind| Err(problem(&whole, kind))), Some(Ok(whole))]
            }
            (Parts::Row(row), None) => {
                let end = row.end();
                let pieces = row.finish(None);
                [None, pieces.map(|pieces| Ok(item(end, Vec::new(), Some(pieces))))]
            }
            (Parts::Row(row), Some(whole)) => match whole.size.filter(|&size| size != row.end()) {
                Some(size_bytes) => {
                    let kind = ProblemKind::PiecesUnlikeSize { end_bytes: row.end(), size_bytes };
                    [Some(Err(problem(&whole, kind))), Some(Ok(whole))]
                }
                None => [None, Some(Ok(Item { line, pieces: row.finish(None), ..whole }))],
            },
        };
        before.map(Ok).into_iter().chain(items.into_iter().flatten())
    }
}

/// Where a piece lies. hashdeep 4.4 lists a file of no bytes as `0-0`, which its size or its digests tell
/// from one of one byte.
fn extent_of(item: &Item, extent: Extent) -> Extent {
    let is_nothing = extent == Extent { offset: 0, length: 1 } && item.size.unwrap_or(0) == 0;
    match is_nothing && nothing(item).is_ok() {
        true => Extent { offset: 0, length: 0 },
        false => extent,
    }
}

/// The digests of a piece, if they are those of no bytes.
fn nothing(item: &Item) -> Result<Vec<Digest>, ProblemKind> {
    match item.digests.iter().all(|digest| *digest == digest.algorithm().digest(b"")) {
        true => Ok(item.digests.clone()),
        false => Err(ProblemKind::PieceLength { found: 0, expected: 1 }),
    }
}

fn check_size(item: &Item, extent: Extent) -> Result<(), ProblemKind> {
    match item.size.filter(|&size| size != extent.length) {
        Some(found) => Err(ProblemKind::PieceLength { found, expected: extent.length }),
        None => Ok(()),
    }
}

/// The file, or its pieces, are not verified.
fn problem(item: &Item, kind: ProblemKind) -> LineProblem {
    LineProblem::new(item.line, 0, kind, item.path.as_bytes()).entry_if(true).of_file(Some(item.path.clone()))
}
