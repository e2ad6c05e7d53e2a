//! The kernels from outside. One suite for every backend that this CPU has, each forced in turn, against RustCrypto.
//!
//! Modules of the library that stand on no kernel are built here once more, with the tests that they have inside: to build all kernels once
//! more would take longer than all tests of this crate.

// What is built here once more asks the CPU, and tests lay out memory.
#![allow(unsafe_code)]

mod api;
mod counts;
#[path = "../../src/cpu.rs"]
#[allow(dead_code, unreachable_pub, reason = "the library uses the rest of it")]
mod cpu;
mod kernels;
mod oracle;
#[path = "../../src/serving.rs"]
#[allow(dead_code, unreachable_pub, reason = "the library uses the rest of it")]
mod serving;
mod suite;

use std::fs;
use std::path::Path;

use hashlane_lanes::Backend;

/// The suite for one backend; a CPU that lacks it is said.
macro_rules! suites {
    ($($name:ident: $backend:ident;)+) => {
        $(mod $name {
            use super::{Backend, suite};

            suite::tests!(Backend::$backend);
        })+

        #[test]
        fn no_backend_is_without_a_suite() {
            assert_eq!(Backend::ALL.len(), [$(Backend::$backend),+].len());
        }
    };
}

suites! {
    sha_ni_avx512: ShaNiAvx512;
    avx512: Avx512;
    avx2: Avx2;
    sha_ni: ShaNi;
    armv8_sha512: ArmSha512;
    armv8_sha: ArmSha;
    neon: Neon;
    portable: Portable;
}

/// Tests in other modules of the library would never run.
#[test]
fn tests_of_the_library_lie_in_modules_that_are_built_here() {
    let source = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src"));
    let (mut folders, mut with_tests) = (vec![source.to_owned()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("the library has sources") {
            let path = entry.expect("readable").path();
            if path.is_dir() {
                folders.push(path);
            } else if fs::read_to_string(&path).expect("text").contains("cfg(test)") {
                with_tests.push(path.strip_prefix(source).expect("below it").to_owned());
            }
        }
    }
    with_tests.sort();
    assert_eq!(with_tests, [Path::new("cpu.rs"), Path::new("serving.rs")]);
}
