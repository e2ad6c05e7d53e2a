//! Algorithms: designs with their starting words and digest lengths.

use std::cell::Cell;
use std::fmt;

use crate::backend::Backend;
use crate::bare::{self, Bare};
use crate::designs::{
    BLAKE2B_IV, Blake2b, Design as _, Md4, Md5, Sha1, Sha3_256, Sha3_512, Sha256, Sha512, Sm3,
};
use crate::kernel::{self, Kernels};
use crate::midstate::Midstate;
use crate::schedule::{Rate, Schedule, Wanted};
use crate::streams::{Occupancy, Part, Typed};

/// A hash function that can be computed for many messages at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Algorithm {
    /// MD4 (RFC 1320). Broken: collisions can be made by hand.
    Md4,
    /// MD5 (RFC 1321). Broken: collisions can be made in seconds.
    Md5,
    /// SHA-1 (FIPS 180-4). Broken: collisions can be made.
    Sha1,
    /// SHA-224 (FIPS 180-4).
    Sha224,
    /// SHA-256 (FIPS 180-4).
    Sha256,
    /// SHA-384 (FIPS 180-4).
    Sha384,
    /// SHA-512 (FIPS 180-4).
    Sha512,
    /// SHA-512/256 (FIPS 180-4).
    Sha512_256,
    /// SHA3-256 (FIPS 202).
    Sha3_256,
    /// SHA3-512 (FIPS 202).
    Sha3_512,
    /// BLAKE2b with digests of 512 bits, without a key (RFC 7693).
    Blake2b,
    /// BLAKE2b with digests of 256 bits, without a key (RFC 7693).
    Blake2b256,
    /// SM3 (GB/T 32905-2016).
    Sm3,
}

/// Says an expression of an algorithm's design and starting words.
macro_rules! dispatch {
    ($algorithm:expr, $design:ident, $initial:ident => $value:expr) => {
        match $algorithm {
            Algorithm::Md4 => dispatch!(@ Md4 MD $design $initial $value),
            Algorithm::Md5 => dispatch!(@ Md5 MD $design $initial $value),
            Algorithm::Sha1 => dispatch!(@ Sha1 MD $design $initial $value),
            Algorithm::Sha224 => dispatch!(@ Sha256 SHA224 $design $initial $value),
            Algorithm::Sha256 => dispatch!(@ Sha256 SHA256 $design $initial $value),
            Algorithm::Sha384 => dispatch!(@ Sha512 SHA384 $design $initial $value),
            Algorithm::Sha512 => dispatch!(@ Sha512 SHA512 $design $initial $value),
            Algorithm::Sha512_256 => dispatch!(@ Sha512 SHA512_256 $design $initial $value),
            Algorithm::Sha3_256 => dispatch!(@ Sha3_256 KECCAK $design $initial $value),
            Algorithm::Sha3_512 => dispatch!(@ Sha3_512 KECCAK $design $initial $value),
            Algorithm::Blake2b => dispatch!(@ Blake2b BLAKE2B_512 $design $initial $value),
            Algorithm::Blake2b256 => dispatch!(@ Blake2b BLAKE2B_256 $design $initial $value),
            Algorithm::Sm3 => dispatch!(@ Sm3 SM3 $design $initial $value),
        }
    };
    (@ $actual:ident $words:ident $design:ident $initial:ident $value:expr) => {{
        type $design = $actual;
        let $initial: &'static [_] = &$words;
        $value
    }};
}

impl Algorithm {
    /// All of them.
    pub const ALL: [Self; 13] = [
        Self::Md4,
        Self::Md5,
        Self::Sha1,
        Self::Sha224,
        Self::Sha256,
        Self::Sha384,
        Self::Sha512,
        Self::Sha512_256,
        Self::Sha3_256,
        Self::Sha3_512,
        Self::Blake2b,
        Self::Blake2b256,
        Self::Sm3,
    ];

    /// The backends that this CPU has for it, those that need most of the CPU first.
    pub fn backends(self) -> Vec<Backend> {
        dispatch!(self, Design, _words => kernel::backends::<Design>())
    }

    /// The kernels that this CPU has for it: backend, and how many messages at once.
    pub fn kernels(self) -> Vec<(Backend, usize)> {
        dispatch!(self, Design, _words => kernel::available::<Design>())
    }

    /// The kernels that there are for it by themselves, those too that this CPU does not have.
    #[doc(hidden)]
    pub fn bare_kernels(self) -> Vec<Bare> {
        dispatch!(self, Design, _words => bare::kernels::<Design>())
    }

    /// Length of its digests in bytes.
    pub fn length(self) -> usize {
        match self {
            Self::Md4 | Self::Md5 => 16,
            Self::Sha1 => 20,
            Self::Sha224 => 28,
            Self::Sha256 | Self::Sha512_256 | Self::Sha3_256 | Self::Blake2b256 | Self::Sm3 => 32,
            Self::Sha384 => 48,
            Self::Sha512 | Self::Sha3_512 | Self::Blake2b => 64,
        }
    }
}

/// Of MD4, MD5 and, with one more word, SHA-1.
static MD: [u32; 5] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0];

/// The second 32 bits of the fractional parts of the square roots of the 9th to 16th primes.
static SHA224: [u32; 8] =
    [0xc105_9ed8, 0x367c_d507, 0x3070_dd17, 0xf70e_5939, 0xffc0_0b31, 0x6858_1511, 0x64f9_8fa7, 0xbefa_4fa4];

/// The first 32 bits of the fractional parts of the square roots of the first eight primes.
static SHA256: [u32; 8] =
    [0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19];

/// The first 64 bits of the fractional parts of the square roots of the 9th to 16th primes.
static SHA384: [u64; 8] = [
    0xcbbb_9d5d_c105_9ed8,
    0x629a_292a_367c_d507,
    0x9159_015a_3070_dd17,
    0x152f_ecd8_f70e_5939,
    0x6733_2667_ffc0_0b31,
    0x8eb4_4a87_6858_1511,
    0xdb0c_2e0d_64f9_8fa7,
    0x47b5_481d_befa_4fa4,
];

/// The first 64 bits of the fractional parts of the square roots of the first eight primes: BLAKE2b took its own from here.
static SHA512: [u64; 8] = BLAKE2B_IV;

/// The digest of `SHA-512/256` by SHA-512, started from other words (FIPS 180-4, section 5.3.6).
static SHA512_256: [u64; 8] = [
    0x2231_2194_fc2b_f72c,
    0x9f55_5fa3_c84c_64c2,
    0x2393_b86b_6f53_b151,
    0x9638_7719_5940_eabd,
    0x9628_3ee2_a88e_ffe3,
    0xbe5e_1e25_5386_3992,
    0x2b01_99fc_2c85_b8aa,
    0x0eb7_2ddc_81c5_2ca2,
];

static KECCAK: [u64; Sha3_256::WORDS] = [0; Sha3_256::WORDS];

static BLAKE2B_512: [u64; Blake2b::WORDS] = blake2b(64);
static BLAKE2B_256: [u64; Blake2b::WORDS] = blake2b(32);

/// The words of [`BLAKE2B_IV`], the first of them marked with the length of the digest and that there is no key and no
/// tree (RFC 7693, section 3.3); nothing is counted yet.
const fn blake2b(digest_bytes: u64) -> [u64; Blake2b::WORDS] {
    let [first, b, c, d, e, f, g, h] = BLAKE2B_IV;
    [first ^ 0x0101_0000 ^ digest_bytes, b, c, d, e, f, g, h, 0, 0]
}

/// GB/T 32905-2016, section 4.1.
static SM3: [u32; 8] =
    [0x7380_166f, 0x4914_b2b9, 0x1724_42d7, 0xda8a_0600, 0xa96f_30bc, 0x1631_38aa, 0xe38d_ee4d, 0xb0fb_0e4e];

/// The messages of one algorithm, one in each of several slots, that come in parts.
pub struct Streams {
    algorithm: Algorithm,
    typed: Box<dyn Erased>,
}

/// [`Typed`], whatever the design.
trait Erased: Send {
    fn advance(&mut self, parts: &[Part<'_>]);
    fn finish(&mut self, slot: usize, digest: &mut [u8]);
    fn digest(&mut self, messages: &[&[u8]], digests: &mut [u8], length: usize);
    fn forget(&mut self, slot: usize);
    fn save(&self, slot: usize) -> Option<Midstate>;
    fn restore(&mut self, slot: usize, saved: &Midstate) -> bool;
    fn slots(&self) -> usize;
    fn serving(&self, messages: usize) -> (Backend, usize);
    fn occupancy(&self) -> Occupancy;
    fn duplicate(&self) -> Box<dyn Erased>;
}

impl<D: Kernels + 'static> Erased for Typed<D> {
    fn advance(&mut self, parts: &[Part<'_>]) {
        self.advance(parts);
    }

    fn finish(&mut self, slot: usize, digest: &mut [u8]) {
        self.finish(slot, digest);
    }

    fn digest(&mut self, messages: &[&[u8]], digests: &mut [u8], length: usize) {
        if let [bytes] = messages {
            // Of a short message the memory for its part would be a tenth of the time.
            self.advance(&[Part { slot: 0, bytes, last: true }]);
        } else {
            let parts = messages.iter().enumerate();
            let parts: Vec<_> = parts.map(|(slot, bytes)| Part { slot, bytes, last: true }).collect();
            self.advance(&parts);
        }
        for slot in 0..messages.len() {
            self.finish(slot, &mut digests[slot * length..][..length]);
        }
    }

    fn forget(&mut self, slot: usize) {
        self.forget(slot);
    }

    fn save(&self, slot: usize) -> Option<Midstate> {
        self.save(slot)
    }

    fn restore(&mut self, slot: usize, saved: &Midstate) -> bool {
        self.restore(slot, saved)
    }

    fn slots(&self) -> usize {
        self.slots()
    }

    fn serving(&self, messages: usize) -> (Backend, usize) {
        self.serving(messages)
    }

    fn occupancy(&self) -> Occupancy {
        self.occupancy()
    }

    fn duplicate(&self) -> Box<dyn Erased> {
        Box::new(self.clone())
    }
}

impl Clone for Streams {
    fn clone(&self) -> Self {
        Self { algorithm: self.algorithm, typed: self.typed.duplicate() }
    }
}

impl Streams {
    /// `slots` fresh slots, computed by whatever is expected to be fastest on this CPU.
    pub fn new(algorithm: Algorithm, slots: usize) -> Self {
        Self::of(algorithm, slots, Wanted::Fixed).expect("every algorithm has a portable kernel")
    }

    /// `slots` fresh slots, computed by whatever was measured to be fastest. Rates that leave out a kernel of
    /// [`Algorithm::kernels`] say nothing, and neither do numbers that are not rates: then it is as with [`Streams::new`].
    pub fn with_rates(algorithm: Algorithm, slots: usize, rates: &[Rate]) -> Self {
        Self::of(algorithm, slots, Wanted::Measured(rates)).expect("every algorithm has a portable kernel")
    }

    /// `slots` fresh slots, computed by the kernels of one backend, and by the portable one for so few messages that it is
    /// faster.
    /// `None` if this CPU or the algorithm does not have it.
    pub fn with_backend(algorithm: Algorithm, slots: usize, backend: Backend) -> Option<Self> {
        Self::of(algorithm, slots, Wanted::Backend(backend))
    }

    /// `slots` fresh slots, computed by one kernel whatever their number, for measuring it. `None` if it is not one of
    /// [`Algorithm::kernels`].
    pub fn with_kernel(algorithm: Algorithm, slots: usize, backend: Backend, lanes: usize) -> Option<Self> {
        Self::of(algorithm, slots, Wanted::Kernel(backend, lanes))
    }

    fn of(algorithm: Algorithm, slots: usize, wanted: Wanted<'_>) -> Option<Self> {
        let typed: Box<dyn Erased> = dispatch!(algorithm, Design, words => {
            Box::new(Typed::<Design>::new(words, Schedule::new::<Design>(wanted)?, slots))
        });
        Some(Self { algorithm, typed })
    }

    /// The algorithm of all slots.
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// Number of slots.
    pub fn slots(&self) -> usize {
        self.typed.slots()
    }

    /// How full the lanes were, in all calls together.
    pub fn occupancy(&self) -> Occupancy {
        self.typed.occupancy()
    }

    /// The backend that takes in this many messages at once, and the number of its lanes: more messages are taken in in turn, fewer
    /// leave lanes empty.
    ///
    /// # Panics
    /// There are no messages.
    pub fn serving(&self, messages: usize) -> (Backend, usize) {
        assert!(messages > 0, "no messages need no backend");
        self.typed.serving(messages)
    }

    /// Takes in the next bytes of several messages at once. The more there are, and the more alike in length, the better.
    ///
    /// # Panics
    /// A slot does not exist or is named twice, or its message has ended.
    pub fn advance(&mut self, parts: &[Part<'_>]) {
        self.typed.advance(parts);
    }

    /// Writes the digest of the message in `slot`, which is fresh afterwards. Without a last part before, the message ends
    /// here.
    ///
    /// # Panics
    /// The slot does not exist. `digest` is not [`Algorithm::length`] bytes long.
    pub fn finish(&mut self, slot: usize, digest: &mut [u8]) {
        assert_eq!(digest.len(), self.algorithm.length(), "a digest has its algorithm's length");
        self.typed.finish(slot, digest);
    }

    /// Forgets the message in `slot`, which is fresh afterwards.
    ///
    /// # Panics
    /// The slot does not exist.
    pub fn forget(&mut self, slot: usize) {
        self.typed.forget(slot);
    }

    /// What the message in `slot` needs to go on elsewhere, under whatever backend. `None` if its last part was taken in.
    ///
    /// # Panics
    /// The slot does not exist.
    pub fn save(&self, slot: usize) -> Option<Midstate> {
        self.typed.save(slot)
    }

    /// Puts a message that was saved into `slot`, in place of what was there. False, and the slot is fresh, if no message
    /// of this algorithm can have been saved so.
    ///
    /// # Panics
    /// The slot does not exist.
    pub fn restore(&mut self, slot: usize, saved: &Midstate) -> bool {
        self.typed.restore(slot, saved)
    }
}

impl fmt::Debug for Streams {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Streams")
            .field("algorithm", &self.algorithm)
            .field("slots", &self.slots())
            .finish_non_exhaustive()
    }
}

/// Messages that [`digest_many`] takes at a time: enough for lanes to stay full.
const AT_A_TIME: usize = 1024;

thread_local! {
    /// The slots that [`digest_many`] made on this thread: to make them takes as long as a hundred short messages. At most
    /// 0.7 MB an algorithm, and a tenth of that for as many messages as kernels have lanes.
    static KEPT: [Cell<Option<Streams>>; Algorithm::ALL.len()] =
        const { [const { Cell::new(None) }; Algorithm::ALL.len()] };
}

/// Writes the digests of messages that are in memory, in their order, each [`Algorithm::length`] bytes long.
///
/// # Panics
/// `digests` is not as long as all of them.
pub fn digest_many(algorithm: Algorithm, messages: &[&[u8]], digests: &mut [u8]) {
    let length = algorithm.length();
    assert_eq!(digests.len(), messages.len() * length, "there is room for the digests and for nothing else");
    // While the thread ends, nothing is kept any more.
    let kept = KEPT.try_with(|kept| kept[algorithm as usize].take()).ok().flatten();
    let slots = messages.len().min(AT_A_TIME);
    let kept = kept.filter(|streams| streams.slots() >= slots);
    let mut streams = kept.unwrap_or_else(|| Streams::new(algorithm, slots.next_power_of_two()));
    for (number, some) in messages.chunks(AT_A_TIME).enumerate() {
        streams.typed.digest(
            some,
            &mut digests[number * AT_A_TIME * length..][..some.len() * length],
            length,
        );
    }
    let _ = KEPT.try_with(|kept| kept[algorithm as usize].set(Some(streams)));
}
