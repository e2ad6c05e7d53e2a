//! `hashlane accept` and `hashlane acknowledge`.

use std::collections::HashSet;
use std::time::Duration;

use hashlane_auditor::{Decided, NotEmptied, accept_all_gone as retire_all, accept_beside};
use hashlane_catalog::{Acceptable, Choice, Collection, Decision, Finding, ItemId, Reader, Verdict, Writer};
use hashlane_report::collection::{recorded, words};
use hashlane_report::text;

use super::places::{inside, place_to_look_at};
use super::{actor, failed, now_s, open, unreachable};
use crate::args::{AcceptArgs, AcknowledgeArgs, ChosenArgs};
use crate::commands::bench::print;
use crate::status::{Ended, Status, unreadable};
use crate::terminal::screen::Screen;

/// How long a decision waits for an audit that is under way before its command ends.
const PATIENCE: Duration = Duration::from_secs(5);

/// Findings with the paths of their files.
type Chosen = Vec<(Vec<u8>, Finding)>;

pub(crate) fn accept(args: &AcceptArgs) -> anyhow::Result<Status> {
    if args.all_gone {
        return accept_all_gone(&args.chosen);
    }
    let (mut catalog, collection, mut accepted) = choose(&args.chosen)?;
    let paths = within(&catalog, &collection, &args.chosen)?;
    let (screen, asked) = (Screen::plain(), accepted.len());
    let is_refused = |(path, finding): &mut (Vec<u8>, Finding)| match Acceptable::of(finding.verdict) {
        Acceptable::Yes => false,
        Acceptable::ByName => !paths.contains(path),
        Acceptable::No => true,
    };
    for (path, finding) in accepted.extract_if(.., is_refused) {
        let why = match (Acceptable::of(finding.verdict), finding.verdict) {
            (Acceptable::No, _) => {
                "was not read to a clear end, so there is nothing to accept; `hashlane acknowledge` marks it as known"
            }
            (_, Verdict::Collision) => "is a collision: name the file itself to accept that",
            _ => "is corrupt: name the file itself to accept that",
        };
        screen.message(&format!("{}: {why}", text::name(&path)));
    }
    if !accepted.is_empty() {
        let findings: Vec<_> = accepted.iter().map(|(_, finding)| finding.clone()).collect();
        let place = place_to_look_at(&catalog, &collection)?;
        let tree = &place.ground;
        let decision = decision(&args.chosen);
        let decided = match args.chosen.dry_run {
            true => hashlane_auditor::others(&catalog, &collection, tree, &findings).map(Decided::Done),
            false => accept_beside(&mut catalog, &collection, tree, &findings, &decision, PATIENCE),
        };
        let decided = decided.map_err(failed)?;
        let Decided::Done(others) = decided else {
            let all = accepted.len() == asked;
            screen.message(&recorded(&args.chosen.name, accepted.len() as u64, decided == Decided::Waits));
            let is_recorded = all && decided == Decided::Waits;
            return Ok(if is_recorded { Status::OK } else { Status::UNREADABLE });
        };
        let why = match tree.root() {
            Ok(_) => "has changed since it was found; audit it again, then decide".to_owned(),
            Err(error) => {
                let why = unreachable(&collection, &text::system(&error));
                format!("cannot be compared with what was found: {why}")
            }
        };
        leave_out(&mut accepted, others, &why);
    }
    tell((&args.chosen, asked), &accepted, "accepted")
}

/// Accepts that all files are gone.
fn accept_all_gone(args: &ChosenArgs) -> anyhow::Result<Status> {
    let mut catalog = open(&args.catalog)?;
    let collection = catalog.collection(&args.name).map_err(failed)?;
    let place = place_to_look_at(&catalog, &collection)?;
    if let Err(error) = place.ground.root() {
        return Err(Ended::unreadable(unreachable(&collection, &text::system(&error))));
    }
    let name = &args.name;
    let (ground, decision) = (&place.ground, decision(args));
    let accepted = retire_all(&mut catalog, &collection, ground, &decision).map_err(failed)?;
    let files = accepted.map_err(|why| {
        Ended::unreadable(match why {
            NotEmptied::OtherRoot => format!(
                "{name}: nothing was accepted: this is another directory than the one that was audited, as the mount point of a disk that is not mounted is; if the tree lies here now: `hashlane collection relocate {name} DIR`"
            ),
            _ => format!("{name}: nothing was accepted: the tree is not empty; `hashlane audit {name}` tells what is missing"),
        })
    })?;
    Screen::plain()
        .message(&format!("{name}: {} accepted: all of them are gone", text::counted(files, "file")));
    Ok(Status::OK)
}

pub(crate) fn acknowledge(args: &AcknowledgeArgs) -> anyhow::Result<Status> {
    let (mut catalog, collection, mut chosen) = choose(&args.chosen)?;
    let files = chosen.len();
    if !args.chosen.dry_run {
        let findings: Vec<_> = chosen.iter().map(|(_, finding)| finding.clone()).collect();
        let decision = decision(&args.chosen);
        let until_s = args.until.map(|time| decision.at_s.saturating_add(time.as_secs() as i64));
        let others = catalog.acknowledge(&collection, &findings, until_s, &decision).map_err(failed)?;
        leave_out(&mut chosen, others, "something else was found of it meanwhile; look at it, then decide");
    }
    tell((&args.chosen, files), &chosen, "acknowledged")
}

/// Leaves out files that nothing is decided on, and says why.
fn leave_out(chosen: &mut Chosen, others: Vec<ItemId>, why: &str) {
    let others: HashSet<_> = others.into_iter().collect();
    for (path, _) in chosen.extract_if(.., |(_, finding)| others.contains(&finding.item)) {
        Screen::plain().message(&format!("{}: {why}", text::name(&path)));
    }
}

/// The findings that are meant.
fn choose(args: &ChosenArgs) -> anyhow::Result<(Writer, Collection, Chosen)> {
    if args.paths.is_empty() && args.verdict.is_empty() {
        return Err(Ended::usage("name files, or findings by their verdicts: --verdict missing"));
    }
    let catalog = open(&args.catalog)?;
    let collection = catalog.collection(&args.name).map_err(failed)?;
    let within = within(&catalog, &collection, args)?;
    let verdicts = args.verdict.iter().flat_map(|kind| kind.0.clone()).collect();
    let chosen = catalog.chosen(&collection, &Choice::new(within, verdicts)).map_err(failed)?;
    if chosen.is_empty() {
        return Err(unreadable!(
            "{0}: no such finding; `hashlane collection report {0}` shows those that stand",
            args.name
        ));
    }
    Ok((catalog, collection, chosen))
}

fn within(catalog: &Reader, collection: &Collection, args: &ChosenArgs) -> anyhow::Result<Vec<Vec<u8>>> {
    args.paths.iter().map(|path| inside(catalog, collection, path)).collect()
}

fn decision(args: &ChosenArgs) -> Decision {
    Decision { actor: actor(), reason: args.reason.clone(), at_s: now_s() }
}

fn tell((args, asked): (&ChosenArgs, usize), chosen: &Chosen, what: &str) -> anyhow::Result<Status> {
    let mut lines = String::new();
    for (path, finding) in chosen {
        lines += &format!("{}: {}: {}\n", args.name, text::name(path), words(finding.verdict));
    }
    print(&lines)?;
    let files = text::counted(chosen.len() as u64, "file");
    let would = if args.dry_run { "would be " } else { "" };
    Screen::plain().message(&format!("{}: {files} {would}{what}", args.name));
    Ok(if chosen.len() < asked { Status::UNREADABLE } else { Status::OK })
}
