//! A keeper changes what is said of a collection.

use crate::changes::{self, Changed};
use crate::collections::{Collection, Terms, by_number, check_name, refuse_taken, write_terms};
use crate::error::Result;
use crate::evidence;
use crate::ids::CollectionId;
use crate::paths::is_in_store;
use crate::writer::Writer;

impl Writer {
    /// Changes what a keeper says of a collection, but for its algorithms. A root that changes is another tree or the same one in
    /// another place: what it was seen to be is kept, so that the next audit shows it.
    ///
    /// # Errors
    /// Its name is taken or cannot be one, or the catalogue does not take it.
    pub fn set_collection(&mut self, id: CollectionId, terms: &Terms) -> Result<()> {
        check_name(&terms.name)?;
        let acting = self.acting.clone();
        let transaction = self.begin()?;
        let Collection { terms: was, marker, .. } = by_number(&transaction, id)?;
        if was.name != terms.name {
            refuse_taken(&transaction, &terms.name)?;
        }
        write_terms(&transaction, id, terms)?;
        if was.root != terms.root && is_in_store(&was.root) {
            evidence::forsake(&transaction, id)?;
        }
        let what = match () {
            () if was.root != terms.root => "relocated",
            () if was.name != terms.name => "renamed",
            () => "set",
        };
        let told = |terms: &Terms| terms.told(marker.as_deref());
        let (before, becomes) = changes::difference(told(&was)?, told(terms)?);
        if !before.is_empty() || !becomes.is_empty() {
            let changed = Changed { what, collection: Some(id.0), name: &was.name, was: before, becomes };
            changes::record(&transaction, &acting, &changed)?;
        }
        transaction.commit()?;
        Ok(())
    }
}
