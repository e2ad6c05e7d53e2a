//! Azure Blob Storage: its account, a page of its listings, the checksum that it states.

use std::collections::HashMap;

use data_encoding::BASE64;
use hashlane_digest::{Algorithm, Digest};
use http::Uri;
use http::header::{HeaderMap, HeaderName, HeaderValue};
use jiff::fmt::rfc2822;
use percent_encoding::percent_decode_str;

use crate::error::Error;
use crate::listing::{LONGEST_TOKEN, Listed, Next, Page, malformed, parts};
use crate::service::Service;
use crate::xml::elements_and_attributes;

/// The header that says which version of its answers is read here, and that version.
pub(crate) const VERSION: (HeaderName, HeaderValue) =
    (HeaderName::from_static("x-ms-version"), HeaderValue::from_static("2023-11-03"));

/// The word for an error, in answers without a body.
pub(crate) const ERROR_CODE: &str = "x-ms-error-code";

/// What the environment says of an account. It has secrets, and is never shown.
#[derive(Default)]
pub(crate) struct Account {
    name: Option<String>,
    key: Option<String>,
    token: Option<String>,
    endpoint: Option<String>,
}

impl Account {
    /// That of a connection string, else that of the variables which Azure's own programs and those of others know.
    pub(crate) fn of(variable: impl Fn(&str) -> Option<String>) -> Self {
        if let Some(string) = variable("AZURE_STORAGE_CONNECTION_STRING") {
            return Self::of_connection_string(&string);
        }
        let either = |one: &str, other: &str| variable(one).or_else(|| variable(other));
        Self {
            name: either("AZURE_STORAGE_ACCOUNT", "AZURE_STORAGE_ACCOUNT_NAME"),
            key: either("AZURE_STORAGE_KEY", "AZURE_STORAGE_ACCOUNT_KEY"),
            token: variable("AZURE_STORAGE_SAS_TOKEN"),
            endpoint: None,
        }
    }

    fn of_connection_string(string: &str) -> Self {
        // A key ends with signs of equality, so only the first one parts.
        let pairs: HashMap<&str, &str> = string.split(';').filter_map(|pair| pair.split_once('=')).collect();
        let part = |name: &str| pairs.get(name).map(|&value| value.trim().to_owned());
        let name = part("AccountName");
        let endpoint = part("BlobEndpoint").or_else(|| {
            let protocol = part("DefaultEndpointsProtocol").unwrap_or_else(|| "https".to_owned());
            let suffix = part("EndpointSuffix").unwrap_or_else(|| "core.windows.net".to_owned());
            name.as_ref().map(|name| format!("{protocol}://{name}.blob.{suffix}"))
        });
        Self { name, key: part("AccountKey"), token: part("SharedAccessSignature"), endpoint }
    }

    /// The URL of its containers.
    pub(crate) fn endpoint(&self) -> Option<String> {
        let of_name = || self.name.as_ref().map(|name| format!("https://{name}.blob.core.windows.net"));
        self.endpoint.clone().or_else(of_name)
    }

    /// What it says, by the names that the library knows. A key signs for the account of the endpoint, if no other one is named.
    pub(crate) fn variables(self, endpoint: &str) -> HashMap<String, String> {
        // Who has a token can read with it. One that came for a server goes to no other one.
        let is_for_it = self.endpoint.as_deref().is_none_or(|own| server(own) == server(endpoint));
        let token = self.token.filter(|_| is_for_it);
        let token = token.map(|token| token.trim_start_matches('?').to_owned());
        [
            ("AZURE_STORAGE_ACCOUNT_NAME", self.name.or_else(|| name_of(endpoint))),
            ("AZURE_STORAGE_ACCOUNT_KEY", self.key),
            ("AZURE_STORAGE_SAS_TOKEN", token),
        ]
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_owned(), value?)))
        .collect()
    }
}

/// An endpoint as endpoints are compared.
fn server(endpoint: &str) -> String {
    endpoint.trim_end_matches('/').to_ascii_lowercase()
}

/// The account whose containers an endpoint has: the first part of the host, or of the path where the host is not Azure's.
fn name_of(endpoint: &str) -> Option<String> {
    let uri: Uri = endpoint.parse().ok()?;
    let name = match uri.path().trim_matches('/') {
        "" => uri.host()?.split('.').next()?,
        path => path.split('/').next()?,
    };
    Some(name.to_owned())
}

/// The checksum that an answer states for the whole of a blob: the MD5 that came with it. It is not compared when blobs come in blocks, so it is the word of whoever wrote them.
pub(crate) fn stated(headers: &HeaderMap) -> Option<Digest> {
    // What is written to a blob of pages, or appended to one, leaves the MD5 as it was.
    headers.get("x-ms-blob-type").filter(|kind| *kind == "BlockBlob")?;
    let value = headers.get("x-ms-blob-content-md5").or_else(|| headers.get("content-md5"))?;
    Digest::new(Algorithm::MD5, &BASE64.decode(value.as_bytes()).ok()?).ok()
}

/// Whether an answer is about what stands for a directory, in an account that has them.
pub(crate) fn is_directory(headers: &HeaderMap) -> bool {
    headers.get("x-ms-resource-type").is_some_and(|kind| kind == "directory")
}

/// Whether an answer is about a blob that has to be restored before it can be read.
pub(crate) fn is_archived(headers: &HeaderMap) -> bool {
    headers.get("x-ms-access-tier").is_some_and(|tier| tier == "Archive")
}

/// The page of a listing that an answer holds.
///
/// # Errors
/// It is not a listing, or breaks off.
pub(crate) fn page(answer: &[u8]) -> Result<Page, Error> {
    let text = std::str::from_utf8(answer).map_err(|_| malformed("it is not UTF-8"))?;
    let (mut page, mut blob) = (Page::default(), RawBlob::default());
    let (mut is_listing, mut problem) = (false, None);
    let read = elements_and_attributes(text, |name, text, attributes| match name {
        "Name" => {
            text.clone_into(&mut blob.name);
            blob.is_written_out = attributes.contains("Encoded=\"true\"");
        }
        "Content-Length" => text.clone_into(&mut blob.size),
        "Last-Modified" => text.clone_into(&mut blob.modified),
        "AccessTier" => blob.is_archived = text == "Archive",
        "ResourceType" => blob.is_directory = text == "directory",
        "Blob" => match std::mem::take(&mut blob).read() {
            Ok(listed) => page.objects.push(listed),
            Err(reason) => problem = problem.take().or(Some(reason)),
        },
        "NextMarker" => page.next = Some(Next::token(text)).filter(|_| !text.is_empty()),
        "EnumerationResults" => is_listing = true,
        _ => {}
    });
    read.map_err(|error| malformed(&error.to_string()))?;
    if let Some(reason) = problem {
        return Err(malformed(&reason));
    }
    if !is_listing {
        return Err(malformed("it is no EnumerationResults"));
    }
    match page.next.as_ref().is_some_and(|next| next.token.len() > LONGEST_TOKEN) {
        true => Err(malformed("what the next page is asked for with is too long")),
        false => Ok(page),
    }
}

#[derive(Default)]
struct RawBlob {
    name: String,
    /// It has letters that XML cannot have.
    is_written_out: bool,
    size: String,
    modified: String,
    is_directory: bool,
    is_archived: bool,
}

impl RawBlob {
    fn read(self) -> Result<Listed, String> {
        let Self { name, is_written_out, size, modified, is_directory, is_archived } = self;
        let mut key = match is_written_out {
            true => percent_decode_str(&name).decode_utf8().map_err(|_| "a name is not UTF-8")?.into_owned(),
            false => name,
        };
        if key.is_empty() {
            return Err("a blob has no name".to_owned());
        }
        let longest = Service::Azure.longest_key();
        if key.len() > longest {
            return Err(format!("a name has more than {longest} bytes"));
        }
        if is_directory {
            // Accounts with directories list them too; elsewhere a slash marks them.
            key.push('/');
        }
        let size_bytes = size.parse().map_err(|_| format!("the size {size:?} is no number"))?;
        let time = rfc2822::parse(&modified).map_err(|_| format!("{modified:?} is no time"))?;
        let modified = parts(time.timestamp());
        Ok(Listed { key, size_bytes, modified, is_archived, ..Listed::default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listing(inner: &str) -> Result<Page, String> {
        let answer =
            format!("\u{feff}<?xml version=\"1.0\"?><EnumerationResults>{inner}</EnumerationResults>");
        page(answer.as_bytes()).map_err(|error| error.to_string())
    }

    fn blob(name: &str) -> String {
        format!(
            "<Blob>{name}<Properties><Last-Modified>Sun, 01 Nov 2026 10:00:00 GMT</Last-Modified>\
             <Content-Length>7</Content-Length><Content-MD5/></Properties><OrMetadata/></Blob>"
        )
    }

    #[test]
    fn a_page_has_its_blobs_and_a_way_to_the_next() {
        let (first, second) =
            (blob("<Name>a&lt;b</Name>"), blob("<Name Encoded=\"true\">a%EF%BF%BF%2B+</Name>"));
        let directory =
            blob("<Name>d</Name>").replace("<Content-MD5/>", "<ResourceType>directory</ResourceType>");
        let page = listing(&format!("<Blobs>{first}{second}{directory}</Blobs><NextMarker>2!8</NextMarker>"));
        let page = page.expect("a page");
        let keys: Vec<_> = page.objects.iter().map(|listed| listed.key.as_str()).collect();
        assert_eq!(keys, ["a<b", "a\u{ffff}++", "d/"]);
        assert_eq!((page.objects[0].size_bytes, page.objects[0].modified), (7, (1_793_527_200, 0)));
        assert_eq!(page.next, Some(Next::token("2!8")));
        assert_eq!(listing("<Blobs/><NextMarker/>").expect("a page").next, None);
    }

    proptest::proptest! {
        #[test]
        fn no_answer_is_too_strange(answer in proptest::collection::vec(proptest::num::u8::ANY, 0..300), at in 0_usize..400) {
            let _ = page(&answer);
            // A sound one with a part that is not.
            let blobs = blob("<Name Encoded=\"true\">a%20b</Name>").repeat(2);
            let mut sound = format!("<EnumerationResults>{blobs}</EnumerationResults>").into_bytes();
            let at = at.min(sound.len());
            sound.splice(at..(at + answer.len() / 8).min(sound.len()), answer);
            let _ = page(&sound);
        }
    }

    #[test]
    fn half_a_page_and_other_answers_are_refused() {
        for answer in [&b"<EnumerationResults><Blobs>"[..], b"<html></html>", b"\xff", b""] {
            assert!(page(answer).is_err());
        }
        let reason = |inner: &str| listing(inner).expect_err(inner);
        let sound = blob("<Name>a</Name>");
        assert!(reason(&sound.replace(">7<", ">-7<")).contains("no number"));
        assert!(reason(&sound.replace("2026", "then")).contains("no time"));
        assert!(reason(&blob("")).contains("no name"));
        assert!(reason(&blob("<Name Encoded=\"true\">%FF</Name>")).contains("not UTF-8"));
        assert!(reason(&blob(&format!("<Name>{}</Name>", "n".repeat(3073)))).contains("more than 3072"));
        assert!(reason(&format!("<NextMarker>{}</NextMarker>", "m".repeat(9000))).contains("too long"));
    }

    #[test]
    fn an_account_is_named_by_variables_or_by_a_connection_string() {
        let account = |pairs: &'static [(&str, &str)]| {
            Account::of(|name| {
                pairs.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
            })
        };
        let of_names = || account(&[("AZURE_STORAGE_ACCOUNT", "me"), ("AZURE_STORAGE_KEY", "a2V5")]);
        assert_eq!(of_names().endpoint().as_deref(), Some("https://me.blob.core.windows.net"));
        let variables = of_names().variables("https://other.example.org");
        assert_eq!(variables["AZURE_STORAGE_ACCOUNT_NAME"], "me");
        assert_eq!(variables["AZURE_STORAGE_ACCOUNT_KEY"], "a2V5");
        let of_string = account(&[(
            "AZURE_STORAGE_CONNECTION_STRING",
            "DefaultEndpointsProtocol=https;AccountName=you;AccountKey=a2V5a2U=;EndpointSuffix=core.chinacloudapi.cn",
        )]);
        assert_eq!(of_string.endpoint().as_deref(), Some("https://you.blob.core.chinacloudapi.cn"));
        assert_eq!(of_string.variables("https://x")["AZURE_STORAGE_ACCOUNT_KEY"], "a2V5a2U=");
        let emulated_again = || {
            account(&[(
                "AZURE_STORAGE_CONNECTION_STRING",
                "BlobEndpoint=http://127.0.0.1:10000/dev;SharedAccessSignature=?sv=1&sig=x",
            )])
        };
        let emulated = emulated_again();
        assert_eq!(emulated.endpoint().as_deref(), Some("http://127.0.0.1:10000/dev"));
        assert_eq!(emulated.variables("http://127.0.0.1:10000/dev")["AZURE_STORAGE_SAS_TOKEN"], "sv=1&sig=x");
        assert!(
            !emulated_again().variables("http://127.0.0.1:9/dev").contains_key("AZURE_STORAGE_SAS_TOKEN")
        );
        assert!(account(&[]).endpoint().is_none());
    }

    #[test]
    fn the_account_of_an_endpoint_is_in_its_host_or_its_path() {
        for (endpoint, name) in [
            ("https://me.blob.core.windows.net", "me"),
            ("http://127.0.0.1:10000/devstoreaccount1", "devstoreaccount1"),
        ] {
            assert_eq!(name_of(endpoint).as_deref(), Some(name), "{endpoint}");
        }
    }

    #[test]
    fn the_md5_of_a_blob_is_taken_where_an_answer_is_about_one() {
        let headers = |pairs: &[(&'static str, &'static str)]| -> HeaderMap {
            let pair = |&(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value));
            pairs.iter().map(pair).collect()
        };
        let (kind, md5) = (("x-ms-blob-type", "BlockBlob"), ("content-md5", "HLJR7A1WjeapKbUgxK7Y0Q=="));
        assert_eq!(stated(&headers(&[kind, md5])).expect("an MD5").algorithm().name(), "md5");
        assert!(stated(&headers(&[md5])).is_none());
        assert!(stated(&headers(&[kind])).is_none());
        assert!(stated(&headers(&[kind, ("content-md5", "HLJR")])).is_none());
    }
}
