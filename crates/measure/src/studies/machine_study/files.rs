//! A run in the form of sysperf's files: measurements, lookup tables, the description of the machine.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::Path;

use hashlane_io::replace;

use super::derived::in_process;
use super::{MachineStudy, effective_iterations, is_start, subject};
use crate::import::{DESCRIPTION, LOOKUP, MEASUREMENT, is_sysperf, shown_count};
use crate::machine::kibibytes;
use crate::run::Run;
use crate::sample::CellResult;
use crate::studies::variant::Time;

/// What is written of a machine beside what a run knows: it names the machine, which a run does not.
#[derive(Clone, Debug, PartialEq)]
pub struct Host {
    /// Its name.
    pub name: String,
    /// `/proc/meminfo` at that moment.
    memory: String,
    /// os-release(5).
    system: String,
}

/// One of the files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SysperfFile {
    /// Its name.
    pub name: String,
    /// Its first line.
    pub heading: String,
    /// The other lines.
    pub rows: Vec<String>,
    /// Whether lines are added to those of an earlier run, as the scripts do.
    pub is_added_to: bool,
}

impl SysperfFile {
    /// Writes it into a directory, or adds its lines to those of an earlier run.
    ///
    /// # Errors
    /// What the system says.
    pub fn write(&self, directory: &Path) -> io::Result<()> {
        let path = directory.join(&self.name);
        let rows: String = self.rows.iter().map(|row| format!("{row}\n")).collect();
        let text = format!("{}\n{rows}", self.heading);
        if self.is_added_to && path.is_file() {
            // Another heading does no harm: the scripts wrote one before each line.
            return OpenOptions::new().append(true).open(path)?.write_all(text.as_bytes());
        }
        Ok(replace(&path, text.as_bytes())?)
    }
}

impl Host {
    /// The machine that this runs on, by a name.
    pub fn describe(name: &str) -> Self {
        // What parts columns and directories is in no name.
        let keep = |letter: char| {
            if letter.is_ascii_alphanumeric() || ".-_".contains(letter) { letter } else { '-' }
        };
        let name: String = name.trim_matches('.').chars().map(keep).collect();
        Self {
            name: if name.is_empty() { "localhost".to_owned() } else { name },
            memory: fs::read_to_string("/proc/meminfo").unwrap_or_default(),
            system: fs::read_to_string("/etc/os-release").unwrap_or_default(),
        }
    }

    /// What the measurements of a program are called, and its lookup table.
    fn names(&self, program: &str) -> [String; 2] {
        [format!("{}.{program}.csv", self.name), format!("DB_{}.{program}.csv", self.name)]
    }

    /// What its description is called.
    fn description(&self) -> String {
        format!("{}_description.txt", self.name)
    }

    /// The line of its description.
    fn row(&self, run: &Run) -> String {
        let bytes = |key: &str| kibibytes(&self.memory, key);
        let (total, free, available) = (bytes("MemTotal:"), bytes("MemFree:"), bytes("MemAvailable:"));
        let (swap, swap_free) = (bytes("SwapTotal:"), bytes("SwapFree:"));
        let less = |all: Option<u64>, free: Option<u64>| Some(all?.saturating_sub(free?));
        let size = |bytes: Option<u64>| bytes.map(brief).unwrap_or_default();
        let system = |key: &str| {
            let line = self.system.lines().find_map(|line| line.strip_prefix(key));
            line.unwrap_or_default().replace('|', " ")
        };
        let processor = &run.machine.processor;
        [
            self.name.clone(),
            processor.architecture.clone(),
            processor.cores_of_machine.unwrap_or(processor.cores).to_string(),
            processor.highest_clock_khz.map(|khz| format!("{:.4}", khz as f64 / 1e3)).unwrap_or_default(),
            size(total),
            size(less(total, available.or(free))),
            size(free),
            size(swap),
            size(less(swap, swap_free)),
            size(swap_free),
            system("ID="),
            system("VERSION_ID="),
            run.machine.bogomips.map(|bogomips| format!("{bogomips:.2}")).unwrap_or_default(),
        ]
        .join("|")
    }
}

impl MachineStudy {
    /// What the files are called that its run is written to.
    pub fn sysperf_names(&self, host: &Host) -> Vec<String> {
        let ours =
            std::iter::once(None).chain(self.in_process.iter().map(|algorithm| Some(algorithm.name())));
        let ours = ours.filter(|_| !self.in_process.is_empty()).map(in_process);
        let programs = self.programs.iter().map(|program| program.name.clone()).chain(ours);
        programs.flat_map(|program| host.names(&program)).chain([host.description()]).collect()
    }
}

/// Whether something is there that is none of sysperf's files: nothing is written over it, or to its end.
pub fn is_foreign(path: &Path) -> bool {
    const HEAD_BYTES: u64 = 64 << 10;
    match fs::metadata(path) {
        Err(_) => false,
        Ok(facts) if facts.is_file() => {
            let mut head = Vec::new();
            let read = File::open(path).and_then(|file| file.take(HEAD_BYTES).read_to_end(&mut head));
            let text = String::from_utf8_lossy(&head);
            read.is_err() || !(text.trim().is_empty() || is_sysperf(&text))
        }
        Ok(_) => true,
    }
}

/// Bytes as free(1) writes them for people: `7.6Gi`, `713Mi`, `0B`.
fn brief(bytes: u64) -> String {
    const UNITS: [&str; 6] = ["B", "Ki", "Mi", "Gi", "Ti", "Pi"];
    let (mut value, mut unit) = (bytes as f64, 0);
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        (value, unit) = (value / 1024.0, unit + 1);
    }
    if unit > 0 && value < 9.95 {
        format!("{value:.1}{}", UNITS[unit])
    } else {
        format!("{value:.0}{}", UNITS[unit])
    }
}

/// The files: of each program its measurements and a lookup table, and the description of the machine.
pub fn sysperf_files(run: &Run, host: &Host) -> Vec<SysperfFile> {
    let mut files: Vec<SysperfFile> = Vec::new();
    for result in run.cells.iter().filter(|result| !is_start(&result.cell)) {
        let Some((measurement, lookup)) = rows(run, host, result) else { continue };
        let program = subject(&result.cell);
        let kinds = [(MEASUREMENT.as_slice(), measurement), (LOOKUP.as_slice(), lookup)];
        for (name, (columns, row)) in host.names(&program).into_iter().zip(kinds) {
            match files.iter_mut().find(|file| file.name == name) {
                Some(file) => file.rows.push(row),
                None => {
                    files.push(SysperfFile {
                        name,
                        heading: columns.join("|"),
                        rows: vec![row],
                        is_added_to: true,
                    });
                }
            }
        }
    }
    files.push(SysperfFile {
        name: host.description(),
        heading: DESCRIPTION.map(|(name, _)| name).join("|"),
        rows: vec![host.row(run)],
        is_added_to: false,
    });
    files
}

/// What both files say of a cell; none without a figure.
fn rows(run: &Run, host: &Host, result: &CellResult) -> Option<(String, String)> {
    let cell = &result.cell;
    let (iterations, copies, effective) = (cell.iterations?, cell.copies?, effective_iterations(cell)?);
    let unit_bytes = cell.input_bytes? / copies;
    let total = unit_bytes * effective;
    // The time that makes the figure: of an even number of samples the median lies between two.
    let wall = total as f64 / result.figure?.median;
    let seconds =
        |time: Time| time.estimate(result).map_or(0.0, |estimate| estimate.median * iterations as f64);
    let (user, system) = (seconds(Time::User), seconds(Time::System));
    let rate = |seconds: f64| {
        let rate = total as f64 / 1e6 / seconds;
        if rate.is_finite() { format!("{rate:.6}") } else { String::new() }
    };
    let rates = [wall, user, system].map(rate).join("|");
    let program = subject(cell);
    let measurement = format!(
        "{}|{}|{unit_bytes}|{}|{iterations}|{copies}|{total}|{program}|{wall:.9}|{user:.9}|{system:.9}|{rates}",
        host.name,
        minute(&run.started),
        shown_count(effective)
    );
    Some((measurement, format!("{}_{program}_{copies}_{effective}|{rates}", host.name)))
}

/// `2026-11-22T23:40:01Z` as the scripts write it: `20261122_2340`.
fn minute(started: &str) -> String {
    let digits: String = started.chars().filter(char::is_ascii_digit).take(12).collect();
    let (day, time) = digits.split_at(digits.len().min(8));
    format!("{day}_{time}")
}

#[cfg(test)]
mod tests {
    use super::super::tests::{reader, study};
    use super::*;
    use crate::import::{Basis, Imported, import};
    use crate::testing::Silent;

    fn content(file: &SysperfFile) -> Imported {
        let text = format!("{}\n{}\n", file.heading, file.rows.join("\n"));
        import(text.as_bytes(), file.name.as_ref()).expect("as sysperf writes")
    }

    #[test]
    fn what_is_written_is_read_with_the_same_figures() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let mut run = study(directory.path(), vec![reader()]).run(&mut Silent).expect("there is room");
        run.machine.bogomips = Some(108.0);
        let files = sysperf_files(&run, &Host::describe("ash tree|x"));
        let names: Vec<_> = files.iter().map(|file| file.name.as_str()).collect();
        assert_eq!(
            names,
            [
                "ash-tree-x.dd.csv",
                "DB_ash-tree-x.dd.csv",
                "ash-tree-x.hashlane-read.csv",
                "DB_ash-tree-x.hashlane-read.csv",
                "ash-tree-x.hashlane-sha1.csv",
                "DB_ash-tree-x.hashlane-sha1.csv",
                "ash-tree-x_description.txt"
            ]
        );
        let planned = study(directory.path(), vec![reader()]).sysperf_names(&Host::describe("ash tree|x"));
        assert_eq!(planned, names);
        let (measured, copies) = (content(&files[0]), content(&files[1]));
        let of_dd: Vec<_> = run.cells.iter().filter(|result| result.cell.program.is_some()).skip(1).collect();
        assert_eq!(measured.machines[0].cells.len(), 4);
        for ((cell, copy), result) in
            measured.machines[0].cells.iter().zip(&copies.machines[0].cells).zip(of_dd)
        {
            assert_eq!(cell.name, copy.name);
            let expected = result.figure.expect("it was measured").median;
            let figures = &cell.timings[0].figures;
            assert_eq!(
                figures.iter().map(|(basis, _)| *basis).collect::<Vec<_>>(),
                [Basis::Recorded, Basis::Recomputed]
            );
            for (_, figure) in figures.iter().chain(&copy.timings[0].figures) {
                assert!((figure / expected - 1.0).abs() < 1e-3, "{figure} {expected}");
            }
        }
        let described = content(&files[6]);
        assert_eq!(described.machines[0].host.as_deref(), Some("ash-tree-x"));
        assert_eq!(described.machines[0].bogomips, Some(108.0));
    }

    #[test]
    fn what_is_not_of_sysperf_is_told() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path().join("file");
        assert!(!is_foreign(&path));
        for (content, is_other) in
            [("", false), ("Hostname|UCT Date_time|\n", false), ("notes\n", true), ("a|b|c\n", true)]
        {
            fs::write(&path, content).expect("there is room");
            assert_eq!(is_foreign(&path), is_other, "{content}");
        }
        assert!(is_foreign(directory.path()));
    }

    #[test]
    fn sizes_and_dates_are_written_as_the_scripts_have_them() {
        let sizes = [0, 713 << 20, (7 << 30) + (600 << 20), 15 << 30, 1023];
        assert_eq!(sizes.map(brief), ["0B", "713Mi", "7.6Gi", "15Gi", "1023B"]);
        assert_eq!(minute("2026-11-22T23:40:01Z"), "20261122_2340");
        assert_eq!(minute(""), "_");
        assert_eq!(Host::describe("..").name, "localhost");
    }
}
