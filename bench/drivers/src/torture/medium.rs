//! What a medium does to files: bytes that cannot be read, and bits that turn under the file system.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result, ensure};
use fastrand::Rng;
use hashlane_digest::Algorithm;

use super::case::{Case, Ground};
use super::disk::Disk;
use super::faults::Expected;
use super::layer::Mounted;
use super::tally::{Part, Tally, Turn};

const FILES: usize = 150;

/// Files that cannot be read, or have a bit turned, in one turn.
const FAULTS: usize = 12;

/// In the image of a file system, whose marks have to be looked for.
const IN_IMAGE: usize = 4;

/// What a file begins with, by which it is found in an image; its number follows.
const MARK: &str = "the file of the torture that has a bit turned in the image, number";

/// What an audit says of a file that has nothing against it any more.
const RECOVERED: &[&str] = &["corrupt", "recovered"];

fn expected(events: &'static [&'static str], standing: Option<&'static str>) -> Expected {
    Expected { events, standing, versions: 0 }
}

/// Files of a tree that lies on a layer.
struct OnLayer<'a> {
    case: Case<'a>,
    at: PathBuf,
    files: BTreeMap<String, Vec<u8>>,
    disk: Disk,
}

impl<'a> OnLayer<'a> {
    /// Makes a tree and audits it; nothing where no FUSE file system can be mounted.
    fn new(ground: Ground<'a>, rng: &mut Rng) -> Result<Option<Self>> {
        let then = SystemTime::now() - Duration::from_secs(1_000_000);
        let mut disk = Disk::new(then);
        let mut files = BTreeMap::new();
        for number in 0..FILES {
            let path = format!("{}/{}/{number}", rng.u32(..3), rng.u32(..4));
            let mut bytes = vec![0; rng.usize(16..60_000)];
            rng.fill(&mut bytes);
            disk.put(&path, bytes.clone(), then)?;
            files.insert(path, bytes);
        }
        let at = ground.scratch.join("tree");
        let case = Case::new(ground);
        let Ok(mounted) = Mounted::new(disk, &at) else { return Ok(None) };
        case.ends(&["collection", "add", "t", "tree", "--living", "--hold-files", "100000"], [0])?;
        case.ends(&["audit", "t"], [0])?;
        Ok(Some(Self { case, at, files, disk: mounted.unmount()? }))
    }

    fn names(&self) -> Vec<String> {
        self.files.keys().cloned().collect()
    }

    /// Audits the tree with the disk as it is now; what was printed.
    fn audit(&mut self, code: i32) -> Result<String> {
        self.audit_with(&[code])
    }

    fn audit_with(&mut self, codes: &[i32]) -> Result<String> {
        let mounted = Mounted::new(self.disk.clone(), &self.at)?;
        let ended = self.case.ends(&["audit", "t"], codes.iter().copied())?;
        self.disk = mounted.unmount()?;
        Ok(ended.printed())
    }

    /// Some of the files, in any order.
    fn some(&self, number: usize, rng: &mut Rng) -> Vec<String> {
        let mut names = self.names();
        rng.shuffle(&mut names);
        names.truncate(number);
        names
    }
}

/// Files, and a directory, that answer with an error until the disk is healed.
pub(super) fn errors(ground: Ground<'_>, rng: &mut Rng, tally: &mut Tally) -> Result<Turn> {
    const PART: Part = Part::Errors;

    let Some(mut tree) = OnLayer::new(ground, rng)? else {
        return Ok(Turn::Needs("the right to mount a FUSE file system"));
    };
    let failing = tree.some(FAULTS, rng);
    for path in &failing {
        let length = tree.files[path].len() as u64;
        // All of it, or one byte somewhere.
        let place = rng.u64(..length);
        let bytes = if rng.bool() { 0..length } else { place..place + 1 };
        tree.disk.fail(path, bytes)?;
    }
    let mut findings: BTreeMap<_, _> =
        failing.iter().map(|path| (path.clone(), expected(&["unreadable"], Some("unreadable")))).collect();
    let printed = tree.audit(16)?;
    for path in &failing {
        ensure!(printed.contains(&format!("t: {path}: UNREADABLE\n")), "{path} is not named in {printed}");
        tally.hit(PART, "files that could not be read, each told once");
    }
    ensure!(printed.matches("UNREADABLE").count() == failing.len(), "more is unreadable: {printed}");
    tree.case.finds(&tree.names(), &findings)?;
    ensure!(tree.audit(16)?.is_empty(), "what was said is said again");
    tree.case.finds(&tree.names(), &findings)?;
    // Healed, but for a directory: nothing new is said of what lies below it, and what stood against files there is over, for they are
    // read by their names.
    tree.disk.heal();
    let directory = failing[0].rsplit_once('/').context("it lies in a directory")?.0.to_owned();
    tree.disk.fail(&directory, 0..0)?;
    let printed = tree.audit(16)?;
    ensure!(printed.starts_with(&format!("t: {directory}: UNREADABLE\n")), "{printed}");
    findings.values_mut().for_each(|finding| *finding = expected(&["unreadable", "recovered"], None));
    tree.case.finds(&tree.names(), &findings)?;
    tally.note(PART, "directories that could not be listed", 1);
    tree.disk.heal();
    tree.audit(0)?;
    tree.case.finds(&tree.names(), &findings)?;
    tree.case.verified()?;
    tally.note(PART, "files that were read again once healed", failing.len() as u64);
    Ok(Turn::Done)
}

/// Bits that turn and turn back, while no time and no inode shows it.
pub(super) fn flips(ground: Ground<'_>, rng: &mut Rng, tally: &mut Tally) -> Result<Turn> {
    const PART: Part = Part::Flips;

    let Some(mut tree) = OnLayer::new(ground, rng)? else {
        return Ok(Turn::Needs("the right to mount a FUSE file system"));
    };
    let mut flipped = Vec::new();
    for path in tree.some(FAULTS, rng) {
        let known = tree.files[&path].clone();
        let (at, bit) = (rng.usize(..known.len()), rng.u32(..8));
        tree.disk.flip(&path, at, bit)?;
        let mut found = known.clone();
        found[at] ^= 1 << bit;
        flipped.push((path, (at, bit), [known, found]));
    }
    let printed = tree.audit(8)?;
    for (path, _, contents) in &flipped {
        is_told(&printed, path, contents, false)?;
        tally.hit(PART, "bits, each told once with what was known and read");
    }
    let findings = flipped.iter().map(|(path, ..)| (path.clone(), expected(&["corrupt"], Some("corrupt"))));
    let mut findings: BTreeMap<_, _> = findings.collect();
    tree.case.finds(&tree.names(), &findings)?;
    ensure!(tree.audit(8)?.is_empty(), "what was said is said again");
    for (path, (at, bit), _) in &flipped {
        tree.disk.flip(path, *at, *bit)?;
    }
    // Only a reading from the device clears them, and this file system does not show of every file where its bytes come from.
    ensure!(tree.audit_with(&[0, 8])?.is_empty(), "what was said is said again");
    for (path, finding) in &mut findings {
        if tree.case.events(path)?.len() > 1 {
            *finding = expected(RECOVERED, None);
            tally.note(PART, "bits that turned back, seen from the device, and their findings cleared", 1);
        }
    }
    tree.case.finds(&tree.names(), &findings)?;
    tree.case.verified()?;
    tally.note(PART, "bits that turned back, and nothing new was said", flipped.len() as u64);
    Ok(Turn::Done)
}

/// Asserts that a corrupt file is reported with its digests, and, where times of change count, that no program wrote it.
fn is_told(printed: &str, path: &str, [known, found]: &[Vec<u8>; 2], keeps_inodes: bool) -> Result<()> {
    let sha256 = Algorithm::SHA256;
    let (known, found) = (sha256.digest(known), sha256.digest(found));
    let begins = format!("t: {path}: CORRUPT: the content differs, and size and time do not say so\n");
    let (_, behind) = printed.split_once(&begins).with_context(|| format!("{path} is not in {printed}"))?;
    // What belongs to it is indented.
    let told: Vec<_> = behind.lines().take_while(|line| line.starts_with(' ')).map(str::trim).collect();
    let digests = [
        format!("known  sha256 {known}"),
        format!("read   sha256 {found}"),
        format!("again  sha256 {found}"),
    ];
    let cause = "its change time is as known: no program wrote it; medium or memory are likely";
    ensure!(told.contains(&cause) == keeps_inodes, "{path}: {cause:?} is not as it should be in {told:#?}");
    for line in digests.iter().map(String::as_str) {
        ensure!(told.contains(&line), "{path}: {line:?} is not in {told:#?}");
    }
    Ok(())
}

/// Bits that turn in the image of a file system of the kernel, while it is not mounted.
pub(super) fn image(ground: Ground<'_>, rng: &mut Rng, tally: &mut Tally) -> Result<Turn> {
    const PART: Part = Part::Image;

    let Some(image) = Image::new(ground)? else {
        return Ok(Turn::Needs("mkfs.ext4 and the right to mount an image"));
    };
    let case = Case::new(ground);
    let marked = |number: usize| format!("{MARK} {number:06}");
    let mut files = BTreeMap::new();
    for number in 0..FILES / 3 {
        let mut bytes = marked(number).into_bytes();
        bytes.resize_with(rng.usize(200..60_000), || rng.u8(..));
        let path = format!("{}/{number}", rng.u32(..4));
        let place = image.at.join(&path);
        fs::create_dir_all(place.parent().context("it lies in a directory")?)?;
        fs::write(place, &bytes)?;
        files.insert(path, bytes);
    }
    std::thread::sleep(super::case::SETTLED);
    case.ends(&["collection", "add", "t", "tree", "--living", "--hold-files", "100000"], [0])?;
    case.ends(&["audit", "t"], [0])?;
    let mut names: Vec<_> = files.keys().cloned().collect();
    rng.shuffle(&mut names);
    names.truncate(IN_IMAGE);
    let bit = 1 << rng.u32(..8);
    // The last digit of the number is one byte behind what is looked for.
    let flip = |bytes: &mut [u8], path: &str| -> Result<()> {
        let mark = &files[path][..MARK.len() + 7];
        let places = bytes.windows(mark.len()).enumerate().filter(|(_, window)| *window == mark);
        let places: Vec<_> = places.map(|(place, _)| place).collect();
        ensure!(places.len() == 1, "{path} is {} times in the image", places.len());
        bytes[places[0] + mark.len()] ^= bit;
        Ok(())
    };
    image.changed(|bytes| names.iter().try_for_each(|path| flip(bytes, path)))?;
    let printed = case.ends(&["audit", "t"], [8])?.printed();
    for path in &names {
        let mut found = files[path].clone();
        found[MARK.len() + 7] ^= bit;
        is_told(&printed, path, &[files[path].clone(), found], true)?;
        tally.hit(PART, "bits, each told once with what was known and read");
    }
    let all: Vec<_> = files.keys().cloned().collect();
    let findings = names.iter().map(|path| (path.clone(), expected(&["corrupt"], Some("corrupt"))));
    let mut findings: BTreeMap<_, _> = findings.collect();
    case.finds(&all, &findings)?;
    image.changed(|bytes| names.iter().try_for_each(|path| flip(bytes, path)))?;
    case.ends(&["audit", "t"], [0])?;
    findings.values_mut().for_each(|finding| *finding = expected(RECOVERED, None));
    case.finds(&all, &findings)?;
    case.verified()?;
    tally.note(PART, "bits that turned back, and their findings cleared", names.len() as u64);
    Ok(Turn::Done)
}

/// An image with an ext4 that is mounted as the tree, until it is dropped.
struct Image {
    file: PathBuf,
    at: PathBuf,
}

impl Image {
    const BYTES: u64 = 24 << 20;

    /// Makes one; nothing where that cannot be done.
    fn new(ground: Ground<'_>) -> Result<Option<Self>> {
        let image = Self { file: ground.scratch.join("image"), at: ground.scratch.join("tree") };
        fs::File::create(&image.file)?.set_len(Self::BYTES)?;
        fs::create_dir_all(&image.at)?;
        let Some(mkfs) = xtask::cargo::find_command("mkfs.ext4") else { return Ok(None) };
        let made = Command::new(mkfs).arg("-q").arg(&image.file).status()?;
        ensure!(made.success(), "mkfs.ext4 ended with {made}");
        // Tried first: a container may have the programs and not the right.
        Ok(image.mount()?.then_some(image))
    }

    fn mount(&self) -> Result<bool> {
        let mut mount = Command::new("mount");
        mount.args(["-o", "loop"]).arg(&self.file).arg(&self.at);
        Ok(xtask::cargo::succeeds(&mut mount))
    }

    fn unmount(&self) -> Result<bool> {
        Ok(xtask::cargo::succeeds(Command::new("umount").arg(&self.at)))
    }

    /// Changes its bytes while it is not mounted.
    fn changed(&self, change: impl FnOnce(&mut [u8]) -> Result<()>) -> Result<()> {
        ensure!(self.unmount()?, "the image cannot be unmounted");
        let mut bytes = fs::read(&self.file)?;
        let changed = change(&mut bytes);
        fs::write(&self.file, bytes)?;
        ensure!(self.mount()?, "the image cannot be mounted again");
        changed
    }
}

impl Drop for Image {
    fn drop(&mut self) {
        // It may not be mounted: then there is nothing to do.
        let _ = self.unmount();
    }
}
