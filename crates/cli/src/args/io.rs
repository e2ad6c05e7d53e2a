//! The arguments of `bench io`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::device::size;
use super::{RunNameArgs, StudyArgs};

/// Measure blocks, system calls and threads: how this machine reads and writes files
///
/// Reading by block size, from the page cache and from the device, with the block from which on more brings nothing; random
/// reads with their latencies; several threads against one, with the XOR of all words held equal; what a system call costs;
/// writing, and writing beside dd. Without FILE, one is made and gone afterwards. With FILE its first 256 MiB are read (32 MiB
/// with --quick) and nothing is written.
#[derive(Clone, Debug, Args)]
#[command(after_long_help = "\
Examples:
  hashlane bench io                            all of it, with files in the current directory
  hashlane bench io disk.iso                   read from that file, and write nothing
  hashlane bench io new.bin -w 4KiB 25600      write a file of 100 MiB, once
  hashlane bench io disk.iso -r 1MiB all       read it by blocks of 1 MiB, with its XOR
  hashlane bench io --reasonable 512           how long a file takes 5 to 15 seconds to be read

Exit codes:
  0  measured              64  usage error
 70  internal error        74  the run or its page cannot be written

What could not be measured is reported with its reason, and is not a failure.")]
pub(crate) struct IoArgs {
    /// A file to read, or to write with -w
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with_all = ["as_published", "dir"])]
    pub(crate) file: Option<PathBuf>,

    /// Write FILE as COUNT blocks of BLOCK bytes, once, until it is on the device; it stays
    #[arg(short, long, num_args = 2, value_names = ["BLOCK", "COUNT"], requires = "file",
          conflicts_with_all = ["read", "reasonable", "drop", "quick", "budget"])]
    pub(crate) write: Option<Vec<String>>,

    /// Read COUNT blocks of BLOCK bytes of FILE, or `all`, again and again, with the XOR of their words
    #[arg(short, long, num_args = 2, value_names = ["BLOCK", "COUNT"], requires = "file",
          conflicts_with = "reasonable")]
    pub(crate) read: Option<Vec<String>>,

    /// Look for the size of a file that takes 5 to 15 seconds to be read by blocks of BLOCK bytes
    #[arg(long, value_name = "BLOCK", value_parser = block_size, conflicts_with_all = ["file", "as_published", "quick", "budget"])]
    pub(crate) reasonable: Option<usize>,

    /// Sizes of the blocks that are read, separated by commas, as in 512,4KiB,1MiB [default: ten from 512 to 16MiB]
    #[arg(long, value_name = "SIZE", value_delimiter = ',', value_parser = block_size,
          conflicts_with_all = ["as_published", "write", "read", "reasonable"])]
    pub(crate) block: Vec<usize>,

    /// Have the whole machine forget before each cold sample: 1 the page cache, 2 names and inodes, 3 both; takes root
    #[arg(long, value_name = "WHAT", value_parser = clap::value_parser!(u8).range(1..=3))]
    pub(crate) drop: Option<u8>,

    /// Read a FILE that is a device, or write over a FILE that is there
    #[arg(long, requires = "file")]
    pub(crate) i_know: bool,

    /// Directory for the files, on the disk that is in question
    #[arg(long, visible_alias = "path", value_name = "DIR", default_value = ".", value_hint = ValueHint::DirPath)]
    pub(crate) dir: PathBuf,

    #[command(flatten)]
    pub(crate) name: RunNameArgs,

    #[command(flatten)]
    pub(crate) study: StudyArgs,
}

/// The size of a block.
pub(crate) fn block_size(text: &str) -> Result<usize, String> {
    const LARGEST: u64 = 1 << 30;
    match size(text)? {
        0 => Err("a block of 0 bytes never ends; give from 1 to 1GiB".to_owned()),
        bytes if bytes > LARGEST => Err("out of bounds; give from 1 to 1GiB".to_owned()),
        bytes => Ok(bytes as usize),
    }
}
