//! The arguments of `hashlane audit` that are about audits under way.

use clap::Args;
use hashlane_record::Timestamp;
use hashlane_report::written::{rate, time_to_come};

/// What is asked of audits that are under way, whoever has begun them.
#[derive(Clone, Debug, Args)]
pub(crate) struct SteeringArgs {
    /// End the audit of the collection NAME, whoever began it, and wait until it has ended
    ///
    /// What was read is recorded, and the next audit goes on from there. The audit ends with code 75.
    #[arg(long, value_name = "NAME", help_heading = HEADING, hide_short_help = true, group = "steers", conflicts_with_all = OTHERS)]
    pub(crate) stop: Option<String>,

    /// Let the audit of the collection NAME read at most RATE bytes per second from now on, such as 20MB
    ///
    /// It counts within two seconds, whoever began the audit, and ends with it. `none` lifts any limit.
    #[arg(long, num_args = 2, value_names = ["NAME", "RATE"], help_heading = HEADING, hide_short_help = true, group = "steers", conflicts_with_all = OTHERS)]
    pub(crate) set_rate: Option<Vec<String>>,

    /// Audit nothing until --resume-all, or until --until: end what is under way, and begin nothing
    ///
    /// Each audit ends with code 75 and says why, and so does each that is begun meanwhile.
    #[arg(long, help_heading = HEADING, hide_short_help = true, group = "steers", conflicts_with_all = OTHERS)]
    pub(crate) pause_all: bool,

    /// End the pause at TIME: a time span such as 2h, a time of the day such as 22:00, or a date and time
    #[arg(long, value_name = "TIME", value_parser = time_to_come, requires = "pause_all", help_heading = HEADING, hide_short_help = true)]
    pub(crate) until: Option<Timestamp>,

    /// End the pause
    #[arg(long, help_heading = HEADING, hide_short_help = true, group = "steers", conflicts_with_all = OTHERS)]
    pub(crate) resume_all: bool,
}

const HEADING: &str = "Audits under way";

/// What an audit that is begun is asked for.
const OTHERS: [&str; 18] = [
    "name",
    "due",
    "time",
    "bytes",
    "files",
    "max_requests",
    "percent",
    "between",
    "at_most",
    "only",
    "evidence",
    "by",
    "from",
    "dry_run",
    "resume_held",
    "discard_held",
    "quiet",
    "verbose",
];

/// A limit of bytes per second, or that there is none.
pub(crate) fn limit(text: &str) -> Result<Option<u64>, String> {
    match text {
        "none" => Ok(None),
        text => rate(text).map(Some).map_err(|error| format!("{error}; `none` lifts the limit")),
    }
}
