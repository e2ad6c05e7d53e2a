//! Exceptions: `hashlane.Error`, with what cannot be used and the number of the system's error.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};

use hashlane_record::{Escaped, masked_text, system_text, without_secrets};
use hashlane_verify::OutOfPlace;
use pyo3::PyErr;

pyo3::import_exception!(hashlane._errors, Error);
pyo3::import_exception!(hashlane._errors, UsageError);

/// What cannot be used, and why.
pub(crate) fn system(path: &OsStr, error: &io::Error) -> PyErr {
    Error::new_err((error.raw_os_error(), masked_text(&system_text(error)).into_owned(), Some(shown(path))))
}

/// The same, where no system refused.
pub(crate) fn refused(path: Option<&OsStr>, why: &dyn std::fmt::Display) -> PyErr {
    Error::new_err(without_errno(path, why))
}

/// What exceptions have: no number of the system, what is wrong, and with what.
fn without_errno(
    path: Option<&OsStr>,
    why: &dyn std::fmt::Display,
) -> (Option<i32>, String, Option<OsString>) {
    let mut why = masked_text(&why.to_string()).into_owned();
    let path = path.map(shown);
    if let Some(path) = &path {
        // Exceptions have the path apart.
        let named = format!("{}: ", Escaped(path.as_bytes()));
        why = why.strip_prefix(&named).map(str::to_owned).unwrap_or(why);
    }
    (None, why, path)
}

/// A name without the secrets of a URL: exceptions end in logs.
fn shown(path: &OsStr) -> OsString {
    OsString::from_vec(without_secrets(path.as_bytes()).into_owned())
}

/// What a run of the engine has failed of.
pub(crate) fn engine(error: &hashlane_engine::Error) -> PyErr {
    match error {
        hashlane_engine::Error::Thread(source)
        | hashlane_engine::Error::Priority(source)
        | hashlane_engine::Error::Spill(source) => {
            Error::new_err((source.raw_os_error(), error.to_string(), None::<OsString>))
        }
        error => refused(None, error),
    }
}

/// Why a list cannot be used, or what is to be compared with it.
pub(crate) fn verify(error: &hashlane_verify::Error) -> PyErr {
    use hashlane_verify::Error as Why;
    match error {
        Why::Base { base: path, source } => system(path.as_os_str(), source),
        Why::Root { root, source } => system(root.as_path().as_os_str(), source),
        Why::TreeRoot { root, failure } => system(root.as_path().as_os_str(), &failure.io_error()),
        Why::Open { list, source } | Why::Read { list, source, .. } => system(list, source),
        Why::RootSpecial { root } | Why::RootRefused { root, .. } => {
            refused(Some(root.as_path().as_os_str()), error)
        }
        Why::Manifest {
            list,
            source: hashlane_manifest::Error::Empty | hashlane_manifest::Error::NamedUnknown { .. },
        }
        | Why::Unproven { list, doubt: Some(hashlane_verify::Doubt::NoneFits { .. }), .. }
        | Why::NothingToGoBy { list }
        | Why::NoReading { table: list, .. } => refused(Some(list), error),
        Why::BaseNoDirectory { base } => usage(Some(base.as_os_str()), error),
        Why::Directory { list }
        | Why::Manifest { list, .. }
        | Why::KnownSet { list, .. }
        | Why::Unproven { list, .. }
        | Why::Unlike { list, .. } => usage(Some(list), error),
        Why::OutOfPlace { list, path, source_of_names, why } => {
            let source = source_of_names.as_ref().map(|source| source.escaped().to_string());
            let told = match (why, source) {
                (OutOfPlace::Outside, Some(source)) => {
                    format!("does not lie below {source}; strip_prefix takes off what names begin with")
                }
                (why, Some(source)) => format!("{why} below {source}"),
                (why, None) => why.to_string(),
            };
            usage(Some(list), &format!("{} {told}", path.escaped()))
        }
        Why::NowhereToLook | Why::NoPrefix => usage(None, error),
        Why::Engine(source) => engine(source),
        error => refused(None, error),
    }
}

/// What must be asked for in another way. These are the errors that the command ends with 64 for.
fn usage(path: Option<&OsStr>, why: &dyn std::fmt::Display) -> PyErr {
    UsageError::new_err(without_errno(path, why))
}
