//! The hash set of EnCase (`.hash`): binary, MD5 only, without names. Read only.
//!
//! A header of 1,152 bytes that begins with `HASH\r\n\xff\0` and holds the number of records at byte 16 (little-endian);
//! then records of 18 bytes, 16 of them the digest.

use hashlane_digest::{Algorithm, Digest};
use hashlane_record::ItemPath;

use crate::error::Error;
use crate::format::{Parser, Setup, Spec};
use crate::item::Item;
use crate::lines::Lines;
use crate::problem::{LineProblem, ProblemKind};

const MAGIC: &[u8] = b"HASH\r\n\xff\0";
const HEADER_BYTES: usize = 0x480;
const RECORD_BYTES: usize = 18;

pub(crate) const SPEC: Spec = Spec {
    name: "encase",
    shape: "binary: MD5...",
    detected_by: "its first eight bytes",
    by_first_line: true,
    known_set: true,
    // By its bytes, before they are cut into lines.
    recognizes: |_| false,
    ..Spec::read_by(parser)
};

/// Whether a text is none but a set of EnCase.
pub(crate) fn is_set(text: &[u8]) -> bool {
    text.starts_with(MAGIC)
}

struct Set {
    algorithm: [Algorithm; 1],
    /// Records that the header promises and that have not come.
    left: u64,
    number: u64,
}

fn parser(lines: &mut Lines<'_>, setup: Setup) -> Result<Box<dyn Parser>, Error> {
    let format = setup.format;
    let expected = "a header of 1152 bytes that begins with HASH";
    let header = lines.take(HEADER_BYTES)?;
    let count = header.get(16..20).and_then(|count| count.try_into().ok()).map(u32::from_le_bytes);
    let (true, HEADER_BYTES, Some(count)) = (is_set(header), header.len(), count) else {
        return Err(Error::MissingHeader { format, expected });
    };
    let md5 = Algorithm::MD5;
    setup.algorithms_listed(std::iter::once(md5))?;
    Ok(Box::new(Set { algorithm: [md5], left: count.into(), number: 0 }))
}

impl Parser for Set {
    fn next(&mut self, lines: &mut Lines<'_>) -> Option<Result<Item, LineProblem>> {
        self.number += 1;
        let problem = |kind| Some(Err(LineProblem::new(self.number, 0, kind, b"").entry_if(true)));
        let left = self.left.checked_sub(1);
        let record = match lines.take(RECORD_BYTES) {
            Ok(record) => record,
            Err(error) => {
                self.left = 0;
                return problem(ProblemKind::Input(error));
            }
        };
        match (left, record) {
            (None, []) => None,
            (Some(left), &[ref digest @ .., _, _]) if record.len() == RECORD_BYTES => {
                self.left = left;
                let digest = Digest::new(self.algorithm[0], digest).expect("sixteen bytes are an MD5");
                let path = ItemPath::from(&format!("#{}", self.number)[..]);
                Some(Ok(Item::of_digest(self.number, path, digest)))
            }
            (_, rest) => {
                // Said once: what follows cannot be kept apart from what went wrong.
                let rest = rest.len();
                self.left = 0;
                while !matches!(lines.take(RECORD_BYTES), Ok([]) | Err(_)) {}
                problem(ProblemKind::RecordCount { missing: left.map(|left| left + 1), rest_bytes: rest })
            }
        }
    }

    fn algorithms(&self) -> &[Algorithm] {
        &self.algorithm
    }
}
