//! Text that others have written, as it can be shown.

/// A text as it can be shown, and no longer than anything that a run says of itself.
pub(crate) fn shown(text: &str) -> String {
    const MOST_CHARS: usize = 4_096;
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars().take(MOST_CHARS) {
        if is_unsafe_to_show(letter) {
            shown.extend(letter.escape_unicode());
        } else {
            shown.push(letter);
        }
    }
    shown
}

/// Control characters, and those that turn the direction of writing.
pub(crate) fn is_unsafe_to_show(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
