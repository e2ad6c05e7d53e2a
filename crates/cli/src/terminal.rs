//! What stands on a terminal, and what comes from there: messages, the bar, Ctrl-C.

pub(crate) mod bar;
pub(crate) mod progress;
pub(crate) mod screen;
pub(crate) mod signals;
