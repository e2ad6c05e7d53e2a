//! The kept profile of the device that a run reads from.

use std::ffi::OsStr;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use hashlane_engine::{Profile, ReadOrder, Summary};
use hashlane_io::{Device, EngineKind, Uring};
use hashlane_measure::tune::DeviceProfile;

use crate::args::{EngineName, ReadingArgs};
use crate::cache::{Cache, CacheArgs};
use crate::text;
use crate::version::build;

/// How a run reads, and where that comes from.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reading {
    pub(crate) profile: Profile,
    /// What is said of it, if it was measured.
    said: Option<String>,
}

impl Reading {
    /// What suits the device that all of some paths lie on: what `tune` has kept, or what is known of its kind. The default
    /// where they lie on several, or where an engine was named.
    pub(crate) fn suiting<'a>(
        args: &ReadingArgs,
        cache: &CacheArgs,
        paths: impl Iterator<Item = &'a OsStr>,
    ) -> Self {
        if args.engine != EngineName::Auto || args.no_profile {
            return Self::default();
        }
        let Some(device) = common_device(paths) else { return Self::default() };
        let cache = Cache::of(cache);
        // A profile that names a ring where none may read is not one of this program's making.
        let is_fit = |kept: &DeviceProfile| {
            let by_ring = kept.profile().is_some_and(|profile| profile.small.engine == EngineKind::Uring);
            !by_ring || Uring::available_at(&device.mount_point).is_ok()
        };
        let kept = cache.and_then(|cache| cache.read(&DeviceProfile::file_name(&device)));
        match kept.and_then(|text| DeviceProfile::parse(&text, &build(), &device)).filter(is_fit) {
            Some(kept) => {
                let profile = kept.profile().unwrap_or_default();
                let day = kept.tuned.get(..10).unwrap_or(&kept.tuned);
                let said = format!("read as tuned for {} on {day}: {}", name(&device), words(&profile));
                // Of a profile these take the number of readers and the order, and no engine.
                let limited = args.device.from_medium || args.device.max_rate.is_some();
                Self { profile, said: (!limited).then_some(said) }
            }
            None => Self { profile: DeviceProfile::default_for(&device), said: None },
        }
    }

    /// The line for the end of a run, if there is something to be said.
    pub(crate) fn line(&self, summary: &Summary) -> Option<String> {
        match summary.unsuited {
            0 => self.said.clone(),
            reads => Some(format!(
                "{} without io_uring, which is used on local file systems only",
                text::counted(reads, "read")
            )),
        }
    }
}

/// The device that all of some paths lie on. What is not there lies nowhere.
fn common_device<'a>(paths: impl Iterator<Item = &'a OsStr>) -> Option<Device> {
    /// Who names so many files one by one has them from a list, in which they stand together.
    const MOST: usize = 1_000;
    let mut found: Option<(&Path, u64)> = None;
    for path in paths.take(MOST).map(Path::new) {
        let Ok(facts) = std::fs::metadata(path) else { continue };
        match found {
            None => found = Some((path, facts.dev())),
            Some((_, device)) if device != facts.dev() => return None,
            Some(_) => {}
        }
    }
    Device::at(found?.0).ok()
}

/// A device as people know it: `ext4 on vda`.
pub(crate) fn name(device: &Device) -> String {
    let on = device.disk.as_deref().unwrap_or(&device.mounted);
    text::name(format!("{} on {on}", device.file_system).as_bytes())
}

/// A profile in words: `small files buffered, 64 at once; ...`.
pub(crate) fn words(profile: &Profile) -> String {
    let large = |large: &hashlane_engine::LargeFiles| {
        let block = hashlane_report::figures::block(large.block_bytes as u64);
        format!("{}, {block} x {}", large.engine.name(), large.in_flight)
    };
    let order = match profile.order {
        ReadOrder::Inputs => "",
        ReadOrder::OnDisk => ", in the order of the disk",
    };
    format!(
        "cold small files {}, {} at once{order}; cold large files {}; warm ones {}",
        profile.small.engine.name(),
        profile.small.in_flight,
        large(&profile.cold),
        large(&profile.warm)
    )
}
