//! The read engines, one a module. What they share stands beside this one.

pub(crate) mod buffered;
pub(crate) mod direct;
pub(crate) mod failing;
pub(crate) mod mapped;
pub(crate) mod null;
pub(crate) mod pooled;
pub(crate) mod uring;
