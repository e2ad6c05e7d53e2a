//! Where the content of a file that is gone still is.

use crate::contents::{Among, Asked, pair_up};
use crate::empty::Empty;
use crate::likeness::Likeness;
use crate::records::State;
use crate::tables::{Tables, Which};

/// For each known file that is gone the first seen file with its content. Numbers ascend.
///
/// The content of a file that is ok is what is listed of it, with the digests seen if these are more. Of any other it is
/// what was seen.
pub(crate) fn find(tables: &Tables, gone: &[u32], empty: &Empty) -> Vec<Option<Which>> {
    let mut remains = vec![None; gone.len()];
    let asked: Vec<u32> =
        gone.iter().copied().filter(|&number| !empty.is(&tables.known.entry(number))).collect();
    if asked.is_empty() {
        return remains;
    }
    let asked = Asked { records: &tables.known, numbers: &asked };
    let verified = Among { records: &tables.known, counts: |state| state == State::Verified };
    let seen =
        Among { records: &tables.held, counts: |state| matches!(state, State::Waiting | State::Judged) };
    let places = [(verified, Which::Known as fn(u32) -> Which), (seen, Which::Input)];
    for (among, which) in places {
        pair_up(asked, among, |pair| {
            if pair.likeness != Likeness::Same {
                return;
            }
            let same = pair.among.iter().map(|key| which(key.number));
            let first = same.reduce(|one, other| tables.earlier(one, other));
            for key in pair.asked {
                let place = gone.binary_search(&key.number).expect("it was asked for");
                remains[place] = match (remains[place], first) {
                    (Some(one), Some(other)) => Some(tables.earlier(one, other)),
                    (one, other) => one.or(other),
                };
            }
        });
    }
    remains
}
