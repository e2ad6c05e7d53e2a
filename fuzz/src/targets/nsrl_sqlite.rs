//! Databases of NSRL: whatever a file holds, it is refused, or its rows come out.

use std::io::Write as _;

use hashlane_known::{Error, Nsrl};

/// A view may have rows without end.
const MOST_ROWS: u64 = 1000;

pub(super) fn check(input: &[u8]) {
    let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
    file.write_all(input).expect("there is room");
    let Ok(database) = Nsrl::open(file.path()) else { return };
    let mut last = 0;
    let _ = database.for_each(|row| {
        assert_eq!(row.number, last + 1);
        last = row.number;
        for digest in &row.digests {
            assert!(database.algorithms().contains(&digest.algorithm()));
        }
        if last == MOST_ROWS { Err(Error::NotNsrl { what: "no end" }) } else { Ok(()) }
    });
}
