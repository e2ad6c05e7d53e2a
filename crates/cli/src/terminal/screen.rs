//! The terminal, shared by messages, results and the progress bar.
//!
//! Invariant: whoever writes to the terminal by way of [`Screen::aside`] writes whole lines, and the bar is out of the way
//! meanwhile. There is one terminal, and so there is one bar at most, which every screen knows.

use std::io::Write as _;
use std::sync::{Mutex, PoisonError};

use hashlane_record::masked_text;
use indicatif::{ProgressBar, ProgressDrawTarget, WeakProgressBar};

/// The bar that is shown, until nobody holds it any more.
static BAR: Mutex<Option<WeakProgressBar>> = Mutex::new(None);

fn bar() -> Option<ProgressBar> {
    BAR.lock().unwrap_or_else(PoisonError::into_inner).as_ref().and_then(WeakProgressBar::upgrade)
}

/// Where messages go. Cheap to copy.
#[derive(Clone, Debug)]
pub(crate) struct Screen {
    silent: bool,
}

impl Screen {
    /// Messages on standard error, above the progress bar if there is one.
    pub(crate) fn plain() -> Self {
        Self { silent: false }
    }

    /// From now on this is the bar, to all screens.
    pub(crate) fn with_bar(bar: &ProgressBar) {
        *BAR.lock().unwrap_or_else(PoisonError::into_inner) = Some(bar.downgrade());
    }

    /// The same screen without messages.
    pub(crate) fn silenced(self, silent: bool) -> Self {
        Self { silent }
    }

    /// Prints a message, whose names are escaped already.
    pub(crate) fn message(&self, text: &str) {
        if !self.silent {
            self.line(&format!("hashlane: {text}"));
        }
    }

    /// Prints messages, or none.
    pub(crate) fn messages(&self, texts: impl IntoIterator<Item = impl AsRef<str>>) {
        texts.into_iter().for_each(|text| self.message(text.as_ref()));
    }

    /// Prints a line as it is, but for secrets of URLs.
    pub(crate) fn line(&self, text: &str) {
        if self.silent {
            return;
        }
        let text = masked_text(text);
        // A message that cannot be shown has no other place to go.
        self.aside(|| drop(writeln!(std::io::stderr().lock(), "{text}")));
    }

    /// Does something to the terminal while the bar is out of the way.
    pub(crate) fn aside<T>(&self, action: impl FnOnce() -> T) -> T {
        match bar() {
            Some(bar) => bar.suspend(action),
            None => action(),
        }
    }

    /// Takes the bar away for good: the terminal stands within a line of the results, and a bar would wipe it.
    pub(crate) fn without_bar() {
        if let Some(bar) = bar() {
            bar.finish_and_clear();
            bar.set_draw_target(ProgressDrawTarget::hidden());
        }
    }
}
