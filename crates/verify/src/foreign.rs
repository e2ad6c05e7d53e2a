//! Names as other systems write them.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use encoding_rs::{Encoding, UTF_8};
use memchr::memchr;
use oem_cp::code_table::DECODING_TABLE_CP_MAP;
use oem_cp::code_table_type::TableType;

/// How the names in a list are written, where that is not how they are written here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Foreign {
    /// Components are separated by backslashes, and a drive may stand before them.
    windows: bool,
    /// The characters that their bytes are.
    page: Option<CodePage>,
}

/// A code page: which character each byte, or each pair of bytes, is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CodePage {
    /// One of DOS, by its number.
    Dos(u16),
    /// One of Windows, Unix or the web.
    Other(&'static Encoding),
}

/// A word that says nothing of names.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is no code page; give windows, a code page such as cp1252, cp437 or shift_jis, or both, separated by a comma"
)]
pub struct UnknownWriting(String);

impl Foreign {
    /// Names of Windows, in UTF-8.
    pub(crate) const WINDOWS: Self = Self { windows: true, page: None };

    /// The same in a code page.
    pub(crate) fn in_page(&self, page: CodePage) -> Self {
        Self { page: Some(page), ..self.clone() }
    }

    /// Whether components are separated by backslashes.
    pub fn is_windows(&self) -> bool {
        self.windows
    }

    /// The name of the code page.
    pub fn page(&self) -> Option<String> {
        Some(match self.page.as_ref()? {
            CodePage::Dos(number) => format!("cp{number}"),
            CodePage::Other(encoding) => encoding.name().to_ascii_lowercase(),
        })
    }

    /// Whether names are written as they are here.
    pub fn is_native(&self) -> bool {
        *self == Self::default()
    }

    /// A name as it is written here. What the code page has no character for stays as it is.
    pub fn here<'a>(&self, name: &'a [u8]) -> Cow<'a, [u8]> {
        let name = match &self.page {
            Some(page) => page.decoded(name).map_or(Cow::Borrowed(name), Cow::Owned),
            None => Cow::Borrowed(name),
        };
        // In two-byte pages a backslash may be the half of a character.
        if !self.windows {
            return name;
        }
        match name {
            Cow::Borrowed(name) if memchr(b'\\', name).is_none() => Cow::Borrowed(without_drive(name)),
            name => {
                let mut name = without_drive(&name).to_vec();
                name.iter_mut().filter(|byte| **byte == b'\\').for_each(|byte| *byte = b'/');
                Cow::Owned(name)
            }
        }
    }
}

/// A name without the letter of a drive before it.
fn without_drive(name: &[u8]) -> &[u8] {
    match name {
        [letter, b':', rest @ ..] if letter.is_ascii_alphabetic() => rest,
        name => name,
    }
}

impl CodePage {
    /// Those that names of old lists have most often, the likely ones first.
    pub(crate) const COMMON: [Self; 14] = [
        Self::Other(encoding_rs::WINDOWS_1252),
        Self::Dos(437),
        Self::Dos(850),
        Self::Other(encoding_rs::SHIFT_JIS),
        Self::Other(encoding_rs::GBK),
        Self::Other(encoding_rs::EUC_KR),
        Self::Other(encoding_rs::BIG5),
        Self::Other(encoding_rs::WINDOWS_1251),
        Self::Other(encoding_rs::IBM866),
        Self::Other(encoding_rs::KOI8_R),
        Self::Other(encoding_rs::WINDOWS_1250),
        Self::Dos(852),
        Self::Other(encoding_rs::EUC_JP),
        Self::Other(encoding_rs::MACINTOSH),
    ];

    /// The code page of a name.
    fn named(name: &str) -> Option<Self> {
        let lower = name.trim().to_ascii_lowercase();
        let number = lower.strip_prefix("cp").and_then(|number| number.parse().ok());
        let of_windows = match number {
            Some(932) => Some(encoding_rs::SHIFT_JIS),
            Some(936) => Some(encoding_rs::GBK),
            Some(949) => Some(encoding_rs::EUC_KR),
            Some(950) => Some(encoding_rs::BIG5),
            _ => Encoding::for_label_no_replacement(lower.as_bytes()).filter(|page| *page != UTF_8),
        };
        let of_dos = || number.filter(|number| DECODING_TABLE_CP_MAP.contains_key(number)).map(Self::Dos);
        of_windows.map(Self::Other).or_else(of_dos)
    }

    /// A text in UTF-8; nothing if the page has no character for a part of it.
    fn decoded(&self, text: &[u8]) -> Option<Vec<u8>> {
        match self {
            Self::Dos(number) => {
                let table = DECODING_TABLE_CP_MAP.get(number)?;
                match table {
                    TableType::Complete(table) => {
                        Some(oem_cp::decode_string_complete_table(text, table).into_bytes())
                    }
                    TableType::Incomplete(table) => {
                        oem_cp::decode_string_incomplete_table_checked(text, table).map(String::into_bytes)
                    }
                }
            }
            Self::Other(encoding) => {
                let decoded = encoding.decode_without_bom_handling_and_without_replacement(text)?;
                Some(decoded.into_owned().into_bytes())
            }
        }
    }
}

impl FromStr for Foreign {
    type Err = UnknownWriting;

    /// `windows`, a code page, or both with a comma between them.
    fn from_str(text: &str) -> Result<Self, UnknownWriting> {
        let mut foreign = Self::default();
        for word in text.split(',') {
            let unknown = || UnknownWriting(word.trim().to_owned());
            if word.trim().eq_ignore_ascii_case("windows") && !foreign.windows {
                foreign.windows = true;
            } else if foreign.page.is_none() {
                foreign.page = Some(CodePage::named(word).ok_or_else(unknown)?);
            } else {
                return Err(unknown());
            }
        }
        Ok(foreign)
    }
}

impl fmt::Display for Foreign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let windows = self.windows.then(|| "windows".to_owned());
        let words: Vec<_> = windows.into_iter().chain(self.page()).collect();
        f.write_str(&words.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn foreign(text: &str) -> Foreign {
        text.parse().expect("known")
    }

    #[test]
    fn names_of_windows_have_other_separators_and_drives() {
        let windows = foreign("windows");
        for (listed, here) in [
            (r"sub\deep\a.txt", "sub/deep/a.txt"),
            (r".\sub\b", "./sub/b"),
            (r"C:\data\sub\b", "/data/sub/b"),
            ("d:rel", "rel"),
            ("D:/data/b", "/data/b"),
            (r"\\server\share\b", "//server/share/b"),
            ("plain", "plain"),
        ] {
            assert_eq!(*windows.here(listed.as_bytes()), *here.as_bytes(), "{listed}");
        }
    }

    #[test]
    fn bytes_are_characters_of_a_code_page() {
        for (page, listed, here) in [
            ("cp1252", &b"Gr\xf6\xdfe"[..], "Größe"),
            ("windows-1252", b"Gr\xf6\xdfe", "Größe"),
            ("CP437", b"Gr\x94\xe1e", "Größe"),
            ("cp850", b"Gr\x94\xe1e", "Größe"),
            ("latin1", b"\xe9", "é"),
            ("cp932", b"\x95\x5c.txt", "表.txt"),
            ("shift_jis", b"\x95\x5c.txt", "表.txt"),
            ("koi8-r", b"\xc6", "ф"),
            ("cp866", b"\xe4", "ф"),
            ("windows,cp932", b"a\\\x95\x5c\\b", "a/表/b"),
            ("cp437, windows", b"a\\\x94", "a/ö"),
        ] {
            assert_eq!(String::from_utf8_lossy(&foreign(page).here(listed)), here, "{page}");
        }
        // What is not text in it stays.
        assert_eq!(*foreign("shift_jis").here(b"\x95"), *b"\x95");
    }

    #[test]
    fn what_is_known_is_named_as_it_is_read() {
        for text in ["windows", "windows-1252", "cp437", "windows,cp437", "shift_jis"] {
            assert_eq!(foreign(text).to_string(), text);
        }
        for page in CodePage::COMMON {
            let named = Foreign::WINDOWS.in_page(page);
            assert_eq!(foreign(&named.to_string()), named);
        }
        for bad in ["", "cp1", "utf-8", "windows,windows", "cp437,cp850", "linux"] {
            assert!(bad.parse::<Foreign>().is_err(), "{bad}");
        }
        assert!(Foreign::default().is_native() && !Foreign::WINDOWS.is_native());
    }
}
