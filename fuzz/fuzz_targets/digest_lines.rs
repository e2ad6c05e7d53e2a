#![no_main]

use libfuzzer_sys::fuzz_target;

// gnu, bsd and both base64 formats have one parser.
fuzz_target!(|input: &[u8]| hashlane_fuzz::check_format(input, "gnu"));
