//! `hashlane check --audit`: what became of the files that manifests list, and of those that they do not.

mod pieces;
mod sink;

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hashlane_audit::{Audit, Content, Known, KnownFile, Options};
use hashlane_digest::Digest;
use hashlane_engine::{AlgorithmSet, Control, Input, Stop, Summary};
use hashlane_manifest::{LineProblem, ProblemKind};
use hashlane_record::{ItemPath, Outcome};

use crate::args::CheckArgs;
use crate::calibration::Backends;
use crate::check::{identity, misnamed_line, named_roots, open_base, skipped_line};
use crate::confined::{Confined, HeaderRoots};
use crate::device_profile::Reading;
use crate::diff::failed;
use crate::extras::{here, normal};
use crate::inputs::{options, sorting_memory, temporary_directory};
use crate::listed::Titled;
use crate::manifests::{self, Items, STDIN};
use crate::normalization::{Spellings, spelling_there};
use crate::output::{Output, refuse_input, shown};
use crate::progress::{Count, Progress};
use crate::proof::{Proof, Prover, nothing_to_go_by};
use crate::screen::Screen;
use crate::selection::{Roots, Selection, devices, lies_within};
use crate::signals::{Interrupted, die_by};
use crate::status::{Ended, Status};
use crate::sum::{passed_over, stopped_line, summary_line};
use crate::text;

use pieces::Kind;
use sink::AuditSink;

/// How many listed files are looked for at once.
const LISTED_AT_ONCE: usize = 1 << 16;

pub(crate) fn run(args: &CheckArgs) -> anyhow::Result<Status> {
    if args.manifests.iter().filter(|name| *name == STDIN).count() > 1 {
        return Err(Ended::usage("`-` is named twice; standard input can be read once only"));
    }
    let places = Places::new(args);
    let selection = Selection::of_check(args)?;
    let screen = Screen::plain().silenced(args.status);
    let base = args.base.as_deref().map(open_base).transpose()?;
    let mut listed = Listed::new(args);
    let prover = Prover { args, selection: &selection, base: base.as_ref(), screen: &screen };
    for name in manifests::names(args) {
        listed.read(&name, &prover, &places)?;
    }
    let Listed { known, mut status, roots, beside, kind, spellings } = listed;
    if known.is_empty() {
        screen.message("no file is listed; there is nothing to audit");
        let mut failed = status;
        failed |= Status::UNREADABLE;
        return Ok(failed);
    }
    let algorithms: AlgorithmSet = known.algorithms().into();
    let audit = Audit::settled(known, |name, error| {
        screen.message(&format!("{} {error}", text::name(name)));
        status |= Status::UNREADABLE;
    });
    let audit = audit.map_err(failed)?;
    // Rather all of the base than less than what the lists are of.
    let roots = places.roots(args, if beside { &[] } else { &roots })?;

    refuse_input(args.output.as_deref(), args.manifests.iter().map(|name| name.as_os_str()))?;
    let control = Arc::new(Control::new());
    let counter: Count = Box::new(|_| {});
    let progress = Progress::start(args.reading.progress, &control, counter);
    let screen = progress.screen().clone().silenced(args.status);
    let output = Output::open(args.output.as_deref(), &screen)?;
    let reading = Reading::suiting(
        &args.reading,
        &args.backends.cache,
        roots.iter().map(|root| root.as_path().as_os_str()),
    );
    let backends = Backends::of(&args.backends);
    let walk = selection.walk.clone();
    let mut options =
        options(Arc::clone(&algorithms), &args.reading, reading.profile, backends.choice(), walk);
    options.division = kind.division();
    options.excluded = output.identities();
    options.excluded.extend(manifests::names(args).iter().filter_map(|name| identity(name)));
    let interrupted = Interrupted::watch(&control, &screen, Stop::Drained)?;
    let wanted = Wanted::new(selection, args, &places, &roots);
    let mut sink = AuditSink::new(args, places, wanted, audit, output, screen);
    sink.spellings = spellings;
    sink.by_pieces = options.division.is_some();
    sink.algorithms = algorithms.to_vec();
    let inputs = roots.iter().cloned().map(Input::Path).collect::<Vec<_>>().into_iter();
    let mut run = hashlane_engine::run(options.clone(), inputs, &mut sink, &control);
    let mut looked = Vec::new();
    while let Ok(summary) = &mut run
        && summary.stopped.is_none()
    {
        sink.inhabited |= summary.skipped.excluded > 0;
        let names = sink.present(&mut looked);
        if names.is_empty() {
            break;
        }
        let inputs: Vec<_> = names
            .into_iter()
            .map(|path| Input::File {
                path,
                base: base.clone(),
                algorithms: Arc::clone(&algorithms),
                division: options.division,
                tag: [].into(),
            })
            .collect();
        match hashlane_engine::run(options.clone(), inputs.into_iter(), &mut sink, &control) {
            Ok(more) => add(summary, more),
            Err(error) => run = Err(error),
        }
    }

    drop(progress);
    let screen = Screen::plain().silenced(args.status);
    let complete = run.as_ref().is_ok_and(|summary| summary.stopped.is_none());
    sink.status |= status;
    let (status, done) = sink.finish(&screen, complete, &roots);
    let summary = run?;
    if let Some(signal) = interrupted.signal() {
        screen.message(&stopped_line(&summary, &control));
        die_by(signal);
    }
    done?;
    if !args.quiet || status != Status::OK {
        if let Some(line) = passed_over(&summary.skipped) {
            screen.message(&line);
        }
        if let Some(line) = reading.line(&summary) {
            screen.message(&line);
        }
        screen.message(&summary_line(&summary));
    }
    backends.learn(&summary.digested_by);
    Ok(status)
}

/// Adds what a further run has done.
fn add(summary: &mut Summary, more: Summary) {
    summary.files += more.files;
    summary.unstable += more.unstable;
    summary.failed += more.failed;
    summary.digested_bytes += more.digested_bytes;
    for (algorithm, bytes) in more.digested_by {
        match summary.digested_by.iter_mut().find(|(known, _)| *known == algorithm) {
            Some((_, sum)) => *sum += bytes,
            None => summary.digested_by.push((algorithm, bytes)),
        }
    }
    summary.origin += more.origin;
    summary.skipped.excluded += more.skipped.excluded;
    summary.stopped = more.stopped;
    summary.dropped += more.dropped;
    summary.elapsed += more.elapsed;
    summary.lanes.bytes += more.lanes.bytes;
    summary.lanes.room_bytes += more.lanes.room_bytes;
}

/// Where names lie: those that are listed, and those that are found.
struct Places {
    /// The directory that names are relative to, if one was named, and roots as well.
    base: Option<ItemPath>,
    /// The current directory; empty with a base, and where nobody knows it.
    here: Vec<u8>,
    /// What is taken off listed names, with a slash at its end.
    prefix: Option<Vec<u8>>,
}

impl Places {
    fn new(args: &CheckArgs) -> Self {
        let base = args.base.as_ref().map(|base| ItemPath::from(base.as_os_str().as_bytes()));
        let here = match base {
            Some(_) => Vec::new(),
            None => here(),
        };
        let prefix = args.strip_prefix.as_ref().map(|prefix| {
            let bare = prefix.as_bytes().trim_ascii_end();
            let bare = bare.strip_suffix(b"/").unwrap_or(bare);
            [bare, b"/"].concat()
        });
        Self { base, here, prefix }
    }

    /// What a listed name is compared by.
    fn of_listed(&self, name: &[u8]) -> Vec<u8> {
        let stripped = self.prefix.as_ref().and_then(|prefix| name.strip_prefix(prefix.as_slice()));
        self.below(normal(&self.here, stripped.unwrap_or(name)))
    }

    /// The root of a header without the prefix, as the names below it are.
    fn stripped(&self, root: &ItemPath) -> ItemPath {
        let bare = root.as_bytes();
        let ended = [bare.strip_suffix(b"/").unwrap_or(bare), b"/"].concat();
        let Some(prefix) = &self.prefix else { return root.clone() };
        match ended.strip_prefix(prefix.as_slice()).map(|rest| normal(b"", rest)) {
            Some(rest) if !rest.is_empty() => ItemPath::from(rest),
            // The prefix itself is what names are relative to by now; below a base so is what lies above it.
            Some(_) => ItemPath::from("."),
            None if self.base.is_some() && prefix.starts_with(&ended) => ItemPath::from("."),
            None => root.clone(),
        }
    }

    /// What the name of a file that was found is compared by.
    fn of_found(&self, name: &[u8]) -> Vec<u8> {
        match &self.base {
            Some(base) => {
                let below = name.strip_prefix(base.as_bytes()).unwrap_or(name);
                let start = below.iter().position(|&byte| byte != b'/').unwrap_or(below.len());
                normal(b"", &below[start..])
            }
            None => self.below(normal(&self.here, name)),
        }
    }

    /// What compared names are relative to; empty: the current directory.
    fn start(&self) -> &Path {
        self.base.as_ref().map_or(Path::new(""), ItemPath::as_path)
    }

    /// Where a listed file lies, or would lie.
    fn path(&self, name: &[u8]) -> PathBuf {
        match &self.base {
            Some(base) => base.as_path().join(OsStr::from_bytes(name)),
            None => PathBuf::from(OsStr::from_bytes(name)),
        }
    }

    /// A name without the current directory, where it lies below it: it is what is shown, and kept for every file.
    fn below(&self, mut name: Vec<u8>) -> Vec<u8> {
        let rest = name.strip_prefix(self.here.as_slice()).and_then(|rest| rest.strip_prefix(b"/"));
        if let Some(rest) = rest.filter(|_| !self.here.is_empty()) {
            name.drain(..name.len() - rest.len());
        }
        name
    }

    /// Where to look: all of it has to be there, for what is not mounted is not lost.
    fn roots(&self, args: &CheckArgs, of_headers: &[ItemPath]) -> anyhow::Result<Vec<ItemPath>> {
        let mut roots = named_roots(args)?;
        if roots.is_empty() {
            roots = of_headers.iter().map(|root| self.stripped(root)).collect();
        }
        if roots.is_empty() || (args.base.is_some() && !Confined::holds(&roots)) {
            roots = vec![ItemPath::from(".")];
        }
        if let Some(base) = &args.base {
            roots = below_base(base, &roots)?;
        }
        for root in &roots {
            if let Err(error) = std::fs::metadata(root.as_path()) {
                return Err(Ended::unreadable(format!(
                    "{}: {}; nothing was audited: say where the files are with --root or --base",
                    shown(root.as_path()),
                    text::system(&error)
                )));
            }
        }
        Ok(roots)
    }
}

/// The roots as they are walked below the base.
fn below_base(base: &Path, roots: &[ItemPath]) -> anyhow::Result<Vec<ItemPath>> {
    let confined = Confined::new(base);
    let walked = |root: &ItemPath| {
        let refused = |problem| Ended::unreadable(format!("{}: {problem}", shown(root.as_path())));
        confined.walked(root).map_err(refused)
    };
    roots.iter().map(walked).collect()
}

/// What the manifests list.
struct Listed {
    known: Known,
    status: Status,
    roots: Vec<ItemPath>,
    /// With --base: a file is listed that lies in no root of its list. That is of more than the roots, or has no header.
    beside: bool,
    kind: Kind,
    /// With --normalize.
    spellings: Option<Spellings>,
}

impl Listed {
    fn new(args: &CheckArgs) -> Self {
        let options = Options { fold_case: args.ignore_case, ..Options::default() };
        let spellings = args.normalize.then(Spellings::default);
        Self {
            known: Known::within(
                options,
                sorting_memory(usize::try_from(args.memory).unwrap_or(usize::MAX)),
                args.temporary_directory.clone().unwrap_or_else(temporary_directory),
            ),
            status: Status::OK,
            roots: Vec::new(),
            beside: false,
            kind: Kind::default(),
            spellings,
        }
    }

    /// Takes in a manifest. One that cannot be opened, or not to its end, ends the audit: its files would be new.
    fn read(&mut self, name: &OsStr, prover: &Prover<'_>, places: &Places) -> anyhow::Result<()> {
        let Prover { args, screen, .. } = *prover;
        let mut items = Items::open(name, args, |untold| {
            let roots: Vec<_> = args.root.iter().map(|root| root.as_os_str().as_bytes().into()).collect();
            let below = prover.selection.roots(if args.base.is_some() { &[] } else { &roots });
            let wanted = |name: &[u8], _: &[ItemPath]| {
                let name = places.of_listed(name);
                let is_taken = prover.selection.takes_name(&name, &below);
                let name = if args.normalize { spelling_there(places.start(), &name) } else { name };
                is_taken.then(|| ItemPath::from(name))
            };
            match prover.prove(untold, wanted)? {
                Proof::Proven(algorithm) => Ok(algorithm),
                Proof::NothingReadable => Err(nothing_to_go_by(untold)),
            }
        })?;
        let manifest = manifests::shown(name);
        let (mut malformed, mut skipped, mut undigested, mut recorded_bad) = (0, 0, 0, 0);
        let mut titled = Titled::new(name, args);
        let mut header_roots = args.base.as_ref().map(|_| HeaderRoots::default());
        while let Some(item) = items.next() {
            let item = match item {
                Ok(item) => item,
                Err(LineProblem { kind: ProblemKind::Input(error), line, .. }) => {
                    let text = text::system(&error);
                    return Err(Ended::unreadable(format!("{manifest}: {text} (reading line {line})")));
                }
                Err(problem) => {
                    match problem.kind {
                        ProblemKind::AlgorithmNotAsked { .. } => skipped += 1,
                        _ => malformed += 1,
                    }
                    undigested += u64::from(problem.is_entry());
                    if args.warn {
                        screen.message(&format!("{manifest}: {problem}"));
                    }
                    continue;
                }
            };
            recorded_bad += u64::from(item.outcome.is_some_and(|outcome| outcome != Outcome::Read));
            let (digests, size) = match item.outcome {
                None | Some(Outcome::Read) => self.kind.content(&item).map_err(|problem| {
                    let name = text::name(item.path.as_bytes());
                    Ended::usage(format!("{manifest}: line {}: {name} {problem}", item.line))
                })?,
                Some(_) => (Vec::new(), item.size),
            };
            titled.meet(digests.iter().map(Digest::algorithm));
            let name = item.path.as_bytes();
            // One is enough.
            if !self.beside
                && let Some(roots) = &mut header_roots
            {
                self.beside = !roots.hold(items.header_roots(), name);
            }
            let path = places.of_listed(name);
            if let Some(spellings) = &mut self.spellings {
                spellings.add(&path);
            }
            let file = KnownFile { path: &path, size, modified: item.modified, digests: &digests };
            if let Err(error) = self.known.add(file) {
                let name = text::name(item.path.as_bytes());
                screen.message(&format!("{manifest}: line {}: {name} {error}", item.line));
                self.status |= Status::UNREADABLE;
            }
        }
        self.roots.extend_from_slice(items.header_roots());
        if malformed > 0 {
            let hint = if args.warn { "" } else { "; --warn shows which" };
            screen.message(&format!(
                "{manifest}: {} cannot be understood{hint}",
                text::counted(malformed, "line")
            ));
            if args.strict {
                self.status |= Status::UNREADABLE;
            }
        }
        if skipped > 0 {
            screen.message(&skipped_line(&manifest, skipped, args));
        }
        if undigested > 0 {
            self.status |= Status::UNREADABLE;
        }
        if let Some((named, others)) = titled.misnamed() {
            screen.message(&misnamed_line(&manifest, named, &others));
        }
        if recorded_bad > 0 {
            let items = text::counted(recorded_bad, "listed file");
            screen
                .message(&format!("{items} without a digest to verify: recorded as unreadable or unstable"));
        }
        Ok(())
    }
}

/// What became of a listed file that no walk came to.
enum Whereabouts {
    /// It is there, or may be: what is in the way of saying so is found out by reading it.
    There,
    /// Something else is in its place, which might be waited for without end.
    Special,
    Gone,
    /// It is not wanted, whether it is there or not.
    Excluded,
}

/// Which of the listed files are wanted.
struct Wanted {
    selection: Selection,
    /// The roots of the walk, from where names are relative to.
    roots: Roots,
    /// The devices that they lie on.
    devices: BTreeSet<u64>,
}

impl Wanted {
    fn new(selection: Selection, args: &CheckArgs, places: &Places, roots: &[ItemPath]) -> Self {
        let devices = devices(roots);
        let roots = match &args.base {
            Some(_) => roots.iter().map(|root| ItemPath::from(places.of_found(root.as_bytes()))).collect(),
            None => roots.to_vec(),
        };
        let roots = selection.roots(&roots);
        Self { selection, roots, devices }
    }

    fn whereabouts(&self, name: &[u8], path: &Path, known: impl FnOnce() -> Option<Content>) -> Whereabouts {
        let Self { selection, roots, devices } = self;
        if !selection.takes_name(name, roots) || selection.is_elsewhere(path, devices) {
            return Whereabouts::Excluded;
        }
        match std::fs::metadata(path) {
            Ok(facts) if !lies_within(selection.bounds(), &facts) => Whereabouts::Excluded,
            Ok(facts) if facts.is_file() => Whereabouts::There,
            Ok(facts) if !facts.is_dir() => Whereabouts::Special,
            Err(error) if !matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                Whereabouts::There
            }
            _ if selection.bounds().are_open() => Whereabouts::Gone,
            // Of a file that is gone, what is listed says whether it was wanted.
            _ => match known() {
                Some(known) if !selection.takes_listed(known.size, known.modified) => Whereabouts::Excluded,
                _ => Whereabouts::Gone,
            },
        }
    }
}

/// A share of the listed files that no walk came to.
#[derive(Debug, Default, PartialEq)]
struct Looks {
    present: Vec<ItemPath>,
    unwanted: Vec<ItemPath>,
    special: Vec<ItemPath>,
    /// The last that was looked for; nothing if no name was left.
    last: Option<Vec<u8>>,
}

impl Looks {
    /// Looks for files until `most` names are kept, of which those present are kept only if they are `spelled` as listed.
    fn new(
        names: impl Iterator<Item = impl AsRef<[u8]>>,
        whereabouts: impl Fn(&[u8]) -> Whereabouts,
        spelled: bool,
        most: usize,
    ) -> Self {
        let (mut looks, mut last) = (Self::default(), None);
        for name in names {
            let held = last.insert(name);
            let name: &[u8] = (*held).as_ref();
            match whereabouts(name) {
                Whereabouts::There if spelled => looks.present.push(ItemPath::from(name)),
                Whereabouts::Special if spelled => looks.special.push(ItemPath::from(name)),
                Whereabouts::There | Whereabouts::Special | Whereabouts::Gone => continue,
                Whereabouts::Excluded => looks.unwanted.push(ItemPath::from(name)),
            }
            if looks.present.len() + looks.unwanted.len() + looks.special.len() >= most {
                break;
            }
        }
        looks.last = last.map(|name| name.as_ref().to_vec());
        looks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unwanted_names_are_looked_for_in_shares_too() {
        let names = ["a", "b", "c", "d", "e"].map(str::as_bytes);
        let whereabouts = |name: &[u8]| match name {
            b"a" => Whereabouts::Gone,
            b"d" => Whereabouts::There,
            _ => Whereabouts::Excluded,
        };
        let looks = |start: usize, spelled| {
            let looks = Looks::new(names[start..].iter().copied(), whereabouts, spelled, 2);
            let shown =
                |paths: &[ItemPath]| paths.iter().map(|path| path.as_bytes().to_vec()).collect::<Vec<_>>();
            (shown(&looks.present).concat(), shown(&looks.unwanted).concat(), looks.last)
        };
        assert_eq!(looks(0, true), (b"".to_vec(), b"bc".to_vec(), Some(b"c".to_vec())));
        assert_eq!(looks(3, true), (b"d".to_vec(), b"e".to_vec(), Some(b"e".to_vec())));
        assert_eq!(looks(3, false), (b"".to_vec(), b"e".to_vec(), Some(b"e".to_vec())));
        assert_eq!(looks(5, true), (b"".to_vec(), b"".to_vec(), None));
    }
}
