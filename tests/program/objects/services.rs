//! The same over the other services: Google, Azure, and servers of plain HTTP.

use super::server::{Asked, Server, Trouble};
use super::{first_of, quiet, some_bytes};
use crate::work::{Cmd, Dir, digest, printed};

/// A service, as its tests name objects and reach its server.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Service {
    Google,
    Azure,
    Web,
}

const BOTH: [Service; 2] = [Service::Google, Service::Azure];
const ALL: [Service; 3] = [Service::Google, Service::Azure, Service::Web];

impl Service {
    /// The name of an object, or of a prefix, in the bucket `b`.
    fn name(self, server: &Server, key: &str) -> String {
        match self {
            Self::Google => format!("gs://b/{key}"),
            Self::Azure => format!("az://b/{key}"),
            Self::Web => format!("{}/b/{key}", server.url()),
        }
    }

    /// A command for its objects. Nobody is asked for credentials.
    fn reached(self, command: Cmd, server: &Server) -> Cmd {
        match self {
            Self::Google => command.env("STORAGE_EMULATOR_HOST", &server.address.to_string()),
            Self::Azure => with_account(command).args(["--endpoint", &server.url()]),
            Self::Web => command,
        }
    }

    fn lines(self, server: &Server, objects: &[(&str, &[u8])]) -> String {
        let line = |(key, bytes): &(&str, &[u8])| {
            format!("{}  {}\n", digest("sha256", bytes), self.name(server, key))
        };
        objects.iter().map(line).collect()
    }
}

/// Credentials of an account: a key is base64, and this one says "secretsecret".
fn with_account(command: Cmd) -> Cmd {
    command.env("AZURE_STORAGE_ACCOUNT", "me").env("AZURE_STORAGE_KEY", "c2VjcmV0c2VjcmV0")
}

#[test]
fn listings_have_pages_and_objects_have_the_checksums_that_are_stated() {
    let dir = Dir::new();
    let middle = some_bytes(3_000_000);
    let all: Vec<(&str, &[u8])> = vec![
        ("p-old", b"beside"),
        ("p/", b""),
        ("p/a b+c&d=e%20f?#", b"a"),
        ("p/d", b"d"),
        ("p/e", b""),
        ("p/f/../g//h", b"up"),
        ("p/quote\"'<>", b"quote"),
        ("p/ü", &middle),
    ];
    for service in BOTH {
        let server = Server::start(&all, quiet);
        let sum = dir.hashlane(["sum", &service.name(&server, "p")]);
        let ran = service.reached(sum, &server).run().code(0);
        assert_eq!(String::from_utf8_lossy(&ran.stdout), service.lines(&server, &all[2..]), "{service:?}");
        let messages = ran.messages().join("\n");
        assert!(messages.contains("skipped: 1 special file"), "{messages}");
        // A page has four keys. One more is asked for to see whether there is anything.
        assert!(messages.contains("3 for listings"), "{messages}");
        assert!(messages.contains("6 objects with the checksum that the store keeps"), "{messages}");
        for (key, _) in &all[2..] {
            assert_eq!(server.times(key), 1, "{service:?}: {key}");
        }
        let one = dir.hashlane(["sum", "-q", &service.name(&server, "p/a b+c&d=e%20f?#")]);
        service.reached(one, &server).run().code(0).printed(service.lines(&server, &all[2..3]));
        let none = dir.hashlane(["sum", &service.name(&server, "q")]);
        let ran = service.reached(none, &server).run().code(16);
        assert!(ran.messages().join("\n").contains("no such object, and none below that name"));
    }
}

#[test]
fn large_objects_are_read_by_ranges_of_one_state() {
    let dir = Dir::new();
    let large = some_bytes(36_000_000);
    for service in ALL {
        let server = Server::start(&[("large", &large)], quiet);
        let sum = dir.hashlane(["sum", &service.name(&server, "large")]);
        let ran = service.reached(sum, &server).run().code(0);
        let lines = service.lines(&server, &[("large", &large)]);
        assert_eq!(String::from_utf8_lossy(&ran.stdout), lines, "{service:?}");
        let asked = server.asked();
        let ranges = asked.iter().filter(|asked| asked.header("range").is_some());
        assert!(ranges.clone().count() == 9, "{service:?}");
        assert!(ranges.clone().all(|asked| asked.header("if-match").is_some()), "{service:?}");
        // Ranges come in any order: a CRC is put together, and what an MD5 needs waits for its turn.
        let agrees = ran.stderr.contains("1 object with the checksum that the store keeps");
        let has_one = matches!(service, Service::Google | Service::Azure);
        assert_eq!(agrees, has_one, "{service:?}: {}", ran.stderr);
    }
}

#[test]
fn what_is_replaced_while_it_is_read_is_unstable() {
    use std::sync::atomic::AtomicBool;
    let dir = Dir::new();
    let middle = some_bytes(2_000_000);
    for service in ALL {
        let seen = AtomicBool::new(false);
        let server = Server::start(&[("cut", &middle)], move |asked| match asked.key.as_deref() {
            Some("cut") if first_of(asked, "cut", &seen) => Trouble::Cut(1_000_000),
            Some("cut") if asked.method == "GET" => Trouble::Replaced(vec![1; 2_000_000]),
            _ => Trouble::None,
        });
        let sum = dir.hashlane(["sum", &service.name(&server, "cut")]);
        let ran = service.reached(sum, &server).run().code(16);
        let messages = ran.messages().join("\n");
        assert!(messages.contains("cut: was modified while it was read"), "{service:?}: {messages}");
    }
}

#[test]
fn a_content_that_has_another_checksum_is_a_failure() {
    let dir = Dir::new();
    let all: [(&str, &[u8]); 2] = [("fine", b"fine"), ("lie", b"whose checksum is another")];
    for service in BOTH {
        let server = Server::start(&all, |asked| match asked.key.as_deref() {
            Some("lie") => Trouble::Lie,
            _ => Trouble::None,
        });
        let sum = dir.hashlane(["sum", &service.name(&server, "")]);
        let ran = service.reached(sum, &server).run().code(16);
        assert_eq!(String::from_utf8_lossy(&ran.stdout), service.lines(&server, &all[..1]), "{service:?}");
        let messages = ran.messages().join("\n");
        let expected = "/lie: does not match the checksum that the store keeps for it";
        assert!(messages.contains(expected), "{service:?}: {messages}");
    }
}

#[test]
fn a_blob_in_the_archive_has_to_be_restored() {
    let dir = Dir::new();
    let large = some_bytes(36_000_000);
    let all: [(&str, &[u8]); 2] = [("cold", b"x"), ("large", &large)];
    let server = Server::start(&all, |asked| match asked.method == "GET" && asked.key.is_some() {
        true => Trouble::Refused(409, "BlobArchived"),
        false => Trouble::None,
    });
    let ran = Service::Azure.reached(dir.hashlane(["sum", "az://b"]), &server).run().code(16);
    let messages = ran.messages().join("\n");
    for key in ["cold", "large"] {
        let expected = format!("az://b/{key}: is archived; restore it before it can be read");
        assert!(messages.contains(&expected), "{messages}");
    }
}

#[test]
fn requests_to_azure_are_signed_by_a_key_or_a_token_and_neither_is_shown() {
    let dir = Dir::new();
    let server = Server::start(&[("a", b"a")], quiet);
    let sum = || dir.hashlane(["sum", "az://b"]).args(["--endpoint", &server.url()]);
    with_account(sum()).run().code(0);
    for asked in server.asked() {
        let signature = asked.header("authorization").expect("a signature");
        assert!(signature.starts_with("SharedKey me:"), "{signature}");
        assert!(asked.header("x-ms-version").is_some() && asked.header("x-ms-date").is_some());
    }
    let before = server.asked().len();
    sum().env("AZURE_STORAGE_SAS_TOKEN", "?sv=1&sig=c2VjcmV0").run().code(0);
    assert!(server.asked()[before..].iter().all(|asked| asked.query.ends_with("sv=1&sig=c2VjcmV0")));
    let before = server.asked().len();
    with_account(sum()).arg("--no-sign-request").run().code(0);
    assert!(server.asked()[before..].iter().all(|asked| asked.header("authorization").is_none()));
    let string = format!("BlobEndpoint={};AccountName=me;AccountKey=c2VjcmV0", server.url());
    let by_string = || dir.hashlane(["sum", "az://b"]).env("AZURE_STORAGE_CONNECTION_STRING", &string);
    by_string().run().code(0);
    // What is wrong is said without what is secret.
    let refuses = Server::start(&[("a", b"a")], |_| Trouble::Refused(403, "AuthenticationFailed"));
    let sum = dir.hashlane(["sum", "az://b"]).args(["--endpoint", &refuses.url()]);
    let ran = sum.env("AZURE_STORAGE_SAS_TOKEN", "sv=1&sig=c2VjcmV0").run().code(16);
    let messages = ran.messages().join("\n");
    assert!(messages.contains("403: AuthenticationFailed"), "{messages}");
    assert!(messages.contains("; check the credentials, and --endpoint"), "{messages}");
    assert!(!printed(&ran).contains("c2VjcmV0") && !ran.stderr.contains("c2VjcmV0"));
    let ran = dir.hashlane(["sum", "az://b"]).run().code(16);
    assert!(ran.messages().join("\n").contains("no account is named; set AZURE_STORAGE_ACCOUNT"));
}

#[test]
fn requests_to_google_carry_the_token_of_the_instance() {
    let dir = Dir::new();
    let server = Server::start(&[("a", b"a"), ("b", b"b")], |asked| match asked.key.as_deref() {
        Some(key) if key.starts_with("v1/instance/") => {
            assert_eq!(asked.header("metadata-flavor"), Some("Google"));
            assert!(asked.query.contains("devstorage.read_only"), "{}", asked.query);
            Trouble::Answer(
                r#"{"access_token": "c2VjcmV0", "expires_in": 3600, "token_type": "Bearer"}"#.to_owned(),
            )
        }
        _ => Trouble::None,
    });
    let sum = dir.hashlane(["sum", "gs://b"]).args(["--endpoint", &server.url()]).env("HOME", "/nonexistent");
    let ran = sum.env("GCE_METADATA_HOST", &server.address.to_string()).run().code(0);
    let (tokens, others): (Vec<_>, Vec<_>) = server
        .asked()
        .into_iter()
        .partition(|asked| asked.key.as_deref().is_some_and(|key| key.starts_with("v1/instance/")));
    assert_eq!(tokens.len(), 1, "a token serves for all requests");
    assert!(others.iter().all(|asked| asked.header("authorization") == Some("Bearer c2VjcmV0")));
    assert!(!printed(&ran).contains("c2VjcmV0") && !ran.stderr.contains("c2VjcmV0"));
    // Without any: no file, and no instance.
    let sum = dir.hashlane(["sum", "gs://b"]).args(["--endpoint", &server.url()]).env("HOME", "/nonexistent");
    let ran = sum.env("GCE_METADATA_HOST", "127.0.0.1:9").run().code(16);
    let messages = ran.messages().join("\n");
    assert!(messages.contains("credentials: ") && messages.contains("gcloud auth"), "{messages}");
}

#[test]
fn files_of_a_web_server_are_read_and_verified_by_their_urls() {
    let dir = Dir::new();
    let all: Vec<(&str, &[u8])> = vec![("p/a", b"aa"), ("p/sub/b c%20?", b"bb"), ("p/c", b"cc")];
    let server = Server::start(&all, quiet);
    let url = |path: &str| Service::Web.name(&server, path);
    let lines = |objects: &[(&str, &[u8])]| Service::Web.lines(&server, objects);
    dir.hashlane(["sum", "-q", &url("p/a"), &url("p/c")]).run().code(0).printed(lines(&[all[0], all[2]]));
    dir.write("urls", format!("{}\n{}\n{}\n", url("p/c"), url("p/gone"), url("p/a")));
    let ran = dir.hashlane(["sum", "--files-from", "urls"]).run().code(16);
    assert_eq!(String::from_utf8_lossy(&ran.stdout), lines(&[all[2], all[0]]));
    assert!(ran.stderr.contains("p/gone: the store answered 404 Not Found"), "{}", ran.stderr);
    dir.write("list", lines(&[all[0], all[2], ("p/gone", b"x")]));
    let ran = dir.hashlane(["check", "list"]).run().code(2);
    assert!(ran.messages().join("\n").contains("2 OK by sha256, 1 missing"), "{}", ran.stderr);
    // A list of files lies beside them on the server; names of files are no URLs.
    let of_files: String = [("a", "aa"), ("sub/b c%20?", "bb"), ("c", "no")]
        .iter()
        .map(|(name, content)| format!("{}  {name}\n", digest("sha256", content)))
        .collect();
    dir.write("of_files", of_files);
    for base in [url("p"), url("p/")] {
        let ran = dir.hashlane(["check", "--base", &base, "of_files"]).run().code(4);
        let text = String::from_utf8_lossy(&ran.stdout).into_owned();
        assert!(text.contains("a: OK\nsub/b c%20?: OK\nc: FAILED"), "{text}");
    }
    assert!(server.asked().iter().all(|asked| asked.header("authorization").is_none()));
}

#[test]
fn what_a_web_server_cannot_do_is_said() {
    let dir = Dir::new();
    let server = Server::start(&[("p/a", b"aa")], |asked| match asked.method.as_str() {
        "HEAD" => Trouble::Refused(405, "none"),
        _ => Trouble::None,
    });
    let name = Service::Web.name(&server, "p/a");
    let line = Service::Web.lines(&server, &[("p/a", b"aa")]);
    dir.hashlane(["sum", "-q", &name]).run().code(0).printed(line);
    for (arguments, code, expected) in [
        (
            &["sum", "http://127.0.0.1:9/p/"][..],
            16,
            "a web server does not list what it has; name each object",
        ),
        (&["sum", "http://127.0.0.1:9"], 16, "a web server does not list what it has"),
        (&["sum", "https://me:secret@127.0.0.1:9/a"], 16, "the server of a URL is HOST or HOST:PORT"),
        (&["sum", "https://127.0.0.1:9/a#b"], 16, "must have no fragment"),
        (&["sum", "https://127.0.0.1:9/a", "--endpoint", "http://x"], 16, "leave out --endpoint"),
        (&["collection", "add", "x", "https://127.0.0.1:9/p"], 64, "it cannot be a collection"),
        (&["sum", "az://a_b/c"], 16, "a container name consists of at most 255 letters"),
    ] {
        let ran = dir.keeper(arguments).run().code(code);
        assert!(ran.messages().join("\n").contains(expected), "{arguments:?}: {}", ran.stderr);
    }
}

#[test]
fn a_url_may_lead_to_another_one() {
    let dir = Dir::new();
    let target = Server::start(&[("there", b"moved")], quiet);
    let url = Service::Web.name(&target, "there");
    let server = Server::start(&[], move |_| Trouble::Moved(url.clone()));
    let name = Service::Web.name(&server, "here");
    let expected = format!("{}  {name}\n", digest("sha256", "moved"));
    let ran = dir.hashlane(["sum", &name]).run().code(0);
    assert_eq!(String::from_utf8_lossy(&ran.stdout), expected);
    let asked = server.asked().len() + target.asked().len();
    assert!(ran.messages().join("\n").contains(&format!("{asked} requests")), "{}", ran.stderr);
    for (most, code) in [(asked - 1, 16), (asked, 0)] {
        dir.hashlane(["sum", "-q", "--max-requests", &most.to_string(), &name]).run().code(code);
    }
    // A request that may be signed is not sent elsewhere.
    let sum = dir.hashlane(["sum", "gs://b/here"]).env("STORAGE_EMULATOR_HOST", &server.url());
    sum.run().code(16);
}

#[test]
fn an_endpoint_is_that_of_one_service() {
    let dir = Dir::new();
    let server = Server::start(&[("a", b"a")], quiet);
    let both = dir.hashlane(["sum", "az://b/a", "gs://b/a", "--endpoint", &server.url()]);
    let ran = with_account(both).run().code(16);
    let messages = ran.messages().join("\n");
    assert!(messages.contains("gs://b/a: the given endpoint belongs to another service"), "{messages}");
    assert_eq!(String::from_utf8_lossy(&ran.stdout), Service::Azure.lines(&server, &[("a", b"a")]));
    // Each by its own way, in one run.
    let both = dir.hashlane(["sum", "-q", "gs://b/a"]).arg(Service::Web.name(&server, "a"));
    Service::Google.reached(both, &server).run().code(0);
}

#[test]
fn collections_are_audited_where_they_were_registered() {
    let dir = Dir::new();
    for service in BOTH {
        let lost = |asked: &Asked| match asked.key.as_deref() {
            Some("p/lost") if asked.method == "GET" => Trouble::Refused(404, "none"),
            _ => Trouble::None,
        };
        let server = Server::start(&[("p/a", b"a"), ("p/d/b", b"b"), ("p/lost", b"c")], lost);
        let name = format!("{service:?}");
        let add = dir.keeper(["collection", "add", &name, &service.name(&server, "p/")]);
        service.reached(add, &server).run().code(0);
        // How the server is reached is kept; who asks is not.
        let audit = || with_account(dir.keeper(["audit", &name]));
        let ran = audit().run().code(16);
        assert!(printed(&ran).contains("lost: UNREADABLE"), "{}", printed(&ran));
        let history = service.name(&server, "p/d/b");
        let ran = dir.keeper(["history", &history]).run().code(0);
        assert!(printed(&ran).starts_with(&format!("{name}: d/b\n")), "{}", printed(&ran));
        // Another server is another root.
        let other = Server::start(&[("p/a", b"a"), ("p/lost", b"c")], quiet);
        let relocate = dir.keeper(["collection", "relocate", &name, &service.name(&other, "p")]);
        service.reached(relocate, &other).arg("--no-sign-request").run().code(0);
        let ran = audit().run();
        assert!(printed(&ran).contains("d/b: MISSING"), "{}", printed(&ran));
        let asked = other.asked();
        assert!(!asked.is_empty() && asked.iter().all(|asked| asked.header("authorization").is_none()));
    }
    // In another service it is reached in another way.
    let relocate = dir.keeper(["collection", "relocate", "Google", "az://b/p"]);
    let ran = relocate.run().code(16);
    assert!(ran.stderr.contains("no account is named"), "{}", ran.stderr);
}

#[test]
fn a_content_that_differs_under_the_same_size_and_time_is_corrupt() {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    let dir = Dir::new();
    for service in BOTH {
        let is_damaged = Arc::new(AtomicBool::new(false));
        let its = Arc::clone(&is_damaged);
        let server = Server::start(&[("p/a", b"first"), ("p/b", b"second")], move |asked| {
            match its.load(Ordering::SeqCst) && asked.key.as_deref() == Some("p/b") {
                true => Trouble::Replaced(b"sEcond".to_vec()),
                false => Trouble::None,
            }
        });
        let name = format!("{service:?}");
        let add = dir.keeper(["collection", "add", &name, &service.name(&server, "p")]);
        service.reached(add, &server).run().code(0);
        let audit = || with_account(dir.keeper(["audit", &name])).run();
        audit().code(0);
        is_damaged.store(true, Ordering::SeqCst);
        let ran = audit().code(8);
        assert!(printed(&ran).contains(&format!("{name}: b: CORRUPT")), "{}", printed(&ran));
    }
}
