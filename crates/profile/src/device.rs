//! The profile of a device as it is kept: how a run reads there, and the figures that say why.

use hashlane_engine::{LargeFiles, Profile, ReadOrder, SmallFiles};
use hashlane_io::{Device, EngineKind};
use serde::{Deserialize, Serialize};

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
    /// Where it was measured.
    pub place: P,
    small_files: Small,
    cold_large_files: Large,
    warm_large_files: Large,
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
    /// A profile to be kept, without notes and figures yet. `program` is name and version of what measured it, `tuned` when.
    pub fn new(profile: &Profile, program: &str, tuned: String, device: &Device, place: P) -> Self {
        let large = |LargeFiles { engine, block_bytes, in_flight }| Large {
            engine: engine.name().to_owned(),
            block_bytes,
            in_flight,
        };
        Self {
            schema: SCHEMA.to_owned(),
            schema_version: SCHEMA_VERSION,
            program: program.to_owned(),
            tuned,
            identity: device.identity.clone(),
            place,
            small_files: Small {
                engine: profile.small.engine.name().to_owned(),
                in_flight: profile.small.in_flight,
            },
            cold_large_files: large(profile.cold),
            warm_large_files: large(profile.warm),
            order: match profile.order {
                ReadOrder::Inputs => Order::Inputs,
                ReadOrder::OnDisk => Order::OnDisk,
            },
            notes: Vec::new(),
            cells: Vec::new(),
        }
    }

    /// Reads what was kept. `None` for what is none of ours, of another `program` or version of it, or for a device other than
    /// `device`: it is measured anew, and until then the default serves.
    pub fn parse<'a>(text: &'a str, program: &str, device: &Device) -> Option<Self>
    where
        P: Deserialize<'a>,
        C: Deserialize<'a>,
    {
        let kept: Self = serde_json::from_str(text).ok()?;
        let ours = kept.schema == SCHEMA && kept.schema_version == SCHEMA_VERSION;
        (ours && kept.program == program && kept.identity == device.identity && kept.profile().is_some())
            .then_some(kept)
    }

    /// How a run reads; `None` if no run can read so.
    pub fn profile(&self) -> Option<Profile> {
        let large = |Large { engine, block_bytes, in_flight }: &Large| {
            let (block_bytes, in_flight) = (*block_bytes, *in_flight);
            Some(LargeFiles { engine: EngineKind::named(engine)?, block_bytes, in_flight })
        };
        let small = &self.small_files;
        let profile = Profile {
            small: SmallFiles { engine: EngineKind::named(&small.engine)?, in_flight: small.in_flight },
            cold: large(&self.cold_large_files)?,
            warm: large(&self.warm_large_files)?,
            order: match self.order {
                Order::Inputs => ReadOrder::Inputs,
                Order::OnDisk => ReadOrder::OnDisk,
            },
        };
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
        let mut kept = Kept::new(profile, "hashlane test", tuned, &device, "a place".to_owned());
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
            assert_eq!((read.profile(), &read), (Some(profile), &kept));
        }
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
    fn a_file_name_holds_nothing_that_leads_elsewhere() {
        let (_, device) = kept(&Profile::default());
        let name = Kept::file_name(&Device { identity: "fuse.../../x-1-2".into(), ..device });
        assert_eq!(name, "device-fuse-------x-1-2.json");
    }
}
