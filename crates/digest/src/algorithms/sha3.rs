//! SHA-3 and SHAKE (FIPS 202) by RustCrypto: portable code, but for the SHA-3 instructions of ARMv8.2.
//!
//! A digest of SHAKE may be of any length, and a longer one begins with each shorter one. Those here are twice as long as the strength of their
//! function, as most tools have them.

use digest::common::BlockSizeUser;
use digest::common::hazmat::{SerializableState, SerializedState};
use digest::typenum::Unsigned;
use digest::{ExtendableOutputReset, Reset, Update};

use super::cpu::path_by_cpu;
use super::rust_crypto::{Form, start_saved};
use crate::state::State;

pub(crate) fn sha3_224() -> Box<dyn State> {
    start_saved::<sha3::Sha3_224>(backend, sponge())
}

pub(crate) fn sha3_384() -> Box<dyn State> {
    start_saved::<sha3::Sha3_384>(backend, sponge())
}

pub(crate) fn sha3_256() -> Box<dyn State> {
    start_saved::<sha3::Sha3_256>(backend, sponge())
}

pub(crate) fn sha3_512() -> Box<dyn State> {
    start_saved::<sha3::Sha3_512>(backend, sponge())
}

pub(crate) fn shake128() -> Box<dyn State> {
    Box::new(Extendable(shake::Shake128::default()))
}

pub(crate) fn shake256() -> Box<dyn State> {
    Box::new(Extendable(shake::Shake256::default()))
}

/// A function that gives any number of bytes.
#[derive(Clone)]
struct Extendable<F>(F);

impl<F> State for Extendable<F>
where
    F: Clone + ExtendableOutputReset + Reset + Update + Send + 'static,
{
    fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish_into(&mut self, digest: &mut [u8]) {
        self.0.finalize_xof_reset_into(digest);
    }

    fn reset(&mut self) {
        self.0.reset();
    }

    fn duplicate(&self) -> Box<dyn State> {
        Box::new(self.clone())
    }

    fn backend(&self) -> &'static str {
        backend()
    }
}

/// The form of sponges. The library writes the words, and one byte for the place in them; pending bytes are in the words
/// already, so those that are left pending change nothing.
fn sponge<D>() -> Form<D>
where
    D: SerializableState + BlockSizeUser,
{
    Form {
        save: |hash| {
            let whole = hash.serialize();
            let (&place, words) = whole.split_last().expect("it has a length");
            (words.to_vec(), vec![0; place.into()])
        },
        restore: |saved| {
            let place = u8::try_from(saved.pending.len()).ok()?;
            if u64::from(place) != saved.length % D::BlockSize::U64 || saved.chaining.len() < place.into() {
                return None;
            }
            let mut whole = saved.chaining.clone();
            whole.iter_mut().zip(&saved.pending).for_each(|(byte, pending)| *byte ^= pending);
            whole.push(place);
            D::deserialize(&SerializedState::<D>::try_from(&whole[..]).ok()?).ok()
        },
    }
}

fn backend() -> &'static str {
    path_by_cpu! {
        aarch64["sha3"] => "armv8-sha3",
    }
}
