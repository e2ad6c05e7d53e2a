//! Bags (RFC 8493): the text of their tag files.
//!
//! Owns what stands in `bagit.txt`, `bag-info.txt`, `fetch.txt` and the manifests of a bag, how paths are
//! written there, and what a listing of several manifests adds up to. Opens no file: text comes from any
//! [`std::io::Read`], the names that are on the disk come from the caller.
//!
//! Invariants:
//! 1. A path that [`confined`] lets pass leads nowhere but down, as far as its own text goes; symbolic links
//!    are the affair of
//!    who opens it.
//! 2. What a bag of one version may do and another may not is decided by [`Version`] alone.
//! 3. What is against the specification is said with its line; nothing is passed over.

mod declaration;
mod entries;
mod fetch;
mod info;
mod listing;
mod path;
mod text;

pub use declaration::{Declaration, DeclarationError, Version};
pub(crate) use entries::cut;
pub use entries::{Entries, ManifestLine, algorithm_name, manifest_algorithm, push_line};
pub use fetch::{Fetch, FetchError, FetchItem};
pub use info::{Info, InfoProblem, Oxum, check_label, check_value};
pub use listing::{Listed, Listing, Named, OnDisk, Remark, composed};
pub use path::{Outside, confined, decode, encode};
pub use text::{Encoding, decoded_text, tag_text};
