//! What people and media do to the files of a disk: a deed is a line of a story.
//!
//! Owns the deeds and what each does to a disk. What the keeper decides about the collection is carried out elsewhere.

use std::fmt;

use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use hashlane_record::Timestamp;

use super::ground::{Bytes, Disk, Node, Root, Trouble, flipped, made};

/// What may be done. The numbers are those of the deed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, ValueEnum)]
pub(super) enum What {
    /// Another content is written into a file.
    Write,
    /// A program writes a new file and puts it in the place of the old one.
    Save,
    /// The file becomes longer.
    Append,
    /// Somebody cuts it short.
    Shorten,
    Empty,
    Remove,
    Rename,
    RenameDirectory,
    Swap,
    /// 1: under a new time.
    Copy,
    Link,
    Touch,
    Chmod,
    /// A log gets another name, and a new one begins.
    Rotate,
    /// An older version comes back.
    Older,
    /// From a good copy. 0: with its time; 1: under a new one; 2: with its time in whole seconds.
    RestoreWell,
    /// From a bad copy, in the same ways.
    RestoreBadly,
    /// All files come back from a tape; these are damaged.
    Tape,
    /// The tree moves to another disk, and the keeper says so; these are damaged on the way.
    Relocate,
    /// The same, and nobody says so.
    OtherRoot,
    /// The disk is away.
    Unplug,
    /// The disk is away, and its mount point stays.
    Unmount,
    Plug,
    /// A backup touches the attributes of one file in many.
    Attributes,
    /// The page cache drops all that no program has mapped.
    Drop,
    /// A program maps the file: the page cache does not let go of it.
    Map,
    /// No program has mapped any file any more.
    Unmap,
    /// A bit turns on the medium, under whatever the cache has.
    Rot,
    /// The medium loses the end of a file, under its time.
    Tear,
    /// A program writes, and sets the time back.
    Forge,
    /// Its next reading brings other bytes.
    Glitch,
    /// It cannot be read.
    Fail,
    /// Each reading of it brings other bytes.
    Waver,
    /// It is written to while it is read next.
    Busy,
    /// It is appended to while it is read next.
    Grow,
    /// It can be read again.
    Heal,
    /// The keeper accepts what stands against these; none: all.
    Accept,
    /// The keeper knows of what stands against these, for some days.
    Acknowledge,
    /// The keeper sets the policy: words such as `growing` or `living:*.xmp`.
    Policy,
    /// The keeper leaves these out; none: nothing is left out any more.
    Exclude,
    /// The clock of this machine goes wrong by some days.
    Clock,
}

impl What {
    pub(super) fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }

    /// Whether it damages files or loses them: what an audit is to tell.
    pub(super) fn is_fault(self) -> bool {
        matches!(
            self,
            Self::Remove
                | Self::RestoreBadly
                | Self::Tape
                | Self::Relocate
                | Self::OtherRoot
                | Self::Rot
                | Self::Tear
                | Self::Forge
        )
    }
}

/// Something that happens by day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Deed {
    pub(super) what: What,
    pub(super) number: i64,
    pub(super) names: Vec<String>,
}

impl Deed {
    pub(super) fn of(what: What, number: i64, names: &[&str]) -> Self {
        Self { what, number, names: names.iter().map(|name| (*name).to_owned()).collect() }
    }

    /// Reads a line that [`Deed`] was printed as.
    pub(super) fn parse(line: &str) -> Result<Self> {
        let mut words = line.split_whitespace();
        let what = words.next().context("the line is empty")?;
        let Ok(what) = What::from_str(what, false) else { bail!("{what} is no deed") };
        let number = words.next().context("a number is missing")?.parse().context("the number")?;
        Ok(Self { what, number, names: words.map(str::to_owned).collect() })
    }

    fn name(&self, place: usize) -> &str {
        self.names.get(place).map_or("", String::as_str)
    }
}

impl fmt::Display for Deed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.what.name(), self.number)?;
        self.names.iter().try_for_each(|name| write!(f, " {name}"))
    }
}

/// A copy of a file that somebody has kept: its content and time.
pub(super) type Copies<'a> = &'a dyn Fn(&str) -> Option<(Bytes, Timestamp)>;

/// Carries out a deed, as far as it can be on the disk as it is.
pub(super) fn carry_out(disk: &mut Disk, deed: &Deed, copies: Copies<'_>) {
    let (one, other) = (deed.name(0), deed.name(1));
    match deed.what {
        What::Write | What::Save | What::Append | What::Shorten | What::Empty | What::Older => {
            edit(disk, deed, one)
        }
        What::Remove => disk.remove(one),
        What::Rename => disk.rename(one, other),
        What::RenameDirectory => {
            let below = format!("{one}/");
            let names: Vec<_> = disk.names().map(|(name, _)| name.clone()).collect();
            for name in names {
                if let Some(rest) = name.strip_prefix(&below) {
                    disk.rename(&name, &format!("{other}/{rest}"));
                }
            }
            disk.remove_directory(one);
        }
        What::Swap => disk.swap(one, other),
        What::Link => disk.link(one, other),
        What::Copy if one != other => {
            if let Some(node) = disk.node(one).cloned() {
                let modified = if deed.number == 0 { node.modified } else { disk.now };
                disk.make(other, node.bytes().clone(), modified);
            }
        }
        What::Touch => {
            let now = disk.kept(disk.now);
            if let Some(node) = disk.node_mut(one) {
                (node.modified, node.changed) = (now, now);
            }
        }
        What::Chmod => disk.touch_change(one),
        What::Rotate if disk.has(one) && !disk.has(other) => {
            disk.rename(one, other);
            // Who has appended to it goes on in the new one.
            if let Some(node) = disk.node_mut(other)
                && node.trouble == Trouble::Grows
            {
                node.trouble = Trouble::None;
            }
            disk.make(one, made(deed.number.unsigned_abs()), disk.now);
        }
        What::RestoreWell | What::RestoreBadly => restore(disk, deed, copies),
        What::Tape | What::Relocate | What::OtherRoot => move_all(disk, deed),
        What::Unplug => disk.root = Root::Away,
        What::Unmount => disk.root = Root::Bare,
        What::Plug => disk.root = Root::There,
        What::Attributes => {
            let (now, every) = (disk.kept(disk.now), deed.number.unsigned_abs().max(1));
            disk.nodes_mut().filter(|node| node.number % every == 0).for_each(|node| node.changed = now);
        }
        What::Drop => disk.nodes_mut().for_each(Node::leave_cache),
        What::Map => {
            if let Some(node) = disk.node_mut(one).filter(|node| !node.bytes().is_empty()) {
                (node.cache, node.is_in_use) = (Some(node.bytes().clone()), true);
            }
        }
        What::Unmap => disk.nodes_mut().for_each(|node| node.is_in_use = false),
        What::Rot | What::Tear | What::Forge => damage(disk, deed),
        What::Glitch => trouble(disk, one, Trouble::Glitch),
        What::Fail => trouble(disk, one, Trouble::Fails),
        What::Waver => trouble(disk, one, Trouble::Wavers),
        What::Busy => trouble(disk, one, Trouble::Busy),
        What::Grow => trouble(disk, one, Trouble::Grows),
        What::Heal => trouble(disk, one, Trouble::None),
        What::Copy
        | What::Rotate
        | What::Accept
        | What::Acknowledge
        | What::Policy
        | What::Exclude
        | What::Clock => {}
    }
}

fn edit(disk: &mut Disk, deed: &Deed, name: &str) {
    let content = made(deed.number.unsigned_abs());
    let Some(node) = disk.node(name).cloned() else {
        if matches!(deed.what, What::Write | What::Save) {
            disk.make(name, content, disk.now);
        }
        return;
    };
    match deed.what {
        What::Save => disk.make(name, content, disk.now),
        What::Append => disk.write(name, [&node.bytes()[..], &content[..]].concat().into()),
        What::Shorten => disk.write(name, Bytes::from(&node.bytes()[..node.bytes().len() / 2])),
        What::Empty => disk.write(name, Bytes::default()),
        What::Older => {
            let years_ago = Timestamp { seconds: node.modified.seconds - 90_000_000, ..node.modified };
            disk.make(name, content, years_ago);
        }
        _ => disk.write(name, content),
    }
}

/// Brings a file back from a copy, in its place.
fn restore(disk: &mut Disk, deed: &Deed, copies: Copies<'_>) {
    let name = deed.name(0);
    let Some((bytes, modified)) = copies(name) else { return };
    let modified = match deed.number {
        0 => modified,
        1 => disk.now,
        _ => Timestamp { nanos: 0, ..modified },
    };
    let bytes = match deed.what {
        // Not the bit of the night before, which would make it good again.
        What::RestoreBadly => flipped(&bytes, 77 + disk.now.seconds.unsigned_abs()),
        _ => bytes,
    };
    disk.make(name, bytes, modified);
}

/// Makes other files of all; some of them are damaged.
fn move_all(disk: &mut Disk, deed: &Deed) {
    if disk.root != Root::There {
        return;
    }
    disk.renew();
    for name in &deed.names {
        if let Some(node) = disk.node_mut(name) {
            node.medium = flipped(&node.medium, 5);
        }
    }
    if deed.what != What::Tape {
        disk.file_system += 1;
        disk.root_number += 1;
    }
}

fn damage(disk: &mut Disk, deed: &Deed) {
    let now = disk.kept(disk.now);
    let Some(node) = disk.node_mut(deed.name(0)) else { return };
    match deed.what {
        What::Rot => node.medium = flipped(&node.medium, deed.number.unsigned_abs()),
        What::Tear => {
            node.medium = Bytes::from(&node.medium[..node.medium.len() / 2]);
            (node.cache, node.is_in_use) = (None, false);
        }
        _ => {
            let bytes = flipped(node.bytes(), deed.number.unsigned_abs());
            (node.medium, node.cache, node.changed) = (bytes.clone(), Some(bytes), now);
        }
    }
}

fn trouble(disk: &mut Disk, name: &str, trouble: Trouble) {
    if let Some(node) = disk.node_mut(name) {
        node.trouble = trouble;
    }
}
