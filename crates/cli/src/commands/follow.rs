//! `hashlane status --follow`: how far audits are, until none is under way.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use hashlane_catalog::{CollectionId, Error, Running};
use hashlane_engine::{Control, Stop};
use hashlane_keeper::Rate;
use hashlane_report::collection::{how_far, progress_json};
use hashlane_report::text::fitted;

use super::bench::print;
use super::collection::{failed, read};
use crate::args::{ListFormat, ProgressMode, StatusArgs};
use crate::how::tuned;
use crate::terminal::bar::{self, Lines};
use crate::terminal::progress::Look;
use crate::terminal::screen::Screen;
use crate::terminal::signals::{Interrupted, die_by};

/// How often the catalogue is looked at: an audit writes once a second.
const LOOK: Duration = Duration::from_secs(1);

/// How often a signal is looked for.
const TICK: Duration = Duration::from_millis(100);

/// How often lines are written for people that stay where they are.
const WRITE: Duration = Duration::from_secs(5);

/// Shows how far the audits of the named collections are, as long as one is under way.
pub(super) fn until_none_runs(args: &StatusArgs) -> anyhow::Result<()> {
    let screen = Screen::plain();
    let interrupted = Interrupted::watch(&Arc::new(Control::new()), &screen, Stop::Aborted)?;
    let mut display = Display::new(args);
    let (mut has_run, mut was_idle) = (false, false);
    loop {
        let (all, is_idle) = look(args, &mut display.best)?;
        has_run |= !is_idle;
        // One command audits collections one after the other, and has none for a moment in between.
        if is_idle && (!has_run || was_idle) {
            break;
        }
        was_idle = is_idle;
        display.show(&all)?;
        let looked = Instant::now();
        while looked.elapsed() < LOOK {
            if let Some(signal) = interrupted.signal() {
                display.end();
                die_by(signal);
            }
            thread::sleep(TICK);
        }
    }
    display.end();
    Ok(())
}

/// A collection that is audited, and how far that is.
struct Followed {
    name: String,
    running: Running,
    best: Option<Rate>,
}

/// The best rates of collections that were looked up.
type BestRates = BTreeMap<CollectionId, Option<Rate>>;

/// The audits that are under way, and whether nobody is about to begin one either.
fn look(args: &StatusArgs, best: &mut BestRates) -> anyhow::Result<(Vec<Followed>, bool)> {
    // Anew each time: of a catalogue of an earlier version one moment is shown.
    let catalog = match read(&args.catalog)? {
        Err(Error::NoCatalog { .. }) => return Ok((Vec::new(), true)),
        catalog => catalog.map_err(failed)?,
    };
    let (mut all, mut is_idle) = (Vec::new(), true);
    for collection in catalog.named(&args.names).map_err(failed)? {
        is_idle &= !catalog.is_in_use(&collection).map_err(failed)?;
        let Some(running) = catalog.running(&collection).map_err(failed)? else { continue };
        if let Entry::Vacant(place) = best.entry(collection.id) {
            let of_audits = catalog.best_rate(collection.id).map_err(failed)?;
            let tuned = || Some(tuned(&args.cache, &collection)?.bytes_per_second);
            place.insert(Rate::known(of_audits, tuned));
        }
        let best = best.get(&collection.id).copied().flatten();
        all.push(Followed { name: collection.terms.name, running, best });
    }
    Ok((all, is_idle))
}

/// Where it is shown.
struct Display {
    look: Look,
    /// On a terminal.
    lines: Lines,
    best: BestRates,
    /// What was said of collections last, and when lines were written.
    said: BTreeMap<String, Running>,
    written: Option<Instant>,
}

impl Display {
    fn new(args: &StatusArgs) -> Self {
        let look = match args.format {
            ListFormat::Json => Look::Json,
            ListFormat::Text => Look::of(ProgressMode::Always),
        };
        let (best, said) = (BTreeMap::new(), BTreeMap::new());
        Self { look, lines: Lines::default(), best, said, written: None }
    }

    fn show(&mut self, all: &[Followed]) -> anyhow::Result<()> {
        match self.look {
            Look::Json => {
                for Followed { name, running, best } in all {
                    if self.said.insert(name.clone(), running.clone()).as_ref() != Some(running) {
                        print(&format!("{}\n", progress_json(name, running, *best)))?;
                    }
                }
            }
            Look::Bar => {
                let columns = usize::from(bar::columns());
                let lines: Vec<_> = all.iter().map(|one| fitted(&line(one), columns)).collect();
                self.lines.draw(&lines);
            }
            Look::Lines | Look::Hidden => {
                if self.written.is_none_or(|written| written.elapsed() >= WRITE) {
                    self.written = Some(Instant::now());
                    all.iter().for_each(|one| Screen::plain().line(&line(one).concat()));
                }
            }
        }
        Ok(())
    }

    fn end(&mut self) {
        self.lines.draw(&[]);
    }
}

/// A line, in parts. The last ones are left out where there is little room.
fn line(Followed { name, running, best }: &Followed) -> Vec<String> {
    let mut parts = how_far(running, *best);
    parts[0].insert_str(0, &format!("{name}: "));
    parts
}
