//! Lines with names as those of pieces, put together with the file that they are of.

use std::collections::VecDeque;

use hashlane_digest::Digest;
use hashlane_record::{Extent, ItemPath};

use crate::item::Item;
use crate::merged::Merged;
use crate::pieces::{Row, piece_of_name};
use crate::problem::{LineProblem, ProblemKind};

/// Makes one item of adjacent items `NAME offset 0-9`, `NAME offset 10-19` and so on, and of one called
/// `NAME` behind or before them, which has the digests of the whole.
///
/// For lists that are known to be of pieces: a file may really be named so. An item may have no digests but
/// those of its pieces; the file is then as long as they are. Pieces that do not lie in a row from 0, or have
/// different lengths or algorithms, are one [`LineProblem`] of their file, and those digests of it that are
/// of the whole are an item all the same.
#[derive(Debug)]
pub struct Pieced<I> {
    items: Merged<I>,
    /// An item that may be the whole of the pieces behind it.
    held: Option<Item>,
    file: Option<File>,
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
}

#[derive(Debug)]
enum Parts {
    /// A file of no bytes, and its digests.
    Nothing(Vec<Digest>),
    Row(Row),
    /// Something was wrong, and was said.
    Wrong,
}

impl<I> Pieced<I> {
    pub(crate) fn new(items: Merged<I>) -> Self {
        Self { items, held: None, file: None, ready: VecDeque::new() }
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
                    self.finish(None);
                    self.ready.push_back(Err(problem));
                }
                None => {
                    self.finish(None);
                    return self.ready.pop_front();
                }
            }
        }
    }
}

impl<I> Pieced<I> {
    fn take_in(&mut self, item: Item) {
        // The name of a file with pieces may itself look like that of a piece.
        if self.file.as_ref().is_some_and(|file| file.name == item.path) {
            return self.finish(Some(item));
        }
        let has_more = item.pieces.is_some() || item.outcome.is_some() || item.modified.is_some();
        let piece = piece_of_name(item.path.as_bytes()).filter(|_| !has_more);
        let Some((name, extent)) = piece else {
            self.finish(None);
            self.held = Some(item);
            return;
        };
        let extent = extent_of(&item, extent);
        if let Some(file) = self.file.as_mut().filter(|file| file.name.as_bytes() == name)
            // What begins again is listed again.
            && extent.offset > 0
        {
            if let Err(kind) = file.push(&item, extent) {
                self.ready.push_back(Err(problem(&item, kind)));
            }
            return;
        }
        if self.file.is_some() || self.held.as_ref().is_some_and(|held| held.path.as_bytes() != name) {
            self.finish(None);
        }
        match File::start(ItemPath::from(name), &item, extent) {
            Ok(file) => self.file = Some(file),
            Err(kind) => {
                let (name, line, has_sizes) = (ItemPath::from(name), item.line, item.size.is_some());
                self.file = Some(File { name, line, pieces: Parts::Wrong, has_sizes });
                self.ready.push_back(Err(problem(&item, kind)));
            }
        }
    }

    /// Ends the file whose pieces were read, with an item that stands behind them and may be its whole.
    fn finish(&mut self, behind: Option<Item>) {
        let before = self.held.take();
        let Some(file) = self.file.take() else {
            self.ready.extend(before.into_iter().chain(behind).map(Ok));
            return;
        };
        let whole = match behind {
            Some(behind) => {
                self.ready.extend(before.map(Ok));
                Some(behind)
            }
            None => before,
        };
        self.ready.extend(file.finish(whole));
    }
}

impl File {
    fn start(name: ItemPath, item: &Item, extent: Extent) -> Result<Self, ProblemKind> {
        check_size(item, extent)?;
        let pieces = match extent {
            Extent { offset: 0, length: 0 } => Parts::Nothing(nothing(item)?),
            Extent { offset: 0, .. } => Parts::Row(Row::start(extent, &item.digests)?),
            Extent { offset, .. } => return Err(ProblemKind::PieceOffset { found: offset, expected: 0 }),
        };
        Ok(Self { name, line: item.line, pieces, has_sizes: item.size.is_some() })
    }

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
    fn finish(self, whole: Option<Item>) -> impl Iterator<Item = Result<Item, LineProblem>> {
        let Self { name: path, line, pieces, has_sizes } = self;
        let item = |size: u64, digests, pieces| {
            let size = has_sizes.then_some(size);
            Item { line, path, size, modified: None, digests, outcome: None, pieces }
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
        items.into_iter().flatten()
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
    LineProblem::new(item.line, 0, kind, item.path.as_bytes()).entry_if(true)
}
