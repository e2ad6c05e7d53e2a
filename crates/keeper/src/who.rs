//! Who asks: the user of this process, and what their environment says.

use hashlane_catalog::{Acting, Backups, Way};
use nix::unistd::{Uid, User, getuid};

/// The user of this process, by the name that the system has for it. Who is root by `sudo` is the one who has called that: to root nothing is
/// refused, and everybody else is who the system says.
pub fn acting(way: Way) -> Acting {
    let uid = getuid();
    let of_sudo = || {
        let variable = |name| std::env::var(name).ok().filter(|value: &String| !value.is_empty());
        Some((variable("SUDO_USER")?, variable("SUDO_UID").and_then(|uid| uid.parse().ok())))
    };
    let (actor, uid) = match of_sudo().filter(|_| uid.is_root()) {
        Some((actor, uid)) => (actor, uid),
        None => (name(uid), Some(uid.as_raw())),
    };
    Acting { actor, uid, way, ..Acting::default() }
}

/// Where this user wants copies of catalogues: what HASHLANE_BACKUPS says, if it says anything.
pub fn backups() -> Backups {
    let named = std::env::var_os("HASHLANE_BACKUPS").filter(|name| !name.is_empty());
    named.map_or_else(Backups::default, |name| Backups::named(&name))
}

/// The name of a user, or the number of one that the system does not know.
fn name(uid: Uid) -> String {
    let found = User::from_uid(uid).ok().flatten();
    found.map_or_else(|| format!("uid {uid}"), |user| user.name)
}
