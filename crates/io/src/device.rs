//! Facts of the file system and the device under a file: what kind of thing its bytes come from.
//!
//! From statx(2), /proc/self/mountinfo, statfs(2) and /sys; no rights needed. Facts are hints: virtual disks say of
//! themselves that they turn, and a network disk looks like any other.

use std::fs;
use std::io;
use std::os::fd::{AsFd as _, BorrowedFd};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{
    AtFlags, CWD, Mode, OFlags, StatxFlags, fstat, fstatvfs, major, minor, openat, stat, statx,
};

use crate::file_system;

/// What a file lies on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Device {
    /// Type of the file system, as the kernel calls it: `ext4`.
    pub file_system: String,
    /// Where it is mounted.
    pub mount_point: PathBuf,
    /// How: options of the mount and of the file system, separated by commas.
    pub mount_options: String,
    /// What was mounted: `/dev/vda1`, `server:/export`, `tmpfs`.
    pub mounted: String,
    /// Major and minor number of the device, as the file shows them.
    pub number: (u32, u32),
    /// What the bytes come from.
    pub medium: Medium,
    /// The whole disk that holds it, as the kernel calls it: `nvme0n1`, also if the file lies on a partition.
    pub disk: Option<String>,
    /// Vendor and model of the disk, as far as it reports them.
    pub model: Option<String>,
    /// The file that the disk is, if it is a loop device, or one of those that it is made of is.
    pub backing_file: Option<PathBuf>,
    /// Whether the disk says that it turns. A hint: virtual disks lie.
    pub rotational: Option<bool>,
    /// What names the file system, as far as it can be distinguished from others: its type, number and size. Stays when the machine
    /// starts anew.
    pub identity: String,
}

/// What bytes come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Medium {
    /// A disk of this machine, or one that looks like it.
    Disk,
    /// Other file systems: overlayfs.
    Layered,
    /// A file of another file system, whose pages may be cached: a loop device, or what is made of one.
    Loop,
    /// Memory: tmpfs, ramfs, a disk in memory.
    Memory,
    /// Another machine, or the host of this one.
    Network,
    /// Made up when read: proc, sysfs.
    Synthetic,
    /// It cannot be determined: a program behind FUSE.
    Unknown,
    /// A disk that the host of this virtual machine provides.
    VirtualDisk,
}

impl Device {
    /// The device of a path, following symbolic links.
    ///
    /// # Errors
    /// What the system says of the path.
    pub fn at(path: &Path) -> io::Result<Self> {
        let file = openat(CWD, path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?;
        Self::of(file.as_fd())
    }

    /// The device of an open file.
    ///
    /// # Errors
    /// What the system says of the file.
    pub fn of(file: BorrowedFd<'_>) -> io::Result<Self> {
        let device = fstat(file)?.st_dev;
        let number = (major(device), minor(device));
        let mount = fs::read("/proc/self/mountinfo").ok().and_then(|table| find_mount(&table, file, number));
        let mount = mount.unwrap_or_default();
        let space = fstatvfs(file)?;
        let size_bytes = space.f_blocks.saturating_mul(space.f_frsize);
        let identity = format!("{}-{:x}-{size_bytes:x}", mount.file_system, space.f_fsid);
        let disk = Disk::find(number, &mount.mounted);
        let medium = medium_of(&mount.file_system, file, disk.as_ref());
        let (disk, model, rotational, backing_file) = match disk {
            Some(disk) => (Some(disk.name), disk.model, disk.rotational, disk.backing_file),
            None => (None, None, None, None),
        };
        Ok(Self {
            file_system: mount.file_system,
            mount_point: mount.point,
            mount_options: mount.options,
            mounted: mount.mounted,
            number,
            medium,
            disk,
            model,
            backing_file,
            rotational,
            identity,
        })
    }

    /// Whether the disk can be taken away while the machine runs: it says so, or it is connected by USB. Nothing is said
    /// of what is on no disk of this machine.
    pub fn is_removable(&self) -> bool {
        let Some(disk) = &self.disk else { return false };
        let place = Path::new("/sys/class/block").join(disk);
        let says_so = fs::read_to_string(place.join("removable")).is_ok_and(|text| text.trim() == "1");
        // The name is a link to its place in the tree of devices: `../../devices/pci0000:00/.../usb2/2-1/.../block/sdb`.
        let is_usb = |target: PathBuf| {
            target.iter().any(|part| {
                part.as_bytes()
                    .strip_prefix(b"usb")
                    .is_some_and(|number| !number.is_empty() && number.iter().all(u8::is_ascii_digit))
            })
        };
        says_so || fs::read_link(place).is_ok_and(is_usb)
    }

    /// Whether files lie on a disk that turns for certain: one of this machine that says so.
    pub fn turns(&self) -> bool {
        self.medium == Medium::Disk && self.rotational == Some(true)
    }
}

/// Where file systems are mounted, in the order in which that happened; none where the system does not tell.
pub fn mount_points() -> Vec<PathBuf> {
    let table = fs::read("/proc/self/mountinfo").unwrap_or_default();
    table.split(|&byte| byte == b'\n').filter_map(Mount::parse).map(|mount| mount.point).collect()
}

/// A line of mountinfo.
#[derive(Debug, Default, PartialEq, Eq)]
struct Mount {
    id: u64,
    number: (u32, u32),
    point: PathBuf,
    options: String,
    file_system: String,
    mounted: String,
}

impl Mount {
    /// Reads a line: `36 35 98:0 /root /point rw,noatime master:1 - ext4 /dev/root rw,errors=continue`.
    fn parse(line: &[u8]) -> Option<Self> {
        let text = |field: &[u8]| String::from_utf8_lossy(&unescape(field)).into_owned();
        let mut fields = line.split(|&byte| byte == b' ');
        let id = text(fields.next()?).parse().ok()?;
        let number = text(fields.nth(1)?);
        let (major, minor) = number.split_once(':')?;
        let number = (major.parse().ok()?, minor.parse().ok()?);
        let point = std::ffi::OsString::from_vec(unescape(fields.nth(1)?)).into();
        let mut options = text(fields.next()?);
        // Optional fields, any number of them.
        fields.find(|field| *field == b"-")?;
        let file_system = text(fields.next()?);
        let mounted = text(fields.next()?);
        for option in text(fields.next().unwrap_or_default()).split(',') {
            if !options.split(',').any(|known| known == option) {
                options.push(',');
                options.push_str(option);
            }
        }
        Some(Self { id, number, point, options, file_system, mounted })
    }
}

/// Undoes the kernel's escapes: a backslash and three octal digits.
fn unescape(field: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(field.len());
    let mut rest = field;
    while let Some((&byte, tail)) = rest.split_first() {
        match (byte, tail) {
            (b'\\', [a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', tail @ ..]) => {
                bytes.push((a - b'0') << 6 | (b - b'0') << 3 | (c - b'0'));
                rest = tail;
            }
            _ => {
                bytes.push(byte);
                rest = tail;
            }
        }
    }
    bytes
}

/// The mount that a file was reached by, by the mount's number (Linux 5.8); else the last mount of its device.
fn find_mount(table: &[u8], file: BorrowedFd<'_>, number: (u32, u32)) -> Option<Mount> {
    let flags = AtFlags::EMPTY_PATH | AtFlags::STATX_DONT_SYNC;
    let id = statx(file, c"", flags, StatxFlags::MNT_ID)
        .ok()
        .filter(|facts| facts.stx_mask & StatxFlags::MNT_ID.bits() != 0)
        .map(|facts| facts.stx_mnt_id);
    let mounts = || table.split(|&byte| byte == b'\n').filter_map(Mount::parse);
    let by_id = id.and_then(|id| mounts().find(|mount| mount.id == id));
    by_id.or_else(|| mounts().rfind(|mount| mount.number == number))
}

/// A block device under a file system.
struct Disk {
    name: String,
    model: Option<String>,
    rotational: Option<bool>,
    medium: Medium,
    backing_file: Option<PathBuf>,
}

impl Disk {
    /// Devices that are made of others that are made of others: as many as anybody stacks.
    const DEEPEST: u32 = 8;

    /// By number; file systems that number their parts themselves (btrfs) by what was mounted.
    fn find(number: (u32, u32), mounted: &str) -> Option<Self> {
        Self::numbered(number).or_else(|| {
            let device = stat(mounted).ok().filter(|_| mounted.starts_with("/dev/"))?.st_rdev;
            Self::numbered((major(device), minor(device)))
        })
    }

    fn numbered((major, minor): (u32, u32)) -> Option<Self> {
        Self::at(fs::canonicalize(format!("/sys/dev/block/{major}:{minor}")).ok()?, Self::DEEPEST)
    }

    /// By its place in the tree of devices.
    fn at(mut place: PathBuf, depth: u32) -> Option<Self> {
        if place.join("partition").exists() {
            place.pop();
        }
        let fact = |name: &str| fs::read_to_string(place.join(name)).ok().map(|text| text.trim().to_owned());
        let model = [fact("device/vendor"), fact("device/model")];
        // Some buses give numbers here.
        let model = model.into_iter().flatten().filter(|part| !part.is_empty() && !part.starts_with("0x"));
        let model = model.collect::<Vec<_>>().join(" ");
        let name = String::from_utf8_lossy(place.file_name()?.as_bytes()).into_owned();
        let mut disk = Self {
            medium: Self::medium(&name, &model),
            name,
            model: (!model.is_empty()).then_some(model),
            rotational: fact("queue/rotational").map(|text| text == "1"),
            backing_file: fact("loop/backing_file").map(PathBuf::from),
        };
        // dm, md: what is below decides, and whatever is less than a disk of this machine. Of several such a file goes first, whose pages may
        // be cached, and then the first by name: a directory has no order.
        let parts = fs::read_dir(place.join("slaves")).into_iter().flatten().flatten();
        let parts = parts.take(if depth > 0 { usize::MAX } else { 0 });
        let parts = parts.filter_map(|part| Self::at(fs::canonicalize(part.path()).ok()?, depth - 1));
        let less = parts.filter(|part| part.medium != Medium::Disk);
        if let Some(part) = less.min_by_key(|part| (part.medium != Medium::Loop, part.name.clone())) {
            disk.medium = part.medium;
            disk.backing_file = part.backing_file;
        }
        Some(disk)
    }

    fn medium(name: &str, model: &str) -> Medium {
        let is = |prefixes: &[&str]| prefixes.iter().any(|prefix| name.starts_with(prefix));
        let made_by = |makers: &[&str]| makers.iter().any(|maker| model.contains(maker));
        if is(&["loop"]) {
            Medium::Loop
        } else if is(&["ram", "zram", "pmem"]) {
            Medium::Memory
        } else if is(&["drbd", "nbd", "rbd"]) {
            Medium::Network
        } else if is(&["vd", "xvd"]) || made_by(&["Amazon", "Google", "Msft", "QEMU", "VBOX", "VMware"]) {
            Medium::VirtualDisk
        } else {
            Medium::Disk
        }
    }
}

fn medium_of(name: &str, file: BorrowedFd<'_>, disk: Option<&Disk>) -> Medium {
    const NETWORK: [&str; 17] = [
        "9p",
        "afs",
        "beegfs",
        "ceph",
        "cifs",
        "coda",
        "gfs2",
        "glusterfs",
        "gpfs",
        "lustre",
        "nfs",
        "nfs4",
        "ocfs2",
        "orangefs",
        "smb3",
        "smbfs",
        "virtiofs",
    ];
    /// FUSE programs that are known to go over the network.
    const NETWORK_PROGRAMS: [&str; 9] =
        ["ceph", "gcsfuse", "glusterfs", "goofys", "mount.s3", "rclone", "s3fs", "sshfs", "juicefs"];

    let program = name.strip_prefix("fuse.");
    if file_system::is_memory(file) {
        Medium::Memory
    } else if file_system::is_synthetic(file) {
        Medium::Synthetic
    } else if NETWORK.contains(&name) || program.is_some_and(|program| NETWORK_PROGRAMS.contains(&program)) {
        Medium::Network
    } else if matches!(name, "overlay" | "aufs" | "ecryptfs" | "unionfs") {
        Medium::Layered
    } else {
        disk.map_or(Medium::Unknown, |disk| disk.medium)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_mountinfo_is_read() {
        let line = br"36 35 254:1 /sub /mnt/two\040words\134 rw,noatime master:1 shared:2 - ext4 /dev/vda1 rw,discard";
        let mount = Mount::parse(line).expect("it is well formed");
        assert_eq!((mount.id, mount.number), (36, (254, 1)));
        assert_eq!(mount.point, Path::new("/mnt/two words\\"));
        assert_eq!(mount.options, "rw,noatime,discard");
        assert_eq!((mount.file_system.as_str(), mount.mounted.as_str()), ("ext4", "/dev/vda1"));
    }

    #[test]
    fn malformed_lines_are_passed_over() {
        for line in ["", "36", "36 35 x / / rw - ext4", "36 35 1:2 / / rw ext4 none rw", "36 35 1:2 / / rw -"]
        {
            assert_eq!(Mount::parse(line.as_bytes()), None, "{line}");
        }
        assert_eq!(unescape(br"a\\040\9\04"), br"a\ \9\04");
    }

    #[test]
    fn the_device_of_a_made_up_file_is_made_up() {
        let device = Device::at(Path::new("/proc/version")).expect("it is there");
        assert_eq!((device.file_system.as_str(), device.medium), ("proc", Medium::Synthetic));
        assert_eq!(device.disk, None);
    }

    #[test]
    fn the_mount_of_a_path_holds_the_path() {
        let root = tempfile::tempdir().expect("a temporary directory");
        let root = fs::canonicalize(root.path()).expect("it is there");
        let device = Device::at(&root).expect("it is there");
        assert!(root.starts_with(&device.mount_point), "{device:?}");
        assert!(!device.file_system.is_empty() && !device.mount_options.is_empty());
    }

    #[test]
    fn a_disk_is_what_it_is_made_of() {
        let root = tempfile::tempdir().expect("a temporary directory");
        let root = fs::canonicalize(root.path()).expect("it is there");
        let make = |name: &str, parts: &[&str]| {
            let slaves = root.join(name).join("slaves");
            fs::create_dir_all(&slaves).expect("mkdir");
            for part in parts {
                std::os::unix::fs::symlink(root.join(part), slaves.join(part)).expect("a link");
            }
        };
        make("sda", &[]);
        make("sdb", &[]);
        make("vda", &[]);
        make("loop3", &[]);
        fs::create_dir(root.join("loop3/loop")).expect("mkdir");
        fs::write(root.join("loop3/loop/backing_file"), "/images/disk\n").expect("write");
        make("md0", &["sda", "loop3"]);
        make("md1", &["sda", "sdb"]);
        make("dm-0", &["md0"]);
        make("dm-1", &["vda"]);
        // In whatever order a directory shows them.
        for (number, parts) in [["vda", "loop3"], ["loop3", "vda"], ["ram0", "loop3"]].iter().enumerate() {
            make(&format!("mixed{number}"), parts);
        }
        make("mixed3", &["vda", "ram0"]);
        make("ram0", &[]);
        // Nobody makes such a thing, and it ends.
        make("dm-2", &["dm-2"]);
        let of = |name: &str| {
            let disk = Disk::at(root.join(name), Disk::DEEPEST).expect("it is there");
            (disk.medium, disk.backing_file)
        };
        let file = Some(PathBuf::from("/images/disk"));
        assert_eq!(of("sda"), (Medium::Disk, None));
        assert_eq!(of("loop3"), (Medium::Loop, file.clone()));
        assert_eq!(of("md0"), (Medium::Loop, file.clone()));
        assert_eq!(of("dm-0"), (Medium::Loop, file.clone()));
        for name in ["mixed0", "mixed1", "mixed2"] {
            assert_eq!(of(name), (Medium::Loop, file.clone()), "{name}");
        }
        assert_eq!(of("mixed3"), (Medium::Memory, None));
        assert_eq!(of("md1"), (Medium::Disk, None));
        assert_eq!(of("dm-1"), (Medium::VirtualDisk, None));
        assert_eq!(of("dm-2"), (Medium::Disk, None));
    }

    #[test]
    fn what_is_missing_has_no_device() {
        let error = Device::at(Path::new("/missing/path")).expect_err("there is no such path");
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
    }
}
