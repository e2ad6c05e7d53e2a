//! The names that a store has for a state of an object.

/// Which state of an object was read, by the names that its store has for it.
///
/// They are the store's words, and it may say what it likes: they are kept to be shown and compared, and no bytes follow from them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectState {
    /// The entity tag, without quotation marks: another content has another one.
    pub etag: Option<Box<str>>,
    /// The version, or the generation, under which the store keeps this state beside others.
    pub version: Option<Box<str>>,
}

impl ObjectState {
    /// The longest name that is kept, in bytes. No version of S3 is longer.
    pub const LONGEST: usize = 1024;

    /// What is sound of these names: some text, not too long, without control characters. `None` if nothing is.
    pub fn new(etag: Option<&str>, version: Option<&str>) -> Option<Self> {
        let sound = |name: Option<&str>| name.filter(|name| is_sound(name)).map(Box::from);
        let (etag, version) = (sound(etag), sound(version));
        (etag.is_some() || version.is_some()).then_some(Self { etag, version })
    }
}

fn is_sound(name: &str) -> bool {
    !name.is_empty() && name.len() <= ObjectState::LONGEST && !name.chars().any(char::is_control)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_can_be_shown_is_kept() {
        let state = ObjectState::new(Some("5d41-2"), Some("null")).expect("two names");
        assert_eq!((state.etag.as_deref(), state.version.as_deref()), (Some("5d41-2"), Some("null")));
        let longest = "v".repeat(ObjectState::LONGEST);
        assert!(ObjectState::new(None, Some(&longest)).is_some());
        for unsound in ["", "a\nb", "\u{1b}[2J", "a\u{85}", &format!("{longest}v")] {
            assert_eq!(ObjectState::new(Some(unsound), Some(unsound)), None, "{unsound:?}");
            let other = ObjectState::new(Some(unsound), Some("3")).expect("a version");
            assert_eq!((other.etag, other.version.as_deref()), (None, Some("3")));
        }
        assert_eq!(ObjectState::new(None, None), None);
    }
}
