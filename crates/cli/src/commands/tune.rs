//! `hashlane tune`: how a device is read best.

use hashlane_io::Device;
use hashlane_measure::tune::{DeviceProfile, NotTuned, Tune, Tuned};
use hashlane_profile::{Cache, TunedPart};
use hashlane_report::{text, tuning_text, work};

use crate::args::TuneArgs;
use crate::cache::cannot_keep;
use crate::commands::bench::{BenchProgress, check_directory, clear, print};
use crate::output::shown;
use crate::status::{Ended, Status, usage};
use crate::terminal::screen::Screen;
use crate::terminal::signals::die_by;
use crate::version::build;

/// What is kept, in messages.
const WHAT: &str = "the profile";

pub(super) fn run(args: &TuneArgs) -> anyhow::Result<Status> {
    let plain = Screen::plain();
    check_directory("PATH", &args.path)?;
    let device =
        Device::at(&args.path).map_err(|error| usage!("{}: {}", shown(&args.path), text::system(&error)))?;
    // Before a minute is spent: where the profile goes has to be there.
    let cache = if args.no_save { None } else { args.cache.place(WHAT)? };
    if args.drop_caches {
        may_drop_caches()?;
    }
    let mut progress = BenchProgress::start(args.progress)?;
    let screen = progress.screen().clone();
    clear(&args.path, &screen);
    if !args.json {
        screen.message(&format!("test files go to {} and are removed afterwards", shown(&args.path)));
    }
    let tune = Tune {
        directory: args.path.clone(),
        budget: args.budget,
        seed: args.seed,
        drop_caches: args.drop_caches,
        program: build(),
    };
    let tuned = tune.run(&mut progress);
    if let Some(signal) = progress.end() {
        plain.message("stopped before the end; nothing is saved, and an earlier profile is kept");
        die_by(signal);
    }
    let tuned = tuned.map_err(|error| not_tuned(args, &error))?;
    // Whatever becomes of one, the other is not lost.
    let kept = cache.map(|cache| keep(&cache, &device, &tuned, &plain));
    print(&if args.json { tuned.kept.to_json() } else { tuning_text(&device, &tuned) })?;
    kept.transpose()?;
    Ok(Status::OK)
}

fn not_tuned(args: &TuneArgs, error: &NotTuned) -> anyhow::Error {
    let path = shown(&args.path);
    let said = match error {
        NotTuned::Device(source) | NotTuned::Files(source) => {
            format!("{path}: {error}: {}", text::system(source))
        }
        _ => format!("{path}: {error}"),
    };
    match error {
        // A device that fails is not a mistake of whoever named it.
        NotTuned::Files(source) if source.raw_os_error() == Some(rustix::io::Errno::IO.raw_os_error()) => {
            Ended::output(said)
        }
        NotTuned::Nothing { .. } => usage!(
            "{said}; nothing was measured, so nothing is saved; name a directory on another file system as PATH, or run it where \
             the page cache can be observed"
        ),
        NotTuned::Room { allowance, .. } if allowance.is_of_memory() => {
            usage!("{said}; free some memory, or raise its limit (ulimit -v, memory.max)")
        }
        _ => usage!("{said}; name another directory as PATH"),
    }
}

fn keep(cache: &Cache, device: &Device, tuned: &Tuned, plain: &Screen) -> anyhow::Result<()> {
    let file = DeviceProfile::file_name(device);
    cache.write(&file, &tuned.kept.to_json()).map_err(|error| cannot_keep(cache, WHAT, error))?;
    let missing = work::PARTS.into_iter().filter(|part| !tuned.parts.contains(part)).map(TunedPart::name);
    let missing = missing.collect::<Vec<_>>().join("; ");
    let without = if missing.is_empty() {
        String::new()
    } else {
        format!(", but nothing of what was not measured ({missing})")
    };
    plain.message(&format!(
        "saved in {}{without}; sum and check use it for files on {}",
        shown(&cache.path(&file)),
        work::device(device)
    ));
    Ok(())
}

fn may_drop_caches() -> anyhow::Result<()> {
    let opened = std::fs::OpenOptions::new().write(true).open("/proc/sys/vm/drop_caches");
    opened.map(drop).map_err(|error| {
        let error = text::system(&error);
        usage!("--drop-caches: /proc/sys/vm/drop_caches: {error}; it needs root; leave out --drop-caches")
    })
}
