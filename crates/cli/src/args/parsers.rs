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
    PathBufValueParser::new().try_map(|path| match path.as_os_str() == "-" {
        true => Err("leave out --output for standard output, or write `./-` for a file of that name"),
        false => Ok(path),
    })
}

/// The same, where standard output does not do.
pub(super) fn named_file() -> impl clap::builder::TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(|path| match path.as_os_str() == "-" {
        true => Err("this cannot go to standard output; name a file, or write `./-` for a file of that name"),
        false => Ok(path),
    })
}

/// Algorithms by name or alias; the help and the completions list the names.
pub(super) fn algorithm() -> impl clap::builder::TypedValueParser<Value = Algorithm> {
    #[derive(Clone)]
    struct Parser;

    impl clap::builder::TypedValueParser for Parser {
        type Value = Algorithm;

        fn parse_ref(
            &self,
            command: &clap::Command,
            argument: Option<&clap::Arg>,
            value: &std::ffi::OsStr,
        ) -> Result<Algorithm, clap::Error> {
            if let Some(algorithm) = value.to_str().and_then(Algorithm::named) {
                return Ok(algorithm);
            }
            // Not an alias either: let the list of names explain.
            let names = PossibleValuesParser::new(Algorithm::all().map(Algorithm::name));
            let mut error = match names.parse_ref(command, argument, value) {
                Ok(_) => clap::Error::new(ErrorKind::InvalidValue),
                Err(error) => error,
            };
            let plain = value.to_string_lossy().to_ascii_lowercase().replace(['-', '_'], "");
            let completed: Vec<_> =
                Algorithm::all().map(Algorithm::name).filter(|name| name.starts_with(&plain)).collect();
            // Case and hyphens would make a name that is written otherwise look far away.
            let near = match names.parse_ref(command, argument, plain.as_ref()) {
                _ if plain.len() > 1 && !completed.is_empty() => {
                    Some(ContextValue::Strings(completed.into_iter().map(str::to_owned).collect()))
                }
                Ok(name) => Some(ContextValue::String(name)),
                Err(error) => error.get(ContextKind::SuggestedValue).cloned(),
            };
            if let Some(near) = near {
                error.insert(ContextKind::SuggestedValue, near);
            }
            Err(error)
        }

        fn possible_values(&self) -> Option<Box<dyn Iterator<Item = clap::builder::PossibleValue> + '_>> {
            Some(Box::new(
                Algorithm::all().map(|algorithm| clap::builder::PossibleValue::new(algorithm.name())),
            ))
        }
    }

    Parser
}

/// A format that is read.
pub(super) fn format() -> FormatParser {
    FormatParser(|_| true)
}

/// A format whose names are those of files here: what is known of files elsewhere cannot be compared with any.
pub(super) fn format_of_files() -> FormatParser {
    FormatParser(|format| !format.is_known_set())
}

/// A format that is written.
pub(super) fn written_format() -> FormatParser {
    FormatParser(Format::can_be_written)
}

/// Formats by name; help and completions list those that serve here. Of another one the command says why it does not serve.
#[derive(Clone, Copy)]
pub(super) struct FormatParser(fn(Format) -> bool);

impl FormatParser {
    fn names(self) -> impl Iterator<Item = &'static str> {
        Format::all().filter(move |&format| (self.0)(format)).map(Format::name)
    }
}

impl clap::builder::TypedValueParser for FormatParser {
    type Value = Format;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &std::ffi::OsStr,
    ) -> Result<Format, clap::Error> {
        if let Some(format) = value.to_str().and_then(Format::named) {
            return Ok(format);
        }
        match PossibleValuesParser::new(self.names()).parse_ref(command, argument, value) {
            Ok(_) => Err(clap::Error::new(ErrorKind::InvalidValue)),
            Err(error) => Err(error),
        }
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = clap::builder::PossibleValue> + '_>> {
        Some(Box::new(self.names().map(clap::builder::PossibleValue::new)))
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
