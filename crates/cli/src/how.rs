//! What can be done about collections, as the commands of this program.

use hashlane_catalog::Collection;
use hashlane_io::Device;
use hashlane_keeper::{Action, TunedRate};
use hashlane_measure::tune::{DeviceProfile, cold_rate};
use hashlane_report::collection::reason;
use hashlane_report::shell::word;

use crate::cache::CacheArgs;
use crate::version::build;

/// The command, or the option, by which something is done. `PATH` stands for a file.
pub(crate) fn how_to(action: &Action<'_>) -> String {
    match *action {
        Action::Register => "hashlane collection add".to_owned(),
        Action::Audit(name) => format!("hashlane audit {name}"),
        Action::AuditDue(name) => format!("hashlane audit {name} --due"),
        Action::AuditFile(name) => format!("hashlane audit {name} PATH"),
        Action::Resume { name, by: None } => format!("hashlane audit {name} --resume-held"),
        Action::Resume { name, by: Some(place) } => {
            format!("hashlane audit {name} --by {} --resume-held", word(place.as_bytes()))
        }
        Action::Accept { name, reason: why } => {
            format!("hashlane accept {name} PATH --reason '{}'", reason(why))
        }
        Action::Acknowledge(name) => {
            format!("hashlane acknowledge {name} PATH --until 14d --reason 'copy ordered'")
        }
        Action::History(name) => format!("hashlane history {name}:PATH"),
        Action::ImportReport(name) => format!("hashlane audit {name} --evidence REPORT"),
        Action::Show(name) => format!("hashlane collection show {name}"),
        Action::Report(name) => format!("hashlane collection report {name}"),
        Action::Promise(days) => format!("--every {days}d"),
        Action::Tune => "hashlane tune".to_owned(),
        Action::ListAll => "--format csv".to_owned(),
        Action::LimitRate => "--max-rate".to_owned(),
    }
}

/// How fast large files come from the device that a collection lies on, as `tune` has measured.
pub(crate) fn tuned(cache: &CacheArgs, collection: &Collection) -> Option<TunedRate> {
    let device = Device::at(&collection.terms.root).ok()?;
    let text = cache.directory()?.read(&DeviceProfile::file_name(&device))?;
    let kept = DeviceProfile::parse(&text, &build(), &device)?;
    Some(TunedRate { bytes_per_second: cold_rate(&kept, &device)?, at: kept.tuned })
}
