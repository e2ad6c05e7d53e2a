//! hashlane-manifest
