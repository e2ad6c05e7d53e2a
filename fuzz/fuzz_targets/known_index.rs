#![no_main]

use std::io::Write as _;

use hashlane_digest::Algorithm;
use hashlane_known::Index;
use libfuzzer_sys::fuzz_target;

/// How an index begins and ends.
const MAGIC: &[u8; 16] = b"hashlane-known\0\x01";

// The description is what sends a reader about in the file; its checksum is made to hold, or nothing else would be tried.
fuzz_target!(|input: &[u8]| {
    let Some((&count, rest)) = input.split_first() else { return };
    let (body, description) = rest.split_at(rest.len().min(usize::from(count)));
    let crc32c = Algorithm::named("crc32c").expect("it is registered");
    let mut checksum = crc32c.digest(description).as_bytes().to_vec();
    checksum.reverse();
    let length = u32::try_from(description.len()).expect("inputs are short").to_le_bytes();
    let mut file = tempfile::tempfile().expect("a temporary file");
    file.write_all(&[MAGIC, body, description, &length, &checksum, MAGIC].concat()).expect("there is room");
    let Ok(index) = Index::new(file) else { return };
    let _ = index.verify();
    for table in index.tables() {
        if let Ok(Some(found)) = index.find(&table.algorithm().digest(b"")) {
            let _ = index.name(&found);
        }
    }
});
