//! Values that several commands take: what is one, and what the help lists.

use std::path::PathBuf;

use clap::builder::{PathBufValueParser, PossibleValuesParser, TypedValueParser as _};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use hashlane_digest::Algorithm;
use hashlane_io::EngineKind;
use hashlane_manifest::Format;

use super::EngineName;

/// A file that results go to. `-` is none: it would be a file that nobody meant.
pub(super) fn output_file() -> impl clap::builder::TypedValueParser<Value = PathBuf> {
    file("leave out --output for standard output, or write `./-` for a file of that name")
}

/// The same, where standard output does not do.
pub(super) fn named_file() -> impl clap::builder::TypedValueParser<Value = PathBuf> {
    file("this cannot go to standard output; name a file, or write `./-` for a file of that name")
}

fn file(why_not: &'static str) -> impl clap::builder::TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new()
        .try_map(move |path| if path.as_os_str() == "-" { Err(why_not) } else { Ok(path) })
}

/// Algorithms by name or alias.
pub(super) fn algorithm() -> Named<Algorithm> {
    let names = || Algorithm::all().map(Algorithm::name).collect();
    Named { named: Algorithm::named, names, may_be_near: true }
}

/// A format that is read.
pub(super) fn format() -> Named<Format> {
    formats(|| Format::all().map(Format::name).collect())
}

/// A format whose names are those of files here: what is known of files elsewhere cannot be compared with any.
pub(super) fn format_of_files() -> Named<Format> {
    formats(|| Format::all().filter(|format| !format.is_known_set()).map(Format::name).collect())
}

/// A format that is written.
pub(super) fn written_format() -> Named<Format> {
    formats(|| Format::all().filter(|&format| format.can_be_written()).map(Format::name).collect())
}

fn formats(names: fn() -> Vec<&'static str>) -> Named<Format> {
    Named { named: Format::named, names, may_be_near: false }
}

/// Values by name; help and completions list those that serve here. Of another one the command says why it does not serve.
#[derive(Clone, Copy)]
pub(super) struct Named<T> {
    named: fn(&str) -> Option<T>,
    names: fn() -> Vec<&'static str>,
    /// A name that is written otherwise is near to what it is without hyphens, and to what begins like it.
    may_be_near: bool,
}

impl<T: Clone + Send + Sync + 'static> clap::builder::TypedValueParser for Named<T> {
    type Value = T;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &std::ffi::OsStr,
    ) -> Result<T, clap::Error> {
        if let Some(value) = value.to_str().and_then(self.named) {
            return Ok(value);
        }
        // Not an alias either: let the list of names explain.
        let names = PossibleValuesParser::new((self.names)());
        let mut error = match names.parse_ref(command, argument, value) {
            Ok(_) => clap::Error::new(ErrorKind::InvalidValue),
            Err(error) => error,
        };
        let plain = value.to_string_lossy().to_ascii_lowercase().replace(['-', '_'], "");
        let completed = (self.names)().into_iter().filter(|name| name.starts_with(&plain));
        let completed: Vec<_> = completed.map(str::to_owned).collect();
        // Case and hyphens would make a name that is written otherwise look far away.
        let near = match names.parse_ref(command, argument, plain.as_ref()) {
            _ if !self.may_be_near => None,
            _ if plain.len() > 1 && !completed.is_empty() => Some(ContextValue::Strings(completed)),
            Ok(name) => Some(ContextValue::String(name)),
            Err(error) => error.get(ContextKind::SuggestedValue).cloned(),
        };
        if let Some(near) = near {
            error.insert(ContextKind::SuggestedValue, near);
        }
        Err(error)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = clap::builder::PossibleValue> + '_>> {
        Some(Box::new((self.names)().into_iter().map(clap::builder::PossibleValue::new)))
    }
}

pub(super) fn engine() -> impl clap::builder::TypedValueParser<Value = EngineName> {
    // The null engine brings zeros: good for measuring, and no digest that anybody should see comes from it.
    let kinds = EngineKind::all().iter().filter(|&&kind| kind != EngineKind::Null);
    let names = std::iter::once("auto").chain(kinds.map(|kind| kind.name()));
    PossibleValuesParser::new(names).try_map(|name| match name.as_str() {
        "auto" => Ok(EngineName::Auto),
        name => EngineKind::named(name).map(EngineName::Only).ok_or("not an engine"),
    })
}

/// One of several values, by its name.
pub(super) fn one_of<T: Clone + Send + Sync + 'static>(
    names: impl IntoIterator<Item = &'static str>,
    named: fn(&str) -> Option<T>,
) -> impl clap::builder::TypedValueParser<Value = T> {
    PossibleValuesParser::new(names).map(move |name| named(&name).expect("one of the possible values"))
}

/// The first of some options that was given.
pub(crate) fn given(options: &[(bool, &'static str)]) -> Option<&'static str> {
    options.iter().find_map(|(is_given, option)| is_given.then_some(*option))
}
