#![no_main]

use libfuzzer_sys::fuzz_target;

// As for tables: what the library panics on is caught, and what else panics still ends the fuzzer.
fuzz_target!(init: std::panic::set_hook(Box::new(|_| {})), |input: &[u8]| hashlane_fuzz::check_evidence(input));
