//! What the program says: a library has no words for what its options are called.

use hashlane_objects::Error;

/// What is wrong with a location, and what to do about it, in the words of the program and without the name.
pub type Told = fn(&[u8], &Error) -> String;

/// What the program says of a store.
#[derive(Clone, Copy, Debug)]
pub struct Words {
    /// What is wrong with a location.
    pub told: Told,
    /// Why an object is left out whose key is no path in a collection. `more`: so many like it are not named.
    pub not_held: fn(more: u64) -> String,
}
