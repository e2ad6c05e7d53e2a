//! Every algorithm by every backend against RustCrypto.

use hashlane_lanes::{Algorithm, Backend, Part, Streams, digest_many};
use sha2::Digest as _;

fn oracle(algorithm: Algorithm, message: &[u8]) -> Vec<u8> {
    match algorithm {
        Algorithm::Md4 => md4::Md4::digest(message).to_vec(),
        Algorithm::Md5 => md5::Md5::digest(message).to_vec(),
        Algorithm::Sha1 => sha1::Sha1::digest(message).to_vec(),
        Algorithm::Sha224 => sha2::Sha224::digest(message).to_vec(),
        Algorithm::Sha256 => sha2::Sha256::digest(message).to_vec(),
        Algorithm::Sha384 => sha2::Sha384::digest(message).to_vec(),
        Algorithm::Sha512 => sha2::Sha512::digest(message).to_vec(),
        Algorithm::Sha512_256 => sha2::Sha512_256::digest(message).to_vec(),
        other => panic!("{other:?} has no oracle"),
    }
}

#[test]
fn many() {
    let messages: Vec<Vec<u8>> = (0..300).map(|n| (0..n * 7).map(|i| (i * 31 + n) as u8).collect()).collect();
    let refs: Vec<&[u8]> = messages.iter().map(Vec::as_slice).collect();
    for algorithm in Algorithm::ALL {
        for (m, d) in refs.iter().zip(digest_many(algorithm, &refs)) {
            assert_eq!(d, oracle(algorithm, m), "{algorithm:?} {}", m.len());
        }
        for backend in algorithm.backends() {
            let mut s = Streams::with_backend(algorithm, 300, backend).unwrap();
            let parts: Vec<_> =
                refs.iter().enumerate().map(|(slot, bytes)| Part { slot, bytes, last: true }).collect();
            s.advance(&parts);
            for (slot, m) in refs.iter().enumerate() {
                let mut d = vec![0; algorithm.length()];
                s.finish(slot, &mut d);
                assert_eq!(d, oracle(algorithm, m), "{algorithm:?} {backend} {}", m.len());
            }
        }
    }
    let _ = Backend::ALL;
}
