//! Where the files of a collection are: in a tree of this machine, or below a prefix of an object store.

use std::os::unix::ffi::OsStrExt as _;
use std::rc::Rc;

use hashlane_auditor::Ground;
use hashlane_catalog::{Collection, Reader};
use hashlane_engine::{EngineChoice, Options};
use hashlane_objects::{Connection, Objects, Told};

use crate::error::Error;
use crate::terms::connection_of;

/// Where the files of a collection are.
#[derive(Debug)]
pub struct Place {
    /// What an audit lists, asks and reads.
    pub ground: Ground<'static>,
    /// The store, if they are objects.
    pub store: Option<Objects>,
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
        told: Told,
    ) -> Result<Self, Error> {
        if !collection.terms.is_in_store() {
            return Ok(Self { ground: Ground::local(catalog, collection, options)?, store: None });
        }
        if matches!(options.engine, EngineChoice::FromMedium) {
            return Err(Error::NoMedium);
        }
        let connection = connection_of(&collection.terms.store, asked);
        let store = Objects::new(&connection).map_err(Error::Unreached)?.telling(told);
        let store = store.below(collection.terms.root.as_os_str().as_bytes());
        let ground = Ground::new(catalog, collection, Rc::new(store.clone()), options)?;
        Ok(Self { ground, store: Some(store) })
    }

    /// The same, where files are looked at and not read.
    ///
    /// # Errors
    /// As [`Self::of`].
    pub fn to_look_at(catalog: &Reader, collection: &Collection, told: Told) -> Result<Self, Error> {
        let options = Options::new(collection.terms.algorithms.clone().into());
        Self::of(catalog, collection, options, &Connection::new(), told)
    }

    /// Whether a collection that could not be reached may lie somewhere else by now. Other credentials are no other place.
    pub fn may_lie_elsewhere(&self) -> bool {
        self.store.as_ref().is_none_or(Objects::may_lie_elsewhere)
    }
}
