//! `cargo xtask inject`: one kind of damage, done to files that somebody names.

use std::path::PathBuf;

use anyhow::Result;
use clap::Subcommand;

use crate::{damage, images};

/// Options of `inject`.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    #[command(subcommand)]
    kind: Kind,
}

/// What is done.
#[derive(Debug, Subcommand)]
enum Kind {
    /// Flip one bit of a file by a write, and set its modification time back
    Flip {
        file: PathBuf,
        #[command(flatten)]
        place: Place,
    },
    /// Flip one bit of a file below its file system, in an ext4 image that is not mounted
    FlipBelow {
        image: PathBuf,
        /// The file: its path in the image, or its inode in angle brackets
        file: String,
        #[command(flatten)]
        place: Place,
    },
    /// Cut a file off
    CutOff {
        file: PathBuf,
        /// How many bytes stay
        #[arg(long, default_value_t = 0, value_name = "N")]
        length: u64,
        /// Set its modification time back
        #[arg(long)]
        keep_time: bool,
    },
    /// Give a file or a directory another name
    Rename { file: PathBuf, to: PathBuf },
    /// Swap the names of two files
    Swap { one: PathBuf, other: PathBuf },
    /// Put another file of the same length in the place of one
    Replace {
        file: PathBuf,
        /// What its content follows from
        #[arg(long, default_value_t = 1, value_name = "N")]
        seed: u64,
        /// Give it the modification time of the one before
        #[arg(long)]
        keep_time: bool,
    },
    /// Put an empty directory in the place of a tree, which is moved to DIR.gone
    RootGone { dir: PathBuf },
    /// Move every second thing in a directory to DIR.gone
    HalfGone { dir: PathBuf },
}

/// Which bit.
#[derive(Clone, Copy, Debug, clap::Args)]
struct Place {
    /// The byte that it is in
    #[arg(long, default_value_t = 0, value_name = "N")]
    byte: u64,
    /// Its number in the byte
    #[arg(long, default_value_t = 0, value_name = "N", value_parser = clap::value_parser!(u32).range(..8))]
    bit: u32,
}

/// Does it.
pub(crate) fn run(options: &Options) -> Result<bool> {
    match &options.kind {
        Kind::Flip { file, place } => {
            damage::keeping_time(file, |file| damage::flip(file, place.byte, place.bit))?;
        }
        Kind::FlipBelow { image, file, place } => images::flip_below(image, file, place.byte, place.bit)?,
        Kind::CutOff { file, length, keep_time: true } => {
            damage::keeping_time(file, |file| damage::cut_off(file, *length))?;
        }
        Kind::CutOff { file, length, .. } => damage::cut_off(file, *length)?,
        Kind::Rename { file, to } => damage::rename(file, to)?,
        Kind::Swap { one, other } => damage::swap(one, other)?,
        Kind::Replace { file, seed, keep_time: true } => {
            damage::keeping_time(file, |file| damage::replace(file, *seed))?;
        }
        Kind::Replace { file, seed, .. } => damage::replace(file, *seed)?,
        Kind::RootGone { dir } => println!("now {}", damage::root_gone(dir)?.display()),
        Kind::HalfGone { dir } => println!("now {}", damage::half_gone(dir)?.display()),
    }
    Ok(true)
}
