//! No option is without effect. Each one, alone, changes what its command prints, writes, asks a store or ends with; and it still does
//! beside each other option, or the command refuses the two with exit code 64 and names one of them.
//!
//! A command that works in several ways, such as `check` with and without `--complete`, has a table for each ([`rows`]). Each
//! table has a row for every option of the command, so that a new option comes with what it does in each of the ways. Usual runs try a
//! part of the pairs, always the same; `HASHLANE_TEST_ALL` tries all.

mod exceptions;
mod rows;
mod scene;

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use exceptions::EXCEPTIONS;
use rows::{Does, MODES, Mode, Row};
use scene::{LISTS_WITH_NUL, Observed, Scene};

use crate::work::Dir;

/// The options that there are, each with its command.
const OPTIONS: &str = include_str!("../fixtures/options.txt");

/// One pair in this many, and one refusal in this many, is tried where not all are: a run takes some 10 milliseconds of a processor.
const PART: u64 = 10;
const PART_OF_REFUSALS: u64 = 20;

/// The exit code of a command that is not begun.
const USAGE: i32 = 64;

/// The long options of a command, but for those that are other names.
fn options_of(command: &str) -> BTreeSet<&'static str> {
    let begin = format!("hashlane {command} --");
    let names =
        OPTIONS.lines().filter_map(|line| Some(&line[line.strip_prefix(&begin).map(|_| begin.len() - 2)?..]));
    names.filter(|name| *name != "--silent").collect()
}

#[test]
fn every_option_has_a_row() {
    let mut told = String::new();
    for mode in MODES {
        let rows: BTreeSet<_> = mode.rows().map(|row| row.option).collect();
        let options = options_of(mode.command);
        let own = mode.own();
        for lacking in options.iter().filter(|option| !rows.contains(*option) && !own.contains(*option)) {
            writeln!(told, "{}: {lacking} has no row: add what it does", mode.name).unwrap();
        }
        for other in rows.difference(&options) {
            writeln!(told, "{}: {other} is no option of {}", mode.name, mode.command).unwrap();
        }
        assert_eq!(rows.len(), mode.rows().count(), "{}: an option has two rows", mode.name);
    }
    assert!(told.is_empty(), "{told}");
}

/// Runs, and what was seen of those that several questions have in common.
struct Runs {
    scene: Scene,
    /// One on a disk, where files can be read from the medium; none where temporary files cannot be read so.
    on_disk: OnceCell<Option<Scene>>,
    seen: BTreeMap<String, Observed>,
    told: String,
    count: usize,
}

impl Runs {
    fn new() -> Self {
        let (scene, seen, told) = (Scene::new(Dir::in_memory()), BTreeMap::new(), String::new());
        Self { scene, on_disk: OnceCell::new(), seen, told, count: 0 }
    }

    fn run(&mut self, arguments: &[&str]) -> Observed {
        self.count += 1;
        self.scene.run(arguments)
    }

    /// The same, once for all who ask.
    fn run_once(&mut self, arguments: &[&str]) -> Observed {
        let key = arguments.join(" ");
        if let Some(seen) = self.seen.get(&key) {
            return seen.clone();
        }
        let seen = self.run(arguments);
        self.seen.insert(key, seen.clone());
        seen
    }

    /// What two command lines come to that say `--from-medium`, if files can be read so: in memory each of them fails.
    fn on_medium(&mut self, with: &[&str], base: &[&str]) -> Option<(Observed, Observed)> {
        let scene = self.on_disk.get_or_init(|| Some(Scene::new(Dir::new())).filter(Scene::is_on_medium));
        let scene = scene.as_ref()?;
        self.count += 2;
        Some((scene.run(with), scene.run(base)))
    }

    fn tell(&mut self, what: &str, arguments: &[&str], seen: &Observed) {
        writeln!(self.told, "{what}\n  hashlane {}\n{seen}", arguments.join(" ")).unwrap();
    }

    /// Whether an option does what its row says.
    fn alone(&mut self, mode: &Mode, row: &Row, is_all: bool) {
        let base = mode.base_of(row);
        let with = [&base[..], &row.given()].concat();
        match row.does {
            Does::Shows => {
                let without = self.run_once(&base);
                let seen = self.run_once(&with);
                if seen == without {
                    self.tell(&format!("{}: {} has no effect", mode.name, row.option), &with, &seen);
                }
                if seen.code == USAGE {
                    self.tell(&format!("{}: {} is refused", mode.name, row.option), &with, &seen);
                }
                if is_all && self.run(&base) != without {
                    self.tell(&format!("{}: two runs differ", mode.name), &base, &without);
                }
            }
            Does::IsRefused if !is_all && !is_chosen(PART_OF_REFUSALS, &[mode.name, row.option]) => {}
            Does::IsRefused => {
                let seen = self.run(&with);
                if seen.code != USAGE || !seen.names(&[row.option]) {
                    self.tell(&format!("{}: {} is not refused", mode.name, row.option), &with, &seen);
                }
            }
            Does::ShowsElsewhere if is_all => {
                let seen = self.run(&with);
                if seen.code == USAGE {
                    self.tell(&format!("{}: {} is refused", mode.name, row.option), &with, &seen);
                }
            }
            Does::ShowsElsewhere => {}
        }
    }

    /// Whether an option does what it does beside another one as well.
    fn beside(&mut self, mode: &Mode, row: &Row, other: &Row) {
        let base = [with_ends(mode.base_of(row), other), other.beside()].concat();
        let with = [&base[..], &row.given()].concat();
        let (seen, without) = if other.option == "--from-medium" {
            let Some((seen, without)) = self.on_medium(&with, &base) else { return };
            (seen, Some(without))
        } else {
            (self.run(&with), None)
        };
        let what = format!("{}: {} beside {}", mode.name, row.option, other.option);
        if seen.code == USAGE {
            if !seen.names(&[row.option, other.option]) {
                self.tell(&format!("{what}: the refusal names neither"), &with, &seen);
            }
        } else if without.unwrap_or_else(|| self.run_once(&base)) == seen {
            self.tell(&format!("{what} has no effect"), &with, &seen);
        }
    }
}

/// Arguments with lists that are as another option says, where it says that their lines end with NUL.
fn with_ends(arguments: Vec<&'static str>, other: &Row) -> Vec<&'static str> {
    if !other.reads_nul() {
        return arguments;
    }
    let named = |argument: &'static str| LISTS_WITH_NUL.iter().find(|list| &list[2..] == argument).copied();
    arguments.into_iter().map(|argument| named(argument).unwrap_or(argument)).collect()
}

/// Whether something belongs to the one part of many that is tried: always the same things do, and those that begin with the same
/// command line do together.
fn is_chosen(part: u64, names: &[&str]) -> bool {
    // FNV-1a.
    let seed = 0xcbf2_9ce4_8422_2325_u64;
    let bytes = names.iter().flat_map(|name| name.bytes());
    let hash = bytes.fold(seed, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    (hash >> 32).is_multiple_of(part)
}

fn is_all() -> bool {
    std::env::var_os("HASHLANE_TEST_ALL").is_some()
}

/// The modes that are tried: all, or those that `HASHLANE_TEST_MODE` begins.
fn modes() -> impl Iterator<Item = &'static Mode> {
    let chosen = std::env::var("HASHLANE_TEST_MODE").unwrap_or_default();
    MODES.iter().filter(move |mode| mode.name.starts_with(&chosen))
}

#[test]
fn each_option_has_an_effect_or_is_refused() {
    let mut runs = Runs::new();
    let mut count = 0;
    for mode in modes() {
        for row in mode.rows() {
            runs.alone(mode, row, is_all());
            count += 1;
        }
    }
    println!("{count} options, {} runs", runs.count);
    assert!(runs.told.is_empty(), "{}", runs.told);
}

#[test]
fn each_option_has_its_effect_beside_each_other_one() {
    let mut runs = Runs::new();
    let (mut all, mut tried, mut excepted) = (0, 0, 0);
    for mode in modes() {
        for row in mode.rows().filter(|row| matches!(row.does, Does::Shows)) {
            let in_base = mode.base_of(row);
            for other in mode.rows().filter(|other| other.option != row.option) {
                // Given twice, options are refused or are lists; neither says anything of the other option.
                if in_base.contains(&other.option) || matches!(other.does, Does::IsRefused) {
                    continue;
                }
                all += 1;
                if EXCEPTIONS.iter().any(|exception| exception.is_for(mode.name, row.option, other.option)) {
                    excepted += 1;
                } else if is_all() || is_chosen(PART, &[mode.name, &in_base.join(" "), other.option]) {
                    tried += 1;
                    runs.beside(mode, row, other);
                }
            }
        }
    }
    println!("{all} pairs, {tried} tried, {excepted} excepted; {} runs", runs.count);
    assert!(runs.told.is_empty(), "{}", runs.told);
}
