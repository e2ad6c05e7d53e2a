//! Any format, with a file name and an algorithm.

use hashlane_digest::Algorithm;
use hashlane_manifest::ReadOptions;

pub(super) fn check(input: &[u8]) {
    let Some((&choice, rest)) = input.split_first() else {
        return;
    };
    // The first line of the input is the file's name.
    let name_end = rest.iter().position(|&byte| byte == b'\n').unwrap_or(0);
    let (file_name, text) = rest.split_at(name_end);
    let options = ReadOptions {
        algorithm: Algorithm::all().nth(usize::from(choice >> 1)),
        file_name: Some(file_name),
        zero: choice & 1 == 1,
        ..ReadOptions::default()
    };
    crate::check(text.strip_prefix(b"\n").unwrap_or(text), &options);
}
