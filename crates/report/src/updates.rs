//! What becomes of the files of a list that is updated, in words.

use std::fmt::Display;

use hashlane_audit::Verdict;
use hashlane_verify::Basis;
use hashlane_verify::update::Event;

use crate::files::unwritten;
use crate::text;

/// How many files became what.
#[derive(Debug, Default)]
pub struct UpdateTally {
    kept: u64,
    moved: u64,
    added: u64,
    changed: u64,
    same: u64,
    corrupt: u64,
    collisions: u64,
    failed: u64,
    gone: u64,
    elsewhere: u64,
}

/// What is to be said of a file.
#[derive(Debug)]
pub enum UpdateWords {
    /// What an update is made for.
    News(String),
    /// What is wrong, and the verdict on it.
    Trouble(String, Verdict),
}

impl UpdateTally {
    /// Counts what became of a file; what is to be said of it, if anything is.
    pub fn take(&mut self, event: &Event<'_>) -> Option<UpdateWords> {
        let moved = |now: &[u8], before: &[u8]| {
            UpdateWords::News(format!("moved: {} (from {})", text::name(now), text::name(before)))
        };
        let news = |what: &str, name: &[u8]| Some(UpdateWords::News(format!("{what}: {}", text::name(name))));
        let trouble = |name: &[u8], what: &str, verdict| {
            Some(UpdateWords::Trouble(format!("{}: {what}", text::name(name)), verdict))
        };
        match event {
            Event::Kept(_) => self.kept += 1,
            Event::Moved { item, from } => {
                self.kept += 1;
                self.moved += 1;
                return Some(moved(item.path.as_bytes(), from));
            }
            Event::MovedAndRead { record, from } => {
                self.same += 1;
                self.moved += 1;
                return Some(moved(record.path.as_bytes(), from));
            }
            Event::Added(record) => {
                self.added += 1;
                return news("added", record.path.as_bytes());
            }
            Event::Same(_) => self.same += 1,
            Event::Changed(record) => {
                self.changed += 1;
                return news("changed", record.path.as_bytes());
            }
            Event::Corrupt { record, listed, disputed } => {
                self.corrupt += 1;
                let sizes = listed.size.map(|size| (size, record.digested_bytes));
                let unwritten = || unwritten(sizes, "than listed");
                let how = disputed.map_or_else(unwritten, |disputed| disputed.to_string());
                let what = format!("corrupt: {how}; its listed entry is kept");
                return trouble(record.path.as_bytes(), &what, Verdict::Corrupt);
            }
            Event::Collision { record, listed } => {
                self.collisions += 1;
                let how = match listed.size {
                    Some(size) if size != record.digested_bytes => "a digest is as listed, the size is not",
                    _ => "one digest is as listed, another is not",
                };
                let what = format!("collision: {how}; its listed entry is kept until you take it out");
                return trouble(record.path.as_bytes(), &what, Verdict::Collision);
            }
            Event::Failed { record, listed, disputed } => {
                self.failed += 1;
                let disputed = disputed.as_ref().map(|disputed| disputed as &dyn Display);
                let problem = disputed.or_else(|| record.outcome.problem()).expect("it was not read");
                let kept = if listed.is_some() { "; its listed entry is kept" } else { "" };
                return trouble(record.path.as_bytes(), &format!("{problem}{kept}"), Verdict::Unreadable);
            }
            Event::Unsearched { path, error } => {
                return trouble(path, &text::system(error), Verdict::Unreadable);
            }
            Event::Gone(name) => {
                self.gone += 1;
                return news("gone", name);
            }
            Event::Elsewhere(_) => self.elsewhere += 1,
            _ => {}
        }
        None
    }

    /// What has changed, as a check would say of the old list.
    pub fn verdicts(&self) -> impl Iterator<Item = Verdict> {
        let found = [
            (self.added + self.moved, Verdict::New),
            (self.gone + self.moved, Verdict::Missing),
            (self.changed, Verdict::Changed),
        ];
        found.into_iter().filter(|(count, _)| *count > 0).map(|(_, verdict)| verdict)
    }

    /// All counts in words. `basis`: what shows that files are as they were.
    pub fn line(&self, basis: &str) -> String {
        let mut line = format!("{} not read again, trusted {basis}", text::counted(self.kept, "file"));
        let others = [
            (self.moved, "moved"),
            (self.added, "added"),
            (self.changed, "changed"),
            (self.same, "read again and unchanged"),
            (self.corrupt, "corrupt"),
            (self.collisions, "collision"),
            (self.failed, "not read"),
            (self.gone, "gone"),
            (self.elsewhere, "elsewhere and not examined"),
        ];
        for (count, what) in others.into_iter().filter(|(count, _)| *count > 0) {
            line += &format!("; {} {what}", text::count(count));
        }
        line
    }
}

/// What shows that files are as they were, in words. Objects have one time.
pub fn basis(basis: Basis, are_objects: bool, has_inodes: bool) -> &'static str {
    match basis {
        Basis::Names => "by name alone",
        Basis::Times | Basis::Mtime if are_objects => "by size and time",
        Basis::TimesUndated if are_objects => "by size and time (no header has the time of the listing)",
        Basis::Times if has_inodes => "by size, mtime, ctime and inode",
        Basis::Times => "by size, mtime and ctime",
        Basis::TimesUndated => "by size and mtime (no header has the time of the listing)",
        Basis::Mtime => "by size and mtime",
    }
}
