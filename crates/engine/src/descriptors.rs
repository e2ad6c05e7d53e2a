//! Waiting for descriptors where none is left.

use std::time::Duration;

use rustix::io::Errno;

/// How long is waited for a descriptor at a time, where none is left and nobody says when one is given back.
pub(crate) const PAUSE: Duration = Duration::from_millis(5);

/// Pauses for want of descriptors in a row, half a second in all; then what is to be opened fails.
pub(crate) const PAUSES: u32 = 100;

/// Whether something could not be opened because the process or the system has as many files open as it may.
pub(crate) fn is_want_of_descriptors(errno: Option<i32>) -> bool {
    [Errno::MFILE, Errno::NFILE].iter().any(|want| errno == Some(want.raw_os_error()))
}
