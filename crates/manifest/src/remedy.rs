//! The ways out of an error that lie in what is asked for.

use std::fmt;

use hashlane_digest::Algorithm;

use crate::error::article;
use crate::format::Format;

/// What to ask for instead. Each program calls it by names of its own: [`Display`](fmt::Display) says it without any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Remedy {
    /// This algorithm, or none by name.
    AlgorithmOrNone(Algorithm),
    /// This algorithm, or another format.
    AlgorithmOrFormat(Algorithm),
    /// Any algorithm.
    AnyAlgorithm,
    /// The algorithm, perhaps this one: by name, by the name of the file, or by lines that tell it.
    TellAlgorithm(Algorithm),
    /// This algorithm, if that is what made the digests.
    IfAlgorithm(Algorithm),
    /// The format.
    TellFormat,
    /// This format, if that is what it is; or the file gets another name.
    FormatOrName(Format),
    /// One of the formats that can end lines with NUL: see [`Self::NUL_ENDED`].
    FormatWithNulEnds,
    /// Lines that end with NUL, if they do; or the text becomes UTF-8, if it is UTF-16.
    NulEndsOrUtf8,
    /// Digests of the beginnings of files, which this format needs, when they are read again.
    DigestBeginnings(Format),
    /// One of the algorithms that are known.
    SeeAlgorithms,
    /// One of the formats that can be written.
    SeeFormats,
    /// To read it as a set of known contents.
    KnownSet,
}

impl Remedy {
    /// The formats whose lines may end with NUL.
    pub const NUL_ENDED: &str = "gnu, bsd, base64, multihash, ni and sri";
}

impl fmt::Display for Remedy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AlgorithmOrNone(algorithm) => write!(f, "request {algorithm}, or no algorithm"),
            Self::AlgorithmOrFormat(algorithm) => write!(f, "request {algorithm}, or another format"),
            Self::AnyAlgorithm => write!(f, "request one, such as sha256"),
            Self::TellAlgorithm(likely) => write!(
                f,
                "name the algorithm, such as {likely}, or name the file after it ({}SUMS), or write the manifest with tags",
                likely.name().to_ascii_uppercase()
            ),
            Self::IfAlgorithm(algorithm) => write!(f, "if that made them, name {algorithm}"),
            Self::TellFormat => write!(f, "name the format"),
            Self::FormatOrName(format) => {
                write!(f, "if it is {format}, name that format; otherwise rename it")
            }
            Self::FormatWithNulEnds => write!(f, "{} can", Self::NUL_ENDED),
            Self::NulEndsOrUtf8 => write!(
                f,
                "if its lines end with NUL, request that; if it is UTF-16 without a byte order mark, convert it to UTF-8"
            ),
            Self::DigestBeginnings(format) => {
                let a = article(format);
                write!(f, "use md5deep-sizes, or read the file again for {a} {format} manifest")
            }
            Self::SeeAlgorithms => write!(f, "request a known algorithm"),
            Self::SeeFormats => write!(f, "request a format that can be written"),
            Self::KnownSet => write!(f, "read it as a set of known contents (NSRL, RDS 3)"),
        }
    }
}
