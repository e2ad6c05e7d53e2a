#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| hashlane_fuzz::check_bag(input));
