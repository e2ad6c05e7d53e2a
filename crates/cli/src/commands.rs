//! What each command does with its arguments.

pub(crate) mod audit;
pub(crate) mod bag;
pub(crate) mod bench;
pub(crate) mod check;
pub(crate) mod compare;
pub(crate) mod convert;
pub(crate) mod diff;
pub(crate) mod formats;
pub(crate) mod generate;
pub(crate) mod install_links;
pub(crate) mod known;
pub(crate) mod personality;
pub(crate) mod sum;
pub(crate) mod tune;
pub(crate) mod update;
