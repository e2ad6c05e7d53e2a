//! Lines that are objects of JSON.

/// The value of `schema` in every object.
pub(crate) const SCHEMA: &str = "hashlane-manifest";

/// Whether a line begins as an object does.
pub(crate) fn is_object(line: &[u8]) -> bool {
    line.trim_ascii_start().starts_with(b"{")
}

/// Looks for the key and our value. Neither can stand inside a string, where quotation marks have
/// backslashes.
pub(crate) fn is_our_object(line: &[u8]) -> bool {
    const KEY: &[u8] = b"\"schema\"";
    if !is_object(line) {
        return false;
    }
    memchr::memmem::find_iter(line, KEY).any(|at| {
        let rest = line[at + KEY.len()..].trim_ascii_start().strip_prefix(b":").unwrap_or_default();
        let value = rest.trim_ascii_start().strip_prefix(b"\"").unwrap_or_default();
        value.strip_prefix(SCHEMA.as_bytes()).is_some_and(|rest| rest.starts_with(b"\""))
    })
}

/// Whether a line seems to be an object of ours about a file, whole or not. No string holds the quoted key.
pub(crate) fn seems_entry(line: &[u8]) -> bool {
    is_our_object(line) && memchr::memmem::find(line, b"\"header\":").is_none()
}
