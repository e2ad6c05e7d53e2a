//! Standard error, shared by messages and the progress bar.

use std::io::Write as _;

use indicatif::ProgressBar;

/// Where messages go. Cheap to copy; all copies share one progress bar.
#[derive(Clone, Debug)]
pub(crate) struct Screen {
    bar: Option<ProgressBar>,
    silent: bool,
}

impl Screen {
    /// Messages on standard error, no bar.
    pub(crate) fn plain() -> Self {
        Self { bar: None, silent: false }
    }

    /// Messages above a progress bar.
    pub(crate) fn with_bar(bar: ProgressBar) -> Self {
        Self { bar: Some(bar), silent: false }
    }

    /// The same screen without messages.
    pub(crate) fn silenced(self, silent: bool) -> Self {
        Self { silent, ..self }
    }

    /// Prints a message, whose names are escaped already.
    pub(crate) fn message(&self, text: &str) {
        if !self.silent {
            self.line(&format!("hashlane: {text}"));
        }
    }

    /// Prints a line as it is.
    pub(crate) fn line(&self, text: &str) {
        if self.silent {
            return;
        }
        // A message that cannot be shown has no other place to go.
        self.aside(|| drop(writeln!(std::io::stderr().lock(), "{text}")));
    }

    /// Does something to the terminal while the bar is out of the way.
    pub(crate) fn aside<T>(&self, action: impl FnOnce() -> T) -> T {
        match &self.bar {
            Some(bar) => bar.suspend(action),
            None => action(),
        }
    }
}
