//! A reader that gives out no more than a statement may have.

use std::cell::Cell;
use std::io::{self, Read};
use std::rc::Rc;

use super::{HEAD_BYTES, MAX_STATEMENT_BYTES};

/// What may still be read until the next statement is there.
#[derive(Clone, Debug, Default)]
pub(super) struct Allowance(Rc<Cell<usize>>);

/// A text that is read a statement at a time.
#[derive(Debug)]
pub(super) struct Bounded<R> {
    text: R,
    allowance: Allowance,
}

impl Allowance {
    /// Begins the next statement. What was read ahead of it counts for the last one.
    pub(super) fn renew(&self) {
        self.0.set(MAX_STATEMENT_BYTES + HEAD_BYTES);
    }
}

impl<R: Read> Bounded<R> {
    pub(super) fn new(text: R) -> Self {
        let allowance = Allowance::default();
        allowance.renew();
        Self { text, allowance }
    }

    pub(super) fn allowance(&self) -> Allowance {
        self.allowance.clone()
    }
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.allowance.0.get();
        if left == 0 && !buffer.is_empty() {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                format!("it is longer than {} MiB", MAX_STATEMENT_BYTES >> 20),
            ));
        }
        let most = buffer.len().min(left);
        let read = self.text.read(&mut buffer[..most])?;
        self.allowance.0.set(left - read);
        Ok(read)
    }
}
