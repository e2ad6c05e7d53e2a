#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| hashlane_fuzz::check_formats(input, &["md5deep-sizes", "md5deep-csv", "triage"]));
