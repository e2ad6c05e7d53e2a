//! Standard input as a list.

use std::io::{self, Read};

use hashlane_io::StandardInput;

/// The name that stands for standard input.
pub const STDIN: &str = "-";

/// Standard input that stays at its end: at a terminal, every further read would wait for another Ctrl-D.
#[derive(Debug, Default)]
pub struct Stdin {
    ended: bool,
}

impl Read for Stdin {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.ended {
            return Ok(0);
        }
        let count = StandardInput.read(buffer)?;
        self.ended = count == 0 && !buffer.is_empty();
        Ok(count)
    }
}
