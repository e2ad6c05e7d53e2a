//! How often, and for how long, a store is asked again that cannot serve for the moment.

use super::hashlane;
use super::server::{Server, Trouble};
use crate::work::Dir;

#[test]
fn options_say_how_often_and_how_long_a_store_is_asked_again() {
    let dir = Dir::new();
    let server = Server::start(&[("a", b"a")], |_| Trouble::Refused(503, "SlowDown"));
    for (retries, asked) in [("0", 1), ("2", 3)] {
        let ran = hashlane(&dir, &server, &["sum", "--retries", retries, "s3://b/a"]).run().code(16);
        assert!(ran.stderr.contains("the store answered 503"), "{}", ran.stderr);
        assert_eq!(server.take_asked().len(), asked, "--retries {retries}");
    }
    hashlane(&dir, &server, &["sum", "--retry-for", "1s", "s3://b/a"]).run().code(16);
    let asked = server.take_asked().len();
    // A slow machine makes fewer of them, and the last one when the time is up.
    assert!((2..=7).contains(&asked), "pauses double from a tenth of a second on: {asked}");
    // Whatever ends first.
    hashlane(&dir, &server, &["sum", "--retry-for", "1h", "--retries", "1", "s3://b/a"]).run().code(16);
    assert_eq!(server.take_asked().len(), 2);
    let busy = Server::start(&[("a", b"a")], |asked| match asked.number {
        0..3 => Trouble::Refused(503, "SlowDown"),
        _ => Trouble::None,
    });
    hashlane(&dir, &busy, &["sum", "-q", "--retry-for", "1m", "s3://b/a"]).run().code(0);
}
