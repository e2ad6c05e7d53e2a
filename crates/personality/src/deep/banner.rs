//! The head of a list of hashdeep's.

use hashlane_digest::Algorithm;

/// The longest line that hashdeep reads, in bytes.
const MOST_BYTES: usize = 2048;

/// What stands before the first line: the columns, and how the list was made. A newline in an argument is
/// written as `\n`: what follows it would pass for a record.
pub(super) fn text(algorithms: &[Algorithm], current: &[u8], command: &[Vec<u8>]) -> Vec<u8> {
    let mut text = b"%%%% HASHDEEP-1.0\n%%%% size,".to_vec();
    for algorithm in algorithms {
        text.extend_from_slice(algorithm.name().as_bytes());
        text.push(b',');
    }
    text.extend_from_slice(b"filename\n## Invoked from: ");
    text.extend_from_slice(&one_line(current));
    text.extend_from_slice(b"\n## ");
    text.push(if rustix::process::geteuid().is_root() { b'#' } else { b'$' });
    // `## `, the prompt and the space before the first argument, as the original counts them.
    let mut written = 8;
    for argument in command {
        text.push(b' ');
        written += 1;
        // The original keeps 32 bytes free.
        if argument.len() + written + 32 > MOST_BYTES {
            text.extend_from_slice(b"\n## ");
            written = 3;
        }
        text.extend_from_slice(&one_line(argument));
        written += argument.len();
    }
    text.extend_from_slice(b"\n## \n");
    text
}

fn one_line(text: &[u8]) -> Vec<u8> {
    let mut line = Vec::with_capacity(text.len());
    for &byte in text {
        match byte {
            b'\n' => line.extend_from_slice(b"\\n"),
            b'\r' => line.extend_from_slice(b"\\r"),
            byte => line.push(byte),
        }
    }
    line
}
