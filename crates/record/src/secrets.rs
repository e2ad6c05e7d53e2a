//! Secrets in URLs: what of a URL is neither shown nor kept.
//!
//! A URL may carry what lets whoever has it read on: a user and a password before the host, a signature for some hours, a token. The
//! program sends all of it, and names the object by the rest. So the names of two signed URLs of one object are the same.

use std::borrow::Cow;

/// What stands for a user and a password.
const SOMEBODY: &[u8] = b"...";

/// Parameters that are secret by their whole name, in small letters. Names that only resemble these may tell objects apart.
const SECRET: [&[u8]; 57] = [
    b"token",
    b"access_token",
    b"accesstoken",
    b"access-token",
    b"api_token",
    b"apitoken",
    b"auth_token",
    b"authtoken",
    b"bearer_token",
    b"id_token",
    b"oauth_token",
    b"private_token",
    b"private-token",
    b"refresh_token",
    b"sas_token",
    b"security_token",
    b"security-token",
    b"securitytoken",
    b"session_token",
    b"session-token",
    b"sessiontoken",
    b"x-auth-token",
    b"auth",
    b"authorization",
    b"jwt",
    b"sas",
    b"sig",
    b"signature",
    b"hmac",
    b"pass",
    b"passwd",
    b"password",
    b"pwd",
    b"secret",
    b"client_secret",
    b"secret_key",
    b"secretkey",
    b"credential",
    b"credentials",
    b"apikey",
    b"api_key",
    b"api-key",
    b"x-api-key",
    b"accesskey",
    b"access_key",
    b"access-key",
    b"accesskeyid",
    b"access_key_id",
    b"awsaccesskeyid",
    b"googleaccessid",
    b"ossaccesskeyid",
    b"key-pair-id",
    // Of Akamai.
    b"__token__",
    b"__gda__",
    b"hdnea",
    b"hdntl",
    b"hdnts",
];

/// How the names of the parameters of a signing scheme begin that all stores have in their own names, and how they end.
const SCHEMES: [&[u8]; 7] = [b"x-amz-", b"x-goog-", b"x-oss-", b"x-obs-", b"x-tos-", b"x-cos-", b"x-bce-"];
const OF_SCHEMES: [&[u8]; 12] = [
    b"algorithm",
    b"credential",
    b"date",
    b"expires",
    b"signedheaders",
    b"signature",
    b"signature-version",
    b"security-token",
    b"content-sha256",
    b"additional-headers",
    b"access-key-id",
    b"region-set",
];

/// How those of Tencent are called.
const OF_TENCENT: [&[u8]; 7] = [
    b"q-sign-algorithm",
    b"q-ak",
    b"q-sign-time",
    b"q-key-time",
    b"q-header-list",
    b"q-url-param-list",
    b"q-signature",
];

/// What says for whom, how long and for what a signature holds. Beside one, they are of no use without it; elsewhere, they may be names.
const OF_SIGNATURES: [&[u8]; 27] = [
    b"expires",
    b"policy",
    b"hash-algorithm",
    b"md5",
    b"sv",
    b"ss",
    b"srt",
    b"sr",
    b"se",
    b"st",
    b"sp",
    b"spr",
    b"sip",
    b"si",
    b"skoid",
    b"sktid",
    b"skt",
    b"ske",
    b"sks",
    b"skv",
    b"saoid",
    b"suoid",
    b"scid",
    b"sdd",
    b"ses",
    b"sduoid",
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

/// An argument of a command without the secrets of a URL in it, such as that of `--option=URL`. A URL behind a blank is that of a command
/// that the argument holds, and ends as in a text.
pub fn masked_argument(argument: &[u8]) -> Cow<'_, [u8]> {
    let first = argument.windows(3).position(|bytes| bytes == b"://").unwrap_or(argument.len());
    let is_command = argument[..first].iter().any(u8::is_ascii_whitespace);
    masked(argument, if is_command { ends_in_text } else { |_| false })
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
    let has_odd_port = !host.starts_with(b"[") && port.is_some_and(|port| !is_port(port));
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
    let path = masked(&before[authority.len()..], |_| false);
    push_escaped(made, &path, b'/');
    if is_web { push_parameters(made, tail) } else { made.extend_from_slice(tail) }
}

/// Whether this can stand between the colon behind a host and the path.
fn is_port(port: &[u8]) -> bool {
    port.is_empty() || std::str::from_utf8(port).is_ok_and(|port| port.parse::<u16>().is_ok())
}

/// A part of a URL without the secrets of one that is written out in it, as for a server that fetches what another one has.
fn masked_escaped(part: &[u8]) -> Cow<'_, [u8]> {
    // Each further time that a URL is written out, its percent signs are, too.
    let has = |mark: &[u8]| part.windows(mark.len()).any(|bytes| bytes.eq_ignore_ascii_case(mark));
    if !has(b"%3a%2f%2f") && !has(b"%253a") {
        return Cow::Borrowed(part);
    }
    let plain = unescaped(part);
    let shown = match masked(&plain, |_| false) {
        Cow::Owned(shown) => Cow::Owned(shown),
        Cow::Borrowed(_) => masked_escaped(&plain),
    };
    match shown {
        Cow::Borrowed(_) => Cow::Borrowed(part),
        Cow::Owned(shown) => Cow::Owned(shown.iter().flat_map(|&byte| escaped(byte)).collect()),
    }
}

/// Adds parts of a URL with a sign between them, each without the secrets of a URL that is written out in it.
fn push_escaped(made: &mut Vec<u8>, parts: &[u8], sign: u8) {
    for part in parts.split_inclusive(|&byte| byte == sign) {
        let text = part.strip_suffix(&[sign]).unwrap_or(part);
        made.extend_from_slice(&masked_escaped(text));
        made.extend_from_slice(&part[text.len()..]);
    }
}

/// A byte as it is written out within a URL.
fn escaped(byte: u8) -> Vec<u8> {
    match byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
        true => vec![byte],
        false => format!("%{byte:02X}").into_bytes(),
    }
}

/// Adds the parameters of a query or a fragment, each with the sign before it, without those that are secret.
fn push_parameters(made: &mut Vec<u8>, tail: &[u8]) {
    let name_and_value = |parameter: &[u8]| {
        let equals = parameter.iter().position(|&byte| byte == b'=').unwrap_or(parameter.len());
        let (name, value) = (&parameter[..equals], &parameter[(equals + 1).min(parameter.len())..]);
        // The sign before it may be written as text of XML: `&amp;`.
        let name = name.rsplit(|&byte| byte == b';').next().unwrap_or_default();
        (unescaped(name).to_ascii_lowercase(), unescaped(value))
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
    let has = |wanted: &[u8]| parameters().any(|(_, text)| name_and_value(text).0 == wanted);
    let is_signed = has(b"md5") && has(b"expires")
        || parameters().any(|(_, text)| {
            let name = name_and_value(text).0;
            name == b"sig" || name == b"signature" || name == b"key-pair-id"
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
        let (name, value) = name_and_value(text);
        let is_left_out = is_secret(&name, &value) || is_signed && OF_SIGNATURES.contains(&&name[..]);
        if is_left_out && text.contains(&b'=') {
            continue;
        }
        made.push(opening.take().unwrap_or(sign));
        push_escaped(made, &masked(text, |_| false), b'=');
    }
}

/// Whether a parameter of such a name, in small letters, is a secret or belongs to one.
fn is_secret(name: &[u8], value: &[u8]) -> bool {
    let is_of_scheme = || {
        SCHEMES.iter().any(|begin| name.strip_prefix(*begin).is_some_and(|rest| OF_SCHEMES.contains(&rest)))
    };
    match name {
        // Keys and codes open interfaces; those of objects are paths, or names of files.
        b"key" => !value.iter().any(|byte| b"./".contains(byte)),
        b"code" => !value.contains(&b'.'),
        _ => SECRET.contains(&name) || OF_TENCENT.contains(&name) || is_of_scheme(),
    }
}

/// A part of a URL, as a server reads it.
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
                "https://h/k?OSSAccessKeyId=A&Expires=5&Signature=x&x-oss-process=image/resize,w_1",
                "https://h/k?x-oss-process=image/resize,w_1",
            ),
            (
                "https://h/k?x-oss-signature-version=OSS4-HMAC-SHA256&x-oss-credential=a&x-oss-date=1&x-oss-expires=2&x-oss-signature=0",
                "https://h/k",
            ),
            ("https://h/k?AccessKeyId=A&Expires=5&Signature=x&x-obs-security-token=t", "https://h/k"),
            (
                "https://h/k?q-sign-algorithm=sha1&q-ak=A&q-sign-time=1;2&q-key-time=1;2&q-header-list=host&q-url-param-list=&q-signature=0&x-cos-security-token=t",
                "https://h/k",
            ),
            ("https://h/k?hdnts=exp=1~acl=/*~hmac=00", "https://h/k"),
            ("https://h/k?__token__=exp=1~hmac=00&a", "https://h/k?a"),
            ("https://h/k?key=AIzaSecret&code=abc/d==&pass=x", "https://h/k"),
            ("https://h/k?md5=00ff&expires=5&a=1", "https://h/k?a=1"),
            ("https://h/k?a=1&amp;sig=s&amp;b=2", "https://h/k?a=1&amp;b=2"),
            ("https://me:70000/34@h/k", "https://...@h/k"),
            (
                "https://p/?url=https%3A%2F%2Fh%2Fk%3Fa%3D1%26X-Amz-Signature%3D00&w=2",
                "https://p/?url=https%3A%2F%2Fh%2Fk%3Fa%3D1&w=2",
            ),
            (
                "https://p/?url=https%253a%252f%252fh%252fk%253fsig%253D00",
                "https://p/?url=https%253A%252F%252Fh%252Fk",
            ),
            ("https://p/https%3A%2F%2Fme:x%40h%2Fk/z", "https://p/https%3A%2F%2F...%40h%2Fk/z"),
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
            "https://h/k?file_token=A&mytoken=B&x-amz-checksum-mode=ENABLED&x-goog-user-project=p&code=a.b",
            "https://h/k?x-oss-process=image/resize&x-cos-traffic-limit=1&q-signal=2&md5=00ff",
            "https://p/?url=https%3a%2F%2Fh%2fk%3Fa%3D1",
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
        for (command, shown) in [
            ("curl https://h/k?token=a -o f; make", "curl https://h/k -o f; make"),
            ("curl -s 'https://h/k?X-Amz-Signature=00ff'", "curl -s 'https://h/k'"),
            ("--setup=curl https://h/k?token=a; make", "--setup=curl https://h/k; make"),
        ] {
            assert_eq!(String::from_utf8_lossy(&masked_argument(command.as_bytes())), shown);
        }
    }
}
