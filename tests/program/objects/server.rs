//! A store of objects in this process that speaks as much of S3, and of the other services, as is asked for, and does to its clients
//! what a test wants.
//!
//! It believes every signature: whether signatures are right is tried with a server that looks.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread;

use hashlane_digest::Algorithm;

/// Keys of a page, so that a listing has several.
const PAGE: usize = 4;

/// A server. Its threads end with the tests.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    store: Arc<Store>,
}

struct Store {
    objects: Mutex<BTreeMap<String, Object>>,
    /// All states that were put, the oldest first, where the bucket keeps them.
    versions: Mutex<Option<Vec<Version>>>,
    /// Keys of objects that are in an archive.
    archived: Mutex<BTreeSet<String>>,
    /// Keys of objects whose checksum the listing says to be over those of parts.
    composite: Mutex<BTreeSet<String>>,
    asked: Mutex<Vec<Asked>>,
    number: AtomicU64,
    is_away: AtomicBool,
    trouble: Box<dyn Fn(&Asked) -> Trouble + Send + Sync>,
}

#[derive(Clone)]
struct Object {
    bytes: Arc<Vec<u8>>,
    tag: String,
    checksums: Arc<OnceLock<[Vec<u8>; 3]>>,
}

/// A state of an object, or a delete marker.
#[derive(Clone)]
struct Version {
    key: String,
    id: String,
    object: Option<Object>,
}

/// A request.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    /// Its place among all, from 0.
    pub(crate) number: u64,
    /// `GET` or `HEAD`.
    pub(crate) method: String,
    /// The key; `None` for a listing.
    pub(crate) key: Option<String>,
    pub(crate) query: String,
    pub(crate) headers: Vec<(String, String)>,
}

impl Asked {
    /// A header, by its name in small letters.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    fn is_of_azure(&self) -> bool {
        self.header("x-ms-version").is_some()
    }
}

/// What is done to a client.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Trouble {
    None,
    /// A status, with a code of S3.
    Refused(u16, &'static str),
    /// The bucket is in another region.
    Elsewhere(&'static str),
    /// The object is at another URL.
    Moved(String),
    /// The connection is closed before the answer.
    Closed,
    /// The server goes away for good.
    Away,
    /// It is closed after this many bytes of the body.
    Cut(usize),
    /// This is the body, with status 200.
    Answer(String),
    /// The object has another content from now on, the answer is the new one's.
    Replaced(Vec<u8>),
    /// The object has another entity tag.
    Named(String),
    /// The object is gone from now on.
    Gone,
    /// A byte of the body is another one.
    Flipped(usize),
    /// The answer states another checksum than the content has.
    Lie,
    /// As below, but pages of parts have none, and there is always another one.
    EndlessParts,
    /// The object came in parts of this many bytes: the answer states a checksum over those of the parts. The byte at a place is
    /// another one, if one is.
    InParts(usize, Option<usize>),
}

impl Server {
    /// One with objects, by key.
    pub(crate) fn start(
        objects: &[(&str, &[u8])],
        trouble: impl Fn(&Asked) -> Trouble + Send + Sync + 'static,
    ) -> Self {
        let objects = objects.iter().map(|(key, bytes)| ((*key).to_owned(), Object::new(bytes.to_vec())));
        let store = Arc::new(Store {
            objects: Mutex::new(objects.collect()),
            versions: Mutex::default(),
            archived: Mutex::default(),
            composite: Mutex::default(),
            asked: Mutex::default(),
            number: AtomicU64::new(0),
            is_away: AtomicBool::new(false),
            trouble: Box::new(trouble),
        });
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let its = Arc::clone(&store);
        thread::spawn(move || {
            for connection in listener.incoming().flatten() {
                if its.is_away.load(Ordering::SeqCst) {
                    break;
                }
                let its = Arc::clone(&its);
                thread::spawn(move || its.serve(&connection));
            }
        });
        Self { address, store }
    }

    /// Its URL.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Puts an object into an archive, or brings it back for some time.
    pub(crate) fn archive(&self, key: &str, is_archived: bool) {
        let mut archived = self.store.archived.lock().unwrap();
        if is_archived {
            archived.insert(key.to_owned())
        } else {
            archived.remove(key)
        };
    }

    /// Says in listings that the checksum of an object is over those of its parts.
    pub(crate) fn list_as_composite(&self, key: &str) {
        self.store.composite.lock().unwrap().insert(key.to_owned());
    }

    /// Keeps all states from now on. What is there by now is the version `null` of its key.
    pub(crate) fn keep_versions(&self) {
        let objects = self.store.objects.lock().unwrap();
        let of = |(key, object): (&String, &Object)| Version {
            key: key.clone(),
            id: "null".to_owned(),
            object: Some(object.clone()),
        };
        *self.store.versions.lock().unwrap() = Some(objects.iter().map(of).collect());
    }

    /// Puts another object in the place of one, removes it, or puts it back. Versions are called `v1`, `v2` and so on.
    pub(crate) fn put(&self, key: &str, bytes: Option<&[u8]>) {
        let mut objects = self.store.objects.lock().unwrap();
        let object = bytes.map(|bytes| Object::new(bytes.to_vec()));
        if let Some(versions) = &mut *self.store.versions.lock().unwrap() {
            let named = versions.iter().filter(|version| version.id != "null").count();
            let (key, id) = (key.to_owned(), format!("v{}", named + 1));
            versions.push(Version { key, id, object: object.clone() });
        }
        match object {
            Some(object) => drop(objects.insert(key.to_owned(), object)),
            None => drop(objects.remove(key)),
        }
    }

    /// Damages a byte of a version, which keeps its entity tag.
    pub(crate) fn damage(&self, id: &str, place: usize) {
        let mut versions = self.store.versions.lock().unwrap();
        let version = versions.iter_mut().flatten().find(|version| version.id == id).unwrap();
        let object = version.object.as_mut().unwrap();
        let mut bytes = object.bytes.to_vec();
        bytes[place] ^= 4;
        (object.bytes, object.checksums) = (Arc::new(bytes), Arc::default());
    }

    /// What it was asked so far.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.store.asked.lock().unwrap().clone()
    }

    /// The same, and forgets it.
    pub(crate) fn take_asked(&self) -> Vec<Asked> {
        std::mem::take(&mut self.store.asked.lock().unwrap())
    }

    /// How often it was asked for a key.
    pub(crate) fn times(&self, key: &str) -> usize {
        self.asked().iter().filter(|asked| asked.key.as_deref() == Some(key)).count()
    }
}

impl Object {
    fn new(bytes: Vec<u8>) -> Self {
        let tag = format!("\"{}\"", &crate::work::digest("md5", &bytes)[..32]);
        Self { bytes: Arc::new(bytes), tag, checksums: Arc::default() }
    }

    /// What is kept with it: CRC-64/NVME, CRC-32C and MD5. They are computed when they are asked for first.
    fn checksums(&self) -> [Vec<u8>; 3] {
        let digest = |name| Algorithm::named(name).unwrap().digest(&self.bytes).as_bytes().to_vec();
        self.checksums.get_or_init(|| ["crc64nvme", "crc32c", "md5"].map(digest)).clone()
    }
}

impl Store {
    /// Answers the requests of a connection, until one of the two sides closes it.
    fn serve(&self, connection: &TcpStream) {
        let mut input = BufReader::new(connection);
        while let Some(asked) = self.read(&mut input) {
            self.asked.lock().unwrap().push(asked.clone());
            if self.answer(&asked, connection).is_none() {
                return;
            }
        }
    }

    fn read(&self, input: &mut BufReader<&TcpStream>) -> Option<Asked> {
        let mut line = String::new();
        input.read_line(&mut line).ok().filter(|&count| count > 0)?;
        let method = line.split(' ').next()?.to_owned();
        let target = line.split(' ').nth(1)?.to_owned();
        let mut headers = Vec::new();
        loop {
            let mut line = String::new();
            input.read_line(&mut line).ok().filter(|&count| count > 0)?;
            match line.trim_end().split_once(": ") {
                Some((name, value)) => headers.push((name.to_ascii_lowercase(), value.to_owned())),
                None => break,
            }
        }
        let length = headers.iter().find(|(name, _)| name == "content-length");
        let length = length.map_or(0, |(_, length)| length.parse().unwrap());
        input.take(length).read_to_end(&mut Vec::new()).ok()?;
        let (path, query) = target.split_once('?').unwrap_or((&target, ""));
        let path = decoded(path);
        let (_bucket, key) = path[1..].split_once('/').unwrap_or((&path[1..], ""));
        let key = (!key.is_empty()).then(|| key.to_owned());
        let number = self.number.fetch_add(1, Ordering::SeqCst);
        Some(Asked { number, method, key, query: query.to_owned(), headers })
    }

    /// Answers; `None` if the connection is not to be used again.
    fn answer(&self, asked: &Asked, connection: &TcpStream) -> Option<()> {
        let trouble = (self.trouble)(asked);
        if self.is_away.load(Ordering::SeqCst) {
            return None;
        }
        match (&trouble, &asked.key) {
            (Trouble::Refused(status, code), _) => return refuse(asked, connection, *status, code),
            (Trouble::Elsewhere(region), _) => {
                let headers = [("x-amz-bucket-region", (*region).to_owned())];
                return send(connection, "301 x", &headers, &[], usize::MAX);
            }
            (Trouble::Moved(url), _) => {
                return send(connection, "302 x", &[("Location", url.clone())], &[], usize::MAX);
            }
            (Trouble::Closed, _) => return None,
            (Trouble::Away, _) => {
                self.is_away.store(true, Ordering::SeqCst);
                return None;
            }
            (Trouble::Answer(body), _) => {
                return send(connection, "200 OK", &[], body.as_bytes(), usize::MAX);
            }
            (Trouble::Replaced(bytes), Some(key)) => {
                self.objects.lock().unwrap().insert(key.clone(), Object::new(bytes.clone()));
            }
            (Trouble::Gone, Some(key)) => drop(self.objects.lock().unwrap().remove(key)),
            _ => {}
        }
        let Some(key) = &asked.key else {
            let body = match asked.is_of_azure() {
                true => self.list_for_azure(&asked.query),
                false if asked.query.starts_with("versions") => self.list_versions(&asked.query),
                false => self.list(&asked.query),
            };
            return send(connection, "200 OK", &[], body.as_bytes(), usize::MAX);
        };
        let named = given(&asked.query, "versionId");
        let (version, object) = self.find(key, named.as_deref());
        let Some(object) = object else {
            // A delete marker has no content that could be asked for.
            let (status, code) = match named.is_some() && version.is_some() {
                true => (405, "MethodNotAllowed"),
                false => (404, "NoSuchKey"),
            };
            let marker =
                version.map(|id| vec![("x-amz-delete-marker", "true".to_owned()), ("x-amz-version-id", id)]);
            return refuse_with(asked, connection, status, code, &marker.unwrap_or_default());
        };
        if asked.header("if-match").is_some_and(|wanted| wanted != object.tag) {
            return refuse(asked, connection, 412, "PreconditionFailed");
        }
        if asked.method == "GET" && self.archived.lock().unwrap().contains(key) {
            return refuse(asked, connection, 403, "InvalidObjectState");
        }
        let modified = "Sun, 01 Nov 2026 10:00:00 GMT".to_owned();
        let tag = if let Trouble::Named(tag) = &trouble { tag } else { &object.tag }.clone();
        let mut headers = vec![("ETag", tag), ("Last-Modified", modified)];
        headers.extend(version.map(|id| ("x-amz-version-id", id)));
        let most = if let Trouble::Cut(bytes) = trouble { bytes } else { usize::MAX };
        let mut bytes = Cow::Borrowed(&object.bytes[..]);
        let [mut checksum, mut crc32c, mut md5] = object.checksums();
        let mut over_parts = None;
        match trouble {
            Trouble::Flipped(place) => bytes.to_mut()[place] ^= 4,
            Trouble::Lie => {
                [&mut checksum[0], &mut crc32c[0], &mut md5[0]].into_iter().for_each(|byte| *byte ^= 1)
            }
            Trouble::EndlessParts if asked.query.starts_with("attributes") => {
                let behind = asked.header("x-amz-part-number-marker");
                let next = 1 + behind.map_or(0, |number| number.parse::<u64>().unwrap());
                let body = format!(
                    "<GetObjectAttributesResponse><ObjectParts><IsTruncated>true</IsTruncated>\
                     <NextPartNumberMarker>{next}</NextPartNumberMarker></ObjectParts></GetObjectAttributesResponse>"
                );
                return send(connection, "200 OK", &[], body.as_bytes(), usize::MAX);
            }
            Trouble::EndlessParts => over_parts = Some(checksum_over_parts(&bytes, 2)),
            Trouble::InParts(size, flipped) => {
                if asked.query.starts_with("attributes") {
                    let body = parts_of(asked, &bytes, size);
                    return send(connection, "200 OK", &[], body.as_bytes(), usize::MAX);
                }
                over_parts = Some(checksum_over_parts(&bytes, size));
                flipped.into_iter().for_each(|place| bytes.to_mut()[place] ^= 4);
            }
            _ => {}
        }
        let Some(range) = asked.header("range") else {
            if asked.header("x-amz-checksum-mode") != Some("ENABLED") {
                // Whoever does not ask for it does not get it.
            } else if let Some(value) = over_parts {
                headers.push(("x-amz-checksum-sha256", value));
                headers.push(("x-amz-checksum-type", "COMPOSITE".to_owned()));
            } else {
                headers.push(("x-amz-checksum-crc64nvme", data_encoding::BASE64.encode(&checksum)));
                headers.push(("x-amz-checksum-type", "FULL_OBJECT".to_owned()));
            }
            if asked.is_of_azure() {
                headers.push(("x-ms-blob-type", "BlockBlob".to_owned()));
                headers.push(("Content-MD5", data_encoding::BASE64.encode(&md5)));
            }
            if asked.header("accept-encoding") == Some("gzip") {
                headers.push(("x-goog-hash", format!("crc32c={}", data_encoding::BASE64.encode(&crc32c))));
                headers.push(("x-goog-hash", format!("md5={}", data_encoding::BASE64.encode(&md5))));
            }
            if asked.method == "HEAD" {
                return send_head(connection, "200 OK", &headers, bytes.len());
            }
            return send(connection, "200 OK", &headers, &bytes, most);
        };
        let (from, to) = range.strip_prefix("bytes=").unwrap().split_once('-').unwrap();
        let from: usize = from.parse().unwrap();
        if from >= bytes.len() {
            return refuse(asked, connection, 416, "InvalidRange");
        }
        let end = to.parse().map_or(bytes.len(), |last: usize| bytes.len().min(last + 1));
        headers.push(("Content-Range", format!("bytes {from}-{}/{}", end - 1, bytes.len())));
        send(connection, "206 Partial Content", &headers, &bytes[from..end], most)
    }

    /// What a key has, as a version of this name, or now; and the version's name, where the bucket keeps versions.
    fn find(&self, key: &str, id: Option<&str>) -> (Option<String>, Option<Object>) {
        let is_it = |version: &&Version| version.key == key && id.is_none_or(|id| version.id == id);
        match &*self.versions.lock().unwrap() {
            Some(versions) => match versions.iter().rev().find(is_it) {
                Some(version) => (Some(version.id.clone()), version.object.clone()),
                None => (None, None),
            },
            None => (None, self.objects.lock().unwrap().get(key).cloned()),
        }
    }

    fn list_versions(&self, query: &str) -> String {
        let given = |name: &str| given(query, name);
        let prefix = given("prefix").unwrap_or_default();
        let most = given("max-keys").map_or(PAGE, |most| most.parse::<usize>().unwrap().min(PAGE));
        let mut versions = self.versions.lock().unwrap().clone().unwrap_or_default();
        // The newest of a key first.
        versions.reverse();
        versions.sort_by(|one, other| one.key.cmp(&other.key));
        versions.retain(|version| version.key.starts_with(&prefix));
        if let Some((key, id)) = given("key-marker").zip(given("version-id-marker")) {
            let place = versions.iter().position(|version| version.key == key && version.id == id);
            versions.drain(..=place.expect("a marker that was told"));
        }
        let is_cut = versions.len() > most;
        versions.truncate(most);
        let mut body = "<ListVersionsResult><EncodingType>url</EncodingType>".to_owned();
        for Version { key, id, object } in &versions {
            let key = encoded(key);
            let told = format!("<Key>{key}</Key><VersionId>{id}</VersionId><IsLatest>false</IsLatest>");
            let told =
                told + "<LastModified>2026-11-01T10:00:00.000Z</LastModified><Owner><ID>me</ID></Owner>";
            body += &match object {
                Some(object) => format!("<Version>{told}<Size>{}</Size></Version>", object.bytes.len()),
                None => format!("<DeleteMarker>{told}</DeleteMarker>"),
            };
        }
        if let Some(last) = versions.last().filter(|_| is_cut) {
            let (key, id) = (encoded(&last.key), &last.id);
            body += &format!(
                "<NextKeyMarker>{key}</NextKeyMarker><NextVersionIdMarker>{id}</NextVersionIdMarker>"
            );
        }
        body + &format!("<IsTruncated>{is_cut}</IsTruncated></ListVersionsResult>")
    }

    fn list_for_azure(&self, query: &str) -> String {
        let given = |name: &str| given(query, name);
        let (prefix, behind) = (given("prefix").unwrap_or_default(), given("marker").unwrap_or_default());
        let most = given("maxresults").map_or(PAGE, |most| most.parse::<usize>().unwrap().min(PAGE));
        let objects = self.objects.lock().unwrap();
        let mut keys = objects.iter().filter(|(key, _)| key.starts_with(&prefix) && **key > behind);
        let page: Vec<_> = keys.by_ref().take(most).collect();
        let mut body = "\u{feff}<?xml version=\"1.0\"?><EnumerationResults><Blobs>".to_owned();
        for (key, object) in &page {
            let name = escaped(key);
            body += &format!(
                "<Blob><Name>{name}</Name><Properties><Last-Modified>Sun, 01 Nov 2026 10:00:00 GMT</Last-Modified>\
                 <Etag>{}</Etag><Content-Length>{}</Content-Length></Properties></Blob>",
                object.tag.replace('"', ""),
                object.bytes.len()
            );
        }
        let next = page.last().filter(|_| keys.next().is_some()).map_or("", |(key, _)| key);
        body + &format!("</Blobs><NextMarker>{}</NextMarker></EnumerationResults>", escaped(next))
    }

    fn list(&self, query: &str) -> String {
        let given = |name: &str| given(query, name);
        // The token is a key as it was written out.
        let behind = given("continuation-token").map(|token| decoded(&token)).unwrap_or_default();
        let prefix = given("prefix").unwrap_or_default();
        let most = given("max-keys").map_or(PAGE, |most| most.parse::<usize>().unwrap().min(PAGE));
        let objects = self.objects.lock().unwrap();
        let mut keys = objects.iter().filter(|(key, _)| key.starts_with(&prefix) && **key > behind);
        let page: Vec<_> = keys.by_ref().take(most).collect();
        let is_written_out = query.contains("encoding-type=url");
        let key_text = |key: &str| if is_written_out { encoded(key) } else { escaped(key) };
        let mut body = "<?xml version=\"1.0\"?><ListBucketResult>".to_owned();
        if is_written_out {
            body += "<EncodingType>url</EncodingType>";
        }
        for (key, object) in &page {
            let is_archived = self.archived.lock().unwrap().contains(*key);
            let class = if is_archived { "DEEP_ARCHIVE" } else { "STANDARD" };
            let of_parts = match self.composite.lock().unwrap().contains(*key) {
                true => "<ChecksumAlgorithm>SHA256</ChecksumAlgorithm><ChecksumType>COMPOSITE</ChecksumType>",
                false => "",
            };
            body += &format!(
                "<Contents><Key>{}</Key><LastModified>2026-11-01T10:00:00.000Z</LastModified><ETag>{}</ETag>\
                 <Size>{}</Size><StorageClass>{class}</StorageClass>{of_parts}</Contents>",
                key_text(key),
                object.tag.replace('"', "&quot;"),
                object.bytes.len()
            );
        }
        let is_cut = keys.next().is_some();
        body += &format!("<IsTruncated>{is_cut}</IsTruncated>");
        if let (true, Some((last, _))) = (is_cut, page.last()) {
            body += &format!("<NextContinuationToken>{}</NextContinuationToken>", encoded(last));
        }
        body + "</ListBucketResult>"
    }
}

/// What a query says.
fn given(query: &str, name: &str) -> Option<String> {
    let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    pairs.find(|(known, _)| *known == name).map(|(_, value)| decoded(value))
}

/// The checksum over those of the parts, as a header has it.
fn checksum_over_parts(bytes: &[u8], size: usize) -> String {
    let sha256 = Algorithm::SHA256;
    let parts: Vec<_> = bytes.chunks(size).map(|part| sha256.digest(part)).collect();
    let over: Vec<u8> = parts.iter().flat_map(|part| part.as_bytes().to_vec()).collect();
    format!("{}-{}", data_encoding::BASE64.encode(sha256.digest(&over).as_bytes()), parts.len())
}

/// A page of what the store says of the parts: two of them.
fn parts_of(asked: &Asked, bytes: &[u8], size: usize) -> String {
    assert!(asked.header("x-amz-object-attributes").unwrap().contains("ObjectParts"));
    let behind = asked.header("x-amz-part-number-marker").map_or(0, |number| number.parse().unwrap());
    let parts: Vec<_> = bytes.chunks(size).enumerate().skip(behind).collect();
    let shown: String = parts
        .iter()
        .take(2)
        .map(|(place, part)| {
            format!("<Part><PartNumber>{}</PartNumber><Size>{}</Size></Part>", place + 1, part.len())
        })
        .collect();
    format!(
        "<GetObjectAttributesResponse><ObjectParts><IsTruncated>{}</IsTruncated>\
         <NextPartNumberMarker>{}</NextPartNumberMarker>{shown}</ObjectParts></GetObjectAttributesResponse>",
        parts.len() > 2,
        behind + 2,
    )
}

fn send(
    mut connection: &TcpStream,
    status: &str,
    headers: &[(&str, String)],
    body: &[u8],
    most: usize,
) -> Option<()> {
    send_head(connection, status, headers, body.len())?;
    connection.write_all(&body[..most.min(body.len())]).ok()?;
    (most >= body.len()).then_some(())
}

fn send_head(
    mut connection: &TcpStream,
    status: &str,
    headers: &[(&str, String)],
    length: usize,
) -> Option<()> {
    let mut head = format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\n");
    headers.iter().for_each(|(name, value)| head += &format!("{name}: {value}\r\n"));
    connection.write_all(format!("{head}\r\n").as_bytes()).ok()
}

fn refuse(asked: &Asked, connection: &TcpStream, status: u16, code: &str) -> Option<()> {
    refuse_with(asked, connection, status, code, &[])
}

fn refuse_with(
    asked: &Asked,
    connection: &TcpStream,
    status: u16,
    code: &str,
    headers: &[(&str, String)],
) -> Option<()> {
    if asked.method == "HEAD" {
        return send_head(connection, &format!("{status} x"), headers, 0);
    }
    let body = format!("<Error><Code>{code}</Code><Message>As the test wants it.</Message></Error>");
    send(connection, &format!("{status} x"), headers, body.as_bytes(), usize::MAX)
}

/// As XML has it.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((&first, more)) = rest.split_first() {
        rest = more;
        if first == b'%' {
            bytes.push(u8::from_str_radix(std::str::from_utf8(&rest[..2]).unwrap(), 16).unwrap());
            rest = &rest[2..];
        } else {
            bytes.push(first);
        }
    }
    String::from_utf8(bytes).unwrap()
}

fn encoded(text: &str) -> String {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"/._-".contains(byte);
    text.bytes()
        .map(|byte| if plain(&byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}
