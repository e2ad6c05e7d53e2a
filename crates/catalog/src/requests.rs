//! What runs are asked for.

/// That a run is an audit, as SQL. A decision, and what else is not an audit, has a run of its own all the same, because versions say by which run they
/// were replaced.
macro_rules! is_audit {
    () => {
        "request NOT IN ('accept', 'acknowledge', 'import', 'evidence', 'policy', 'relocate')"
    };
}

pub(crate) use is_audit;
