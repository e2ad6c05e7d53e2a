//! Where the files of a collection are: in a tree of this machine, or below a prefix of an object store.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use hashlane_auditor::{Ground, LocalTree};
use hashlane_catalog::{Collection, Reader};
use hashlane_engine::{Control, Options};
use hashlane_objects::{Connection, Traffic};

use crate::bucket::Bucket;
use crate::error::Error;
use crate::words::Words;

/// Where the files of a collection are.
pub struct Place(Kind);

enum Kind {
    Tree(Box<LocalTree>),
    Bucket(Box<Bucket>),
}

impl fmt::Debug for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Kind::Tree(_) => "Place(tree)",
            Kind::Bucket(_) => "Place(bucket)",
        })
    }
}

impl Place {
    /// The place of a collection, and how what lies there is read. `asked`: how a store is reached, where that is not as it is kept. Nothing is
    /// asked of a store yet.
    ///
    /// # Errors
    /// Its globs are malformed, or its store is not reached as is asked for.
    pub fn of(
        catalog: &Reader,
        collection: &Collection,
        options: Options,
        asked: &Connection,
        words: Words,
    ) -> Result<Self, Error> {
        let place = match collection.terms.is_in_store() {
            true => Kind::Bucket(Box::new(Bucket::new(collection, options, asked, words)?)),
            false => Kind::Tree(Box::new(LocalTree::new(collection, options)?.without(catalog))),
        };
        Ok(Self(place))
    }

    /// The same, where files are looked at and not read.
    ///
    /// # Errors
    /// As [`Self::of`].
    pub fn to_look_at(catalog: &Reader, collection: &Collection, words: Words) -> Result<Self, Error> {
        let options = Options::new(collection.terms.algorithms.clone().into());
        Self::of(catalog, collection, options, &Connection::new(), words)
    }

    /// What is told when it is listed: by what it is stopped, and where large temporary files may lie.
    #[must_use]
    pub fn listed_with(mut self, control: &Arc<Control>, scratch: PathBuf) -> Self {
        if let Kind::Bucket(bucket) = &mut self.0 {
            bucket.objects.heed(control);
            (bucket.control, bucket.scratch) = (Arc::clone(control), scratch);
        }
        self
    }

    /// What an audit lists, asks and reads.
    pub fn ground(&self) -> &dyn Ground {
        match &self.0 {
            Kind::Tree(tree) => &**tree,
            Kind::Bucket(bucket) => &**bucket,
        }
    }

    /// Asks a store at most so often.
    pub fn ask_at_most(&self, requests: u64) {
        if let Kind::Bucket(bucket) = &self.0 {
            bucket.objects.ask_at_most(requests);
        }
    }

    /// Whether a collection that could not be reached may lie somewhere else by now. Other credentials are no other place.
    pub fn may_lie_elsewhere(&self) -> bool {
        match &self.0 {
            Kind::Tree(_) => true,
            Kind::Bucket(bucket) => bucket.may_lie_elsewhere.load(Ordering::Relaxed),
        }
    }

    /// What was asked of a store so far.
    pub fn traffic(&self) -> Option<Arc<Traffic>> {
        match &self.0 {
            Kind::Tree(_) => None,
            Kind::Bucket(bucket) => Some(bucket.objects.traffic()),
        }
    }
}
