//! BLAKE3 (O'Connor, Aumasson, Neves and Wilcox-O'Hearn, 2020), hash mode, by its authors' crate. Its tree is used by
//! [`crate::tree`].

use blake3::platform::Platform;
use hashlane_lanes::Midstate;

use crate::state::State;
use crate::tree::Stream;

pub(crate) fn blake3() -> Box<dyn State> {
    Box::new(Blake3(Stream::new()))
}

#[derive(Clone)]
struct Blake3(Stream);

impl State for Blake3 {
    fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish_into(&mut self, digest: &mut [u8]) {
        digest.copy_from_slice(self.0.finish().as_bytes());
    }

    fn reset(&mut self) {
        self.0.reset();
    }

    fn duplicate(&self) -> Box<dyn State> {
        Box::new(self.clone())
    }

    fn save(&self) -> Option<Midstate> {
        Some(self.0.save())
    }

    fn restore(&mut self, saved: &Midstate) -> bool {
        self.0.restore(saved)
    }

    /// Asks the crate: whether it has AVX-512 or NEON code depends on the C compiler that it was built with as well as on
    /// the CPU, and its variants exist only where the code does.
    fn backend(&self) -> &'static str {
        match format!("{:?}", Platform::detect()).as_str() {
            "AVX2" => "avx2",
            "AVX512" => "avx512",
            "NEON" => "neon",
            "SSE2" => "sse2",
            "SSE41" => "sse4.1",
            _ => "portable",
        }
    }
}
