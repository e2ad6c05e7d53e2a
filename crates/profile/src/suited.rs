//! How a run reads: by the kept profile of the device that all of its paths lie on.

use std::ffi::OsStr;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use hashlane_engine::Profile;
use hashlane_io::{Device, EngineKind, Uring};
use serde::de::IgnoredAny;

use crate::cache::Cache;
use crate::device::DeviceProfile;
use crate::kind::profile_of_kind;
use crate::tuning::TunedPart;

/// How a run reads, and where that comes from.
#[derive(Clone, Debug, Default)]
pub struct Suited {
    /// How it reads.
    pub profile: Profile,
    /// What was measured, where a kept profile says how.
    pub tuned: Option<Measured>,
}

/// What a kept profile was measured by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Measured {
    /// The device.
    pub device: Device,
    /// When: RFC 3339, UTC.
    pub tuned: String,
    /// The kinds of reading. The others are as suits the kind of the device.
    pub parts: Vec<TunedPart>,
}

impl Suited {
    /// What suits the device that all of some paths lie on: what was kept of it by this `program`, or what is known of its kind.
    /// The default where they lie on several. What is not there lies nowhere.
    pub fn to<'a>(cache: Option<&Cache>, program: &str, paths: impl IntoIterator<Item = &'a OsStr>) -> Self {
        let Some(device) = common_device(paths.into_iter()) else { return Self::default() };
        match cache.and_then(|cache| kept(cache, program, &device)) {
            Some((profile, tuned, parts)) => Self { profile, tuned: Some(Measured { device, tuned, parts }) },
            None => Self { profile: profile_of_kind(&device), tuned: None },
        }
    }
}

/// What is kept of a device, since when, and for which kinds of reading. What it was found by does not matter to a run.
fn kept(cache: &Cache, program: &str, device: &Device) -> Option<(Profile, String, Vec<TunedPart>)> {
    type Kept = DeviceProfile<IgnoredAny, IgnoredAny>;
    let kept = Kept::parse(&cache.read(&Kept::file_name(device))?, program, device)?;
    let profile = kept.profile(device)?;
    // A profile that names a ring where none may read is not one of this program's making.
    let is_fit =
        profile.small.engine != EngineKind::Uring || Uring::available_at(&device.mount_point).is_ok();
    let parts = kept.parts();
    is_fit.then_some((profile, kept.tuned, parts))
}

/// The device that all of some paths lie on.
fn common_device<'a>(paths: impl Iterator<Item = &'a OsStr>) -> Option<Device> {
    /// Who names this many files one by one has them from a list, in which they stand together.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A cache with what was kept of the device that a directory lies on.
    fn tuned(directory: &Path, profile: &Profile) -> (Cache, Device) {
        let cache = Cache::at(&directory.join("cache"));
        let device = Device::at(directory).expect("it is there");
        let tuned = "2026-01-02T03:04:05Z".to_owned();
        let parts = [TunedPart::ColdSmall, TunedPart::WarmLarge];
        let kept =
            DeviceProfile::<String, u8>::new(profile, &parts, "program", tuned, &device, "somewhere".into());
        cache
            .write(&DeviceProfile::<String, u8>::file_name(&device), &kept.to_json())
            .expect("there is room");
        (cache, device)
    }

    fn suited(cache: &Cache, program: &str, paths: &[&Path]) -> Suited {
        Suited::to(Some(cache), program, paths.iter().map(|path| path.as_os_str()))
    }

    #[test]
    fn a_kept_profile_serves_what_lies_on_its_device_alone() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let mut measured = Profile::default();
        measured.small.in_flight = 17;
        let (cache, device) = tuned(directory.path(), &measured);
        let here = directory.path();
        let found = suited(&cache, "program", &[here, &here.join("nowhere"), &here.join("cache")]);
        assert_eq!(found.profile, measured);
        let parts = vec![TunedPart::ColdSmall, TunedPart::WarmLarge];
        let tuned = "2026-01-02T03:04:05Z".to_owned();
        assert_eq!(found.tuned, Some(Measured { device: device.clone(), tuned, parts }));
        let of_kind = profile_of_kind(&device);
        for (program, paths) in [
            ("another", &[here][..]),
            ("program", &[here, Path::new("/proc")]),
            ("program", &[Path::new("/proc/version")]),
            ("program", &[]),
            ("program", &[&here.join("nowhere")]),
        ] {
            let found = suited(&cache, program, paths);
            assert!(found.tuned.is_none(), "{program} {paths:?}");
            assert!([of_kind, Profile::default()].contains(&found.profile));
        }
        assert!(Suited::to(None, "program", [here.as_os_str()]).tuned.is_none());
    }
}
