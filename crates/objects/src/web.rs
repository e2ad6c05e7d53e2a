//! Names of objects that are URLs: what of them is sent, and what is refused.

use std::borrow::Cow;

use http::Uri;
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

/// What cannot stand in a URL. All else stays as it was written: a URL is written out already.
const NOT_IN_URLS: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'<')
    .add(b'>')
    .add(b'\\')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

/// Whether this is the URL of a server: nothing is behind the port, and nobody's name and password before the host. What is
/// named is printed and kept.
pub(crate) fn is_server(url: &str) -> bool {
    let Ok(uri) = url.parse::<Uri>() else { return false };
    uri.authority().is_some_and(|authority| !authority.host().is_empty() && !authority.as_str().contains('@'))
        && uri.path_and_query().is_none_or(|rest| rest == "/")
}

/// Whether this can be the rest of a URL: a fragment is none of the server's business, and what leads up is not below it.
pub(crate) fn is_path(key: &str) -> bool {
    let path = key.split('?').next().unwrap_or_default();
    let leads_up = |part: &str| {
        let part = part.to_ascii_lowercase().replace("%2e", ".");
        part == "." || part == ".."
    };
    !key.contains('#') && !path.split('/').any(leads_up)
}

/// The rest of a URL as it is sent.
pub(crate) fn sent(key: &str) -> Cow<'_, str> {
    utf8_percent_encode(key, NOT_IN_URLS).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_have_no_passwords_and_paths_do_not_lead_up() {
        for server in ["https://example.org", "http://127.0.0.1:80", "https://[::1]:1"] {
            assert!(is_server(server), "{server}");
        }
        for other in
            ["https://", "https://me:secret@example.org", "https://me@x", "https://x?y", "https://a b"]
        {
            assert!(!is_server(other), "{other}");
        }
        for path in ["a/b", "a?b=../c", "a%2Fb", "..a", "a b"] {
            assert!(is_path(path), "{path}");
        }
        for other in ["a#b", "../a", "a/..", "a/%2E%2e/b", "./a"] {
            assert!(!is_path(other), "{other}");
        }
    }

    #[test]
    fn urls_are_sent_as_they_are_written() {
        assert_eq!(sent("a%20b/c d?x=y&z=ü"), "a%20b/c%20d?x=y&z=%C3%BC");
    }
}
