//! Why an audit would read nothing of what a path names, in words.

use std::os::unix::ffi::OsStrExt as _;

use hashlane_catalog::Collection;
use hashlane_keeper::{Action, Unread};

use super::HowTo;
use crate::text;

/// Why an audit would read nothing of what lies at a path, and what to name instead.
pub fn unread_words(collection: &Collection, why: &Unread, how: HowTo<'_>) -> String {
    let (name, root) = (&collection.terms.name, &collection.terms.root);
    let filters = format!("`{}` shows its filters", how(&Action::Show(name)));
    match why {
        Unread::Link { behind, target } => {
            let which = match behind {
                None => "is a symbolic link".to_owned(),
                Some(link) => format!("lies behind the symbolic link {}", text::name(link)),
            };
            let instead = match target.as_ref().map(|target| target.strip_prefix(root)) {
                None => "it leads nowhere".to_owned(),
                Some(Ok(below)) => format!("name {} instead", text::name(below.as_os_str().as_bytes())),
                Some(Err(_)) => format!("it leads out of {}", super::root(collection)),
            };
            format!("{which}, which is not followed; {instead}")
        }
        Unread::Empty => format!("no file of {name} lies in this directory; {filters}"),
        Unread::Other(what) => format!("is {what}; only files and directories are audited"),
        _ => format!("is left out of {name}; {filters}"),
    }
}
