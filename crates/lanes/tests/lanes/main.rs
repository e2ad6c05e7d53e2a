//! The kernels from outside. One suite for every backend that this CPU has, each forced in turn, against RustCrypto.

mod api;
mod oracle;
mod suite;

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
