#![no_main]

use libfuzzer_sys::fuzz_target;

// The library that takes tables apart panics on some that nobody would write, which is caught. Without this hook the fuzzer
// would end there. What panics and is not caught still ends it.
fuzz_target!(init: std::panic::set_hook(Box::new(|_| {})), |input: &[u8]| hashlane_fuzz::check_table(input));
