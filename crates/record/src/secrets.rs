//! Secrets in URLs: what of a URL is neither shown nor kept.
//!
//! A URL may carry what lets whoever has it read on: a user and a password before the host, a signature for some hours, a token. The
//! program sends all of it, and names the object by the rest. So the names of two signed URLs of one object are the same.

use std::borrow::Cow;

/// What stands for a user and a password.
const SOMEBODY: &[u8] = b"...";

/// Parameters that are secret by their whole name, in small letters.
const SECRET: [&[u8]; 11] = [
    b"sig",
    b"auth",
    b"authorization",
    b"jwt",
    b"sas",
    b"pwd",
    b"hmac",
    b"awsaccesskeyid",
    b"googleaccessid",
    b"key-pair-id",
    b"hdnea",
];

/// How the names of such parameters begin.
const BEGINNINGS: [&[u8]; 5] = [b"x-amz-", b"x-goog-", b"x-oss-", b"x-cos-", b"q-sign"];

/// How they end.
const ENDS: [&[u8]; 13] = [
    b"token",
    b"signature",
    b"secret",
    b"password",
    b"passwd",
    b"credential",
    b"credentials",
    b"apikey",
    b"api_key",
    b"api-key",
    b"accesskey",
    b"access_key",
    b"access-key",
];

/// What says for whom, how long and for what a signature holds. Beside one, they are of no use without it; elsewhere, they may be names.
const OF_SIGNATURES: [&[u8]; 25] = [
    b"expires", b"policy", b"sv", b"ss", b"srt", b"sr", b"se", b"st", b"sp", b"spr", b"sip", b"si", b"skoid",
    b"sktid", b"skt", b"ske", b"sks", b"skv", b"saoid", b"suoid", b"scid", b"sdd", b"ses", b"sduoid",
    b"rscd",
];

/// The name of an object without the secrets of a URL. Only a URL of HTTP has some: a key of a store is all its name.
pub fn without_secrets(name: &[u8]) -> Cow<'_, [u8]> {
    let is_url = [&b"http://"[..], b"https://"]
        .iter()
        .any(|scheme| name.get(..scheme.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(scheme)));
    if is_url { masked(name, |_| false) } else { Cow::Borrowed(name) }
}

/// A message without the secrets of the URLs in it.
pub fn masked_text(text: &str) -> Cow<'_, str> {
    match masked(text.as_bytes(), ends_in_text) {
        Cow::Borrowed(_) => Cow::Borrowed(text),
        // Whole URLs and whole parameters are cut out, at ASCII characters.
        Cow::Owned(bytes) => Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()),
    }
}

/// Whether a URL ends before this rest of a text. A quotation mark ends it where a word does, too, and so do the marks of sentences.
fn ends_in_text(rest: &[u8]) -> bool {
    match rest[0] {
        byte if byte.is_ascii_whitespace() || byte == b'<' => true,
        b'\'' | b'"' | b'`' | b'>' | b':' | b';' | b',' | b'.' | b')' => {
            let behind = rest.iter().find(|byte| !b"'\"`:;,.)]}>".contains(byte));
            behind.is_none_or(u8::is_ascii_whitespace)
        }
        _ => false,
    }
}

/// What a server says, without the secrets of a request that it repeats: that need not be a whole URL.
pub fn masked_answer(text: &str) -> String {
    let text = masked_text(text);
    let (mut made, mut rest) = (Vec::new(), text.as_bytes());
    while let Some(begin) = rest.iter().position(|&byte| byte == b'?') {
        let length = (begin..rest.len()).position(|at| ends_in_text(&rest[at..]));
        let (query, behind) = rest.split_at(length.map_or(rest.len(), |length| begin + length));
        made.extend_from_slice(&query[..begin]);
        push_parameters(&mut made, &query[begin..]);
        rest = behind;
    }
    made.extend_from_slice(rest);
    String::from_utf8_lossy(&made).into_owned()
}

/// An argument of a command without the secrets of a URL in it, such as that of `--option=URL`.
pub fn masked_argument(argument: &[u8]) -> Cow<'_, [u8]> {
    masked(argument, |_| false)
}

/// A text without the secrets of its URLs. `ends`: whether a URL ends before this rest of the text.
fn masked(text: &[u8], ends: fn(&[u8]) -> bool) -> Cow<'_, [u8]> {
    const MARK: &[u8] = b"://";
    let (mut made, mut done) = (Vec::new(), 0);
    while let Some(found) = text[done..].windows(MARK.len()).position(|bytes| bytes == MARK) {
        let begin = done + found + MARK.len();
        let length = (begin..text.len()).position(|at| ends(&text[at..])).unwrap_or(text.len() - begin);
        let is_web = [&b"http"[..], b"https"].iter().any(|scheme| {
            let before = &text[done..begin - MARK.len()];
            before.len() >= scheme.len() && before[before.len() - scheme.len()..].eq_ignore_ascii_case(scheme)
        });
        made.extend_from_slice(&text[done..begin]);
        push_url(&mut made, &text[begin..begin + length], is_web);
        done = begin + length;
    }
    made.extend_from_slice(&text[done..]);
    if made == text { Cow::Borrowed(text) } else { Cow::Owned(made) }
}

/// Adds what follows the scheme of a URL.
fn push_url(made: &mut Vec<u8>, url: &[u8], is_web: bool) {
    let tail = url.iter().position(|byte| b"?#".contains(byte)).unwrap_or(url.len());
    let (before, tail) = url.split_at(tail);
    let authority = before.split(|&byte| byte == b'/').next().unwrap_or_default();
    // A password that is not written out may hold the signs that end a host: then there is no port behind the colon.
    let (host, port) = authority
        .iter()
        .position(|&byte| byte == b':')
        .map_or((authority, None), |colon| (&authority[..colon], Some(&authority[colon + 1..])));
    let has_odd_port =
        !host.starts_with(b"[") && port.is_some_and(|port| !port.iter().all(u8::is_ascii_digit));
    if has_odd_port
        && !authority.contains(&b'@')
        && let Some(at) = url.iter().rposition(|&byte| byte == b'@')
    {
        made.extend_from_slice(SOMEBODY);
        return push_url(made, &url[at..], is_web);
    }
    let somebody = authority.iter().rposition(|&byte| byte == b'@').filter(|&at| at > 0);
    if somebody.is_some() {
        made.extend_from_slice(SOMEBODY);
    }
    made.extend_from_slice(&authority[somebody.unwrap_or(0)..]);
    // A URL may be part of another one.
    made.extend_from_slice(&masked(&before[authority.len()..], |_| false));
    if is_web { push_parameters(made, tail) } else { made.extend_from_slice(tail) }
}

/// Adds the parameters of a query or a fragment, each with the sign before it, without those that are secret.
fn push_parameters(made: &mut Vec<u8>, tail: &[u8]) {
    let name = |parameter: &[u8]| {
        let name = parameter.split(|&byte| byte == b'=').next().unwrap_or_default();
        unescaped(name).to_ascii_lowercase()
    };
    let parameters = || {
        tail.split_inclusive(|byte| b"?#&".contains(byte)).scan(None, |sign, part| {
            let (text, next) = match part.split_last() {
                Some((&last, text)) if b"?#&".contains(&last) => (text, Some(last)),
                _ => (part, None),
            };
            Some((std::mem::replace(sign, next), text))
        })
    };
    let is_signed = parameters().any(|(_, text)| {
        let name = name(text);
        name == b"sig" || name.ends_with(b"signature")
    });
    // The sign of the first parameter, as long as none was kept.
    let mut opening = None;
    // What comes before the first sign is nothing; what comes behind a sign at the end is an empty parameter.
    let last = tail.last().filter(|byte| b"?#&".contains(byte)).map(|&sign| (Some(sign), &b""[..]));
    for (sign, text) in parameters().chain(last) {
        let Some(sign) = sign else { continue };
        if sign != b'&' {
            opening = Some(sign);
        }
        let name = name(text);
        let is_left_out = is_secret(&name) || is_signed && OF_SIGNATURES.contains(&&name[..]);
        if is_left_out && text.contains(&b'=') {
            continue;
        }
        made.push(opening.take().unwrap_or(sign));
        made.extend_from_slice(&masked(text, |_| false));
    }
}

/// Whether a parameter of such a name, in small letters, is a secret or belongs to one.
fn is_secret(name: &[u8]) -> bool {
    SECRET.contains(&name)
        || BEGINNINGS.iter().any(|begin| name.starts_with(begin))
        || ENDS.iter().any(|end| name.ends_with(end))
}

/// A name of a parameter, as a server reads it.
fn unescaped(name: &[u8]) -> Vec<u8> {
    let digit = |byte: Option<&u8>| byte.and_then(|&byte| char::from(byte).to_digit(16));
    let (mut bytes, mut at) = (Vec::new(), 0);
    while let Some(&byte) = name.get(at) {
        match (byte, digit(name.get(at + 1)), digit(name.get(at + 2))) {
            (b'%', Some(high), Some(low)) => {
                bytes.push((high * 16 + low) as u8);
                at += 3;
            }
            _ => {
                bytes.push(byte);
                at += 1;
            }
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(url: &str) -> String {
        String::from_utf8(without_secrets(url.as_bytes()).into_owned()).expect("text")
    }

    #[test]
    fn a_signature_is_no_part_of_a_name() {
        let amazon = "https://b.s3.amazonaws.com/k?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIA%2F20261101\
                      &X-Amz-Date=20261101T000000Z&X-Amz-Expires=3600&X-Amz-SignedHeaders=host\
                      &X-Amz-Security-Token=abc%2B&X-Amz-Signature=00ff";
        assert_eq!(name(amazon), "https://b.s3.amazonaws.com/k");
        assert_eq!(
            name(&amazon.replace("/k?", "/k?versionId=7&")),
            "https://b.s3.amazonaws.com/k?versionId=7"
        );
        assert_eq!(name(&format!("{amazon}&part=2")), "https://b.s3.amazonaws.com/k?part=2");
        for (signed, bare) in [
            ("https://h/k?AWSAccessKeyId=AKIA&Expires=5&Signature=x%3D", "https://h/k"),
            ("https://h/k?GoogleAccessId=a@b&Expires=5&Signature=x", "https://h/k"),
            ("https://h/k?x-goog-signature=00&X-Goog-Date=1", "https://h/k"),
            (
                "https://a.blob.core.windows.net/c/k?sv=2026-01-01&se=2026-11-01T00:00:00Z&sr=b&sp=r&sig=a/b%3D",
                "https://a.blob.core.windows.net/c/k",
            ),
            ("https://h/k?Policy=p&Signature=s&Key-Pair-Id=K", "https://h/k"),
            ("https://h/k?a=1&access_token=t&b=2", "https://h/k?a=1&b=2"),
            ("https://h/k?X%2DAmz%2dSignature=00&a", "https://h/k?a"),
            ("https://h/k?token=a b", "https://h/k"),
            ("https://h/k?token=a?b=c", "https://h/k?b=c"),
            ("HTTP://h/k?SIG=a", "HTTP://h/k"),
            ("https://me:secret@h/k", "https://...@h/k"),
            ("https://me:se/cr?et@h:1/k", "https://...@h:1/k"),
            ("https://h/k#access_token=t", "https://h/k"),
            (
                "https://h/https://me:secret@g/?u=http://me:secret@h/",
                "https://h/https://...@g/?u=http://...@h/",
            ),
        ] {
            assert_eq!(name(signed), bare);
        }
    }

    #[test]
    fn all_else_is_left_as_it_is() {
        for plain in [
            "https://h/k?",
            "https://h/k?a&&b=#",
            "https://h:80/k?versionId=1&Expires=1&Policy=2&sr=3",
            "https://[::1]:80/a@b?key=photos/a.jpg&tokenizer=x",
            "https://h/token=1&sig=2",
            "https://h/k?token",
            "s3://b/k?X-Amz-Signature=1",
            "s3://me:secret@b/k",
            "photos/http://me:secret@h",
        ] {
            assert_eq!(name(plain), plain);
        }
        assert_eq!(without_secrets(b"https://h/\xff?sig=1"), &b"https://h/\xff"[..]);
    }

    #[test]
    fn messages_are_read_as_before() {
        for (text, shown) in [
            ("https://h/k?sig=s: no such object", "https://h/k: no such object"),
            (
                "unexpected argument 'https://me:it's@h/k?token=t' found",
                "unexpected argument 'https://...@h/k' found",
            ),
            (
                "x (https://h/k?sig=a%2Fb/+=), then http://h/?a=1&auth=2.",
                "x (https://h/k), then http://h/?a=1.",
            ),
            ("\"ftp://me:secret@h/k\" and s3://b/k?sig=1", "\"ftp://...@h/k\" and s3://b/k?sig=1"),
            ("nothing to see: a@b?token=1", "nothing to see: a@b?token=1"),
        ] {
            assert_eq!(masked_text(text), shown);
        }
        let said = "GET /b/k?versionId=1&X-Amz-Signature=secret&a=\"x\" failed? Signature does not match";
        let shown = "GET /b/k?versionId=1&a=\"x\" failed? Signature does not match";
        assert_eq!(masked_answer(said), shown);
        assert_eq!(masked_argument(b"--base=https://me:a b@h/?sig=it's x"), &b"--base=https://...@h/"[..]);
    }
}
