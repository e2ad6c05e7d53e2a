//! Two audits in one process that has few descriptors and many sockets. Alone in its binary: the limit is that of the process.

use std::fs::{self, File};
use std::io::Write as _;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::{Arc, Barrier};
use std::time::{Duration, SystemTime};

use hashlane_auditor::{AuditEvent, AuditOptions, Outcome};
use hashlane_catalog::{Clock, Terms, Verdict, Writer};
use hashlane_digest::Algorithm;
use hashlane_engine::Options;
use hashlane_io::{Lease, Leased};
use hashlane_keeper::{Coming, Job, Night, NightEnd, NightEvent, NightOptions};
use hashlane_objects::{Connection, Error};
use rustix::process::{Resource, Rlimit, setrlimit};

/// Files of each tree: more than may be open, in directories that stay open as long as they are read from.
const DIRECTORIES: usize = 60;
const FILES: usize = 6;

/// Directories whose files are written again: so few that the run is not held.
const CHANGED: usize = 4;

/// Bytes per second of each audit. It takes so long that both read at the same time, however late one is begun.
const RATE: u64 = 20_000_000;

/// What an audit of all came to, how many files it has read, and what it has reported of some.
type Came = (NightEnd, Option<(Outcome, u64)>, Vec<Verdict>);

/// Writes the files of some of the directories.
fn write(root: &Path, byte: u8, directories: impl Iterator<Item = usize>) {
    for directory in directories {
        let directory = root.join(format!("{directory:02}/below/further/down"));
        fs::create_dir_all(&directory).expect("made");
        for file in 0..FILES {
            let mut file_there = File::create(directory.join(file.to_string())).expect("made");
            file_there.write_all(&vec![byte; 1000 + 40_000 * (file % 3)]).expect("written");
            // What changes has another time as well.
            let modified = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000 * u64::from(byte));
            file_there.set_modified(modified).expect("set");
        }
    }
}

fn told(_: &[u8], error: &Error) -> String {
    error.to_string()
}

/// An audit of the collection of a catalogue, in a thread of its own. It waits for another one before it reads.
fn audit(catalog: &Path, both: &Arc<Barrier>) -> Job<(), Came> {
    let (catalog, both) = (catalog.to_owned(), Arc::clone(both));
    let job = Job::start(1, move |hand, control| {
        let mut catalog = Writer::open_or_make(&catalog).expect("a catalogue");
        let collections = catalog.collections().expect("readable");
        let mut engine = Options::new(vec![Algorithm::SHA256].into());
        engine.workers = Some(8);
        engine.max_bytes_per_second = Some(RATE);
        let mut audit = AuditOptions::new("somebody");
        // Some minutes later, so that nobody waits until a file just written may be trusted.
        audit.clock = Clock::new(|| Clock::of_system().now_s() + 600);
        let options = NightOptions {
            audit,
            reads_all: true,
            requests: None,
            connection: Connection::default(),
            engine,
            told,
        };
        let (mut audited, mut verdicts) = (None, Vec::new());
        let mut events = |_: &_, event: NightEvent<'_>| {
            match event {
                NightEvent::Audit(AuditEvent::Planned { .. }) => _ = both.wait(),
                NightEvent::Audit(AuditEvent::File { verdict, .. } | AuditEvent::Finding { verdict, .. }) => {
                    verdicts.push(*verdict);
                }
                NightEvent::Audited(finished) => {
                    audited = Some((finished.audited.outcome.clone(), finished.audited.files));
                }
                _ => {}
            }
            Ok(())
        };
        hand.begun();
        let end = Night::run(&options, None, (&mut catalog, &collections), control, &mut events);
        (end.expect("a night that nobody disturbs"), audited, verdicts)
    });
    job.expect("a thread")
}

#[test]
fn two_audits_beside_two_hundred_sockets_share_one_account() {
    let directories = [(); 2].map(|()| tempfile::tempdir().expect("a directory"));
    for directory in &directories {
        let root = directory.path().join("tree");
        write(&root, b'a', 0..DIRECTORIES);
        let mut catalog = Writer::open_or_make(&directory.path().join("catalog")).expect("a catalogue");
        catalog.add_collection(&Terms::new("photos", root), 0).expect("a new name");
    }
    let few = Rlimit { current: Some(256), maximum: Some(256) };
    setrlimit(Resource::Nofile, few).expect("a lower limit");
    let _sockets: Vec<_> = (0..100).map(|_| UnixStream::pair().expect("two sockets")).collect();
    for verdict in [Verdict::New, Verdict::Changed] {
        // A new file is not reported.
        let told = if verdict == Verdict::New { 0 } else { CHANGED * FILES };
        let both = Arc::new(Barrier::new(2));
        let jobs = directories.each_ref().map(|directory| audit(&directory.path().join("catalog"), &both));
        let mut most = 0;
        for job in &jobs {
            while !matches!(job.next(Duration::from_millis(1)), Coming::Ended) {
                most = most.max(Lease::all().leases);
            }
            let (end, audited, verdicts) = job.wait().expect("no panic");
            assert_eq!(*audited, Some((Outcome::Complete, (DIRECTORIES * FILES) as u64)), "{end:?}");
            assert_eq!((end.is_unclear, end.judged, end.unjudged), (false, 1, 0));
            assert_eq!(*verdicts, vec![verdict; told]);
        }
        assert_eq!(most, 2, "both read at the same time");
        assert_eq!(Lease::all(), Leased::default());
        for directory in &directories {
            write(&directory.path().join("tree"), b'b', (0..DIRECTORIES).step_by(DIRECTORIES / CHANGED));
        }
    }
}
