//! What the command line says of backends: which serve, and whether a long run measures for the next.

use hashlane_profile::Backends;

use crate::args::BackendChoiceArgs;
use crate::version::build;

/// How the digests of one run are computed: by what was asked for, else by what was measured on this CPU, else by the fixed order.
pub(crate) fn backends(args: &BackendChoiceArgs) -> Backends {
    match args.forced.backend {
        Some(backend) => Backends::only(backend),
        None if args.no_calibrate => Backends::kept(None, &build()),
        None => Backends::kept(args.cache.directory(), &build()),
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;
    use hashlane_digest::{Algorithm, Backend, BackendChoice, Calibration, KernelRate};
    use hashlane_profile::{Cache, KeptBackends};

    use super::*;
    use crate::args::{Cli, Command};

    #[test]
    fn the_options_decide_whether_what_is_kept_serves() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let md5 = Algorithm::MD5;
        let kernels = md5.lanes().expect("it has lanes").kernels();
        let rate = |(backend, lanes): (Backend, usize)| KernelRate {
            backend: backend.name().to_owned(),
            lanes,
            bytes_per_second: if backend == Backend::Portable { 1_000_000_000_000 } else { 1_000_000 },
        };
        let library_bytes_per_second = md5.has_library().then_some(1);
        let kernels = kernels.into_iter().map(rate).collect();
        let portable = Calibration { kernels, library_bytes_per_second };
        let kept = KeptBackends::of(Cache::at(directory.path()), &build()).expect("this CPU says what it is");
        kept.add([(md5, portable)].into_iter().collect()).expect("there is room");
        let serving = |more: &[&str]| {
            let directory = directory.path().to_str().expect("plain");
            let line = ["hashlane", "sum", "--cache", directory].into_iter().chain(more.iter().copied());
            let Command::Sum(mut args) = Cli::try_parse_from(line).expect("they are right").command else {
                unreachable!("it says sum")
            };
            // Not what a whole run of the tests is for.
            args.backends.forced.backend =
                args.backends.forced.backend.filter(|_| more.contains(&"--backend"));
            md5.backend_for(64, &backends(&args.backends).choice())
        };
        let fixed = md5.backend_for(64, &BackendChoice::Auto);
        assert_eq!(serving(&[]), "portable");
        assert_eq!(serving(&["--no-calibrate"]), fixed);
        assert_eq!(serving(&["--no-calibrate", "--calibrate"]), "portable");
        // What is asked for counts more.
        for backend in md5.lanes().expect("it has lanes").backends() {
            assert_eq!(serving(&["--backend", backend.name()]), backend.name());
        }
    }
}
