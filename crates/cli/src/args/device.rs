//! The arguments that say how devices are treated.

use clap::Args;
use hashlane_report::written::rate;

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Reading")]
pub(crate) struct DeviceArgs {
    /// Read every byte from its device, bypassing the page cache, or fail the file
    ///
    /// Content in memory proves nothing about the disk. Files are read past the page cache where the file system guarantees that.
    /// Elsewhere they are first dropped from the page cache, and this is verified. Files for which neither is certain fail with
    /// exit code 16: those on memory, network, overlay and FUSE file systems, pipes, and, where files have to be dropped first,
    /// those that a program has mapped. Holes are not content. A file with several names is read once for each of them. The bytes
    /// are cold for this kernel: the device, a loop device or the host of a virtual machine may still have them in a cache of its
    /// own.
    #[arg(long)]
    pub(crate) from_medium: bool,

    /// Read at most RATE bytes per second, such as 100MB or 64MiB
    ///
    /// RATE is the total of all cores, at least 256KiB. K, M, G and T as well as KiB, MiB, GiB and TiB are powers of 1024; kB,
    /// MB, GB and TB are powers of 1000. File bytes are counted, however they are read; the kernel may read a few hundred KiB
    /// ahead.
    #[arg(long, value_name = "RATE", value_parser = rate, hide_short_help = true)]
    pub(crate) max_rate: Option<u64>,

    /// Read only when no other program does (the idle I/O priority class)
    ///
    /// This works with the schedulers BFQ and mq-deadline and has no effect with others; see /sys/block/*/queue/scheduler.
    #[arg(long, hide_short_help = true)]
    pub(crate) nice_io: bool,
}
