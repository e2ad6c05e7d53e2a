//! Rows that are read on a thread of their own, a little ahead of their comparison.

use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::Scope;

use anyhow::Context as _;
use hashlane_audit::diff::{Batch, Error, Row, Rows};
use hashlane_io::start_thread_in;

use crate::commands::diff::{NO_THREAD, Stopped};

/// Batches on their way.
const BATCHES: usize = 4;

/// What another thread reads.
pub(crate) struct Ahead {
    present: Batch,
    /// Nothing at the end.
    coming: Receiver<Result<Option<Batch>, Error>>,
    ended: bool,
}

impl Ahead {
    /// Begins to read.
    pub(crate) fn start<'scope>(
        mut rows: impl Rows + Send + 'scope,
        scope: &'scope Scope<'scope, '_>,
    ) -> anyhow::Result<Self> {
        let (sender, coming) = sync_channel(BATCHES);
        let read = move || {
            let mut row = Row::default();
            let mut more = true;
            while more {
                let mut batch = Batch::default();
                let filled = loop {
                    match rows.next(&mut row) {
                        Ok(true) => batch.push(&row),
                        ended => break ended,
                    }
                    if batch.is_full() {
                        break Ok(true);
                    }
                };
                more = matches!(filled, Ok(true));
                // Whoever does not listen any more knows enough.
                let sent = sender.send(Ok(Some(batch)));
                if sent.is_err() || !more && sender.send(filled.map(|_| None)).is_err() {
                    return;
                }
            }
        };
        start_thread_in(scope, "rows", read).context(NO_THREAD)?;
        Ok(Self { present: Batch::default(), coming, ended: false })
    }
}

impl Rows for Ahead {
    fn next(&mut self, row: &mut Row) -> Result<bool, Error> {
        while !self.ended && !self.present.take(row) {
            match self.coming.recv() {
                Ok(Ok(Some(batch))) => self.present = batch,
                Ok(Ok(None)) => self.ended = true,
                Ok(Err(error)) => return Err(error),
                Err(_) => return Err(Error::Source(Box::new(Stopped))),
            }
        }
        Ok(!self.ended)
    }
}
