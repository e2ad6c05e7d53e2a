//! The kept profile of the device that a run reads from.

use std::ffi::OsStr;

use hashlane_engine::{Profile, ReadOrder, Summary};
use hashlane_io::Device;
use hashlane_profile::{Measured, Part, Suited};
use hashlane_report::text;

use crate::args::{EngineName, ReadingArgs};
use crate::cache::CacheArgs;
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
        let Suited { profile, tuned } = Suited::to(cache.directory().as_ref(), &build(), paths);
        // Of a profile these take the number of readers and the order, and no engine.
        let limited = args.device.from_medium || args.device.max_rate.is_some();
        let said = tuned.filter(|_| !limited).map(|Measured { device, tuned, parts }| {
            let day = tuned.get(..10).unwrap_or(&tuned);
            format!("read as tuned for {} on {day}: {}", name(&device), words(&profile, &parts))
        });
        Self { profile, said }
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

/// A device as people know it: `ext4 on vda`.
pub(crate) fn name(device: &Device) -> String {
    let on = device.disk.as_deref().unwrap_or(&device.mounted);
    text::name(format!("{} on {on}", device.file_system).as_bytes())
}

/// The measured parts of a profile in words: `cold small files buffered, 64 at once; ...`.
pub(crate) fn words(profile: &Profile, parts: &[Part]) -> String {
    let large = |large: &hashlane_engine::LargeFiles| {
        let block = hashlane_report::figures::block(large.block_bytes as u64);
        format!("{}, {block} x {}", large.engine.name(), large.in_flight)
    };
    let order = match profile.order {
        ReadOrder::Inputs => "",
        ReadOrder::OnDisk => ", in disk order",
    };
    let small = &profile.small;
    let warm = if parts.contains(&Part::ColdLarge) { "warm ones" } else { "warm large files" };
    let all = [
        (
            Part::ColdSmall,
            format!("cold small files {}, {} at once{order}", small.engine.name(), small.in_flight),
        ),
        (Part::ColdLarge, format!("cold large files {}", large(&profile.cold))),
        (Part::WarmLarge, format!("{warm} {}", large(&profile.warm))),
    ];
    let measured = all.into_iter().filter(|(part, _)| parts.contains(part)).map(|(_, words)| words);
    measured.collect::<Vec<_>>().join("; ")
}
