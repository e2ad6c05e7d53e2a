//! The one program of all targets.

#![no_main]

use std::sync::LazyLock;

use hashlane_fuzz::Target;
use libfuzzer_sys::fuzz_target;

static TARGET: LazyLock<&Target> = LazyLock::new(Target::chosen);

fuzz_target!(init: {
    LazyLock::force(&TARGET);
}, |input: &[u8]| TARGET.check(input));
