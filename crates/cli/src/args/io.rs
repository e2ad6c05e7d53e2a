//! The arguments of `bench io`.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use hashlane_report::written::block_size;

use super::{RunNameArgs, StudyArgs};

/// Measure how this machine reads and writes files: block sizes, system calls and threads
///
/// Measures reading by block size, from the page cache and from the device, and the block size beyond which larger blocks gain
/// nothing; random reads with their latencies; several threads against one, whose XOR of all words must agree; the cost of a
/// system call; and writing, alone and beside dd. Without FILE, a file is created and removed afterwards. With FILE, its first
/// 256 MiB are read (32 MiB with --quick) and nothing is written.
#[derive(Clone, Debug, Args)]
#[command(after_long_help = "\
Examples:
  hashlane bench io                            everything, with files in the current directory
  hashlane bench io disk.iso                   read from that file, and write nothing
  hashlane bench io new.bin -w 4KiB 25600      write a file of 100 MiB, once
  hashlane bench io disk.iso -r 1MiB all       read it in blocks of 1 MiB, with its XOR
  hashlane bench io --reasonable 512           how large a file takes 5 to 15 seconds to read

Exit codes:
  0  measured              64  usage error
 70  internal error        74  the run or its page cannot be written

Anything that cannot be measured is reported with the reason; this is not a failure.")]
pub(crate) struct IoArgs {
    /// A file to read, or to write with -w
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with_all = ["as_published", "dir"])]
    pub(crate) file: Option<PathBuf>,

    /// Write FILE once, as COUNT blocks of BLOCK bytes, until it is on the device; it is kept
    #[arg(short, long, num_args = 2, value_names = ["BLOCK", "COUNT"], requires = "file",
          conflicts_with_all = ["read", "reasonable", "drop", "quick", "budget"])]
    pub(crate) write: Option<Vec<String>>,

    /// Read COUNT blocks of BLOCK bytes of FILE, or `all`, again and again, with the XOR of their words
    #[arg(short, long, num_args = 2, value_names = ["BLOCK", "COUNT"], requires = "file",
          conflicts_with = "reasonable")]
    pub(crate) read: Option<Vec<String>>,

    /// Find the size of a file that takes 5 to 15 seconds to read in blocks of BLOCK bytes
    #[arg(long, value_name = "BLOCK", value_parser = block_size, conflicts_with_all = ["file", "as_published", "quick", "budget"])]
    pub(crate) reasonable: Option<usize>,

    /// Block sizes for reading, separated by commas, such as 512,4KiB,1MiB [default: ten from 512 to 16MiB]
    #[arg(long, value_name = "SIZE", value_delimiter = ',', value_parser = block_size,
          conflicts_with_all = ["as_published", "write", "read", "reasonable"])]
    pub(crate) block: Vec<usize>,

    /// Drop kernel caches of the whole machine before each cold sample: 1 the page cache, 2 names and inodes, 3 both; needs root
    #[arg(long, value_name = "WHAT", value_parser = clap::value_parser!(u8).range(1..=3))]
    pub(crate) drop: Option<u8>,

    /// Read a FILE that is a device, or overwrite an existing FILE
    #[arg(long, requires = "file")]
    pub(crate) i_know: bool,

    /// Directory for the files, on the disk to be measured
    #[arg(long, visible_alias = "path", value_name = "DIR", default_value = ".", value_hint = ValueHint::DirPath)]
    pub(crate) dir: PathBuf,

    #[command(flatten)]
    pub(crate) name: RunNameArgs,

    #[command(flatten)]
    pub(crate) study: StudyArgs,
}
