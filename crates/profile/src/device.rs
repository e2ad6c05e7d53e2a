//! The profile of a device as it is kept: how a run reads there, and the figures that say why.

use hashlane_engine::{LargeFiles, Profile, ReadOrder, SmallFiles};
use hashlane_io::{Device, EngineKind};
use serde::{Deserialize, Serialize};

use crate::calibration::Cpu;
use crate::kind::profile_of_kind;
use crate::tuning::TunedPart;

/// What the files of this module call themselves.
const SCHEMA: &str = "hashlane-device-profile";

/// The version of the schema. A file of another one is as good as none.
const SCHEMA_VERSION: u32 = 1;

/// A profile with what it was found by: `P` says where that was, and `C` what was measured of one way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeviceProfile<P, C> {
    schema: String,
    schema_version: u32,
    /// Name and version of the program that measured it.
    pub program: String,
    /// When, RFC 3339, UTC.
    pub tuned: String,
    /// What names the file system: [`Device::identity`].
    pub identity: String,
    /// The CPU that it was measured with: a directory of caches may be shared by machines, and a virtual one moves to another host.
    cpu: Option<Cpu>,
    /// Where it was measured.
    pub place: P,
    /// Of each kind of reading what was measured of it: nothing is kept of one that could not be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    small_files: Option<Small>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cold_large_files: Option<Large>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    warm_large_files: Option<Large>,
    /// In which order cold small files are begun.
    order: Order,
    /// What could not be measured, or was measured and not taken.
    pub notes: Vec<String>,
    /// All ways that were tried, with the samples of the last rounds that each was in.
    pub cells: Vec<C>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Small {
    engine: String,
    in_flight: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Large {
    engine: String,
    block_bytes: usize,
    in_flight: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Order {
    Inputs,
    OnDisk,
}

impl<P, C> DeviceProfile<P, C> {
    /// A profile to be kept of the parts that were measured, without notes and figures yet. `program` is name and version of what
    /// measured it, `tuned` when.
    pub fn new(
        profile: &Profile,
        parts: &[TunedPart],
        program: &str,
        tuned: String,
        device: &Device,
        place: P,
    ) -> Self {
        let large = |part, LargeFiles { engine, block_bytes, in_flight }| {
            parts.contains(&part).then(|| Large { engine: engine.name().to_owned(), block_bytes, in_flight })
        };
        Self {
            schema: SCHEMA.to_owned(),
            schema_version: SCHEMA_VERSION,
            program: program.to_owned(),
            tuned,
            identity: device.identity.clone(),
            cpu: Cpu::this(),
            place,
            small_files: parts.contains(&TunedPart::ColdSmall).then(|| Small {
                engine: profile.small.engine.name().to_owned(),
                in_flight: profile.small.in_flight,
            }),
            cold_large_files: large(TunedPart::ColdLarge, profile.cold),
            warm_large_files: large(TunedPart::WarmLarge, profile.warm),
            order: match profile.order {
                ReadOrder::Inputs => Order::Inputs,
                ReadOrder::OnDisk => Order::OnDisk,
            },
            notes: Vec::new(),
            cells: Vec::new(),
        }
    }

    /// Reads what was kept. `None` for what is none of ours, of another `program` or version of it, for a device other than
    /// `device`, or of another CPU: it is measured anew, and until then the default serves.
    pub fn parse<'a>(text: &'a str, program: &str, device: &Device) -> Option<Self>
    where
        P: Deserialize<'a>,
        C: Deserialize<'a>,
    {
        let kept: Self = serde_json::from_str(text).ok()?;
        let ours = kept.schema == SCHEMA && kept.schema_version == SCHEMA_VERSION;
        let is_of_it = ours && kept.program == program && kept.identity == device.identity;
        let is_of_it = is_of_it && kept.cpu == Cpu::this();
        (is_of_it && !kept.parts().is_empty() && kept.profile(device).is_some()).then_some(kept)
    }

    /// The kinds of reading that were measured.
    pub fn parts(&self) -> Vec<TunedPart> {
        let measured = [
            (TunedPart::ColdSmall, self.small_files.is_some()),
            (TunedPart::ColdLarge, self.cold_large_files.is_some()),
            (TunedPart::WarmLarge, self.warm_large_files.is_some()),
        ];
        measured.into_iter().filter(|(_, is_measured)| *is_measured).map(|(part, _)| part).collect()
    }

    /// How a run reads on a device: as was measured, and as suits its kind where that could not be. `None` if no run can read so.
    pub fn profile(&self, device: &Device) -> Option<Profile> {
        let base = profile_of_kind(device);
        let large = |Large { engine, block_bytes, in_flight }: &Large| {
            let (block_bytes, in_flight) = (*block_bytes, *in_flight);
            Some(LargeFiles { engine: EngineKind::named(engine)?, block_bytes, in_flight })
        };
        let mut profile = base;
        if let Some(Small { engine, in_flight }) = &self.small_files {
            profile.small = SmallFiles { engine: EngineKind::named(engine)?, in_flight: *in_flight };
            profile.order = match self.order {
                Order::Inputs => ReadOrder::Inputs,
                Order::OnDisk => ReadOrder::OnDisk,
            };
        }
        if let Some(cold) = &self.cold_large_files {
            profile.cold = large(cold)?;
        }
        if let Some(warm) = &self.warm_large_files {
            profile.warm = large(warm)?;
        }
        profile.is_sound().then_some(profile)
    }

    /// The name of the file for a device: letters, digits and hyphens only.
    pub fn file_name(device: &Device) -> String {
        let plain = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '-' };
        format!("device-{}.json", device.identity.chars().map(plain).collect::<String>())
    }
}

impl<P: Serialize, C: Serialize> DeviceProfile<P, C> {
    /// The text that is kept.
    ///
    /// # Panics
    /// `P` or `C` has no form as JSON: a map whose keys are no text.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("it holds nothing but text and numbers");
        text.push('\n');
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Kept = DeviceProfile<String, (String, f64)>;

    fn kept(profile: &Profile) -> (Kept, Device) {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let device = Device::at(directory.path()).expect("it is there");
        let tuned = "2026-01-02T03:04:05Z".to_owned();
        let parts = [TunedPart::ColdSmall, TunedPart::ColdLarge, TunedPart::WarmLarge];
        let mut kept = Kept::new(profile, &parts, "hashlane test", tuned, &device, "a place".to_owned());
        kept.cells.push(("a way".to_owned(), 1.5));
        (kept, device)
    }

    #[test]
    fn what_is_kept_is_read_back() {
        let default = Profile::default();
        let tuned = Profile {
            small: SmallFiles { engine: EngineKind::Uring, in_flight: 128 },
            cold: LargeFiles { engine: EngineKind::Direct, block_bytes: 1 << 20, in_flight: 4 },
            warm: LargeFiles { engine: EngineKind::Mapped, block_bytes: 4 << 20, in_flight: 1 },
            order: ReadOrder::OnDisk,
        };
        for profile in [default, Profile::rotational(), tuned] {
            let (kept, device) = kept(&profile);
            let read = Kept::parse(&kept.to_json(), "hashlane test", &device).expect("as it was written");
            assert_eq!((read.profile(&device), &read), (Some(profile), &kept));
        }
    }

    #[test]
    fn what_was_not_measured_is_not_kept_and_is_read_as_suits_the_kind() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let device = Device::at(directory.path()).expect("it is there");
        let mut tuned = Profile::default();
        tuned.small.in_flight = 17;
        tuned.cold = LargeFiles { engine: EngineKind::Direct, block_bytes: 1 << 20, in_flight: 4 };
        tuned.warm = LargeFiles { engine: EngineKind::Mapped, block_bytes: 4 << 20, in_flight: 1 };
        let kept = |parts: &[TunedPart]| {
            let day = "2026-01-02T03:04:05Z".to_owned();
            Kept::new(&tuned, parts, "hashlane test", day, &device, "a place".to_owned())
        };
        let read = |parts| Kept::parse(&kept(parts).to_json(), "hashlane test", &device);
        let warm = read(&[TunedPart::WarmLarge]).expect("as it was written");
        assert_eq!(warm.parts(), [TunedPart::WarmLarge]);
        let of_kind = profile_of_kind(&device);
        assert_eq!(warm.profile(&device), Some(Profile { warm: tuned.warm, ..of_kind }));
        let cold = read(&[TunedPart::ColdLarge, TunedPart::ColdSmall]).expect("as it was written");
        assert_eq!(cold.profile(&device), Some(Profile { warm: of_kind.warm, ..tuned }));
        assert_eq!(read(&[]), None, "a profile of nothing is none");
    }

    #[test]
    fn what_is_wrong_or_for_another_device_is_as_good_as_none() {
        let (good, device) = kept(&Profile::default());
        let text = good.to_json();
        for (from, to) in [
            ("hashlane-device-profile", "hashlane-run"),
            ("\"schema_version\": 1", "\"schema_version\": 2"),
            ("\"in_flight\": 64", "\"in_flight\": 0"),
            ("\"in_flight\": 64", "\"in_flight\": -1"),
            ("\"engine\": \"buffered\"", "\"engine\": \"null\""),
            ("\"engine\": \"buffered\"", "\"engine\": \"teleport\""),
            ("524288", "12345"),
            ("\"order\": \"inputs\"", "\"order\": \"random\""),
            ("{", "["),
        ] {
            assert!(text.contains(from), "{from}");
            assert_eq!(
                Kept::parse(&text.replace(from, to), "hashlane test", &device),
                None,
                "{from} -> {to}"
            );
        }
        assert_eq!(Kept::parse(&text[..text.len() / 2], "hashlane test", &device), None);
        assert_eq!(Kept::parse(&text, "hashlane test, rebuilt", &device), None);
        let other = Device { identity: "another".into(), ..device };
        assert_eq!(Kept::parse(&text, "hashlane test", &other), None);
    }

    #[test]
    fn what_another_processor_measured_is_as_good_as_none() {
        let (mut kept, device) = kept(&Profile::default());
        let is_read = |kept: &Kept| Kept::parse(&kept.to_json(), "hashlane test", &device).is_some();
        assert!(is_read(&kept));
        let other =
            r#"{ "architecture": "x86_64", "model": "AuthenticAMD 25 1 1, AMD EPYC", "features": [] }"#;
        kept.cpu = serde_json::from_str(other).expect("a CPU");
        assert!(!is_read(&kept));
    }

    #[test]
    fn a_file_name_holds_nothing_that_leads_elsewhere() {
        let (_, device) = kept(&Profile::default());
        let name = Kept::file_name(&Device { identity: "fuse.../../x-1-2".into(), ..device });
        assert_eq!(name, "device-fuse-------x-1-2.json");
    }
}
