//! Libraries in C, loaded while the driver runs: nothing of them need be there to build it.
//!
//! The only unsafe code of the drivers. What is declared here was taken from the headers of the libraries,
//! and versions whose headers were not looked at are refused. Both libraries stay loaded until the process
//! ends.

// Functions of other languages cannot be called otherwise.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::{NonNull, null};

use libloading::{Library, Symbol};

use super::cells::Hash;

/// `libipsec-mb`: many messages at once, one job each.
#[derive(Clone, Copy)]
pub(super) struct IpsecMb {
    allocate: unsafe extern "C" fn(u64) -> *mut Manager,
    prepare: unsafe extern "C" fn(*mut Manager, *mut c_int),
    free: unsafe extern "C" fn(*mut Manager),
    version: &'static str,
}

/// The beginning of `IMB_MGR`; the rest is the library's own. The same from 1.3 to 2.0.
#[repr(C)]
struct Manager {
    flags: u64,
    features: u64,
    reserved: [u64; 5],
    used_arch: u32,
    error: c_int,
    get_next_job: unsafe extern "C" fn(*mut Manager) -> *mut Job,
    submit_job: unsafe extern "C" fn(*mut Manager) -> *mut Job,
    submit_job_nocheck: unsafe extern "C" fn(*mut Manager) -> *mut Job,
    get_completed_job: unsafe extern "C" fn(*mut Manager) -> *mut Job,
    flush_job: unsafe extern "C" fn(*mut Manager) -> *mut Job,
}

/// The beginning of `IMB_JOB`, which is made by the library only. The same from 1.3 to 2.0.
#[repr(C)]
struct Job {
    encryption_keys: *const c_void,
    decryption_keys: *const c_void,
    key_bytes: u64,
    source: *const u8,
    destination: *mut u8,
    cipher_start: u64,
    cipher_bytes: u64,
    hash_start: u64,
    hash_bytes: u64,
    initial: *const u8,
    initial_bytes: u64,
    tag: *mut u8,
    tag_bytes: u64,
    /// What single algorithms need; those here need nothing.
    particular: [u64; 3],
    status: c_int,
    cipher_mode: c_int,
    cipher_direction: c_int,
    hash_algorithm: c_int,
    chain_order: c_int,
}

/// `IMB_CIPHER_NULL`, `IMB_DIR_ENCRYPT`, `IMB_ORDER_HASH_CIPHER`, `IMB_STATUS_COMPLETED`.
const CIPHER_NULL: c_int = 3;
const ENCRYPT: c_int = 1;
const HASH_FIRST: c_int = 2;
const COMPLETED: c_int = 3;

impl IpsecMb {
    /// What it has plain, and not only within HMAC: `IMB_AUTH_SHA_1` and its like.
    fn number(algorithm: Hash) -> Option<c_int> {
        match algorithm {
            Hash::Sha1 => Some(13),
            Hash::Sha256 => Some(15),
            Hash::Sha512 => Some(17),
            Hash::Md5 | Hash::Sha3 | Hash::Sm3 | Hash::Blake2b => None,
        }
    }

    /// The library, or why there is none.
    pub(super) fn load() -> Result<Self, String> {
        let library = first_of(&["libIPSec_MB.so.2", "libIPSec_MB.so.1"])?;
        // SAFETY: the header declares the function so, in all versions that have it.
        let version = unsafe {
            let version: Symbol<'_, unsafe extern "C" fn() -> *const c_char> =
                library.get(b"imb_get_version_str\0").map_err(|error| error.to_string())?;
            // It points at a constant of the library, which is never unloaded.
            CStr::from_ptr(version()).to_str().unwrap_or_default()
        };
        let known = ["1.3.", "1.4.", "1.5.", "2.0."].iter().any(|known| version.starts_with(known));
        if !known {
            return Err(format!("version {version} is not one of 1.3 to 2.0, whose interface is known"));
        }
        // SAFETY: the headers of these versions declare the functions so.
        let found = unsafe {
            let missing = |error: libloading::Error| error.to_string();
            Self {
                allocate: *library.get(b"alloc_mb_mgr\0").map_err(missing)?,
                prepare: *library.get(b"init_mb_mgr_auto\0").map_err(missing)?,
                free: *library.get(b"free_mb_mgr\0").map_err(missing)?,
                version,
            }
        };
        Ok(found)
    }

    pub(super) fn version(self) -> &'static str {
        self.version
    }

    /// The longest messages of an algorithm whose digests are right: 1.3 was seen to have others from 64 KiB
    /// on.
    pub(super) fn most_bytes(algorithm: Hash) -> usize {
        if algorithm == Hash::Sha512 { usize::from(u16::MAX) } else { usize::MAX }
    }

    /// What computes an algorithm, if the library has it.
    pub(super) fn jobs(self, algorithm: Hash) -> Option<Jobs> {
        let number = Self::number(algorithm)?;
        // SAFETY: it takes flags only, and there are none; and what it allocates is prepared
        // before anything else is done with it. The second argument may be null: nobody asks which
        // instructions it chose.
        let manager = unsafe {
            let manager = NonNull::new((self.allocate)(0))?;
            (self.prepare)(manager.as_ptr(), std::ptr::null_mut());
            manager
        };
        Some(Jobs { library: self, manager, number })
    }
}

/// Jobs of one algorithm.
pub(super) struct Jobs {
    library: IpsecMb,
    manager: NonNull<Manager>,
    number: c_int,
}

impl Jobs {
    /// Writes the digests of all messages, one behind the other. False if a job was not completed.
    pub(super) fn digest(&mut self, messages: &[&[u8]], digests: &mut [u8]) -> bool {
        /// `IMB_MAX_JOBS` of the first versions: more are not under way at once.
        const MOST: usize = 128;
        let length = digests.len() / messages.len();
        let mut completed = 0;
        for (messages, digests) in messages.chunks(MOST).zip(digests.chunks_mut(MOST * length)) {
            // SAFETY: the manager was prepared and is this one's alone. A job that it gives is ours until it
            // is submitted; it reads a message and writes as many bytes as a digest has, all of which outlive
            // it, because every job is flushed below.
            unsafe {
                let manager = self.manager.as_ptr();
                for (message, digest) in messages.iter().zip(digests.chunks_exact_mut(length)) {
                    let job = ((*manager).get_next_job)(manager);
                    (*job).cipher_mode = CIPHER_NULL;
                    (*job).cipher_direction = ENCRYPT;
                    (*job).chain_order = HASH_FIRST;
                    (*job).hash_algorithm = self.number;
                    (*job).source = message.as_ptr();
                    (*job).hash_start = 0;
                    (*job).hash_bytes = message.len() as u64;
                    (*job).tag = digest.as_mut_ptr();
                    (*job).tag_bytes = length as u64;
                    completed += is_completed(((*manager).submit_job_nocheck)(manager));
                }
                loop {
                    let job = ((*manager).flush_job)(manager);
                    if job.is_null() {
                        break;
                    }
                    completed += is_completed(job);
                }
            }
        }
        completed == messages.len()
    }
}

/// 1 for a job that is, 0 for none.
///
/// # Safety
/// It is null, or the library returned it and was not called since.
unsafe fn is_completed(job: *const Job) -> usize {
    // SAFETY: the caller promises that it is there if it is not null.
    usize::from(unsafe { job.as_ref() }.is_some_and(|job| job.status == COMPLETED))
}

impl Drop for Jobs {
    fn drop(&mut self) {
        // SAFETY: it was allocated by the library and no job is under way.
        unsafe { (self.library.free)(self.manager.as_ptr()) }
    }
}

/// `libgcrypt`: one message after the other.
#[derive(Clone, Copy)]
pub(super) struct Gcrypt {
    hash: unsafe extern "C" fn(c_int, *mut c_void, *const c_void, usize),
    version: &'static str,
}

impl Gcrypt {
    /// `GCRY_MD_MD5` and its like.
    fn number(algorithm: Hash) -> c_int {
        match algorithm {
            Hash::Md5 => 1,
            Hash::Sha1 => 2,
            Hash::Sha256 => 8,
            Hash::Sha512 => 10,
            Hash::Sha3 => 313,
            Hash::Blake2b => 318,
            Hash::Sm3 => 326,
        }
    }

    /// The library, or why there is none.
    pub(super) fn load() -> Result<Self, String> {
        let library = first_of(&["libgcrypt.so.20"])?;
        // SAFETY: the header declares both functions so, and 1.9 has all algorithms. The first of them has to
        // be called before anything else, and its result points at a constant of the library, which is never
        // unloaded.
        unsafe {
            let missing = |error: libloading::Error| error.to_string();
            let check: Symbol<'_, unsafe extern "C" fn(*const c_char) -> *const c_char> =
                library.get(b"gcry_check_version\0").map_err(missing)?;
            let hash = *library.get(b"gcry_md_hash_buffer\0").map_err(missing)?;
            if check(c"1.9.0".as_ptr()).is_null() {
                return Err("it is older than 1.9".to_owned());
            }
            let version = CStr::from_ptr(check(null())).to_str().unwrap_or_default();
            Ok(Self { hash, version })
        }
    }

    pub(super) fn version(self) -> &'static str {
        self.version
    }

    /// Writes the digests of all messages, one behind the other.
    pub(super) fn digest(self, algorithm: Hash, messages: &[&[u8]], digests: &mut [u8]) {
        let length = algorithm.lanes().length();
        for (message, digest) in messages.iter().zip(digests.chunks_exact_mut(length)) {
            // SAFETY: it reads the message and writes a digest, for which there is room.
            unsafe {
                let (to, from) = (digest.as_mut_ptr().cast(), message.as_ptr().cast());
                (self.hash)(Self::number(algorithm), to, from, message.len());
            }
        }
    }
}

/// The first library that is there. It stays.
fn first_of(names: &[&str]) -> Result<&'static Library, String> {
    let found = names.iter().find_map(|name| {
        // SAFETY: what is loaded are well-known libraries of the system, whose initialisation asks for
        // nothing.
        unsafe { Library::new(*name) }.ok()
    });
    let library = found.ok_or_else(|| format!("{} is not installed", names[names.len() - 1]))?;
    Ok(Box::leak(Box::new(library)))
}
