//! How a collection is, in a word: the one table of states.
//!
//! The gravest one is reported. A collection is well only where an audit has judged it, not long ago, and has nothing against it.

/// How a collection is; what comes first is graver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Condition {
    /// Its last audit was held: nothing was judged.
    Held,
    /// What it lies on does not let it be read, or its catalogue is damaged: a person has to look at that.
    Refused,
    /// It cannot be reached, and should be.
    Offline,
    /// Something stands against it that nobody knows of.
    Attention,
    /// No audit has judged it for long.
    Silent,
    /// Files were not read within the promised time.
    Late,
    /// Its first audit has found no file.
    Empty,
    /// No audit has judged it.
    NeverAudited,
    /// It cannot be reached, and need not be.
    Away,
    /// Its first audit has read a part of it.
    FirstNotOver,
    /// All is well.
    Ok,
}

/// What shows how a collection is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// Its last audit was held.
    pub is_held: bool,
    /// The store or the system refused.
    pub is_refused: bool,
    /// It cannot be reached.
    pub is_offline: bool,
    /// It may be away.
    pub is_removable: bool,
    /// Something stands against it that nobody knows of, or a directory could not be listed.
    pub has_findings: bool,
    /// Nothing was judged for long.
    pub is_silent: bool,
    /// Files are late.
    pub is_late: bool,
    /// Its first audit has found no file.
    pub is_empty: bool,
    /// A file of it was read good.
    pub was_read: bool,
    /// An audit of all of it has come to its end.
    pub was_listed: bool,
}

impl Condition {
    /// All of them, the gravest first.
    pub const ALL: [Self; 11] = [
        Self::Held,
        Self::Refused,
        Self::Offline,
        Self::Attention,
        Self::Silent,
        Self::Late,
        Self::Empty,
        Self::NeverAudited,
        Self::Away,
        Self::FirstNotOver,
        Self::Ok,
    ];

    /// The gravest one of a collection.
    pub fn of(facts: Facts) -> Self {
        let away = facts.is_offline && facts.is_removable;
        match facts {
            Facts { is_held: true, .. } => Self::Held,
            Facts { is_refused: true, .. } => Self::Refused,
            Facts { is_offline: true, is_removable: false, .. } => Self::Offline,
            Facts { has_findings: true, .. } => Self::Attention,
            Facts { is_silent: true, .. } if !away => Self::Silent,
            Facts { is_late: true, .. } => Self::Late,
            Facts { is_empty: true, .. } => Self::Empty,
            Facts { was_read: false, was_listed: false, .. } => Self::NeverAudited,
            _ if away => Self::Away,
            Facts { was_listed: false, .. } => Self::FirstNotOver,
            _ => Self::Ok,
        }
    }

    /// In a word or two.
    pub fn name(self) -> &'static str {
        match self {
            Self::Held => "held",
            Self::Refused => "refused",
            Self::Offline => "offline",
            Self::Attention => "attention",
            Self::Silent => "silent",
            Self::Late => "late",
            Self::Empty => "empty",
            Self::NeverAudited => "never audited",
            Self::Away => "away",
            Self::FirstNotOver => "first audit not over",
            Self::Ok => "ok",
        }
    }

    /// The word for where only one word is shown: what is away is offline, whether it may be or not.
    pub fn state(self) -> &'static str {
        match self {
            Self::Away => Self::Offline.name(),
            condition => condition.name(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gravest_is_told() {
        assert!(Condition::ALL.is_sorted());
        // Each fact by itself, and with all that are less grave.
        let well = Facts { was_read: true, was_listed: true, ..Facts::default() };
        type Set = fn(&mut Facts);
        let facts: [(Set, Condition); 9] = [
            (|of| of.was_listed = false, Condition::FirstNotOver),
            (|of| (of.is_offline, of.is_removable) = (true, true), Condition::Away),
            (|of| of.was_read = false, Condition::NeverAudited),
            (|of| of.is_empty = true, Condition::Empty),
            (|of| of.is_late = true, Condition::Late),
            (|of| of.has_findings = true, Condition::Attention),
            (|of| of.is_removable = false, Condition::Offline),
            (|of| of.is_refused = true, Condition::Refused),
            (|of| of.is_held = true, Condition::Held),
        ];
        assert_eq!(Condition::of(well), Condition::Ok);
        let mut all = well;
        for (set, condition) in facts {
            set(&mut all);
            assert_eq!(Condition::of(all), condition);
        }
        // Nobody expects to hear of what is away.
        let silent = Facts { is_silent: true, ..well };
        assert_eq!(Condition::of(silent), Condition::Silent);
        assert_eq!(Condition::of(Facts { is_late: true, ..silent }), Condition::Silent);
        let away = Facts { is_offline: true, is_removable: true, ..silent };
        assert_eq!(Condition::of(away), Condition::Away);
    }
}
