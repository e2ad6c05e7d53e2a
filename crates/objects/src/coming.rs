//! An answer that brings bytes of an object.

use std::fmt;
use std::io::{self, Read as _};

use http::Response;
use ureq::{Body, BodyReader};

use crate::client::transport;

/// An answer, as far as it was not read yet.
pub(crate) struct Coming {
    body: BodyReader<'static>,
    /// Of its next byte, in the object.
    offset: u64,
    /// Behind its last one.
    end: u64,
    is_broken: bool,
}

impl Coming {
    /// The answer that brings the bytes from `offset` to `end`.
    pub(crate) fn new(answer: Response<Body>, offset: u64, end: u64) -> Self {
        let body = answer.into_body().into_with_config().limit(u64::MAX).reader();
        Self { body, offset, end, is_broken: false }
    }

    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    /// Whether all of it was read.
    pub(crate) fn is_over(&self) -> bool {
        self.offset >= self.end
    }

    /// Whether it broke off.
    pub(crate) fn is_broken(&self) -> bool {
        self.is_broken
    }

    /// Reads some bytes of it; none, or an error, where it breaks off.
    pub(crate) fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.end - self.offset).unwrap_or(usize::MAX);
        let most = left.min(room.len());
        let read = self.body.read(&mut room[..most]).map_err(|error| match error.downcast::<ureq::Error>() {
            Ok(error) => transport(error),
            Err(error) => error,
        });
        match read {
            Ok(count) if count > 0 => self.offset += count as u64,
            _ => self.is_broken = true,
        }
        read
    }

    /// Takes note of its end: only then the connection is free for another request.
    pub(crate) fn finish(mut self) {
        let _ = self.body.read(&mut [0]);
    }
}

impl fmt::Debug for Coming {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { offset, end, is_broken, .. } = self;
        write!(f, "Coming({offset}..{end}, broken: {is_broken})")
    }
}
