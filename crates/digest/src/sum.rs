//! What costs less than any digest: what a memory can bring, and not what an algorithm can take in.

/// Adds all words: the least that can be done with bytes and still needs every one. Eight sums at once keep the adds from
/// waiting for each other.
pub fn sum_of_words(bytes: &[u8]) -> u64 {
    let mut sums = [0u64; 8];
    let chunks = bytes.chunks_exact(64);
    let rest = chunks.remainder().iter().map(|&byte| u64::from(byte)).sum::<u64>();
    for chunk in chunks {
        for (sum, word) in sums.iter_mut().zip(chunk.chunks_exact(8)) {
            *sum = sum.wrapping_add(u64::from_le_bytes(word.try_into().expect("8 bytes")));
        }
    }
    sums.iter().fold(rest, |all, sum| all.wrapping_add(*sum))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_in_the_sum() {
        let mut bytes = vec![0u8; 1_000];
        assert_eq!(sum_of_words(&bytes), 0);
        for at in [0, 7, 8, 63, 64, 959, 960, 999] {
            bytes[at] = 1;
            assert_ne!(sum_of_words(&bytes), 0, "{at}");
            bytes[at] = 0;
        }
    }
}
