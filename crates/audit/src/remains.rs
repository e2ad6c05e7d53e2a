//! Where the content of a file that is gone still is.

use std::collections::BTreeMap;

use crate::contents::{Selected, pair_up};
use crate::empty::Empty;
use crate::entry::Entry;
use crate::judge::Likeness;
use crate::state::State;
use crate::tables::{Tables, Which};

/// The known files that are gone and whose content is there, each with the first seen file that has it.
///
/// The content of a file that is ok is what is listed of it, with the digests seen if these are more. Of any
/// other it is what was seen.
pub(crate) fn find(tables: &Tables, empty: &Empty) -> BTreeMap<u32, Which> {
    let mut remains = BTreeMap::new();
    let is_gone = |entry: &Entry<'_>| entry.state == State::Unseen && !empty.is(entry);
    let gone = Selected { records: &tables.known, has: &is_gone };
    let verified = Selected { records: &tables.known, has: &|entry| entry.state == State::Verified };
    let seen = Selected {
        records: &tables.held,
        has: &|entry| matches!(entry.state, State::Waiting | State::Judged),
    };
    let places = [(verified, Which::Known as fn(u32) -> Which), (seen, Which::Input)];
    for (among, which) in places {
        pair_up(gone, among, |pair| {
            if pair.likeness != Likeness::Same {
                return;
            }
            let same = pair.among.iter().map(|key| which(key.number));
            let Some(first) = same.reduce(|one, other| tables.earlier(one, other)) else { return };
            for key in pair.asked {
                let known = remains.entry(key.number).or_insert(first);
                *known = tables.earlier(*known, first);
            }
        });
    }
    remains
}

#[cfg(test)]
mod tests {
    use crate::audit::Audit;
    use crate::file::{KnownFile, Reading, Seen};
    use crate::known::Known;
    use crate::options::Options;
    use crate::testing::{digest, judged, lines};

    #[test]
    fn a_file_that_is_gone_is_a_lost_duplicate_where_its_content_is_still_there() {
        let known = [("a", "x"), ("b", "x"), ("c", "y"), ("d", "z")];
        let seen = [("b", "x"), ("d", "y")];
        let verdicts = judged(Options::default(), &known, &seen);
        assert_eq!(verdicts, ["ok b", "changed d", "duplicate-lost a, b", "duplicate-lost c, d"]);
    }

    #[test]
    fn the_first_name_that_has_the_content_is_told() {
        let known = [("a", "x"), ("b", "x"), ("d", "x")];
        let verdicts = judged(Options::default(), &known, &[("d", "x"), ("c", "x")]);
        assert_eq!(verdicts, ["ok d", "duplicate-lost b, c", "moved c, a"]);
    }

    #[test]
    fn the_content_of_an_unreadable_file_is_not_there() {
        let mut known = Known::new(Options::default());
        let digests = [digest("md5", "x")];
        for path in [b"a", b"b"] {
            known.add(KnownFile { path, size: None, modified: None, digests: &digests }).unwrap();
        }
        let mut audit = Audit::new(known);
        audit.see(Seen { path: b"b", size: Some(1), modified: None, reading: Reading::Unreadable });
        assert_eq!(lines(&audit.finish().unwrap()), ["missing a"]);
    }

    #[test]
    fn a_file_that_is_ok_has_all_digests_that_are_listed_or_seen() {
        let [md5, sha1, sha256] = ["md5", "sha1", "sha256"].map(|name| digest(name, "x"));
        let other = digest("sha256", "y");
        let mut known = Known::new(Options::default());
        let files: [(&[u8], &[_]); 4] =
            [(b"a", &[sha256]), (b"b", &[sha1]), (b"c", &[md5, other]), (b"ok", &[md5, sha1])];
        for (path, digests) in files {
            known.add(KnownFile { path, size: None, modified: None, digests }).unwrap();
        }
        let mut audit = Audit::new(known);
        audit.see(Seen { path: b"ok", size: None, modified: None, reading: Reading::Read(&[md5, sha256]) });
        assert_eq!(
            lines(&audit.finish().unwrap()),
            ["duplicate-lost a, ok", "duplicate-lost b, ok", "missing c"]
        );
    }
}
