//! Building for AArch64 on another machine, and running what was built.
//!
//! Owns the names of the tools and how cargo gets them. Whether they are there `setup` and `test` ask.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::cargo::cargo;

/// The target, as rustc calls it.
pub const TARGET: &str = "aarch64-unknown-linux-gnu";

/// The linker, which compiles C as well.
pub const LINKER: &str = "aarch64-linux-gnu-gcc";

/// What runs programs for AArch64.
pub const EMULATOR: &str = "qemu-aarch64-static";

/// A compiler that has a standard library for AArch64.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compiler {
    /// That of the toolchain in use.
    Toolchain,
    /// Debian's, for where rustup cannot load more.
    Debian,
}

impl Compiler {
    /// The one to use, if there is one.
    pub fn find() -> Option<Self> {
        [Self::Toolchain, Self::Debian].into_iter().find(|compiler| compiler.has_target())
    }

    fn has_target(self) -> bool {
        let rustc = match self {
            Self::Toolchain => "rustc",
            Self::Debian => "/usr/bin/rustc",
        };
        let mut command = Command::new(rustc);
        command.args(["--print", "target-libdir", "--target", TARGET]).stdin(Stdio::null());
        // The folder is named whether it is there or not.
        let folder = command.output().map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
        folder.is_ok_and(|folder| Path::new(folder.trim()).is_dir())
    }

    /// A call of cargo for AArch64.
    pub fn cargo(self, subcommand: &str) -> Command {
        let mut command = cargo();
        command.args([subcommand, "--target", TARGET]);
        command.env("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER", LINKER);
        command.env("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER", EMULATOR);
        // A program with its C library inside cannot meet another one of the system that runs it.
        for flags in ["RUSTFLAGS", "RUSTDOCFLAGS"] {
            let name = format!("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_{flags}");
            command.env(name, "-C target-feature=+crt-static");
        }
        if self == Self::Debian {
            command.env("RUSTC", "/usr/bin/rustc").env("RUSTDOC", "/usr/bin/rustdoc");
        }
        command
    }
}
