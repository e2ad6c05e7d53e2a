//! Who is told what, when and how often: audits of real trees, a directory that takes mail, and a server that takes requests or does not.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use hashlane_auditor::{AuditOptions, Ground, audit};
use hashlane_catalog::{Clock, Terms, Writer};
use hashlane_config::Config;
use hashlane_engine::{Control, Options};
use hashlane_keeper::Action;
use hashlane_notices::{Delivered, Notices, WEEK_S};
use jiff::tz::TimeZone;
use tempfile::TempDir;

const DAY_S: i64 = 24 * 3600;

/// A tree that is kept, and a clock that goes as the test wants.
struct Kept {
    directory: TempDir,
    catalog: Writer,
    now_s: Arc<AtomicI64>,
}

impl Kept {
    fn new(name: &str) -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        let tree = directory.path().join("tree");
        fs::create_dir(&tree).expect("made");
        fs::create_dir(directory.path().join("letters")).expect("made");
        let mut catalog = Writer::open_or_make(&directory.path().join("catalog")).expect("made");
        let now_s = Clock::of_system().now_s() + 3600;
        let mut terms = Terms::new(name, &tree);
        terms.period_s = Some(90 * DAY_S);
        catalog.add_collection(&terms, now_s).expect("a new name");
        for file in ["a", "b", "c"] {
            fs::write(tree.join(file), file).expect("written");
        }
        Self { directory, catalog, now_s: Arc::new(AtomicI64::new(now_s)) }
    }

    fn tree(&self) -> PathBuf {
        self.directory.path().join("tree")
    }

    fn clock(&self) -> Clock {
        let now_s = Arc::clone(&self.now_s);
        Clock::new(move || now_s.load(Ordering::Relaxed))
    }

    fn passes(&self, seconds: i64) {
        self.now_s.fetch_add(seconds, Ordering::Relaxed);
    }

    fn audit(&mut self) {
        let collection = self.catalog.collections().expect("readable").remove(0);
        let options = Options::new(collection.terms.algorithms.clone().into());
        let ground = Ground::local(&self.catalog, &collection, options).expect("good globs");
        let mut asked = AuditOptions::new("keeper");
        (asked.clock, asked.scope) = (self.clock(), hashlane_auditor::Scope::All);
        let control = Arc::new(Control::new());
        audit(&mut self.catalog, &collection, &ground, &asked, &control, &mut |_| Ok(())).expect("audited");
    }

    fn mail(&self, days: &str) -> Config {
        let letters = self.directory.path().join("letters");
        let text =
            format!("[mail]\nto = 'a@example.org'\ndirectory = '{}'\ndays = [{days}]\n", letters.display());
        Config::parse(&text).expect("good")
    }

    fn webhook(&self, port: u16) -> Config {
        let text = format!("[webhook.x]\nurl = 'http://127.0.0.1:{port}/secret'\nsecret_variable = 'KEY'\n");
        Config::parse(&text).expect("good")
    }

    fn tell(&mut self, config: &Config) -> Delivered {
        let clock = self.clock();
        let catalog = &mut self.catalog;
        with(config, clock, |notices| {
            notices.tell(catalog, Instant::now() + Duration::from_secs(60)).expect("told")
        })
    }

    /// Mails in their order, as they were written.
    fn letters(&self) -> Vec<String> {
        let mut letters: Vec<_> = fs::read_dir(self.directory.path().join("letters"))
            .expect("there")
            .map(|letter| letter.expect("readable").path())
            .collect();
        letters.sort();
        letters.iter().map(|letter| fs::read_to_string(letter).expect("text")).collect()
    }
}

fn with<T>(config: &Config, clock: Clock, tell: impl FnOnce(&Notices<'_>) -> T) -> T {
    let how = |action: &Action<'_>| format!("{action:?}");
    let variable = |name: &str| -> Option<OsString> {
        (name == "KEY").then(|| "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8G".into())
    };
    tell(&Notices {
        config,
        how: &how,
        program: "hashlane test",
        host: "archive",
        clock,
        zone: TimeZone::UTC,
        variable: &variable,
    })
}

fn header(letter: &str, name: &str) -> String {
    let line = letter.lines().find(|line| line.starts_with(&format!("{name}: "))).unwrap_or_default();
    line[name.len() + 2..].to_owned()
}

/// A server that answers each request with the next of these texts, and keeps what it was asked. Without a text it never answers.
fn server(answers: Vec<Option<String>>) -> (u16, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let asked = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&asked);
    thread::spawn(move || {
        let mut open = Vec::new();
        for answer in answers {
            let Ok((mut stream, _)) = listener.accept() else { return };
            let mut text = Vec::new();
            let mut buffer = [0; 65536];
            loop {
                let read = stream.read(&mut buffer).unwrap_or(0);
                text.extend_from_slice(&buffer[..read]);
                let all = String::from_utf8_lossy(&text).into_owned();
                let length = |head: &str| {
                    let line =
                        head.lines().find(|line| line.to_lowercase().starts_with("content-length:"))?;
                    line.split(':').nth(1)?.trim().parse::<usize>().ok()
                };
                let is_whole = all
                    .split_once("\r\n\r\n")
                    .is_some_and(|(head, body)| body.len() >= length(head).unwrap_or(0));
                if read == 0 || is_whole {
                    break;
                }
            }
            kept.lock().expect("no panic").push(String::from_utf8_lossy(&text).into_owned());
            match answer {
                Some(answer) => drop(stream.write_all(answer.as_bytes())),
                None => open.push(stream),
            }
        }
        thread::sleep(Duration::from_secs(60));
        drop(open);
    });
    (port, asked)
}

fn answer(status: &str, more: &str) -> Option<String> {
    Some(format!("HTTP/1.1 {status}\r\n{more}content-length: 0\r\nconnection: close\r\n\r\n"))
}

#[test]
fn what_changes_is_told_once_and_what_does_not_is_not() {
    let mut kept = Kept::new("photos");
    let config = kept.mail("");
    kept.audit();
    assert_eq!(kept.tell(&config), Delivered::default(), "all is well");
    fs::remove_file(kept.tree().join("a")).expect("there");
    kept.passes(DAY_S);
    kept.audit();
    assert_eq!(kept.tell(&config).delivered, 1);
    for _ in 0..3 {
        kept.passes(DAY_S);
        kept.audit();
        assert_eq!(kept.tell(&config), Delivered::default(), "it was told");
    }
    // One more.
    fs::remove_file(kept.tree().join("b")).expect("there");
    kept.passes(DAY_S);
    kept.audit();
    assert_eq!(kept.tell(&config).delivered, 1);
    // And all of it is over.
    for file in ["a", "b"] {
        fs::write(kept.tree().join(file), file).expect("written");
    }
    kept.passes(DAY_S);
    kept.audit();
    assert_eq!(kept.tell(&config).delivered, 1);
    let letters = kept.letters();
    let subjects: Vec<_> = letters.iter().map(|letter| header(letter, "Subject")).collect();
    assert_eq!(
        subjects,
        [
            "hashlane: photos: 1 missing",
            "hashlane: photos: 1 missing",
            "hashlane: photos: 2 good again, all is well again"
        ]
    );
    let ids: BTreeSet<_> = letters.iter().map(|letter| header(letter, "Message-ID")).collect();
    let threads: BTreeSet<_> = letters.iter().map(|letter| header(letter, "References")).collect();
    assert_eq!((ids.len(), threads.len()), (3, 1), "each has its own, and they belong together");
    assert_eq!(header(&letters[0], "Auto-Submitted"), "auto-generated");
    // Each event is in one message at most, and none is left out.
    let mut messages = kept.catalog.last_messages(100).expect("readable");
    messages.reverse();
    assert!(messages.windows(2).all(|two| two[0].last < two[1].first), "{messages:?}");
}

#[test]
fn who_is_named_before_an_audit_hears_what_it_finds() {
    let mut kept = Kept::new("photos");
    kept.audit();
    let config = kept.mail("");
    let clock = kept.clock();
    with(&config, clock, |notices| notices.name_targets(&mut kept.catalog).expect("taken"));
    fs::remove_file(kept.tree().join("a")).expect("there");
    kept.passes(DAY_S);
    kept.audit();
    assert_eq!(kept.tell(&config).delivered, 1);
    assert_eq!(header(&kept.letters()[0], "Subject"), "hashlane: photos: 1 missing");
}

#[test]
fn on_a_set_day_what_stands_is_told_although_nothing_is_new() {
    let mut kept = Kept::new("photos");
    let config = kept.mail("'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'");
    kept.audit();
    assert_eq!(kept.tell(&config).delivered, 1);
    assert_eq!(kept.tell(&config).delivered, 0, "once a day");
    fs::remove_file(kept.tree().join("a")).expect("there");
    kept.passes(DAY_S);
    kept.audit();
    assert_eq!(kept.tell(&config).delivered, 1);
    kept.passes(DAY_S);
    assert_eq!(kept.tell(&config).delivered, 1);
    let letters = kept.letters();
    let subjects: Vec<_> = letters.iter().map(|letter| header(letter, "Subject")).collect();
    assert_eq!(
        subjects,
        [
            "hashlane: 1 collection: all is well",
            "hashlane: photos: 1 missing",
            "hashlane: 1 collection: photos needs a person"
        ]
    );
    assert!(letters[2].contains("1 MISSING"), "{}", letters[2]);
}

#[test]
fn a_message_that_is_not_taken_waits_with_its_number_and_is_given_up_after_a_week() {
    let mut kept = Kept::new("photos");
    let answers = vec![
        answer("500 Internal Server Error", ""),
        answer("302 Found", "location: http://127.0.0.1:1/elsewhere\r\n"),
        Some(format!(
            "HTTP/1.1 200 OK\r\ncontent-length: 10485760\r\nconnection: close\r\n\r\n{}",
            "x".repeat(1 << 20)
        )),
    ];
    let (port, asked) = server(answers);
    let config = kept.webhook(port);
    kept.audit();
    kept.tell(&config);
    fs::remove_file(kept.tree().join("a")).expect("there");
    kept.passes(DAY_S);
    kept.audit();
    let problem = |delivered: &Delivered| delivered.problems[0].1.clone();
    let first = kept.tell(&config);
    let url = format!("http://127.0.0.1:{port}/...");
    assert_eq!(problem(&first), format!("{url}: answers 500 Internal Server Error"), "no secret is shown");
    // Not before its time.
    assert_eq!((kept.tell(&config).waiting, asked.lock().expect("no panic").len()), (1, 1));
    kept.passes(60);
    let second = kept.tell(&config);
    assert!(problem(&second).ends_with("which leads elsewhere: name that place as its url"), "{second:?}");
    kept.passes(120);
    assert_eq!(kept.tell(&config).delivered, 1, "as much is read of the answer as anybody needs");
    let asked = asked.lock().expect("no panic").clone();
    let line = |request: &str, name: &str| {
        request.lines().find(|line| line.to_lowercase().starts_with(name)).unwrap_or_default().to_owned()
    };
    let ids: BTreeSet<_> = asked.iter().map(|request| line(request, "webhook-id")).collect();
    assert_eq!((asked.len(), ids.len()), (3, 1), "one message, one number");
    // Nobody is there any more.
    fs::remove_file(kept.tree().join("b")).expect("there");
    kept.passes(DAY_S);
    kept.audit();
    let config = kept.webhook(1);
    let begun_s = kept.now_s.load(Ordering::Relaxed);
    let mut tries = 0;
    loop {
        let told = kept.tell(&config);
        tries += told.problems.len();
        if told.waiting == 0 {
            break;
        }
        assert!(tries < 100, "it is given up some day");
        kept.passes(3600);
    }
    let days = (kept.now_s.load(Ordering::Relaxed) - begun_s) / DAY_S;
    assert!((WEEK_S / DAY_S..=8).contains(&days) && tries > 20, "{days} days, {tries} tries");
    assert_eq!(kept.tell(&config), Delivered::default());
    // Unless somebody wants it.
    let now_s = kept.now_s.load(Ordering::Relaxed);
    assert_eq!(kept.catalog.retry_messages(now_s).expect("taken"), 1);
    let (port, _) = server(vec![answer("204 No Content", "")]);
    let config = kept.webhook(port);
    assert_eq!(kept.tell(&config).delivered, 1);
}

#[test]
fn who_never_answers_keeps_nobody_waiting() {
    let mut kept = Kept::new("photos");
    let (port, _) = server(vec![None]);
    let config = kept.webhook(port);
    kept.audit();
    kept.tell(&config);
    fs::remove_file(kept.tree().join("a")).expect("there");
    kept.passes(DAY_S);
    kept.audit();
    let begun = Instant::now();
    let told = kept.tell(&config);
    assert!(told.problems[0].1.ends_with("no answer within 10 s"), "{told:?}");
    assert!(begun.elapsed() < Duration::from_secs(30));
}

#[test]
fn what_turns_over_and_over_is_told_once() {
    let mut kept = Kept::new("photos");
    let config = kept.mail("");
    kept.audit();
    kept.tell(&config);
    let (tree, away) = (kept.tree(), kept.directory.path().join("away"));
    let mut told = 0;
    for turn in 0..10 {
        kept.passes(600);
        match turn % 2 {
            0 => fs::rename(&tree, &away).expect("moved"),
            _ => fs::rename(&away, &tree).expect("moved"),
        }
        kept.audit();
        told += kept.tell(&config).delivered;
    }
    let letters = kept.letters();
    let flapping = letters.iter().filter(|letter| header(letter, "Subject").contains("flapping")).count();
    assert_eq!((flapping, told), (1, 1), "once away is not told, and that it flaps once");
    // It has calmed down: how it is is told.
    kept.passes(2 * DAY_S);
    assert_eq!(kept.tell(&config).delivered, 1);
    assert_eq!(kept.tell(&config).delivered, 0);
}

#[test]
fn no_name_says_more_than_a_name() {
    let mut kept = Kept::new("photos");
    let config = kept.mail("");
    let hostile: [&[u8]; 5] = [
        b"a\r\nBcc: everybody@example.org",
        b"<script>alert(1)",
        "\u{202e}gpj.exe".as_bytes(),
        b"\x1b[31mred",
        b"\xff\xfe",
    ];
    use std::os::unix::ffi::OsStrExt as _;
    let paths: Vec<_> =
        hostile.iter().map(|name| kept.tree().join(Path::new(std::ffi::OsStr::from_bytes(name)))).collect();
    paths.iter().for_each(|path| fs::write(path, "x").expect("written"));
    kept.audit();
    kept.tell(&config);
    paths.iter().for_each(|path| fs::remove_file(path).expect("there"));
    kept.passes(DAY_S);
    kept.audit();
    assert_eq!(kept.tell(&config).delivered, 1);
    let letter = kept.letters().remove(0);
    let (head, body) = letter.split_once("\r\n\r\n").expect("a head");
    assert!(!head.lines().any(|line| line.starts_with("Bcc")), "{head}");
    let page = &body[body.find("text/html").expect("a page")..];
    assert!(
        head.is_ascii() && !page.contains("<script>alert") && !letter.contains(['\u{202e}', '\x1b']),
        "{letter}"
    );
}

#[test]
fn what_the_catalogue_cannot_take_is_told_straight() {
    let kept = Kept::new("photos");
    let config = kept.mail("");
    let failed = with(&config, kept.clock(), |notices| {
        notices.tell_straight(
            "hashlane: the catalogue cannot be used: it is damaged",
            "Nothing is known to be well.",
            None,
        )
    });
    assert!(failed.is_empty(), "{failed:?}");
    let letter = kept.letters().remove(0);
    assert_eq!(header(&letter, "Subject"), "hashlane: the catalogue cannot be used: it is damaged");
}

#[test]
fn two_processes_tell_one_thing_once() {
    let mut kept = Kept::new("photos");
    let config = kept.mail("");
    kept.audit();
    kept.tell(&config);
    fs::remove_file(kept.tree().join("a")).expect("there");
    kept.passes(DAY_S);
    kept.audit();
    let (path, clock) = (kept.catalog.path().to_owned(), kept.clock());
    let delivered: u64 = thread::scope(|scope| {
        let tellers: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(|| {
                    let mut catalog = Writer::open(&path).expect("opened");
                    with(&config, clock.clone(), |notices| {
                        notices
                            .tell(&mut catalog, Instant::now() + Duration::from_secs(60))
                            .expect("told")
                            .delivered
                    })
                })
            })
            .collect();
        tellers.into_iter().map(|teller| teller.join().expect("no panic")).sum()
    });
    assert_eq!((delivered, kept.letters().len()), (1, 1));
}
