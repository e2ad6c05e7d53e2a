//! hashlane-engine
