use std::fs;
use std::path::Path;

use hashlane_digest::{Calibration, KernelRate};

use super::*;

const PROGRAM: &str = "hashlane test";

fn named(name: &str) -> Algorithm {
    Algorithm::named(name).expect("registered")
}

fn kept(directory: &Path) -> KeptBackends {
    KeptBackends::of(Cache::at(directory), PROGRAM).expect("this CPU says what it is")
}

fn backends(directory: &Path) -> Backends {
    Backends::kept(Some(Cache::at(directory)), PROGRAM)
}

/// A calibration by which portable code serves everything.
fn portable(algorithm: Algorithm) -> Calibration {
    let kernels = algorithm.lanes().expect("it has lanes").kernels().into_iter();
    let rate = |(backend, lanes): (Backend, usize)| KernelRate {
        backend: backend.name().to_owned(),
        lanes,
        bytes_per_second: if backend == Backend::Portable { 1_000_000_000_000 } else { 1_000_000 },
    };
    // A library that nobody would take for its speed.
    let library_bytes_per_second = algorithm.has_library().then_some(1);
    Calibration { kernels: kernels.map(rate).collect(), library_bytes_per_second }
}

fn add(kept: &KeptBackends, name: &str) {
    let calibrations = [(named(name), portable(named(name)))].into_iter().collect();
    kept.add(calibrations).expect("there is room");
}

#[test]
fn what_is_kept_decides_from_the_next_run_on() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let serving = |backends: &Backends| named("md5").backend_for(64, &backends.choice());
    let fixed = named("md5").backend_for(64, &BackendChoice::Auto);
    assert_eq!(serving(&backends(directory.path())), fixed);
    add(&kept(directory.path()), "md5");
    assert_eq!(serving(&backends(directory.path())), "portable");
    assert_eq!(serving(&Backends::kept(None, PROGRAM)), fixed);
    // What is asked for counts more.
    for backend in named("md5").lanes().expect("it has lanes").backends() {
        assert_eq!(serving(&Backends::only(backend)), backend.name());
    }
    let sha256 = named("sha256");
    let choice = backends(directory.path()).choice();
    assert_eq!(sha256.backend_for(64, &choice), sha256.backend_for(64, &BackendChoice::Auto));
}

#[test]
fn what_is_added_stands_beside_what_was_there() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let kept = kept(directory.path());
    add(&kept, "md5");
    add(&kept, "sha1");
    let loaded = kept.load();
    assert!(loaded.of(named("md5")).is_some() && loaded.of(named("sha1")).is_some());
    assert_eq!(fs::read_dir(directory.path()).expect("list").count(), 1);
}

#[test]
fn a_file_that_is_not_this_ones_is_as_if_it_were_not_there_and_is_written_anew() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let kept = kept(directory.path());
    add(&kept, "md5");
    let path = kept.cache.path(&kept.cpu.file_name());
    let good = fs::read_to_string(&path).expect("it is there");
    assert!(good.starts_with("{\n  \"schema\": \"hashlane-backends\",\n  \"schema_version\": 1,"), "{good}");
    let changed = |from: &str, to: &str| {
        let changed = good.replacen(from, to, 1);
        assert_ne!(changed, good, "{from}");
        changed
    };
    let texts = [
        String::new(),
        "null".into(),
        "{}".into(),
        "[".repeat(100_000),
        good[..good.len() / 2].into(),
        changed("hashlane-backends", "hashlane-run"),
        changed("\"schema_version\": 1", "\"schema_version\": 2"),
        changed("\"hashlane test", "\"hashlane test 99."),
        changed("\"model\": \"", "\"model\": \"Other"),
        changed("\"features\": [", "\"features\": [\"mmx\","),
        changed("\"architecture\": \"", "\"architecture\": \"z"),
        changed("\"lanes\": ", "\"lanes\": -"),
        changed("\"bytes_per_second\": ", "\"bytes_per_second\": 1e999, \"x\": "),
    ];
    for text in texts {
        fs::write(&path, &text).expect("write");
        assert_eq!(kept.load(), Calibrations::default(), "{text}");
        let choice = backends(directory.path()).choice();
        assert!(choice.calibration(named("md5")).is_none());
        add(&kept, "md5");
        assert_eq!(fs::read_to_string(&path).expect("it is there"), good);
    }
    // It is of this CPU, but somebody has meddled with it: what does not fit is not used.
    fs::write(&path, changed("\"backend\": \"portable\"", "\"backend\": \"mmx\"")).expect("write");
    assert!(backends(directory.path()).choice().calibration(named("md5")).is_none());
}

#[test]
fn another_cpu_has_another_file() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let here = kept(directory.path());
    let others = [
        Cpu { model: format!("{} ", here.cpu.model), ..here.cpu.clone() },
        Cpu { features: here.cpu.features[1..].to_vec(), ..here.cpu.clone() },
        Cpu { architecture: "z80".into(), ..here.cpu.clone() },
    ];
    for cpu in others {
        let there = KeptBackends { cpu, ..here.clone() };
        assert_ne!(there.cpu.file_name(), here.cpu.file_name());
        add(&there, "md5");
        assert_eq!(here.load(), Calibrations::default());
        // Even where somebody has copied it.
        let [from, to] = [&there, &here].map(|kept| kept.cache.path(&kept.cpu.file_name()));
        fs::copy(from, &to).expect("copy");
        assert_eq!(here.load(), Calibrations::default());
        fs::remove_file(&to).expect("remove");
    }
    assert_eq!(here.cpu, Cpu::this().expect("it said so before"));
}

#[test]
fn only_a_long_run_measures_and_only_what_is_not_known() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let there = |name: &str| kept(directory.path()).load().of(named(name)).cloned();
    let is_empty = || fs::read_dir(directory.path()).expect("list").count() == 0;
    let digested = [(named("md5"), 1_000), (named("sha1"), 1_001), (named("crc32"), 5_000)];
    backends(directory.path()).learn(&digested);
    Backends::kept(None, PROGRAM).learn_above(1_000, &digested);
    Backends::only(Backend::Portable).learn_above(1_000, &digested);
    assert!(is_empty());
    backends(directory.path()).learn_above(1_000, &digested);
    assert!(there("md5").is_none() && there("crc32").is_none());
    assert!(there("sha1").expect("it had enough to do").fits(named("sha1")));
    // What is known is not measured again.
    add(&kept(directory.path()), "sha1");
    backends(directory.path()).learn_above(0, &digested);
    assert_eq!(there("sha1"), Some(portable(named("sha1"))));
    assert!(there("md5").is_some());
}

#[test]
fn where_nothing_can_be_kept_a_run_goes_on() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let blocked = directory.path().join("file");
    fs::write(&blocked, "").expect("write");
    let backends = backends(&blocked.join("cache"));
    backends.learn_above(0, &[(named("md5"), 1)]);
    assert!(backends.choice().calibration(named("md5")).is_none());
    assert_eq!(fs::read(&blocked).expect("it is there"), b"");
}

#[test]
fn runs_that_end_at_once_leave_a_file_that_is_whole() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let kept = kept(directory.path());
    let names = ["md4", "md5", "sha1", "sha256", "sha512"];
    std::thread::scope(|scope| {
        for name in names {
            let kept = &kept;
            scope.spawn(move || {
                for _ in 0..20 {
                    add(kept, name);
                    // One of them was last, and is there: whoever reads finds a whole file at any time.
                    assert!(kept.load().names().next().is_some());
                }
            });
        }
    });
    let loaded = kept.load();
    assert!(names.iter().any(|name| loaded.of(named(name)).is_some()));
    for name in loaded.names() {
        assert_eq!(loaded.of(named(name)), Some(&portable(named(name))));
    }
}
