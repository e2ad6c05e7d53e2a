//! Where what has no room in memory goes.

use std::path::PathBuf;

/// Where large temporary files go: not into memory, where /tmp often is.
pub fn temporary_directory() -> PathBuf {
    let var_tmp = PathBuf::from("/var/tmp");
    match std::env::var_os("TMPDIR") {
        Some(directory) if !directory.is_empty() => directory.into(),
        _ if var_tmp.is_dir() => var_tmp,
        _ => std::env::temp_dir(),
    }
}
