//! The source of a run: the files of this machine, or the things in another store.
//!
//! A source names and lists what is in its store, and starts the read engines for it. Everything else, such as the order, the lanes and the
//! second look, is the same for all sources. [`crate::run()`] reads files; [`crate::run_from`] reads from any source.

use std::fmt;
use std::io;
use std::ops::ControlFlow;

use hashlane_io::{EngineKind, ReadEngine, Store};
use hashlane_record::{Failure, ItemPath};
use rustix::io::Errno;

use crate::lister::Lister;
use crate::profile::{LargeWay, ReadOrder};
use crate::summary::Skipped;
use crate::walk::WalkOptions;

/// Something that a run can read from.
///
/// The defaults suit a store without page cache, pipes and rotating disks.
pub trait Source: fmt::Debug + Send + Sync + 'static {
    /// What its things are.
    type Store: Store;

    /// What the names of [`Input::File`](crate::Input::File) can be relative to, and may then not lead out of.
    type Base: Send + 'static;

    /// The place that a name denotes, whether something exists there or not.
    ///
    /// # Errors
    /// The name is not possible.
    fn place(&self, path: &ItemPath, base: Option<Self::Base>) -> Result<PlaceOf<Self>, Failure>;

    /// A name as it is printed and kept, where that is not all of it.
    fn shown(&self, path: ItemPath) -> ItemPath {
        path
    }

    /// Shows everything to read for a root: what is below it, in byte order of the names, or the root itself. Returns what was skipped, and
    /// returns early if the lister breaks.
    fn list(
        &self,
        root: &ItemPath,
        options: &WalkOptions,
        lister: &mut impl Lister<Self::Store>,
    ) -> (Skipped, ControlFlow<()>);

    /// Standard input, and the offset at which it stands.
    ///
    /// # Errors
    /// There is none, which is the default; or the system says what is wrong with it.
    fn standard_input(&self) -> io::Result<(OpenedOf<Self>, u64)> {
        Err(Errno::NOENT.into())
    }

    /// A read engine for the calling thread, one of `workers` workers.
    fn start_engine(&self, workers: usize) -> EngineOf<Self>;

    /// An engine for pieces of large things, beside that of a worker, which does the waiting for both. Asked for only where
    /// [`Source::large`] names a kind.
    fn start_large_engine(
        &self,
        _kind: EngineKind,
        _beside: &dyn ReadEngine<Self::Store>,
    ) -> Option<EngineOf<Self>> {
        None
    }

    /// How the pieces of a large thing are brought. `has_tree`: its digest can be put together of parts, in any order.
    fn large(&self, opened: &OpenedOf<Self>, has_tree: bool) -> LargeWay;

    /// Bytes above which a thing is read in pieces, several at once, and up to which it is read from its first byte to its last,
    /// whatever its digest gains from: where each read is a journey. `None`: the digest decides.
    fn pieces_above(&self) -> Option<u64> {
        None
    }

    /// Things that may be open at a time, all workers together.
    fn most_open(&self) -> usize {
        usize::MAX
    }

    /// The order in which things are begun.
    fn order(&self) -> ReadOrder {
        ReadOrder::Inputs
    }

    /// Whether its engines say truly where bytes came from, whatever a page cache held.
    fn is_observed(&self) -> bool {
        true
    }

    /// Whether blocks have to suit reads past the page cache.
    fn reads_direct(&self) -> bool {
        false
    }

    /// Whether what does not come from a device is a failure. Then no hole is read, for it has no bytes there, and no thing is
    /// read once for all of its names.
    fn reads_from_medium(&self) -> bool {
        false
    }
}

/// The read engines of a source.
pub type EngineOf<S> = Box<dyn ReadEngine<<S as Source>::Store>>;

/// The places of a source's store.
pub type PlaceOf<S> = <<S as Source>::Store as Store>::Place;

/// The open things of a source's store.
pub type OpenedOf<S> = <<S as Source>::Store as Store>::Opened;
