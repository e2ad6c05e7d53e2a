//! How a run reads where nothing was measured.

use hashlane_engine::Profile;
use hashlane_io::Device;

/// How a run reads on a device where nothing was measured.
pub fn profile_of_kind(device: &Device) -> Profile {
    if device.turns() { Profile::rotational() } else { Profile::default() }
}
