//! The terminal as the progress bar sees it.

use std::io::{self, Write as _};
use std::sync::{Mutex, PoisonError};

use indicatif::TermLike;

/// Columns that the bar leaves free. It is padded to the width, and the `^C` that the terminal shows for Ctrl-C would go to
/// the next line: there it would be wiped, and the bar above it would stay for good.
const ECHO: u16 = 3;

/// Standard error with some room on the right. What is drawn at once is written at once.
#[derive(Debug, Default)]
pub(crate) struct Terminal(Mutex<String>);

impl Terminal {
    fn add(&self, text: &str) -> io::Result<()> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push_str(text);
        Ok(())
    }

    fn move_cursor(&self, count: usize, direction: char) -> io::Result<()> {
        if count == 0 { Ok(()) } else { self.add(&format!("\x1b[{count}{direction}")) }
    }
}

/// Columns and lines; of what the terminal does not know, as many as usual.
fn size() -> (u16, u16) {
    let size = rustix::termios::tcgetwinsize(rustix::stdio::stderr()).ok();
    let known = |count: Option<u16>, usual| count.filter(|count| *count > 0).unwrap_or(usual);
    (known(size.map(|size| size.ws_col), 80), known(size.map(|size| size.ws_row), 24))
}

/// How many columns a bar may take.
pub(crate) fn columns() -> u16 {
    size().0.saturating_sub(ECHO).max(1)
}

impl TermLike for Terminal {
    fn width(&self) -> u16 {
        columns()
    }

    fn height(&self) -> u16 {
        size().1
    }

    fn move_cursor_up(&self, count: usize) -> io::Result<()> {
        self.move_cursor(count, 'A')
    }

    fn move_cursor_down(&self, count: usize) -> io::Result<()> {
        self.move_cursor(count, 'B')
    }

    fn move_cursor_right(&self, count: usize) -> io::Result<()> {
        self.move_cursor(count, 'C')
    }

    fn move_cursor_left(&self, count: usize) -> io::Result<()> {
        self.move_cursor(count, 'D')
    }

    fn write_line(&self, text: &str) -> io::Result<()> {
        self.add(text)?;
        self.add("\n")
    }

    fn write_str(&self, text: &str) -> io::Result<()> {
        self.add(text)
    }

    fn clear_line(&self) -> io::Result<()> {
        self.add("\r\x1b[2K")
    }

    fn flush(&self) -> io::Result<()> {
        let text = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        io::stderr().lock().write_all(text.as_bytes())
    }
}

/// Lines on standard error that are written over. A bar is one line: it fills that up to where its own width ends, and a second one would go on
/// in the room on its right.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    terminal: Terminal,
    /// How many stand there; the cursor is on the last of them.
    drawn: usize,
}

impl Lines {
    /// Writes these in the place of those that stand there. What cannot be shown has no other place to go.
    pub(crate) fn draw(&mut self, lines: &[String]) {
        // Those that have left the terminal at its top cannot be written over.
        let lines = &lines[..lines.len().min(usize::from(size().1.max(2)) - 1)];
        if lines.len().max(self.drawn) > 0 {
            let _ = self.write(lines);
        }
        self.drawn = lines.len();
    }

    fn write(&self, lines: &[String]) -> io::Result<()> {
        let rows = lines.len().max(self.drawn).max(1);
        self.terminal.move_cursor_up(self.drawn.saturating_sub(1))?;
        for row in 0..rows {
            if row > 0 {
                self.terminal.write_line("")?;
            }
            self.terminal.clear_line()?;
            self.terminal.write_str(lines.get(row).map_or("", String::as_str))?;
        }
        self.terminal.move_cursor_up(rows - lines.len().max(1))?;
        self.terminal.flush()
    }
}
