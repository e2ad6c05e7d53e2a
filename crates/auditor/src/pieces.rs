//! The items of a collection in pieces, by when they were last read good: the order in which known files come.

use std::collections::{BTreeMap, VecDeque};

use hashlane_catalog::{
    CataloguePart, Collection, Error, Reader, ReadingKind, Result, RunId, SegmentNumber as Segment, Span,
};
use roaring::RoaringTreemap;

/// Items that were last read good at the same time, or never.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) first: i64,
    pub(crate) last: i64,
    /// When they were read, in seconds since 1970; of those that were replaced, when that was found.
    pub(crate) read_s: Option<i64>,
    /// Other files lie there now than those that were read, or they were read from the page cache alone.
    pub(crate) is_unread: bool,
    /// Nothing was ever read of them, whatever lies there.
    pub(crate) is_never_read: bool,
    /// Something stands against them.
    pub(crate) stands: bool,
}

impl Piece {
    /// Those that count as unread come first, then those that were read longest ago, and of these the ones last that something stands against.
    fn turn(&self) -> (bool, Option<i64>, bool) {
        (!self.is_unread, self.read_s, self.stands)
    }
}

/// All items of a collection in pieces: those that were never read good first, then those that were replaced since, or read from the page cache
/// alone where that does not do, then those that were read longest ago. Without those that a run has read already. `first`: of those that were
/// read at the same time, these come before the others. `seen`: when that was seen which stands against items, in seconds since 1970.
pub(crate) fn pieces(
    catalog: &Reader,
    collection: &Collection,
    run: Option<RunId>,
    now_s: i64,
    (first, seen): (&RoaringTreemap, &BTreeMap<i64, i64>),
) -> Result<(Vec<Segment>, VecDeque<Piece>)> {
    let segments = catalog.segment_numbers(collection.id)?;
    let mut spans = catalog.spans(collection.id)?;
    let stints = catalog.stint_times(collection.id)?;
    spans.sort_unstable_by_key(|span| span.first);
    let mut read = Vec::with_capacity(spans.len());
    let mut pieces: VecDeque<Piece> = VecDeque::new();
    for piece in never_read(&segments, &spans) {
        let (unread, standing) = without_standing(piece, seen);
        pieces.extend(unread);
        read.extend(standing);
    }
    for span in spans {
        let Some((of_run, started_s)) = stints.get(&span.stint) else {
            return Err(Error::damaged(CataloguePart::Stint, "files were read in a stint that is not there"));
        };
        let is_replaced = span.reading == ReadingKind::Replaced;
        if is_replaced || Some(*of_run) != run {
            let is_unread =
                is_replaced || collection.is_held_to_device() && span.reading == ReadingKind::Cache;
            let read_s = Some(*started_s);
            let (first, last) = (span.first.0, span.last.0);
            let piece = Piece { first, last, read_s, is_unread, is_never_read: false, stands: false };
            let (as_known, standing) = without_standing(piece, seen);
            read.extend(as_known.into_iter().chain(standing));
        }
    }
    // A reading that is yet to come was dated by a wrong clock: it is as if there were none.
    for piece in &mut read {
        piece.read_s = piece.read_s.filter(|read_s| *read_s <= now_s);
    }
    read.sort_unstable_by_key(|piece| (piece.turn(), piece.first));
    for together in read.chunk_by(|one, other| one.turn() == other.turn()) {
        pieces.extend(brought_forward(together, first));
    }
    Ok((segments, pieces))
}

/// A piece without the items against which something stands, and those: they were looked at when that was last seen. As long as it stands they are
/// never read good, and would come before all others each night. What was replaced since then was not read. `standing`: when it was seen, in
/// seconds since 1970.
fn without_standing(piece: Piece, standing: &BTreeMap<i64, i64>) -> (Vec<Piece>, Vec<Piece>) {
    let (mut others, mut seen, mut rest) = (Vec::new(), Vec::new(), piece);
    for (&item, &seen_s) in standing.range(piece.first..=piece.last) {
        if piece.is_unread && piece.read_s > Some(seen_s) {
            continue;
        }
        if rest.first < item {
            others.push(Piece { last: item - 1, ..rest });
        }
        let read_s = piece.read_s.max(Some(seen_s));
        let (first, last) = (item, item);
        seen.push(Piece { first, last, read_s, is_unread: false, is_never_read: false, stands: true });
        rest.first = item + 1;
    }
    if rest.first <= rest.last {
        others.push(rest);
    }
    (others, seen)
}

/// Pieces that were read at the same time, with some items before the others. Of a night in which each file was touched, none is before
/// another.
fn brought_forward(pieces: &[Piece], items: &RoaringTreemap) -> Vec<Piece> {
    /// With more of them, most files were touched, and in no order that matters.
    const MOST: u64 = 1 << 20;

    if items.is_empty() || items.len() > MOST {
        return pieces.to_vec();
    }
    let (mut before, mut behind) = (Vec::new(), Vec::new());
    for piece in pieces {
        let mut rest = *piece;
        let mut touched = items.iter();
        touched.advance_to(piece.first as u64);
        for item in touched.map(|item| item as i64).take_while(|item| *item <= piece.last) {
            if rest.first < item {
                behind.push(Piece { last: item - 1, ..rest });
            }
            match before.last_mut() {
                Some(Piece { last, .. }) if *last + 1 == item => *last = item,
                _ => before.push(Piece { first: item, last: item, ..*piece }),
            }
            rest.first = item + 1;
        }
        if rest.first <= rest.last {
            behind.push(rest);
        }
    }
    before.append(&mut behind);
    before
}

/// What lies in the segments and in none of the spans; both are in order.
fn never_read(segments: &[Segment], spans: &[Span]) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut spans = spans.iter().peekable();
    let mut joins = false;
    for segment in segments {
        let mut next = segment.first();
        while next <= segment.last() {
            while spans.next_if(|span| span.last.0 < next).is_some() {
                joins = false;
            }
            let begins = spans.peek().map_or(i64::MAX, |span| span.first.0);
            if begins <= next {
                let last = spans.peek().map_or(i64::MAX, |span| span.last.0);
                (next, joins) = (last.saturating_add(1), false);
                continue;
            }
            let last = segment.last().min(begins - 1);
            match pieces.last_mut() {
                Some(piece) if joins => piece.last = last,
                _ => pieces.push(Piece {
                    first: next,
                    last,
                    read_s: None,
                    is_unread: false,
                    is_never_read: true,
                    stands: false,
                }),
            }
            (next, joins) = (last + 1, true);
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use hashlane_catalog::{ItemId, StintId};

    use super::*;

    fn span(first: i64, last: i64) -> Span {
        Span { first: ItemId(first), last: ItemId(last), stint: StintId(1), reading: ReadingKind::Device }
    }

    #[test]
    fn what_was_touched_comes_before_what_was_read_with_it() {
        let piece = |first, last| Piece {
            first,
            last,
            read_s: Some(1),
            is_unread: false,
            is_never_read: false,
            stands: false,
        };
        let order = |items: &[u64]| {
            let pieces = brought_forward(&[piece(1, 5), piece(8, 9)], &items.iter().copied().collect());
            pieces.iter().map(|piece| (piece.first, piece.last)).collect::<Vec<_>>()
        };
        assert_eq!(order(&[]), [(1, 5), (8, 9)]);
        assert_eq!(order(&[2, 3, 8]), [(2, 3), (8, 8), (1, 1), (4, 5), (9, 9)]);
        assert_eq!(order(&[1, 5, 6, 9]), [(1, 1), (5, 5), (9, 9), (2, 4), (8, 8)]);
        assert_eq!(order(&[1, 2, 3, 4, 5, 8, 9]), [(1, 5), (8, 9)]);
    }

    #[test]
    fn what_was_never_read_lies_between_what_was() {
        let segments = [Segment { number: 1, items: 10 }, Segment { number: 3, items: 5 }];
        let [one, three] = segments.map(Segment::first);
        let never = |spans: &[Span]| {
            never_read(&segments, spans).iter().map(|piece| (piece.first, piece.last)).collect::<Vec<_>>()
        };
        assert_eq!(never(&[]), [(one, three + 4)]);
        assert_eq!(never(&[span(one, three + 4)]), []);
        assert_eq!(never(&[span(one, one + 3)]), [(one + 4, three + 4)]);
        assert_eq!(never(&[span(one + 2, one + 3)]), [(one, one + 1), (one + 4, three + 4)]);
        assert_eq!(never(&[span(one + 9, three)]), [(one, one + 8), (three + 1, three + 4)]);
        assert_eq!(
            never(&[span(one, one), span(one + 5, one + 9)]),
            [(one + 1, one + 4), (three, three + 4)]
        );
    }
}
