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

/// How it was kept, as it is reached.
pub fn connection_of(terms: &StoreTerms) -> Connection {
    let mut connection = Connection::new();
    connection.endpoint.clone_from(&terms.endpoint);
    connection.region.clone_from(&terms.region);
    (connection.anonymous, connection.requester_pays) = (terms.anonymous, terms.requester_pays);
    connection
}
