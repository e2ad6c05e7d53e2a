//! Servers that are away, busy or silent for a while, and how long they are waited for.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use hashlane_io::Opened as _;
use hashlane_objects::{Connection, Objects, Patience};
use hashlane_record::ItemPath;

const CONTENT: &[u8] = b"0123456789";

/// What is done to a request.
#[derive(Clone, Copy, PartialEq)]
enum Does {
    Answers,
    /// Says nothing, and keeps the connection.
    IsSilent,
    /// Says nothing more after so many bytes of the content.
    FallsSilent(usize),
    Closes,
}

/// A server that does this to its requests, by their number. Returns how many there were.
fn serve(listener: TcpListener, does: impl Fn(usize) -> Does + Send + Sync + 'static) -> Arc<AtomicUsize> {
    let (asked, does) = (Arc::new(AtomicUsize::new(0)), Arc::new(does));
    let counted = Arc::clone(&asked);
    thread::spawn(move || {
        for connection in listener.incoming().flatten() {
            let (does, counted) = (Arc::clone(&does), Arc::clone(&counted));
            thread::spawn(move || {
                while let Some(request) = request(&connection) {
                    let does = does(counted.fetch_add(1, Ordering::SeqCst));
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

fn answer(mut connection: &TcpStream, request: &[String], does: Does) -> Option<()> {
    let range = request.iter().find_map(|line| {
        let range = line.to_ascii_lowercase();
        let (from, to) = range.strip_prefix("range: bytes=")?.split_once('-')?;
        Some(from.parse::<usize>().ok()?..to.parse::<usize>().ok()? + 1)
    });
    let most = match does {
        Does::Answers => usize::MAX,
        Does::FallsSilent(bytes) => bytes,
        Does::Closes => return None,
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
const A_WHILE: Duration = Duration::from_millis(300);

fn name(address: SocketAddr) -> Vec<u8> {
    format!("http://{address}/a").into_bytes()
}

fn listener() -> (TcpListener, SocketAddr) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("its address");
    (listener, address)
}

/// An address at which nobody listens.
fn nobody() -> SocketAddr {
    listener().1
}

#[test]
fn a_server_that_is_away_is_waited_for() {
    let address = nobody();
    thread::spawn(move || {
        thread::sleep(A_WHILE);
        serve(TcpListener::bind(address).expect("the port"), |_| Does::Answers)
    });
    let objects = objects(Patience::default());
    let facts = objects.facts(&name(address)).expect("an answer").expect("an object");
    assert_eq!(facts.0, CONTENT.len() as u64);
    assert!(objects.traffic().again() >= 2, "{:?}", objects.traffic());
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
fn a_server_that_says_nothing_is_asked_once_more() {
    let (listener, address) = listener();
    let asked = serve(listener, |number| if number == 0 { Does::IsSilent } else { Does::Answers });
    assert!(objects(patience(None, A_WHILE)).facts(&name(address)).is_ok());
    assert_eq!(asked.load(Ordering::SeqCst), 2);
    let (listener, address) = self::listener();
    let asked = serve(listener, |_| Does::IsSilent);
    let error = objects(patience(None, A_WHILE)).facts(&name(address)).expect_err("silence").to_string();
    assert!(error.contains("timed out"), "{error}");
    assert_eq!(asked.load(Ordering::SeqCst), 2);
    // Who says how often means silence, too.
    assert!(objects(patience(Some(2), A_WHILE)).facts(&name(address)).is_err());
    assert_eq!(asked.load(Ordering::SeqCst), 5);
}

#[test]
fn an_answer_that_falls_silent_is_continued_where_it_did() {
    let (listener, address) = listener();
    // A question comes before the content.
    let asked = serve(listener, |number| if number == 1 { Does::FallsSilent(4) } else { Does::Answers });
    let objects = objects(patience(None, A_WHILE));
    let object = objects.open_shared(&ItemPath::from(&name(address)[..])).expect("an object");
    let mut room = [0; CONTENT.len()];
    assert_eq!(object.read_at(0, &mut room).expect("all of it"), CONTENT.len());
    assert_eq!((&room[..], asked.load(Ordering::SeqCst)), (CONTENT, 3));
}
