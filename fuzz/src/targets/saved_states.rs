//! Saved states of digests: whatever they hold, they are refused, or a message can go on from them.

use hashlane_digest::{Algorithm, Backend, BackendChoice, SavedState};

/// A state is seldom sealed by chance, so the input is tried as it is and with the checksum that it would need.
pub(super) fn check(input: &[u8]) {
    let sum = Algorithm::XXH3.digest(input);
    let sealed = [input, sum.as_bytes()].concat();
    for bytes in [input, &sealed[..]] {
        let saved = match SavedState::parse(bytes) {
            Ok(saved) => saved,
            Err(error) => {
                assert!(error.to_string().len() < 1024, "{error}");
                continue;
            }
        };
        assert_eq!(saved.to_bytes(), bytes);
        let more: Vec<u8> = (0..3000).map(|at| at as u8).collect();
        let digests = [BackendChoice::Auto, BackendChoice::Only(Backend::Portable)].map(|choice| {
            let mut hasher = saved.resume(&choice);
            let again = hasher.save().expect("it was saved before");
            assert_eq!((again.algorithm(), again.length()), (saved.algorithm(), saved.length()));
            hasher.update(&more);
            let mut later = hasher.save().expect("it was saved before").resume(&choice);
            let known = later.save().expect("it was saved before").length() - saved.length();
            later.update(&more[usize::try_from(known).expect("no more than was given")..]);
            assert_eq!(later.finish(), hasher.finish());
            let mut hasher = saved.resume(&choice);
            hasher.update(&more);
            hasher.finish()
        });
        assert_eq!(digests[0], digests[1]);
    }
}
