//! The mapped windows that are in use, and what happens when the file behind one of them fails.
//!
//! A file that is truncated while it is mapped, or whose device fails, answers a read of the mapping with SIGBUS, which
//! kills. Here a handler looks up the address in a fixed table of live windows; if one holds it, the rest of that window
//! is replaced by zeros, the window is marked as broken, and the reader goes on. Addresses that are not ours go to the
//! handler that was there before.
//!
//! Invariants:
//! 1. A slot's span is zero, or the span of exactly one mapping that is not released before the slot is.
//! 2. The handler uses atomics and raw system calls only; it neither locks nor allocates.
//! 3. A slot's `broken` is false whenever its span is zero.

use std::mem;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering, compiler_fence};

/// Windows that may be live at once in the process. More than all workers together ever hold; who comes later has to
/// read into memory instead.
const SLOTS: usize = 1024;
/// Spans are counted in units of this many bytes, a divisor of every page size.
const UNIT_BYTES: usize = 4096;
/// Bits of a span's length in units; the address takes the rest. 57 bits of address leave 45 here.
const LENGTH_BITS: u32 = 18;

/// A place in the table: start and length of a live mapping in one word, so that nobody ever sees half of it.
struct Slot {
    span: AtomicU64,
    broken: AtomicBool,
}

static TABLE: [Slot; SLOTS] =
    [const { Slot { span: AtomicU64::new(0), broken: AtomicBool::new(false) } }; SLOTS];
/// Where the next search for a free slot begins.
static NEXT: AtomicUsize = AtomicUsize::new(0);
/// What the handler has to know; `None` if it could not be installed.
static INSTALLED: OnceLock<Option<Installed>> = OnceLock::new();

struct Installed {
    /// The action that was in force before ours.
    previous: libc::sigaction,
    page_bytes: usize,
}

/// The registration of a live mapping, ended by dropping it.
#[derive(Debug)]
pub(crate) struct LiveWindow {
    slot: usize,
}

impl LiveWindow {
    /// Registers a mapping before anybody reads it. `None` if the table is full, the mapping too long or the handler
    /// cannot be installed: then it must not be read.
    pub(crate) fn register(start: *const u8, length_bytes: usize) -> Option<Self> {
        INSTALLED.get_or_init(install).as_ref()?;
        let span = pack(start.addr(), length_bytes)?;
        let first = NEXT.fetch_add(1, Ordering::Relaxed);
        (0..SLOTS).map(|step| first.wrapping_add(step) % SLOTS).find_map(|slot| {
            // Release: whoever reads the mapping was handed it by this thread, after this. Acquire: the previous
            // owner's reset of `broken` is seen.
            TABLE[slot]
                .span
                .compare_exchange(0, span, Ordering::AcqRel, Ordering::Relaxed)
                .is_ok()
                .then_some(Self { slot })
        })
    }

    /// Whether a part of it had to be replaced by zeros. Asked after reading, by a thread that read it or that was
    /// handed the result of one that did.
    pub(crate) fn is_broken(&self) -> bool {
        // The reads before must not be moved behind the question. In one thread a fault is taken before any later
        // instruction has effect, so it is enough to hold the compiler; between threads, the hand-over orders.
        compiler_fence(Ordering::SeqCst);
        TABLE[self.slot].broken.load(Ordering::Acquire)
    }
}

impl Drop for LiveWindow {
    fn drop(&mut self) {
        // Whoever holds this alone knows that nobody reads the mapping any more, so no fault can set the mark again.
        TABLE[self.slot].broken.store(false, Ordering::Relaxed);
        TABLE[self.slot].span.store(0, Ordering::Release);
    }
}

fn pack(start: usize, length_bytes: usize) -> Option<u64> {
    let units = length_bytes.div_ceil(UNIT_BYTES);
    let start = (start / UNIT_BYTES) as u64;
    let fits = units > 0 && units < 1 << LENGTH_BITS && start >> (u64::BITS - LENGTH_BITS) == 0;
    fits.then_some(start << LENGTH_BITS | units as u64)
}

/// Start and end of a span as addresses.
fn unpack(span: u64) -> (usize, usize) {
    let start = (span >> LENGTH_BITS) as usize * UNIT_BYTES;
    (start, start + (span & ((1 << LENGTH_BITS) - 1)) as usize * UNIT_BYTES)
}

/// Takes SIGBUS over.
fn install() -> Option<Installed> {
    let page_bytes = rustix::param::page_size();
    // SAFETY: `sigaction` is a structure of integers and an optional function, for which zero is valid.
    let mut ours: libc::sigaction = unsafe { mem::zeroed() };
    ours.sa_sigaction = handle as extern "C" fn(_, _, _) as usize;
    // On the alternate stack, where there is one; reads in the handler do not fault, so SIGBUS may stay blocked in it.
    ours.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_RESTART;
    // SAFETY: as above; it is only written.
    let mut previous: libc::sigaction = unsafe { mem::zeroed() };
    // SAFETY: both structures live through the call; `handle` has the signature that SA_SIGINFO asks for and is
    // async-signal-safe: see there.
    let result = unsafe {
        libc::sigemptyset(&raw mut ours.sa_mask);
        libc::sigaction(libc::SIGBUS, &raw const ours, &raw mut previous)
    };
    (result == 0).then_some(Installed { previous, page_bytes })
}

/// The handler.
extern "C" fn handle(signal: libc::c_int, information: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: the kernel passes a valid structure to an SA_SIGINFO handler.
    let code = unsafe { (*information).si_code };
    // BUS_ADRALN, BUS_ADRERR, BUS_OBJERR, BUS_MCEERR_AR: an instruction that could not be carried out, with its
    // address. Everything else was sent by somebody and has none.
    let fault = (1..=4).contains(&code);
    // SAFETY: for these codes the structure holds an address.
    if fault && mend(unsafe { (*information).si_addr() }.addr()) {
        return;
    }
    pass_on(signal, information, context, fault);
}

/// Puts zeros in the place of a live window from the page of `address` to its end; false if no live window holds it.
///
/// Invariant 1 makes this safe: the window that faults was registered before it was handed to the reader that faults,
/// and it stays registered while that reader borrows it, so its span is seen here, and a span that holds the address
/// can be no other's, since mappings do not overlap.
fn mend(address: usize) -> bool {
    for slot in &TABLE {
        let span = slot.span.load(Ordering::Acquire);
        if span == 0 {
            continue;
        }
        let (start, end) = unpack(span);
        if !(start..end).contains(&address) {
            continue;
        }
        slot.broken.store(true, Ordering::Release);
        // The units are 4 KiB: with larger pages the window's end is rounded up by the kernel, as when it was mapped.
        let from = (address - start) / UNIT_BYTES * UNIT_BYTES + start;
        return put_zeros(from, end - from);
    }
    false
}

/// Maps anonymous zeros over a range.
fn put_zeros(from: usize, length_bytes: usize) -> bool {
    let Some(Some(installed)) = INSTALLED.get() else { return false };
    // With pages larger than a unit the start goes down to the page's.
    let begin = from / installed.page_bytes * installed.page_bytes;
    // SAFETY: the location of `errno` is the thread's own; it is put back below, as a handler must.
    let errno = unsafe { *libc::__errno_location() };
    // SAFETY: the range lies in a mapping that is ours (see `mend`) and is only ever read, through pointers; whoever
    // reads it gets zeros from now on. A raw system call is async-signal-safe, where the C library's `mmap` may lock.
    let result = unsafe {
        libc::syscall(
            libc::SYS_mmap,
            begin,
            length_bytes + (from - begin),
            libc::PROT_READ,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED,
            -1_isize,
            0_usize,
        )
    };
    // SAFETY: as above.
    unsafe { *libc::__errno_location() = errno };
    usize::try_from(result).is_ok_and(|mapped| mapped == begin)
}

/// Does with a signal what would have been done without us.
fn pass_on(signal: libc::c_int, information: *mut libc::siginfo_t, context: *mut libc::c_void, fault: bool) {
    // Not set yet: the signal came between the two lines that install the handler.
    let installed = INSTALLED.get().and_then(Option::as_ref);
    let (action, flags) = installed.map_or((libc::SIG_DFL, 0), |installed| {
        (installed.previous.sa_sigaction, installed.previous.sa_flags)
    });
    match action {
        libc::SIG_IGN if !fault => {}
        libc::SIG_IGN | libc::SIG_DFL => die_by(signal, fault),
        // SAFETY: a handler other than SIG_DFL and SIG_IGN is a function of this signature, by its SA_SIGINFO flag.
        action if flags & libc::SA_SIGINFO != 0 => unsafe {
            mem::transmute::<usize, extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void)>(
                action,
            )(signal, information, context);
        },
        // SAFETY: likewise, without that flag.
        action => unsafe {
            mem::transmute::<usize, extern "C" fn(libc::c_int)>(action)(signal);
        },
    }
}

/// Restores the default action. A fault repeats itself on return and kills; what was sent is sent again.
fn die_by(signal: libc::c_int, fault: bool) {
    // SAFETY: zero is a valid `sigaction` and means SIG_DFL; the calls are on POSIX's list of async-signal-safe ones.
    unsafe {
        let default: libc::sigaction = mem::zeroed();
        libc::sigaction(signal, &raw const default, ptr::null_mut());
        if !fault {
            libc::raise(signal);
        }
    }
}
