//! How a store is reached, as it is kept with a collection and as it is asked.

use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use hashlane_catalog::StoreTerms;
use hashlane_objects::{Connection, Service};

/// How a store is reached, as it is kept. An endpoint of the environment is kept as well: an audit by a timer has another one.
pub fn terms_of(root: &Path, connection: Connection) -> StoreTerms {
    let service = Service::of(root.as_os_str().as_bytes());
    let connection = service.map_or_else(|| connection.clone(), |service| connection.meant(service));
    let mut terms = StoreTerms::default();
    (terms.endpoint, terms.region) = (connection.endpoint, connection.region);
    (terms.anonymous, terms.requester_pays) = (connection.anonymous, connection.requester_pays);
    terms
}

/// How it was kept, as it is reached, but for what is asked for now.
pub fn connection_of(terms: &StoreTerms, asked: &Connection) -> Connection {
    let mut connection = asked.clone();
    connection.endpoint = connection.endpoint.or_else(|| terms.endpoint.clone());
    connection.region = connection.region.or_else(|| terms.region.clone());
    connection.anonymous |= terms.anonymous;
    connection.requester_pays |= terms.requester_pays;
    connection
}
