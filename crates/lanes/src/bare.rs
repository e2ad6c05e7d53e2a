//! Kernels without messages around them, for tests that look at more than messages reach. Not part of the interface.

use crate::backend::Backend;
use crate::cpu::Core;
use crate::designs::Word as _;
use crate::kernel::Kernels;

/// A kernel of a design. Words are little-endian, and lie as the kernel has them: word `w` of lane `l` at `w * lanes + l`.
#[doc(hidden)]
pub struct Bare {
    /// What the CPU has to have.
    pub backend: Backend,
    /// How many messages.
    pub lanes: usize,
    /// Chaining words of a lane.
    pub words: usize,
    /// Bytes of a chaining word.
    pub word_bytes: usize,
    /// Bytes of a block.
    pub block_bytes: usize,
    /// Its rates on a Zen 4, a Zen 5 and a Golden Cove.
    pub rates: [f32; 3],
    run: Box<TakesIn>,
}

/// Words, a pointer for each lane, and how many blocks lie behind each.
type TakesIn = dyn Fn(&mut [u8], &[*const u8], usize);

impl Bare {
    /// Takes in `count` blocks of each lane.
    ///
    /// # Safety
    /// Each pointer is valid for reading `count` blocks.
    ///
    /// # Panics
    /// If the CPU does not have the backend, or there are not as many words and pointers as the lanes need.
    pub unsafe fn run(&self, words: &mut [u8], blocks: &[*const u8], count: usize) {
        assert!(self.backend.is_available(), "this CPU does not have {}", self.backend);
        assert_eq!(blocks.len(), self.lanes, "a pointer for each lane");
        assert_eq!(words.len(), self.lanes * self.words * self.word_bytes, "words for each lane");
        (self.run)(words, blocks, count);
    }
}

/// The kernels of a design, those too that this CPU does not have.
pub(crate) fn kernels<D: Kernels>() -> Vec<Bare> {
    let word_bytes = size_of::<D::Word>();
    let bare = D::kernels().iter().map(|kernel| Bare {
        backend: kernel.backend,
        lanes: kernel.lanes,
        words: D::WORDS,
        word_bytes,
        block_bytes: D::BLOCK_BYTES,
        rates: [Core::Zen4, Core::Zen5, Core::GoldenCove].map(|core| kernel.rates.on(core)),
        run: Box::new(move |bytes, blocks, count| {
            let read = |word| D::Word::read(word).expect("a whole word");
            let mut words: Vec<D::Word> = bytes.chunks(word_bytes).map(read).collect();
            // SAFETY: only `Bare::run` calls this. It has made sure of the backend, and that there are words for all lanes and a
            // pointer for each; its caller promises `count` blocks behind each of them.
            unsafe { (kernel.run)(words.as_mut_ptr(), blocks.as_ptr(), count) };
            bytes.chunks_mut(word_bytes).zip(words).for_each(|(room, word)| word.write(room, false));
        }),
    });
    bare.collect()
}
