//! Where names of lists are looked up: below a directory, in a store, or from the current directory on.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::Arc;

use hashlane_keeper::{Store, is_object};
use hashlane_verify::lists::{First, ListOptions};
use hashlane_verify::{Base, Elsewhere, here};
use pyo3::prelude::*;

use crate::errors;
use crate::records::connect;

/// Where names of lists are looked up.
pub(crate) struct Place {
    /// A directory that they are relative to.
    pub(crate) base: Option<Base>,
    /// A store, below a prefix that they are relative to or by their whole names.
    pub(crate) elsewhere: Option<Arc<dyn Elsewhere>>,
    /// What relative names are relative to where nothing was named.
    pub(crate) here: Vec<u8>,
}

impl Place {
    /// What was named, if anything was; else what the first list is of.
    pub(crate) fn of(named: Option<OsString>, lists: &[OsString], reading: &ListOptions) -> PyResult<Self> {
        let store = |objects| Store::new(objects, |_, error| error.to_string());
        let is_prefix = |named: &OsString| is_object(named.as_bytes());
        if let Some(prefix) = named.as_ref().filter(|named| is_prefix(named)) {
            let objects = store(connect(std::slice::from_ref(prefix))?).below(prefix.as_bytes());
            return Ok(Self { base: None, elsewhere: Some(Arc::new(objects)), here: Vec::new() });
        }
        let lists_objects =
            || First::of(lists, reading).is_some_and(|first| is_object(first.name.as_bytes()));
        if named.is_none() && lists_objects() {
            let elsewhere: Arc<dyn Elsewhere> = Arc::new(store(connect(&[])?));
            return Ok(Self { base: None, elsewhere: Some(elsewhere), here: Vec::new() });
        }
        let here = if named.is_some() { Vec::new() } else { here() };
        let base = named.map(|path| Base::open(Path::new(&path))).transpose();
        Ok(Self { base: base.map_err(|error| errors::verify(&error))?, elsewhere: None, here })
    }
}
