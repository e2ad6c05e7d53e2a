//! What is known about a hash algorithm before a byte is hashed.

use std::fmt;
use std::sync::OnceLock;

use crate::algorithms::in_lanes;
use crate::c4;
use crate::calibration::{BackendChoice, Calibration};
use crate::hasher::{Hasher, State};
use crate::lane_set::LaneSet;
use crate::registry::{REGISTRY, UNLISTED};
use crate::saved::Saving;
use crate::tree;
use crate::value::Digest;

/// The beginning of the names of algorithms that are in no list.
const UNLISTED_START: &str = "blake2b";

/// The algorithm whose digests have a text of their own.
const C4: &str = "c4";

/// A registered hash algorithm: a cheap, copyable handle on its [`Spec`].
#[derive(Clone, Copy)]
pub struct Algorithm(&'static Spec);

/// The line of the registry that describes one algorithm.
#[derive(Debug)]
pub struct Spec {
    /// Canonical name, lower case: `sha512-256`.
    pub name: &'static str,
    /// Other spellings that are accepted. Case, `-`, `_`, `/` and `:` never matter and need no alias.
    pub aliases: &'static [&'static str],
    /// Tag in a BSD-style line, `SHA256 (name) = …`.
    pub bsd_tag: &'static str,
    /// Length of the digest in bytes, at most [`crate::MAX_DIGEST_LENGTH`].
    pub length: usize,
    /// The design it belongs to.
    pub family: Family,
    /// How far it can be trusted against somebody who wants a collision.
    pub security: Security,
    /// Makes a fresh state of one message.
    pub start: fn() -> Box<dyn State>,
    /// How a message of it can be put aside and gone on with later.
    pub saving: Saving,
    /// The kernels that take in many messages of it at once, where there are some.
    pub lanes: Option<hashlane_lanes::Algorithm>,
}

/// The design that an algorithm belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Family {
    /// BLAKE2b and BLAKE2s (RFC 7693).
    Blake2,
    /// BLAKE3, a tree of chunks.
    Blake3,
    /// Cyclic redundancy checks.
    Crc,
    /// MD4 and MD5.
    Md,
    /// A design that no other algorithm here has.
    Other,
    /// RIPEMD.
    Ripemd,
    /// SHA-1.
    Sha1,
    /// SHA-2 (FIPS 180-4).
    Sha2,
    /// SHA-3 (FIPS 202).
    Sha3,
    /// SM3 (GB/T 32905-2016).
    Sm3,
    /// Tiger.
    Tiger,
    /// Whirlpool.
    Whirlpool,
    /// Exclusive or of words.
    Xor,
    /// xxHash, all generations.
    XxHash,
}

/// How far an algorithm can be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Security {
    /// A cryptographic hash with no known practical attack.
    Strong,
    /// A cryptographic hash for which collisions can be made: fine against accidents, not against people.
    Weak,
    /// Never meant to resist anybody.
    Checksum,
}

impl Algorithm {
    /// Wraps a specification that is not in the registry, such as one of your own.
    pub const fn new(spec: &'static Spec) -> Self {
        Self(spec)
    }

    /// All registered algorithms, in the order in which they are shown.
    pub fn all() -> impl ExactSizeIterator<Item = Self> {
        REGISTRY.iter().map(Self)
    }

    /// The registered algorithm of this name or alias. Case, `-`, `_`, `/` and `:` do not matter.
    ///
    /// BLAKE2b is found with each length, in bits: `blake2b-72`.
    pub fn named(name: &str) -> Option<Self> {
        if let Some(algorithm) = Self::all().find(|algorithm| algorithm.name() == name) {
            return Some(algorithm);
        }
        let listed = Self::all().find(|algorithm| {
            same_name(name, algorithm.name())
                || algorithm.0.aliases.iter().any(|alias| same_name(name, alias))
        });
        listed.or_else(|| {
            let is_blake2b = name.get(..UNLISTED_START.len())?.eq_ignore_ascii_case(UNLISTED_START);
            UNLISTED.iter().map(Self).find(|algorithm| is_blake2b && same_name(name, algorithm.name()))
        })
    }

    /// BLAKE2b with digests of this many bytes; `None` beyond 1 to 64.
    pub fn blake2b(length: usize) -> Option<Self> {
        let is_it =
            |algorithm: &Self| algorithm.length() == length && algorithm.name().starts_with(UNLISTED_START);
        Self::all().chain(UNLISTED.iter().map(Self)).find(is_it)
    }

    /// Whether it is among [`Algorithm::all`]. Others are BLAKE2b of a length that is hardly used, or were made by [`Algorithm::new`].
    pub fn is_listed(self) -> bool {
        REGISTRY.as_ptr_range().contains(&std::ptr::from_ref(self.0))
    }

    /// The registered algorithm that a line with this BSD tag means: `SHA512-256`, but `SHA2-512/256` (OpenSSL) and
    /// `SHA512t256` (FreeBSD) too. Every tag is accepted as are names: tools do not agree on case and punctuation.
    pub fn tagged(tag: &str) -> Option<Self> {
        Self::all().find(|algorithm| same_name(tag, algorithm.bsd_tag())).or_else(|| Self::named(tag))
    }

    /// Canonical name, lower case.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// Accepted spellings besides the name.
    pub fn aliases(self) -> &'static [&'static str] {
        self.0.aliases
    }

    /// Tag in a BSD-style line.
    pub fn bsd_tag(self) -> &'static str {
        self.0.bsd_tag
    }

    /// Length of its digests in bytes.
    pub fn length(self) -> usize {
        self.0.length
    }

    /// Length of its digests as text, in characters: twice as many as bytes, but for C4.
    pub fn text_length(self) -> usize {
        if self.names_itself() { c4::LENGTH } else { 2 * self.length() }
    }

    /// Whether the text of its digests has a form of its own, which tells the algorithm: that of C4 does, where others are hexadecimal.
    pub fn names_itself(self) -> bool {
        self.0.name == C4
    }

    /// The algorithm of a digest whose text names it.
    pub fn told_by(text: &[u8]) -> Option<Self> {
        c4::parse(text).and_then(|_| Self::named(C4))
    }

    /// The design it belongs to.
    pub fn family(self) -> Family {
        self.0.family
    }

    /// How far it can be trusted.
    pub fn security(self) -> Security {
        self.0.security
    }

    /// The CPU path that its implementation for one message takes on this machine, such as `sha-ni`, `avx512` or
    /// `portable`.
    ///
    /// Detected as the libraries do it. A build whose compiler flags override a library's own choice is not seen.
    pub fn backend(self) -> &'static str {
        (self.0.start)().backend()
    }

    /// The CPU path that is taken for so many messages at once, at least one.
    pub fn backend_for(self, messages: usize, choice: &BackendChoice) -> &'static str {
        LaneSet::by(self, messages, choice).backend()
    }

    /// Whether one message of it can be hashed in parts by several threads: see [`crate::tree`].
    pub fn has_tree(self) -> bool {
        self.0.name == tree::ALGORITHM_NAME
    }

    /// How a message of it can be put aside and gone on with later: see [`crate::SavedState`].
    pub fn saving(self) -> Saving {
        self.0.saving
    }

    /// Its kernels for many messages at once, where there are some: see [`crate::LaneSet`].
    pub fn lanes(self) -> Option<hashlane_lanes::Algorithm> {
        self.0.lanes
    }

    /// A fresh state for one message.
    pub fn hasher(self) -> Hasher {
        Hasher::new(self, (self.0.start)())
    }

    /// A fresh state for one message, computed as was chosen, where there is a choice.
    pub fn hasher_by(self, choice: &BackendChoice) -> Hasher {
        match self.lanes() {
            Some(lanes) if !self.is_by_library(choice) => {
                Hasher::new(self, in_lanes::start_in(choice.streams(self, lanes, 1)))
            }
            _ => self.hasher(),
        }
    }

    /// A fresh state of a message that can be put aside: that of [`Algorithm::hasher_by`], or one in lanes where the
    /// library's own cannot be. `None` where there is none.
    pub fn resumable_hasher(self, choice: &BackendChoice) -> Option<Hasher> {
        let in_lanes = |lanes| Hasher::new(self, in_lanes::start_in(choice.streams(self, lanes, 1)));
        Some(self.hasher_by(choice)).filter(Hasher::can_save).or_else(|| self.lanes().map(in_lanes))
    }

    /// Whether there is a library for a single message of it beside the kernels.
    pub fn has_library(self) -> bool {
        self.lanes().is_some() && !(self.0.start)().is_in_lanes()
    }

    /// Whether that library is what serves a single message.
    pub fn is_by_library(self, choice: &BackendChoice) -> bool {
        self.has_library()
            && match choice {
                BackendChoice::Auto => !self.is_alone_in_wide_lanes(),
                BackendChoice::Calibrated(_) => choice
                    .calibration(self)
                    .map_or_else(|| !self.is_alone_in_wide_lanes(), Calibration::prefers_library),
                BackendChoice::Only(_) => false,
            }
    }

    /// Whether a kernel for several messages serves a single one faster than any for one, as with SHA-3 by AVX-512: faster than what the
    /// library has for one, too.
    fn is_alone_in_wide_lanes(self) -> bool {
        static WIDE: OnceLock<Vec<hashlane_lanes::Algorithm>> = OnceLock::new();

        let wide = WIDE.get_or_init(|| {
            let is_wide = |lanes: &_| hashlane_lanes::Streams::new(*lanes, 1).serving(1).1 > 1;
            hashlane_lanes::Algorithm::ALL.into_iter().filter(is_wide).collect()
        });
        self.lanes().is_some_and(|lanes| wide.contains(&lanes))
    }

    /// The digest of a message that is in memory.
    pub fn digest(self, message: &[u8]) -> Digest {
        let mut hasher = self.hasher();
        hasher.update(message);
        hasher.finish()
    }
}

impl PartialEq for Algorithm {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0) || self.0.name == other.0.name
    }
}

impl Eq for Algorithm {}

impl std::hash::Hash for Algorithm {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.0.name.hash(state);
    }
}

impl fmt::Debug for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.name)
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.0.name)
    }
}

fn same_name(given: &str, name: &str) -> bool {
    let letters = |text: &str| -> Vec<u8> {
        let text = text.bytes().filter(|byte| !matches!(byte, b'-' | b'_' | b'/' | b':'));
        text.map(|byte| byte.to_ascii_lowercase()).collect()
    };
    letters(given) == letters(name)
}
