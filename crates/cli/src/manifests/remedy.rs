//! The ways out of errors of manifests, as they are called here.

use hashlane_manifest::{Error, Remedy};

use super::OptionNames;

impl OptionNames {
    /// An error with the way out, as it is called here.
    pub(crate) fn told(self, error: &Error) -> String {
        match error.remedy() {
            Some(remedy) => format!("{error}; {}", self.way_out(remedy)),
            None => error.to_string(),
        }
    }

    fn way_out(self, remedy: Remedy) -> String {
        let Self { format: option, zero, algorithm, .. } = self;
        let asked = algorithm.unwrap_or(OptionNames::USUAL_ALGORITHM);
        match remedy {
            // Where digests are what they are, only another format can do.
            Remedy::AlgorithmOrNone(_) | Remedy::AlgorithmOrFormat(_) | Remedy::AnyAlgorithm
                if algorithm.is_none() =>
            {
                format!("choose another format with {option} (`hashlane formats` lists them)")
            }
            Remedy::AlgorithmOrNone(algorithm) => {
                format!("use {asked} {algorithm}, or leave out {asked}")
            }
            Remedy::AlgorithmOrFormat(algorithm) => {
                format!("use {asked} {algorithm}, or another format")
            }
            Remedy::AnyAlgorithm => format!("use {asked} sha256"),
            Remedy::TellAlgorithm(likely) => {
                let file = format!("{}SUMS", likely.name().to_ascii_uppercase());
                match algorithm {
                    Some(option) => format!(
                        "name the algorithm ({option} {likely}), or name the file after it ({file}), or write the manifest \
                         with --tag"
                    ),
                    None => format!(
                        "name the file after its algorithm ({file}), or write the manifest with --tag"
                    ),
                }
            }
            Remedy::IfAlgorithm(likely) => format!("if that made them, use {asked} {likely}"),
            Remedy::TellFormat => format!("name the format with {option} (`hashlane formats` lists them)"),
            Remedy::FormatOrName(format) => {
                format!("if it is {format}, use {option} {format}; otherwise rename it")
            }
            Remedy::FormatWithNulEnds => format!("{zero} goes with {}", Remedy::NUL_ENDED),
            Remedy::NulEndsOrUtf8 => format!(
                "if its lines end with NUL, use {zero}; if it is UTF-16 without a byte order mark, convert it to UTF-8"
            ),
            Remedy::DigestBeginnings(format) => {
                format!("use md5deep-sizes, or read the file again with --manifest-format {format}")
            }
            Remedy::SeeAlgorithms => "`hashlane --version` lists the known algorithms".to_owned(),
            Remedy::SeeFormats => "`hashlane formats` shows which formats can be written".to_owned(),
            Remedy::KnownSet => {
                "NSRL sets (RDS 3) are read by `hashlane convert`, `hashlane known build` and \
                                 `hashlane sum --known`"
                    .to_owned()
            }
            other => other.to_string(),
        }
    }
}

/// An error of a manifest with the way out.
pub(crate) fn told(error: &Error) -> String {
    OptionNames::USUAL.told(error)
}
