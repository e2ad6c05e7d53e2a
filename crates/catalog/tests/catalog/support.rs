//! What the tests have in common.

use hashlane_catalog::{Collection, Content, Request, Stint, Terms, Writer};
use hashlane_digest::Algorithm;
use tempfile::TempDir;

/// The time at which everything happens, in seconds since 1970.
pub(crate) const NOW: i64 = 1_700_000_000;

/// A new catalogue, which is gone with its directory.
pub(crate) struct Made {
    pub(crate) catalog: Writer,
    pub(crate) directory: TempDir,
}

pub(crate) fn made() -> Made {
    let directory = tempfile::tempdir().expect("a directory");
    let catalog = Writer::open_or_make(&directory.path().join("catalog.sqlite")).expect("it can be made");
    Made { catalog, directory }
}

/// A collection in it, and a stint of its first run.
pub(crate) fn begun(catalog: &mut Writer, name: &str) -> (Collection, Stint) {
    let id = catalog.add_collection(&Terms::new(name, "/srv"), NOW).expect("a new name");
    let stint = catalog.begin_stint(id, &request("all"), NOW, 0).expect("a stint");
    (catalog.collection(name).expect("it was added"), stint)
}

pub(crate) fn request(what: &str) -> Request {
    Request { what: what.into(), actor: "keeper".into(), reason: String::new() }
}

/// A content that differs for each number.
pub(crate) fn content(number: u64) -> Content {
    let sha256 = Algorithm::SHA256;
    Content {
        size: Some(number),
        inode: Some(number << 40),
        digests: vec![sha256.digest(&number.to_le_bytes())],
        ..Content::default()
    }
}
