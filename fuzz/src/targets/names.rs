//! Lists of names, by line and by NUL.

use hashlane_manifest::LineEnds;
use hashlane_manifest::names::Names;

pub(super) fn check(input: &[u8]) {
    let lines = Names::lines(input).expect("a slice is read without errors");
    let crlf = lines.line_ends() == LineEnds::CrLf;
    account_for(lines, input, if crlf { b"\r\n" } else { b"\n" });
    account_for(Names::nul_terminated(input), input, b"\0");
}

/// Joined again, the names and the offsets of the problems account for every byte.
fn account_for(names: Names<'_>, input: &[u8], end: &[u8]) {
    let mut entries = 0;
    let mut bytes = 0;
    for name in names {
        entries += 1;
        match name {
            Ok(name) => {
                assert!(!name.as_bytes().is_empty() && !name.as_bytes().contains(&0));
                bytes += name.as_bytes().len();
            }
            Err(problem) => assert!(problem.offset_bytes as usize <= input.len()),
        }
    }
    assert!(bytes <= input.len() && entries <= input.len());
    let ended = input.split_inclusive(|byte| Some(byte) == end.last()).count();
    assert_eq!(entries, ended);
}
