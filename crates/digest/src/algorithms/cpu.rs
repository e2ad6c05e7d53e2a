//! Naming the CPU path of a library that chooses one when it runs.
//!
//! Owns the form of the question; which features a library asks for is written where the library is used. A build that
//! overrides a library's own choice with its private `--cfg` switches is not seen here.

/// The name behind the first line whose CPU features this machine has, `portable` where none fits.
///
/// Lines are tried in order, those of another architecture are left out when compiling:
/// `path_by_cpu!(x86["sha", "sse4.1"] => "sha-ni", aarch64["sha2"] => "armv8-sha",)`.
macro_rules! path_by_cpu {
    ($($architecture:ident[$($feature:tt),+] => $name:literal,)+) => {{
        $($crate::algorithms::cpu::path_by_cpu!(@line $architecture [$($feature)+] $name);)+
        "portable"
    }};
    (@line x86 [$($feature:tt)+] $name:literal) => {
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        if $(std::arch::is_x86_feature_detected!($feature))&&+ {
            return $name;
        }
    };
    (@line x86_64 [$($feature:tt)+] $name:literal) => {
        #[cfg(target_arch = "x86_64")]
        if $(std::arch::is_x86_feature_detected!($feature))&&+ {
            return $name;
        }
    };
    (@line aarch64 [$($feature:tt)+] $name:literal) => {
        #[cfg(target_arch = "aarch64")]
        if $(std::arch::is_aarch64_feature_detected!($feature))&&+ {
            return $name;
        }
    };
}

pub(crate) use path_by_cpu;
