//! What a person can do about a collection, as values.

/// Something to be done about a collection. Each program has its own way for it: a command, or a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action<'a> {
    /// Register a collection.
    Register,
    /// Audit all of a collection, by its name.
    Audit(&'a str),
    /// Audit what is due of it.
    AuditDue(&'a str),
    /// Audit one file of it.
    AuditFile(&'a str),
    /// Go on with an audit that was held.
    Resume {
        /// The collection.
        name: &'a str,
        /// Where the run elsewhere stands whose readings the audit took, if it took those.
        by: Option<&'a str>,
    },
    /// Accept what was found of a file.
    Accept {
        /// The collection.
        name: &'a str,
        /// An example of why.
        reason: Reason,
    },
    /// Acknowledge what was found of a file, for a while.
    Acknowledge(&'a str),
    /// See what happened to a file.
    History(&'a str),
    /// Import a report of a provider.
    ImportReport(&'a str),
    /// See the terms of a collection.
    Show(&'a str),
    /// See what stands against it.
    Report(&'a str),
    /// Promise that each byte is read again within this many days.
    Promise(i64),
    /// Measure the device.
    Tune,
    /// List all findings.
    ListAll,
    /// Read no faster than is said.
    LimitRate,
}

/// A reason by which somebody may accept what was found of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// It was edited on purpose.
    Edited,
    /// It is not needed any more.
    Unneeded,
    /// It is a new version.
    NewVersion,
    /// It was added.
    Added,
    /// It was moved.
    Moved,
    /// Its content is as known.
    AsKnown,
    /// The report of the provider was of another object.
    OtherObject,
}
