//! One wrapper for every hash that implements RustCrypto's `digest` traits.

use digest::common::BlockSizeUser;
use digest::common::hazmat::{SerializableState, SerializedState};
use digest::typenum::Unsigned;
use digest::{Digest, FixedOutputReset, Output, Reset};
use hashlane_lanes::Midstate;

use crate::state::State;

/// A fresh state of the hash `D`, which takes the CPU path that `backend` names.
pub(crate) fn start<D>(backend: fn() -> &'static str) -> Box<dyn State>
where
    D: Clone + Digest + FixedOutputReset + Reset + Send + 'static,
{
    Box::new(RustCrypto { hash: D::new(), length: 0, backend, form: None })
}

/// The same for a hash whose state the library lets out, in its own form.
pub(crate) fn start_saved<D>(backend: fn() -> &'static str, form: Form<D>) -> Box<dyn State>
where
    D: Clone + Digest + FixedOutputReset + Reset + Send + 'static,
{
    Box::new(RustCrypto { hash: D::new(), length: 0, backend, form: Some(form) })
}

/// For hashes that the library has nothing but portable code for.
pub(crate) fn portable() -> &'static str {
    "portable"
}

/// How the state of a hash becomes ours, and ours becomes its.
#[derive(Clone)]
pub(crate) struct Form<D> {
    /// Chaining value and pending bytes of a hash that has taken in `length` bytes.
    pub(crate) save: fn(&D) -> (Vec<u8>, Vec<u8>),
    /// A hash of this state; `None` if it cannot be in it.
    pub(crate) restore: fn(&Midstate) -> Option<D>,
}

#[derive(Clone)]
struct RustCrypto<D> {
    hash: D,
    /// Bytes so far.
    length: u64,
    backend: fn() -> &'static str,
    form: Option<Form<D>>,
}

impl<D> State for RustCrypto<D>
where
    D: Clone + Digest + FixedOutputReset + Reset + Send + 'static,
{
    fn update(&mut self, bytes: &[u8]) {
        Digest::update(&mut self.hash, bytes);
        self.length += bytes.len() as u64;
    }

    fn finish_into(&mut self, digest: &mut [u8]) {
        let digest: &mut Output<D> = digest.try_into().expect("the slice has the algorithm's length");
        FixedOutputReset::finalize_into_reset(&mut self.hash, digest);
        self.length = 0;
    }

    fn reset(&mut self) {
        Reset::reset(&mut self.hash);
        self.length = 0;
    }

    fn duplicate(&self) -> Box<dyn State> {
        Box::new(self.clone())
    }

    fn backend(&self) -> &'static str {
        (self.backend)()
    }

    fn save(&self) -> Option<Midstate> {
        let (chaining, pending) = (self.form.as_ref()?.save)(&self.hash);
        Some(Midstate { length: self.length, chaining, pending })
    }

    fn restore(&mut self, saved: &Midstate) -> bool {
        self.reset();
        let Some(form) = self.form.as_ref().filter(|_| saved.length <= Midstate::MOST_LENGTH) else {
            return false;
        };
        let Some(hash) = (form.restore)(saved) else { return false };
        (self.hash, self.length) = (hash, saved.length);
        true
    }
}

/// The form of hashes in the way of MD4. The library writes the chaining words, the number of blocks in eight bytes, one byte
/// for the number of pending bytes, and room for as many as do not fill a block.
pub(crate) fn chained<D>() -> Form<D>
where
    D: SerializableState + BlockSizeUser,
{
    Form {
        save: |hash| {
            let whole = hash.serialize();
            let (words, behind) = whole.split_at(whole.len() - COUNT_BYTES - D::BlockSize::USIZE);
            let (&begun, block) = behind[COUNT_BYTES..].split_first().expect("it has a length");
            (words.to_vec(), block[..begun.into()].to_vec())
        },
        restore: |saved| {
            let block = D::BlockSize::USIZE;
            let begun = u8::try_from(saved.pending.len()).ok()?;
            let count = saved.length / block as u64;
            if u64::from(begun) != saved.length % block as u64 {
                return None;
            }
            let mut whole = [&saved.chaining[..], &count.to_le_bytes(), &[begun], &saved.pending].concat();
            whole.resize(whole.len() + block - 1 - usize::from(begun), 0);
            D::deserialize(&SerializedState::<D>::try_from(&whole[..]).ok()?).ok()
        },
    }
}

/// What counts the blocks.
const COUNT_BYTES: usize = 8;
