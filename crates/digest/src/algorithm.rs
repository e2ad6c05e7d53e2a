//! What is known about a hash algorithm before a byte is hashed.

use std::fmt;

use crate::c4;
use crate::state::{Saving, State};

/// The algorithm whose digests have a text of their own.
pub(crate) const C4: &str = "c4";

/// The one algorithm that has a tree.
pub(crate) const TREE: &str = "blake3";

/// A registered hash algorithm: a cheap, copyable handle on its [`Spec`].
#[derive(Clone, Copy)]
pub struct Algorithm(pub(crate) &'static Spec);

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

    /// Whether the text of its digests has a form that shows the algorithm: that of C4 does, where others are hexadecimal.
    pub fn names_itself(self) -> bool {
        self.0.name == C4
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

    /// Whether one message of it can be hashed in parts by several threads: see [`crate::tree`].
    pub fn has_tree(self) -> bool {
        self.0.name == TREE
    }

    /// How a message of it can be put aside and gone on with later: see [`crate::SavedState`].
    pub fn saving(self) -> Saving {
        self.0.saving
    }

    /// Its kernels for many messages at once, where there are some: see [`crate::LaneSet`].
    pub fn lanes(self) -> Option<hashlane_lanes::Algorithm> {
        self.0.lanes
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
