//! Why a name is not read or not there, in words that say what to do.

use std::borrow::Cow;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use hashlane_catalog::StoreTerms;
use hashlane_keeper::connection_of;
use hashlane_objects::{Connection, Error, Location, Objects, Service, is_object, names_version};
use hashlane_record::{Cause, Failure, Obstacle};
use hashlane_report::files::found_otherwise;
use hashlane_report::{shell, text};
use hashlane_verify::normalization::{form, others};
use hashlane_verify::{OutOfPlace, Problem, Refused, Remedy, Unsearched};

use crate::output::shown;
use crate::status::Ended;

/// What is said of a listed name that is missing, if another spelling of it is there.
pub(crate) fn other_spelling(base: &Path, name: &[u8]) -> Option<String> {
    let others = others(base, name);
    match &others[..] {
        [] => None,
        [other] => Some(format!(
            "a file of that name exists in {}, and the listed name is in {}; --normalize matches the two if only one is listed",
            form(other),
            form(name)
        )),
        _ => {
            Some("several files have that name in other Unicode normalizations; none of them is used".into())
        }
    }
}

/// What is said of missing files that are there if names are read in another way.
pub(crate) fn remedy(remedy: &Remedy) -> String {
    let Remedy { names, prefix, beside, fold_case, .. } = remedy;
    let prefix = prefix.as_ref().map(|prefix| shell::word(prefix.as_bytes()));
    let options = [
        (!names.is_native()).then(|| format!("--names {names}")),
        prefix.map(|prefix| format!("--strip-prefix {prefix}")),
        beside.then(|| "--beside".to_owned()),
        fold_case.then(|| "--ignore-case".to_owned()),
    ];
    let options: Vec<_> = options.into_iter().flatten().collect();
    format!("{}: {}", found_otherwise(remedy), options.join(" "))
}

/// What is said of an object that is missing, if its name could be that of a version and is not read as one.
pub(crate) fn version(name: &[u8]) -> Option<String> {
    names_version(name).then(|| "its name ends like that of a version; --versions reads it as one".to_owned())
}

/// What is said of a list that begins with a name which is none of what is looked at. `base`: what names are relative to.
pub(crate) fn out_of_place(why: OutOfPlace, name: &[u8], base: Option<&str>) -> String {
    let object = is_object(name);
    match (why, base) {
        (OutOfPlace::Object, Some(base)) => format!(
            " is an object, and {base} is a directory; name the prefix that it was listed from, or take off what the names begin with by \
             --strip-prefix"
        ),
        (OutOfPlace::Object, None) if object => " is an object, and files are looked for; write the list to a file, which is looked at \
             beforehand, and name no directory"
            .into(),
        (OutOfPlace::File, _) => " is a file, and objects are looked for by their whole names; name the prefix that it is relative to with \
             --base s3://BUCKET/PREFIX"
            .into(),
        (OutOfPlace::Version, _) => {
            " is a version of an object; `hashlane check --versions` verifies such a list, and nothing else does".into()
        }
        (_, Some(base)) => format!(
            " does not lie below {base}; name the directory or prefix that it lies in, or take off what the names begin with by --strip-prefix"
        ),
        (why, None) => format!(" {why}"),
    }
}

/// What is said of a name that is not read below --base.
pub(crate) fn refused(refused: Refused, base: &Path) -> Cow<'static, str> {
    match refused {
        Refused::Outside if is_object(base.as_os_str().as_bytes()) => format!(
            "leads out of --base {}, and the store lists no such key below it; name the object in full, without --base",
            shown(base)
        )
        .into(),
        Refused::Outside => {
            format!("leads out of --base {}; leave out --base to follow it", shown(base)).into()
        }
        Refused::Special => {
            "is a pipe, socket or device, which is not read below --base; leave out --base to read it".into()
        }
        other => other.to_string().into(),
    }
}

/// What is said of what could not be read, and what to do about it.
fn failed(failure: &Failure) -> Cow<'static, str> {
    match failure.cause {
        Cause::Obstacle(Obstacle::Deleted) => format!("{failure}; {OLDER_VERSIONS}").into(),
        _ => failure.to_string().into(),
    }
}

/// What to do about an object that was deleted.
pub(crate) const OLDER_VERSIONS: &str = "`hashlane sum --versions` reads them";

/// Why no store can have an object of a name, where one was not opened for that.
pub(crate) fn impossible_name(name: &[u8], failure: &Failure) -> Option<String> {
    let is_refused = is_object(name) && failure.io_error().kind() == std::io::ErrorKind::InvalidInput;
    Location::parse(name).err().filter(|_| is_refused).map(|error| error.to_string())
}

/// What is said of a file that was not read, or of a directory that was not searched.
pub(crate) fn problem(problem: &Problem<'_>, base: &Path) -> Cow<'static, str> {
    match problem {
        Problem::Failed(failure) => failed(failure),
        Problem::Refused(why) | Problem::Unsearched(Unsearched::Refused(why)) => refused(*why, base),
        other => other.to_string().into(),
    }
}

/// What is wrong with a location, and what to do about it.
pub(crate) fn store_problem(path: &[u8], error: &Error) -> String {
    format!("{}: {}", text::name(path), store_told(path, error))
}

/// What is wrong with a location, and what to do about it, without its name.
pub(crate) fn store_told(path: &[u8], error: &Error) -> String {
    format!("{error}{}", way_out(path, error))
}

/// What to do about it.
fn way_out(path: &[u8], error: &Error) -> &'static str {
    match error {
        Error::Credentials(_) => match Service::of(path) {
            Some(Service::Google) => {
                "; set GOOGLE_APPLICATION_CREDENTIALS, or run `gcloud auth application-default login`; for public objects use --no-sign-request"
            }
            Some(Service::Azure) => {
                "; set AZURE_STORAGE_KEY or AZURE_STORAGE_SAS_TOKEN, or run `az login`; for public objects use --no-sign-request"
            }
            _ => {
                "; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE; for public objects use --no-sign-request"
            }
        },
        Error::Account => "; set AZURE_STORAGE_ACCOUNT, or name the URL of the account by --endpoint",
        Error::SameName => "; read each in a run of its own",
        Error::OtherServer => "; leave out --endpoint, or read them in two runs",
        Error::Deleted => "; `hashlane sum --versions` reads them",
        Error::NoListing => "; name each object, or name them in a list by --files-from",
        error if error.is_denied() => {
            "; the credentials need permission to list the bucket and to read objects"
        }
        Error::Refused { code, .. } => match code.as_str() {
            "ExpiredToken" | "InvalidToken" | "TokenRefreshRequired" => "; renew the credentials",
            "RequestTimeTooSkewed" => "; set the clock of this machine",
            "SignatureDoesNotMatch" | "InvalidAccessKeyId" | "XAdminUserNotFound" => {
                "; check the credentials, and --endpoint and --region"
            }
            "AuthenticationFailed" | "AuthorizationFailure" => "; check the credentials, and --endpoint",
            _ => "",
        },
        Error::Unreachable { .. } => match Service::of(path) {
            Some(Service::Web) => "; check the network",
            _ => "; check --endpoint and the network",
        },
        Error::RequestsUsedUp => "; raise --max-requests",
        Error::Name(_) => {
            "; name objects as s3://BUCKET/KEY, gs://BUCKET/KEY, az://CONTAINER/KEY or https://HOST/PATH"
        }
        _ => "",
    }
}

/// Why a store is not reached as is asked for.
pub(crate) fn not_reached(error: Error) -> anyhow::Error {
    match error {
        Error::Endpoint(_) => Ended::usage(format!("--endpoint: {error}")),
        Error::Region(_) => Ended::usage(format!("--region: {error}")),
        error => Ended::unreadable(error),
    }
}

/// Why the files of a collection cannot be looked for where they are said to be.
pub(crate) fn no_place(collection: &str, error: hashlane_keeper::Error) -> anyhow::Error {
    use hashlane_keeper::Error;
    match error {
        Error::NoMedium => {
            Ended::usage(format!("{collection}: --from-medium is for files: {}", Error::NoMedium))
        }
        Error::Unreached(error) => not_reached(error),
        error => Ended::usage(error),
    }
}

/// The prefix that is meant by a name, without a slash at its end. There is something below it.
///
/// # Errors
/// There is nothing, or a collection cannot be there.
pub(crate) fn prefix(name: &[u8], store: &StoreTerms) -> anyhow::Result<PathBuf> {
    use hashlane_keeper::Error;
    let reach = || Objects::new(&connection_of(store, &Connection::new()));
    hashlane_keeper::prefix(name, reach).map_err(|error| match error {
        Error::Unreached(error) => not_reached(error),
        Error::Nothing { prefix, source } => Ended::unreadable(store_problem(prefix.as_bytes(), &source)),
        error @ Error::IsObject(_) => Ended::usage(error),
        Error::NoListing => {
            Ended::usage(format!("{}: {}; check a list of URLs", text::name(name), Error::NoListing))
        }
        error => Ended::usage(format!("{}: {error}", text::name(name))),
    })
}
