//! The document of `-d`: Digital Forensics XML, laid out as hashdeep 4.4 does, well-formed whatever the names are.
//!
//! Owns elements and their order; what a file has of them is decided by `hashdeep` and `single`. Names that XML
//! cannot hold are written as hashlane's own DFXML has them. An element of a file is kept until it is complete,
//! so that lines of an audit stand before it; one that has very many pieces goes out in parts.

use std::fmt::Write as _;
use std::time::Instant;

use hashlane_digest::Algorithm;
use hashlane_manifest::{DFXML_NAMESPACE, push_xml_element, push_xml_text};
use hashlane_record::Timestamp;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeVal;

use super::hashed::Hashed;
use super::options::ALGORITHMS;

/// An element of a file that is longer goes out in parts.
const MOST_BYTES: usize = 1 << 20;

/// Makes the document, piece by piece.
#[derive(Debug)]
pub(super) struct Document {
    algorithms: Vec<Algorithm>,
    started: Instant,
    /// The element of the present file, as far as it did not go out.
    object: Vec<u8>,
    /// Where its size belongs, which is known at its end; `None` if that went out.
    size_at: Option<usize>,
}

impl Document {
    pub(super) fn new(algorithms: &[Algorithm]) -> Self {
        Self { algorithms: algorithms.into(), started: Instant::now(), object: Vec::new(), size_at: None }
    }

    /// All that stands before the first file.
    pub(super) fn head(&self, command: &[Vec<u8>]) -> Vec<u8> {
        let mut text = b"<?xml version='1.0' encoding='UTF-8'?>\n<dfxml \n  \
              xmlns='http://www.forensicswiki.org/wiki/Category:Digital_Forensics_XML' \n  \
              xmlns:deep='http://md5deep.sourceforge.net/md5deep/' \n  xmlns:hashlane='"
            .to_vec();
        text.extend_from_slice(DFXML_NAMESPACE);
        text.extend_from_slice(
            b"' \n  xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance' \n  \
              xmlns:dc='http://purl.org/dc/elements/1.1/' version='1.0'>\n  \
              <deep:configuration>\n    <algorithms>\n",
        );
        for name in ALGORITHMS {
            let enabled = u8::from(self.algorithms.iter().any(|algorithm| algorithm.name() == name));
            let line = format!("      <algorithm name='{name}' enabled='{enabled}'/>\n");
            text.extend_from_slice(line.as_bytes());
        }
        text.extend_from_slice(
            b"    </algorithms>\n  </deep:configuration>\n  <metadata>\n    <dc:type>Hash List</dc:type>\n  \
              </metadata>\n  <creator version='1.0'>\n    <program>hashlane</program>\n",
        );
        push_xml_element(&mut text, "    ", "version", env!("CARGO_PKG_VERSION").as_bytes());
        text.extend_from_slice(
            b"    <build_environment>\n      <compiler>rustc</compiler>\n    </build_environment>\n    \
              <execution_environment>\n",
        );
        let system = rustix::system::uname();
        let uid = rustix::process::getuid().as_raw().to_string();
        let command = command.join(&b' ');
        let now = time(jiff::Timestamp::now());
        let facts = [
            ("os_sysname", system.sysname().to_bytes()),
            ("os_release", system.release().to_bytes()),
            ("os_version", system.version().to_bytes()),
            ("host", system.nodename().to_bytes()),
            ("arch", system.machine().to_bytes()),
            ("command_line", &command),
            ("uid", uid.as_bytes()),
            ("start_time", now.as_bytes()),
        ];
        for (name, value) in facts {
            push_xml_element(&mut text, "      ", name, value);
        }
        text.extend_from_slice(b"    </execution_environment>\n  </creator>\n");
        text
    }

    /// Begins the element of a file.
    pub(super) fn begin(&mut self, hashed: &Hashed<'_>) {
        self.object.clear();
        self.object.extend_from_slice(b"  <fileobject>\n");
        push_xml_element(&mut self.object, "    ", "filename", hashed.name);
        self.size_at = Some(self.object.len());
        let times = [("mtime", hashed.modified), ("ctime", hashed.changed), ("atime", hashed.accessed)];
        for (name, at) in times {
            if let Some(time) = at.filter(|_| !hashed.is_stdin).and_then(time_of) {
                push_xml_element(&mut self.object, "    ", name, time.as_bytes());
            }
        }
    }

    /// Adds the digests of a file, or of a piece of one. Gives what is to go out already.
    pub(super) fn digests(&mut self, hashed: &Hashed<'_>, matched: bool) -> Option<Vec<u8>> {
        let object = &mut self.object;
        if let Some(offset) = hashed.offset {
            // With the blanks of the original.
            let run = format!("    <byte_run file_offset='{offset}' len='{}'>   \n", hashed.size);
            object.extend_from_slice(run.as_bytes());
        }
        for digest in hashed.digests {
            let name = digest.algorithm().name().to_ascii_uppercase();
            let indent = if hashed.offset.is_some() { "      " } else { "    " };
            object.extend_from_slice(format!("{indent}<hashdigest type='{name}'>").as_bytes());
            digest.write_text(object);
            object.extend_from_slice(b"</hashdigest>\n");
        }
        if matched {
            object.extend_from_slice(b"    <matched>1</matched>\n");
        }
        if hashed.offset.is_some() {
            object.extend_from_slice(b"    </byte_run>\n");
        }
        if object.len() < MOST_BYTES {
            return None;
        }
        self.size_at = None;
        Some(std::mem::take(object))
    }

    /// Ends the element of a file, and gives it.
    pub(super) fn end(&mut self, size: Option<u64>) -> Vec<u8> {
        if let Some(size) = size {
            let at = self.size_at.unwrap_or(self.object.len());
            let element = format!("    <filesize>{size}</filesize>\n");
            self.object.splice(at..at, element.into_bytes());
        }
        self.object.extend_from_slice(b"  </fileobject>\n");
        self.size_at = None;
        std::mem::take(&mut self.object)
    }

    /// Adds why the present file could not be read.
    pub(super) fn error(&mut self, text: &str) {
        push_xml_element(&mut self.object, "    ", "error", text.as_bytes());
    }

    /// A line between elements, as an audit has them.
    pub(super) fn line(parts: &[&[u8]]) -> Vec<u8> {
        let mut text = Vec::new();
        push_xml_text(&mut text, &parts.concat());
        text.push(b'\n');
        text
    }

    /// All that stands behind the last file.
    pub(super) fn tail(&self) -> Vec<u8> {
        let mut text = String::from("  <rusage>\n");
        // It fails for processes that are not this one only.
        if let Ok(usage) = getrusage(UsageWho::RUSAGE_SELF) {
            let seconds = |time: TimeVal| format!("{}.{:06}", time.tv_sec(), time.tv_usec());
            let elements = [
                ("utime", seconds(usage.user_time())),
                ("stime", seconds(usage.system_time())),
                ("maxrss", usage.max_rss().to_string()),
                ("minflt", usage.minor_page_faults().to_string()),
                ("majflt", usage.major_page_faults().to_string()),
                ("nswap", usage.full_swaps().to_string()),
                ("inblock", usage.block_reads().to_string()),
                ("oublock", usage.block_writes().to_string()),
            ];
            for (name, value) in elements {
                // Writing to a string does not fail.
                let _ = writeln!(text, "    <{name}>{value}</{name}>");
            }
        }
        let elapsed = self.started.elapsed().as_secs_f64();
        let _ = write!(text, "    <clocktime>{elapsed:.6}</clocktime>\n  </rusage>\n</dfxml>\n");
        text.into_bytes()
    }
}

/// A time as the original writes it: in UTC, to the second. None beyond the years that it can be written in: a wrong time would
/// be worse.
fn time_of(at: Timestamp) -> Option<String> {
    jiff::Timestamp::from_second(at.seconds).ok().map(time)
}

fn time(at: jiff::Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document() -> (Document, Vec<hashlane_digest::Digest>) {
        let md5 = Algorithm::MD5;
        (Document::new(&[md5]), vec![md5.digest(b"")])
    }

    #[test]
    fn the_size_stands_behind_the_name_though_it_is_known_last() {
        let (mut document, digests) = document();
        let hashed = Hashed { digests: &digests, ..Hashed::named(b"a<\x01") };
        document.begin(&hashed);
        assert_eq!(document.digests(&hashed, true), None);
        let expected = "  <fileobject>\n    <filename hashlane:b64=\"YTwB\">a&lt;\u{fffd}</filename>\n    \
                        <filesize>7</filesize>\n    \
                        <hashdigest type='MD5'>d41d8cd98f00b204e9800998ecf8427e</hashdigest>\n    \
                        <matched>1</matched>\n  </fileobject>\n";
        assert_eq!(String::from_utf8(document.end(Some(7))).unwrap(), expected);
    }

    #[test]
    fn a_time_that_cannot_be_written_is_left_out() {
        let (mut document, _) = document();
        let at = |seconds| Some(Timestamp { seconds, nanos: 0 });
        document.begin(&Hashed { modified: at(i64::MAX), changed: at(-1), ..Hashed::named(b"a") });
        let expected = "  <fileobject>\n    <filename>a</filename>\n    <ctime>1969-12-31T23:59:59Z</ctime>\n  \
                        </fileobject>\n";
        assert_eq!(String::from_utf8(document.end(None)).unwrap(), expected);
    }

    #[test]
    fn a_file_of_very_many_pieces_is_not_kept_whole() {
        let (mut document, digests) = document();
        document.begin(&Hashed::named(b"a"));
        let mut written = Vec::new();
        for offset in 0..100_000 {
            let piece = Hashed { digests: &digests, size: 1, offset: Some(offset), ..Hashed::named(b"a") };
            written.extend(document.digests(&piece, false).unwrap_or_default());
            assert!(document.object.len() < MOST_BYTES);
        }
        written.extend(document.end(Some(100_000)));
        let text = String::from_utf8(written).unwrap();
        assert_eq!(text.matches("<byte_run ").count(), 100_000);
        assert!(text.ends_with("    </byte_run>\n    <filesize>100000</filesize>\n  </fileobject>\n"));
    }
}
