//! What a list would be taken for because of its name.

use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use hashlane_digest::Algorithm;

use crate::bag::manifest_algorithm;
use crate::file_name::algorithm_of_file_name;
use crate::format::Format;

/// What a reader would take a list for because of its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misleading {
    /// A manifest of a bag, which escapes names otherwise.
    Bag,
    /// A table.
    Table,
    /// A list of another algorithm, as no line says which it is.
    Algorithm {
        /// What the name states.
        told: Algorithm,
        /// What the digests are.
        instead_of: Algorithm,
    },
}

/// What a list would be taken for, if it is something else.
pub fn misleading(path: &Path, format: Format, algorithms: &[Algorithm]) -> Option<Misleading> {
    let told = algorithm_of_file_name(path.as_os_str().as_bytes());
    let name = path.file_name().unwrap_or_default().as_bytes();
    let is_of_bag = manifest_algorithm(name).is_some() && told.is_some() || name.ends_with(b".bagit");
    if is_of_bag && matches!(format.name(), "gnu" | "multihash") {
        return Some(Misleading::Bag);
    }
    if path.extension().is_some_and(|ending| ending == "parquet") && format.name() != "parquet" {
        return Some(Misleading::Table);
    }
    let has_no_tags =
        ["gnu", "base64-untagged", "md5deep-sizes", "md5deep-csv", "bagit"].contains(&format.name());
    match (told, algorithms) {
        (Some(told), &[instead_of]) if has_no_tags && told != instead_of => {
            Some(Misleading::Algorithm { told, instead_of })
        }
        _ => None,
    }
}
