//! What a directory is, so that it is known again after the machine has started anew: the file system that it lies in, and its number
//! there. Device numbers are given out in the order in which disks are found, and name nothing.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd as _, AsRawFd as _, BorrowedFd};
use std::path::Path;

use rustix::fs::{CWD, Mode, OFlags, fstat, openat, stat};

use crate::device::Device;

/// A directory, as it can be known again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The file system: `uuid:` and its UUID; of one without, its type and how the kernel would find the directory in it.
    pub file_system: String,
    /// The number of the directory.
    pub inode: u64,
    /// The number of the device, which says only what lies in one file system as long as the machine runs.
    pub device: u64,
}

impl Identity {
    /// Of a directory, following symbolic links.
    ///
    /// # Errors
    /// What the system says of it; there may also be something else than a directory.
    pub fn of(path: &Path) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let directory = openat(CWD, path, flags, Mode::empty())?;
        let facts = fstat(&directory)?;
        let file_system = match uuid(directory.as_fd()).or_else(|| uuid_of_disk(facts.st_dev)) {
            Some(uuid) => format!("uuid:{uuid}"),
            None => {
                let device = Device::of(directory.as_fd())?;
                match handle(directory.as_fd()) {
                    Some(handle) => format!("{}:{handle}", device.file_system),
                    None => format!("{}:{}", device.file_system, device.mounted),
                }
            }
        };
        Ok(Self { file_system, inode: facts.st_ino, device: facts.st_dev })
    }
}

/// What the file system says of itself (Linux 6.9).
fn uuid(file: BorrowedFd<'_>) -> Option<String> {
    /// `FS_IOC_GETFSUUID` of linux/fs.h: reads a length and 16 bytes.
    const GET_UUID: libc::c_ulong = 0x8011_1500;

    let mut answer = [0_u8; 17];
    // SAFETY: the call writes at most the 17 bytes that its number says, and they are there.
    let result = unsafe { libc::ioctl(file.as_raw_fd(), GET_UUID as _, answer.as_mut_ptr()) };
    let length = usize::from(answer[0]);
    (result == 0 && (1..=16).contains(&length)).then(|| hex(&answer[1..=length]))
}

/// What udev has found on the disk that a file system lies on.
fn uuid_of_disk(device: u64) -> Option<String> {
    let links = fs::read_dir("/dev/disk/by-uuid").ok()?;
    let mut found = links.flatten().filter(|link| stat(link.path()).is_ok_and(|disk| disk.st_rdev == device));
    let name = found.next()?.file_name().into_string().ok()?;
    Some(name.chars().filter(|char| *char != '-').collect::<String>().to_lowercase())
}

/// How the kernel would find a directory in its file system, as name_to_handle_at(2) reports it: stays as long as it does.
fn handle(file: BorrowedFd<'_>) -> Option<String> {
    const MOST: usize = libc::MAX_HANDLE_SZ as usize;

    /// `struct file_handle`, with room behind it.
    #[repr(C)]
    struct Handle {
        bytes: libc::c_uint,
        kind: libc::c_int,
        handle: [u8; MOST],
    }

    let mut handle = Handle { bytes: MOST as libc::c_uint, kind: 0, handle: [0; MOST] };
    let mut mount = MaybeUninit::<libc::c_int>::uninit();
    // SAFETY: the handle says how many bytes there are behind it, the kernel writes no more than that and the number of the mount,
    // and the empty name ends with a NUL.
    let result = unsafe {
        libc::syscall(
            libc::SYS_name_to_handle_at,
            file.as_raw_fd(),
            c"".as_ptr(),
            &raw mut handle,
            mount.as_mut_ptr(),
            libc::AT_EMPTY_PATH,
        )
    };
    let length = handle.bytes as usize;
    (result == 0 && length <= MOST).then(|| format!("{:x}-{}", handle.kind, hex(&handle.handle[..length])))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_is_known_again_and_another_one_is_not_it() {
        let directory = tempfile::tempdir().expect("a directory");
        let (one, other) = (directory.path().join("one"), directory.path().join("other"));
        for path in [&one, &other] {
            fs::create_dir(path).expect("made");
        }
        let of = |path: &Path| Identity::of(path).expect("a directory");
        let before = of(&one);
        assert_ne!(before.inode, of(&other).inode);
        let renamed = directory.path().join("renamed");
        fs::rename(&one, &renamed).expect("renamed");
        assert_eq!(of(&renamed), before);
        let link = directory.path().join("link");
        std::os::unix::fs::symlink(&renamed, &link).expect("made");
        assert_eq!(of(&link), before);
    }

    #[test]
    fn what_is_no_directory_has_no_identity() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        let error = Identity::of(file.path()).expect_err("it is a file");
        assert_eq!(error.kind(), io::ErrorKind::NotADirectory);
        assert!(Identity::of(Path::new("/no/such/directory")).is_err());
    }

    #[test]
    fn file_systems_differ() {
        let of = |path: &str| Identity::of(Path::new(path)).expect("a directory").file_system;
        assert_ne!(of("/proc"), of("/sys"));
    }
}
