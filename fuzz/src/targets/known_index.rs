//! An index of known contents: whatever a file holds, it is refused, or can be asked.

use std::io::Write as _;

use hashlane_digest::Algorithm;
use hashlane_known::Index;

/// How an index begins and ends.
const MAGIC: &[u8; 16] = b"hashlane-known\0\x01";

/// Bytes of a page without its checksum.
const ROOM_BYTES: usize = 4092;

/// Input: how many pages there are behind the header; of each how many bytes it has, and these; the description. Pages and
/// descriptions send a reader about in the file; their checksums are made to hold, or nothing else would be tried.
pub(super) fn check(input: &[u8]) {
    let Some((&count, mut rest)) = input.split_first() else { return };
    let mut index = page(0, MAGIC);
    for number in 1..=u64::from(count % 8) {
        let Some((&length, behind)) = rest.split_first() else { return };
        let (content, behind) = behind.split_at(behind.len().min(usize::from(length)));
        index.extend(page(number, content));
        rest = behind;
    }
    let length = u32::try_from(rest.len()).expect("inputs are short").to_le_bytes();
    index.extend([rest, &length, &checksum(rest), MAGIC].concat());
    let mut file = tempfile::tempfile().expect("a temporary file");
    file.write_all(&index).expect("there is room");
    let Ok(index) = Index::new(file) else { return };
    let _ = index.verify();
    for table in index.tables() {
        if let Ok(Some(found)) = index.find(&table.algorithm().digest(b"")) {
            let _ = index.name(&found);
        }
    }
}

fn page(number: u64, content: &[u8]) -> Vec<u8> {
    let mut page = [&number.to_le_bytes(), content].concat();
    page.resize(8 + ROOM_BYTES, 0);
    let checksum = checksum(&page);
    [&page[8..], &checksum].concat()
}

fn checksum(bytes: &[u8]) -> Vec<u8> {
    let crc32c = Algorithm::CRC32C;
    crc32c.digest(bytes).as_bytes().iter().rev().copied().collect()
}
