//! Secrets, which are not in the configuration: it says where they are.

use std::ffi::OsString;
use std::fmt;
use std::fs::File;
use std::io::{self, Read as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;

use hashlane_record::{shown_name, system_text};

/// More than any secret has.
const MOST_BYTES: u64 = 64 << 10;

/// Where a secret is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SecretPlace {
    /// In a file that nobody else may read.
    File(PathBuf),
    /// In a variable of the environment.
    Variable(String),
}

/// A secret. It prints what stands for it.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

/// What may hold a secret in a part of it, such as a URL. It prints without that.
#[derive(Clone, PartialEq, Eq)]
pub struct Hidden(url::Url);

/// Why a secret cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum SecretError {
    /// Its file cannot be read.
    #[error("{}: {}", shown_name(path.as_os_str().as_encoded_bytes()), system_text(source))]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Others may read its file.
    #[error("{}: others may read it (mode {mode:04o}); `chmod 600` it", shown_name(path.as_os_str().as_encoded_bytes()))]
    Readable {
        /// The file.
        path: PathBuf,
        /// Its mode.
        mode: u32,
    },
    /// Its file belongs to somebody else.
    #[error("{}: belongs to user {uid}, who could put another secret there", shown_name(path.as_os_str().as_encoded_bytes()))]
    Owner {
        /// The file.
        path: PathBuf,
        /// The number of the user.
        uid: u32,
    },
    /// Nothing is in it, or what cannot be a secret.
    #[error("{place}: holds no secret: one line of text, please")]
    NotOne {
        /// The file or the variable.
        place: String,
    },
    /// There is no such variable.
    #[error("the variable {name} is not set")]
    Unset {
        /// Its name.
        name: String,
    },
}

impl SecretPlace {
    /// The secret. `variable`: reads the environment.
    ///
    /// # Errors
    /// It is not there, or others than this user may read it or put another one there.
    pub fn secret(&self, variable: impl Fn(&str) -> Option<OsString>) -> Result<Secret, SecretError> {
        let (place, text) = match self {
            Self::Variable(name) => {
                let value = variable(name).ok_or_else(|| SecretError::Unset { name: name.clone() })?;
                (name.clone(), value.into_string().ok())
            }
            Self::File(path) => {
                let failed = |source| SecretError::Read { path: path.clone(), source };
                let file = File::open(path).map_err(failed)?;
                let facts = file.metadata().map_err(failed)?;
                if facts.mode() & 0o077 != 0 {
                    return Err(SecretError::Readable { path: path.clone(), mode: facts.mode() & 0o7777 });
                }
                let own = rustix::process::geteuid().as_raw();
                if facts.uid() != own && facts.uid() != 0 {
                    return Err(SecretError::Owner { path: path.clone(), uid: facts.uid() });
                }
                let mut text = Vec::new();
                file.take(MOST_BYTES).read_to_end(&mut text).map_err(failed)?;
                (shown_name(path.as_os_str().as_encoded_bytes()), String::from_utf8(text).ok())
            }
        };
        let text = text.map(|text| text.trim_end_matches(['\r', '\n']).to_owned());
        match text.filter(|text| !text.is_empty() && !text.contains(['\r', '\n', '\0'])) {
            Some(text) => Ok(Secret(text)),
            None => Err(SecretError::NotOne { place }),
        }
    }
}

impl Secret {
    /// What it is: for who needs it, not to be shown.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

impl Hidden {
    pub(crate) fn new(url: url::Url) -> Self {
        Self(url)
    }

    /// All of it: for who asks there, not to be shown.
    pub fn expose(&self) -> &url::Url {
        &self.0
    }
}

/// Without user, password, path and query: each may be a secret, as in a URL that takes pings.
impl fmt::Display for Hidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}", self.0.scheme(), self.0.host_str().unwrap_or_default())?;
        if let Some(port) = self.0.port() {
            write!(f, ":{port}")?;
        }
        f.write_str(if matches!(self.0.path(), "" | "/") && self.0.query().is_none() { "" } else { "/..." })
    }
}

impl fmt::Debug for Hidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_secret_is_in_a_file_of_its_user_alone_or_in_a_variable_and_is_never_printed() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("secret");
        let of = |content: &str, mode: u32| {
            fs::write(&path, content).expect("written");
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("set");
            SecretPlace::File(path.clone()).secret(|_| None)
        };
        let secret = of("a b#c\n", 0o600).expect("it is one");
        assert_eq!((secret.expose(), format!("{secret:?}")), ("a b#c", "Secret".to_owned()));
        of("x", 0o400).expect("it may be read");
        for mode in [0o640, 0o604, 0o660, 0o777] {
            let error = of("x", mode).expect_err("others may read it").to_string();
            assert!(
                error.ends_with(&format!("others may read it (mode {mode:04o}); `chmod 600` it")),
                "{error}"
            );
        }
        for content in ["", "\n", "one\ntwo", "a\0b"] {
            let error = of(content, 0o600).expect_err("not one line").to_string();
            assert!(error.ends_with(": holds no secret: one line of text, please"), "{error}");
        }
        let variable = SecretPlace::Variable("PASSWORD".into());
        let secret = variable.secret(|name| (name == "PASSWORD").then(|| "x".into())).expect("it is set");
        assert_eq!(secret.expose(), "x");
        let error = variable.secret(|_| None).expect_err("it is not set").to_string();
        assert_eq!(error, "the variable PASSWORD is not set");
    }

    #[test]
    fn of_a_url_nothing_is_printed_that_may_be_a_secret() {
        for (url, shown) in [
            ("https://hc.example/ping/0d9c5a1e", "https://hc.example/..."),
            ("https://user:word@hc.example:8443/?token=1", "https://hc.example:8443/..."),
            ("http://127.0.0.1/", "http://127.0.0.1"),
        ] {
            let hidden = Hidden::new(url.parse().expect("a URL"));
            assert_eq!((hidden.to_string(), format!("{hidden:?}")), (shown.to_owned(), shown.to_owned()));
        }
    }
}
