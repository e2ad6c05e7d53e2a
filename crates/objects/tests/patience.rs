//! Servers that are away, busy or silent for a while, and how long they are waited for.

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::ops::Range;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use hashlane_engine::Tree as _;
use hashlane_io::Opened as _;
use hashlane_objects::{Connection, Objects, Patience};
use hashlane_record::ItemPath;

const CONTENT: &[u8] = b"0123456789";

/// What is done to a request.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Does {
    Answers,
    /// Says nothing, and keeps the connection.
    IsSilent,
    /// Says nothing more after this many bytes of the content.
    FallsSilent(usize),
    Closes,
    /// Says that it is busy.
    IsBusy,
}

/// A server that does this to its requests, by their number. Returns how many there were.
fn serve(listener: TcpListener, does: impl Fn(usize) -> Does + Send + Sync + 'static) -> Arc<AtomicUsize> {
    serve_by_lines(listener, move |number, _| does(number))
}

/// A server that does this to its requests, by their number and their lines.
fn serve_by_lines(
    listener: TcpListener,
    does: impl Fn(usize, &[String]) -> Does + Send + Sync + 'static,
) -> Arc<AtomicUsize> {
    let (asked, does) = (Arc::new(AtomicUsize::new(0)), Arc::new(does));
    let counted = Arc::clone(&asked);
    thread::spawn(move || {
        for connection in listener.incoming().flatten() {
            let (does, counted) = (Arc::clone(&does), Arc::clone(&counted));
            thread::spawn(move || {
                while let Some(request) = request(&connection) {
                    let does = does(counted.fetch_add(1, Ordering::SeqCst), &request);
                    if answer(&connection, &request, does).is_none() {
                        return;
                    }
                }
            });
        }
    });
    asked
}

/// The lines of a request.
fn request(connection: &TcpStream) -> Option<Vec<String>> {
    let lines = BufReader::new(connection).lines().map_while(Result::ok);
    let lines: Vec<_> = lines.take_while(|line| !line.is_empty()).collect();
    (!lines.is_empty()).then_some(lines)
}

/// The bytes that a request asks for, if it does not ask for all.
fn range_of(request: &[String]) -> Option<Range<usize>> {
    request.iter().find_map(|line| {
        let range = line.to_ascii_lowercase();
        let (from, to) = range.strip_prefix("range: bytes=")?.split_once('-')?;
        Some(from.parse::<usize>().ok()?..to.parse::<usize>().ok()? + 1)
    })
}

fn answer(mut connection: &TcpStream, request: &[String], does: Does) -> Option<()> {
    let range = range_of(request);
    let most = match does {
        Does::Answers => usize::MAX,
        Does::FallsSilent(bytes) => bytes,
        Does::Closes => return None,
        Does::IsBusy => {
            let busy = b"HTTP/1.1 503 x\r\nContent-Length: 0\r\n\r\n";
            return connection.write_all(busy).ok();
        }
        Does::IsSilent => {
            thread::park();
            return None;
        }
    };
    let status = match &range {
        Some(range) => {
            let (first, last) = (range.start, range.end - 1);
            format!("206 x\r\nContent-Range: bytes {first}-{last}/{}", CONTENT.len())
        }
        None => "200 OK".to_owned(),
    };
    let part = &CONTENT[range.unwrap_or(0..CONTENT.len())];
    let head = format!("HTTP/1.1 {status}\r\nETag: \"a\"\r\nContent-Length: {}\r\n\r\n", part.len());
    connection.write_all(head.as_bytes()).ok()?;
    if !request[0].starts_with("HEAD") {
        connection.write_all(&part[..part.len().min(most)]).ok()?;
        if most < part.len() {
            thread::park();
        }
    }
    Some(())
}

fn objects(patience: Patience) -> Objects {
    let mut connection = Connection::new();
    connection.patience = patience;
    Objects::new(&connection).expect("a source")
}

fn patience(retries: Option<u32>, silence: Duration) -> Patience {
    let mut patience = Patience::default();
    (patience.retries, patience.silence) = (retries, silence);
    patience
}

const A_MINUTE: Duration = Duration::from_secs(60);

/// For servers that say nothing. Where an answer has to come within this time, a slow machine only leads to more requests.
const A_WHILE: Duration = Duration::from_millis(300);

/// More requests than any machine is slow.
const OFTEN: Option<u32> = Some(1000);

fn name(address: SocketAddr) -> Vec<u8> {
    format!("http://{address}/a").into_bytes()
}

fn listener() -> (TcpListener, SocketAddr) {
    listener_at(Ipv4Addr::LOCALHOST)
}

fn listener_at(host: Ipv4Addr) -> (TcpListener, SocketAddr) {
    let listener = TcpListener::bind((host, 0)).expect("a port");
    let address = listener.local_addr().expect("its address");
    (listener, address)
}

/// An address at which nobody listens: it is this one's own, so that no other test or program is given its port meanwhile.
fn nobody() -> SocketAddr {
    static NUMBER: AtomicU8 = AtomicU8::new(1);
    let [.., high, low] = std::process::id().to_be_bytes();
    listener_at(Ipv4Addr::new(127, high | 0x80, low, NUMBER.fetch_add(1, Ordering::Relaxed))).1
}

#[test]
fn a_server_that_is_away_is_waited_for() {
    let (objects, address) = (objects(patience(OFTEN, A_MINUTE)), nobody());
    let traffic = objects.traffic();
    thread::spawn(move || {
        while traffic.again() < 2 {
            thread::yield_now();
        }
        serve(TcpListener::bind(address).expect("the port"), |_| Does::Answers)
    });
    let facts = objects.facts(&name(address)).expect("an answer").expect("an object");
    assert_eq!(facts.size_bytes, CONTENT.len() as u64);
}

#[test]
fn a_server_that_stays_away_is_given_up_until_it_answers() {
    let (objects, address) = (objects(patience(Some(2), A_MINUTE)), nobody());
    for _ in 0..3 {
        let error = objects.facts(&name(address)).expect_err("nobody").to_string();
        assert!(error.contains("cannot be reached: Connection refused"), "{error}");
    }
    // Of many objects the first one shows that it is away.
    assert_eq!((objects.traffic().again(), objects.traffic().gets()), (2, 5));
    let asked = serve(TcpListener::bind(address).expect("the port"), |number| match number {
        1 => Does::Closes,
        _ => Does::Answers,
    });
    assert!(objects.facts(&name(address)).is_ok());
    assert!(objects.facts(&name(address)).is_ok(), "it broke off once, and was asked again");
    assert_eq!(asked.load(Ordering::SeqCst), 3);
}

#[test]
fn whatever_keeps_a_server_from_answering_is_waited_for_once() {
    for (trouble, silence) in [(Does::IsBusy, A_MINUTE), (Does::Closes, A_MINUTE), (Does::IsSilent, A_WHILE)]
    {
        let (listener, address) = listener();
        serve(listener, move |_| trouble);
        let (objects, name) = (objects(patience(Some(2), silence)), name(address));
        for gets in [3, 4, 5] {
            assert!(objects.facts(&name).is_err(), "{trouble:?}");
            assert_eq!(objects.traffic().gets(), gets, "{trouble:?}");
        }
    }
}

#[test]
fn servers_are_given_up_one_by_one() {
    let (objects, away) = (objects(patience(Some(1), A_MINUTE)), name(nobody()));
    let (listener, address) = listener();
    let asked = serve(listener, |number| if number == 0 { Does::Closes } else { Does::Answers });
    assert!(objects.facts(&away).is_err());
    assert!(objects.facts(&name(address)).is_ok(), "another one is waited for");
    assert_eq!((asked.load(Ordering::SeqCst), objects.traffic().gets()), (2, 4));
    assert!(objects.facts(&away).is_err());
    assert_eq!(objects.traffic().gets(), 5, "that another one answers does not bring it back");
}

#[test]
fn objects_that_cannot_be_had_for_now_keep_no_other_from_being_opened() {
    /// As many as are opened at a time at first.
    const REFUSED: usize = 8;
    let (listener, address) = listener();
    let seen = Mutex::new(BTreeSet::new());
    // The first ones are refused until one more was asked for.
    serve_by_lines(listener, move |_, request| {
        let mut seen = seen.lock().expect("nobody panics");
        seen.insert(request[0].clone());
        if seen.len() > REFUSED { Does::Answers } else { Does::IsBusy }
    });
    let objects = objects(patience(Some(3), A_MINUTE));
    thread::scope(|scope| {
        for number in 0..=REFUSED {
            let (objects, name) = (&objects, format!("http://{address}/{number}"));
            scope.spawn(move || {
                assert!(objects.open_shared(&ItemPath::from(name.as_str())).is_ok(), "{name}");
            });
        }
    });
}

#[test]
fn a_server_that_says_nothing_is_asked_once_more() {
    let (listener, address) = listener();
    serve(listener, |number| if number == 0 { Does::IsSilent } else { Does::Answers });
    let patient = objects(patience(OFTEN, A_WHILE));
    assert!(patient.facts(&name(address)).is_ok());
    assert!(patient.traffic().again() >= 1);
    let (listener, address) = self::listener();
    serve(listener, |_| Does::IsSilent);
    // Who says how often means silence, too.
    for (retries, gets) in [(None, 2), (Some(2), 3)] {
        let objects = objects(patience(retries, A_WHILE));
        let error = objects.facts(&name(address)).expect_err("silence").to_string();
        assert!(error.contains("timed out"), "{error}");
        assert_eq!(objects.traffic().gets(), gets);
    }
}

#[test]
fn an_answer_that_falls_silent_is_continued_where_it_did() {
    let (listener, address) = listener();
    // A question comes before the content.
    serve_by_lines(listener, |_, request| match range_of(request) {
        Some(range) if range.start == 0 => Does::FallsSilent(4),
        _ => Does::Answers,
    });
    let objects = objects(patience(OFTEN, A_WHILE));
    let object = objects.open_shared(&ItemPath::from(&name(address)[..])).expect("an object");
    let mut room = [0; CONTENT.len()];
    assert_eq!(object.read_at(0, &mut room).expect("all of it"), CONTENT.len());
    assert_eq!(&room[..], CONTENT);
}
