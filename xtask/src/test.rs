//! `cargo xtask test`: all checks and tests, one step after the other, whatever the earlier ones said. What a step waits for is made
//! beside others: what later steps build beside the tests, the torture beside the steps that follow it, and an installation that is
//! asked for beside those that need nothing of it.
//!
//! Owns the order of the steps and the closing summary. Installs nothing unless it is asked to. A test that misses a tool prints a line
//! that begins with `SKIPPED:`; the lines are counted and shown again at the end.

mod backends;
mod beside;
mod dependencies;
mod emulated;
mod fuzz;
mod patience;
mod preparation;
mod tally;
mod torture;

use std::env;
use std::io::{BufRead as _, BufReader, IsTerminal as _, Write as _};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow};
use clap::ValueEnum;

use beside::Beside;
use patience::Patience;
use preparation::Preparation;
use tally::Tally;
use torture::Round;
use xtask::cargo::{Profile, cargo, shown, test_targets};

use crate::{differential, docs, lint};

/// Options of `test`.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// The whole matrix: ignored tests too, HASHLANE_TEST_ALL=1, fuzzing for a minute a target, every
    /// backend of this CPU, and AArch64 emulated
    #[arg(long, conflicts_with = "quick")]
    all: bool,
    /// What a change needs before a commit: formatting, lints, all tests but the longest, and generated files, in the
    /// profile that `cargo test` uses
    #[arg(long)]
    quick: bool,
    /// Only the tests whose name contains TEXT, in the profile that `cargo test` uses; the other steps are left out unless
    /// named by --only
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
    /// Only these steps
    #[arg(long, value_delimiter = ',', value_name = "STEP")]
    only: Vec<Step>,
    /// A test that was skipped for want of a tool is a failure (set HASHLANE_SKIPS_FAIL=1 for the tests)
    #[arg(long)]
    skips_are_failures: bool,
    /// Install what the tests need first, as `setup` does, beside the steps that need nothing of it
    #[arg(long)]
    set_up: bool,
}

/// One step, in the order in which they run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Step {
    Fmt,
    /// Of all tests, and of the program that they run.
    Build,
    /// Licences, duplicates and bans of what the project stands on.
    Dependencies,
    Tests,
    Clippy,
    Docs,
    /// Beside the steps that follow: it waits more than it computes, and does not mind that the processors are busy.
    Torture,
    /// Optimised, and without assertions: what computes and what reads.
    Release,
    Drift,
    Differential,
    Fuzz,
    /// In the whole matrix, and where it is named.
    Backends,
    /// Likewise.
    Emulated,
}

/// What the pass of release builds tests: there optimised code differs, in arithmetic and in what it asks of the kernel. The rest
/// is optimised in the other pass as well.
const RELEASED: [&str; 4] = ["hashlane-lanes", "hashlane-digest", "hashlane-io", "hashlane-engine"];

/// How they are built there, on top of the profile [`Profile::Ci`].
const RELEASED_AS: &str = "xtask/released.toml";

/// Parts of the names of the tests that take longest, nearly two thirds of the time of all. They go through every command, every kernel or every
/// store, or wait for a little machine; `--quick` leaves them to the whole run.
const LONG: [&str; 60] = [
    "a_cache_that_is_damaged_or_cannot_be_written_is_no_failure",
    "a_catalogue_over_which_its_program_is_killed_is_of_one_version_or_the_other_and_judged_the_same",
    "a_check_up_has_no_old_layout",
    "a_few_large_files_are_read_about_once_a_period",
    "a_file_is_written_and_read_in_the_old_form",
    "a_file_that_is_larger_than_the_budget_is_read_to_its_end_by_and_by",
    "a_file_that_takes_long_enough_is_looked_for_in_the_room_that_there_is",
    "a_limited_rate_is_kept_by_all_workers_and_engines_together",
    "a_list_says_the_same_by_whatever_way_it_comes",
    "a_long_run_measures_for_the_next_and_a_short_one_does_not",
    "a_read_that_fails_fails_one_file",
    "a_store_that_goes_away_in_the_midst_is_told_once_and_not_of_each_object",
    "an_audit_that_was_interrupted_is_told_with_the_command_that_goes_on_with_it",
    "bags_are_judged_as_the_rules_have_it_and_as_bagit_py_does",
    "bench::",
    "checksums_over_parts_are_computed_over_parts_where_the_store_tells_them",
    "each_finding_ends_as_the_table_says_and_in_no_other_way",
    "every_command_line_does_what_the_original_does",
    "every_format_in_a_help_is_taken_and_every_one_that_is_taken_is_there",
    "every_profile_gives_the_same_digests_warm_and_cold",
    "fuse::",
    "holes_are_digested_and_not_read",
    "holes_are_not_read_and_count_as_the_zeros_that_they_are",
    "little_memory::",
    "many_small_things_come_out_in_order",
    "many_versions_are_sealed_by_one_look_at_all",
    "memory_does_not_grow_with_what_a_manifest_claims",
    "more_bits_than_fit_into_32",
    "no_bar_stands_in_a_line_of_results_on_the_same_terminal",
    "no_bit_of_an_index_changes_unnoticed",
    "no_bit_of_an_index_makes_a_wrong_answer",
    "no_command_takes_a_closed_input_for_an_empty_one_or_a_closed_output_for_success",
    "no_file_is_older_than_its_promise_where_the_budget_is_enough",
    "no_further_collection_is_begun_when_the_time_is_over",
    "no_listed_digest_of_an_unchanged_file_is_lost_whatever_is_asked_for",
    "objects::clouds::",
    "objects::gateway::",
    "outcomes::",
    "page::",
    "pieces_and_the_whole_are_digested_in_one_reading_by_every_engine",
    "processes_that_write_at_once_and_are_killed_leave_whole_batches",
    "programs_that_are_played_end_as_their_originals_do_or_with_an_error",
    "progress_as_json_moves_inside_a_large_file",
    "schemas::",
    "several_threads_list_what_one_lists_in_its_order",
    "shards::",
    "short_and_interrupted_reads_change_nothing",
    "spark_runs::",
    "ten_million_pieces_of_one_file_are_refused_and_not_held",
    "that_a_store_went_away_is_not_called_a_budget",
    "the_bar_is_as_long_as_there_is_room_and_nothing_of_it_is_cut",
    "the_history_of_a_hostile_name_is_that_of_its_file_and_nothing_else",
    "the_run_says_what_decided_which_backend_served",
    "tune::",
    "two_hundred_small_trees_come_out_right_whatever_stalls",
    "what_a_run_brings_stays_as_far_as_granted_and_what_was_there_stays",
    "what_a_store_disputes_is_judged_by_its_bytes",
    "what_is_written_is_read_back",
    "what_waits_for_a_file_before_it_keeps_its_pieces_on_disk",
    "where_the_system_gives_fewer_readers_than_asked_for_all_tasks_are_done",
];

/// The target of the tests of the program.
const PROGRAM: &str = "program";

/// How a step ended.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Outcome {
    Passed,
    Failed,
    /// Not run, and that is not a failure.
    LeftOut(String),
}

/// What is said of a step at the end.
struct Finished {
    title: &'static str,
    budget: Option<Duration>,
    outcome: Outcome,
    took: Duration,
}

/// Runs the steps and prints the summary.
pub(crate) fn run(options: &Options) -> Result<bool> {
    let (began, steps) = (Instant::now(), options.steps());
    let mut tally = Tally::default();
    let mut finished = Vec::new();
    let mut preparation = options.set_up.then(Preparation::start).transpose()?;
    let (mut beside, mut round) = (None, None);
    for &step in &steps {
        if step.needs_tools()
            && let Some(preparation) = preparation.take()
        {
            finished.push(preparation.end(&mut tally));
        }
        if step == Step::Torture && steps.last() != Some(&step) {
            println!("== {}, beside the next steps", step.title());
            round = Some(Round::start(options.profile()));
            continue;
        }
        println!("== {}", step.title());
        let start = Instant::now();
        let (outcome, took) =
            ended(&mut tally, |tally| Ok((options.run_step(step, &mut beside, tally)?, start.elapsed())));
        finished.push(Finished { title: step.title(), budget: step.budget(), outcome, took });
        if step == Step::Tests
            && let Some(beside) = beside.take()
        {
            finished.push(Beside::end(beside)?);
        }
    }
    if let Some(preparation) = preparation {
        finished.push(preparation.end(&mut tally));
    }
    if let Some(round) = round {
        let step = Step::Torture;
        println!("== {}", step.title());
        let (outcome, took) = ended(&mut tally, |tally| round?.end(tally));
        finished.push(Finished { title: step.title(), budget: step.budget(), outcome, took });
    }
    Ok(options.summarise(&finished, &tally, began.elapsed()))
}

/// How a step ended, and how long that took. What goes wrong is said.
fn ended(
    tally: &mut Tally,
    step: impl FnOnce(&mut Tally) -> Result<(Outcome, Duration)>,
) -> (Outcome, Duration) {
    let (began, failed_before) = (Instant::now(), tally.failed);
    let ended = step(tally).unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        (Outcome::Failed, began.elapsed())
    });
    // A step that failed without a failed test (formatting, a build) must not end as "0 failed".
    if ended.0 == Outcome::Failed && tally.failed == failed_before {
        tally.failed += 1;
    }
    ended
}

fn outcome_of(fine: bool) -> Outcome {
    if fine { Outcome::Passed } else { Outcome::Failed }
}

/// Whether tests go well, and what they print.
fn printed(mut command: Command) -> Result<(bool, Vec<u8>)> {
    let mut child = command.stdout(Stdio::piped()).spawn().with_context(|| cannot_run(&command))?;
    let mut output = BufReader::new(child.stdout.take().context("the tests have no output")?);
    let patience = Patience::with(&child);
    let mut printed = Vec::new();
    while output.read_until(b'\n', &mut printed).context("cannot read what the tests print")? > 0 {
        patience.renew();
    }
    Ok((child.wait()?.success(), printed))
}

impl Options {
    fn steps(&self) -> Vec<Step> {
        let steps = Step::value_variants().iter().copied();
        match (self.only.is_empty(), &self.filter) {
            (true, Some(_)) => vec![Step::Tests],
            (true, None) if self.quick => {
                vec![Step::Fmt, Step::Build, Step::Tests, Step::Clippy, Step::Drift]
            }
            (true, None) => steps.filter(|step| self.all || !step.is_long()).collect(),
            (false, _) => steps.filter(|step| self.only.contains(step)).collect(),
        }
    }

    fn profile(&self) -> Profile {
        if self.quick || self.filter.is_some() { Profile::Dev } else { Profile::Ci }
    }

    /// Runs a step. What is started beside it is left in `beside`.
    fn run_step(&self, step: Step, beside: &mut Option<Beside>, tally: &mut Tally) -> Result<Outcome> {
        let profile = self.profile();
        let fine = match step {
            Step::Fmt => succeeded(&mut lint::fmt())?,
            Step::Clippy => succeeded(&mut lint::clippy(profile))?,
            Step::Build => succeeded(self.tests().args(["--quiet", "--no-run"]))?,
            Step::Dependencies => return dependencies::run(tally),
            Step::Tests => {
                let start = || *beside = Some(Beside::start(self.builds_beside()));
                if self.quick {
                    return Ok(outcome_of(self.run_tests_at_once(start, tally)?));
                }
                self.run_tests_and(&mut self.tests(), &self.left_out(), start, tally)?
            }
            Step::Release => self.run_tests(&mut self.released(), &[], tally)?,
            Step::Docs => succeeded(&mut documentation(profile))?,
            Step::Drift => docs::check(&profile.program()?)?,
            Step::Differential => differential::run(&differential::Options::default(), profile)?,
            Step::Torture => return Ok(Round::start(profile)?.end(tally)?.0),
            Step::Backends => return backends::run(self, tally),
            Step::Emulated => return emulated::run(self, tally),
            Step::Fuzz => return fuzz::run(self.all, profile),
        };
        Ok(outcome_of(fine))
    }

    /// Tests that another step of this run runs, or the whole run.
    fn left_out(&self) -> Vec<&'static str> {
        let elsewhere = self.steps().contains(&Step::Differential).then_some(differential::DEEP_TEST);
        elsewhere.into_iter().chain(torture::ROUND).chain(LONG.into_iter().filter(|_| self.quick)).collect()
    }

    /// What the steps of this run that come after the tests build.
    fn builds_beside(&self) -> Vec<Command> {
        let profile = self.profile();
        let build = |step: Step| match step {
            Step::Clippy => Some(lint::clippy(profile)),
            Step::Docs => Some(documentation(profile)),
            Step::Release => {
                let mut released = self.released();
                released.arg("--no-run");
                Some(released)
            }
            Step::Fuzz if !self.all => Some(fuzz::plain(profile)),
            _ => None,
        };
        self.steps().into_iter().skip_while(|&step| step != Step::Tests).filter_map(build).collect()
    }

    /// Everything there is.
    fn tests(&self) -> Command {
        let mut command = cargo();
        command.args(["test", "--workspace"]).args(self.profile().arguments());
        self.prepared(command)
    }

    /// In the profile of the other tests, but for what is tested: that of what is shipped links every test binary for a minute and finds
    /// nothing more. Doctests have had their turn.
    fn released(&self) -> Command {
        let mut command = cargo();
        command.args(["test", "--tests", "--config", RELEASED_AS]).args(Profile::Ci.arguments());
        command.args(RELEASED.iter().flat_map(|package| ["--package", package]));
        self.prepared(command)
    }

    /// What all calls of `cargo test` have.
    fn prepared(&self, mut command: Command) -> Command {
        command.arg("--no-fail-fast");
        if self.skips_are_failures {
            command.env("HASHLANE_SKIPS_FAIL", "1");
        }
        if self.all {
            command.env("HASHLANE_TEST_ALL", "1");
        }
        command
    }

    /// Runs the tests of the program, which mostly wait, and those of the documentation, and beside them all others, which mostly compute.
    /// Lines of the others come when all are over.
    fn run_tests_at_once(&self, when_built: impl FnOnce(), tally: &mut Tally) -> Result<bool> {
        let mut libraries = self.tests();
        libraries.args(["--lib", "--bins"]);
        for name in test_targets()?.iter().filter(|name| *name != PROGRAM) {
            libraries.args(["--test", name]);
        }
        self.without(&mut libraries, &self.left_out());
        let libraries = std::thread::spawn(|| printed(libraries));
        let mut program = self.tests();
        program.args(["--test", PROGRAM]);
        let others = self
            .run_tests_and(&mut program, &self.left_out(), when_built, tally)
            .and_then(|fine| Ok(fine & self.run_tests(self.tests().arg("--doc"), &self.left_out(), tally)?));
        // They are waited for whatever has become of the others.
        let (is_fine, printed) =
            libraries.join().map_err(|_| anyhow!("who waits for the tests has panicked"))??;
        let fine = others?;
        let mut console = std::io::stdout().lock();
        for line in printed.split_inclusive(|byte| *byte == b'\n') {
            if tally.take_in(String::from_utf8_lossy(line).trim_end_matches('\n')) {
                console.write_all(line)?;
            }
        }
        Ok(fine && is_fine)
    }

    /// Has `cargo test` leave tests out, and to show what they print.
    fn without(&self, command: &mut Command, left_out: &[&str]) {
        // Output of tests that pass is captured by default, and with it their skips.
        command.args(["--", "--show-output", "--color", if colours() { "always" } else { "never" }]);
        if self.all {
            command.arg("--include-ignored");
        }
        command.args(left_out.iter().flat_map(|text| ["--skip", text])).args(&self.filter);
    }

    /// Runs the tests, but for those whose names contain a text of `left_out`, and counts; what passing tests print is dropped, but for their skips.
    fn run_tests(&self, command: &mut Command, left_out: &[&str], tally: &mut Tally) -> Result<bool> {
        self.run_tests_and(command, left_out, || {}, tally)
    }

    /// The same, and does something when all is built and the first of them runs: from then on cargo lets others build.
    fn run_tests_and(
        &self,
        command: &mut Command,
        left_out: &[&str],
        when_built: impl FnOnce(),
        tally: &mut Tally,
    ) -> Result<bool> {
        self.without(command, left_out);
        let mut child = command.stdout(Stdio::piped()).spawn().with_context(|| cannot_run(command))?;
        let output = child.stdout.take().context("the tests have no output")?;
        let patience = Patience::with(&child);
        let mut console = std::io::stdout().lock();
        let mut when_built = Some(when_built);
        for line in BufReader::new(output).split(b'\n') {
            let line = line.context("cannot read what the tests print")?;
            patience.renew();
            if let Some(when_built) = when_built.take() {
                when_built();
            }
            if tally.take_in(&String::from_utf8_lossy(&line)) {
                console.write_all(&line)?;
                console.write_all(b"\n")?;
            }
        }
        Ok(child.wait()?.success())
    }

    /// Prints how it went; true if nothing failed.
    fn summarise(&self, finished: &[Finished], tally: &Tally, all: Duration) -> bool {
        println!("\n== summary");
        for Finished { title, budget, outcome, took } in finished {
            let outcome = match outcome {
                Outcome::Passed => "passed",
                Outcome::Failed => "FAILED",
                Outcome::LeftOut(reason) => reason,
            };
            let budget = budget.filter(|budget| took > budget && !self.all);
            let beyond =
                budget.map_or_else(String::new, |budget| format!("; its budget is {} s", budget.as_secs()));
            println!("{title:<20} {:>7.1} s  {outcome}{beyond}", took.as_secs_f64());
        }
        for line in tally.left_out() {
            println!("{line}");
        }
        for (line, times) in tally.skips() {
            println!("{line}{}", if times > 1 { format!(" ({times} times)") } else { String::new() });
        }
        if self.quick {
            println!("the {} longest tests and groups of tests are left to `cargo xtask test`", LONG.len());
        }
        if tally.ignored > 0 {
            println!("{} ignored tests are run by --all", tally.ignored);
        }
        let skips_failed = self.skips_are_failures && tally.skipped() > 0;
        if skips_failed {
            println!("skips are failures here");
        }
        println!("{:<20} {:>7.1} s", "all steps", all.as_secs_f64());
        println!("{} passed, {} failed, {} skipped", tally.passed, tally.failed, tally.skipped());
        tally.failed == 0 && !skips_failed
    }
}

impl Step {
    /// Whether it belongs to the whole matrix only.
    fn is_long(self) -> bool {
        matches!(self, Self::Backends | Self::Emulated)
    }

    /// Whether it runs something that an installation may have to bring first.
    fn needs_tools(self) -> bool {
        !matches!(self, Self::Fmt | Self::Build)
    }

    /// What it may take on a clean checkout, on two processors, if what it stands on is built. More is worth a look and not a failure:
    /// the machine may be busy.
    fn budget(self) -> Option<Duration> {
        let seconds = match self {
            Self::Fmt => 5,
            Self::Clippy | Self::Docs => 10,
            Self::Build => 400,
            Self::Dependencies | Self::Drift => 10,
            Self::Tests => 750,
            Self::Release | Self::Torture => 120,
            Self::Differential | Self::Fuzz => 30,
            Self::Backends | Self::Emulated => return None,
        };
        Some(Duration::from_secs(seconds))
    }

    fn title(self) -> &'static str {
        match self {
            Self::Fmt => "formatting",
            Self::Clippy => "clippy",
            Self::Build => "build",
            Self::Dependencies => "dependencies",
            Self::Tests => "tests",
            Self::Release => "tests, release",
            Self::Docs => "documentation",
            Self::Drift => "generated files",
            Self::Differential => "old command lines",
            Self::Torture => "torture",
            Self::Fuzz => "fuzz targets",
            Self::Backends => "tests, all backends",
            Self::Emulated => "tests, AArch64",
        }
    }
}

fn documentation(profile: Profile) -> Command {
    let flags = [env::var("RUSTDOCFLAGS").unwrap_or_default(), "-D warnings".to_owned()];
    let mut command = cargo();
    command.args(["doc", "--quiet", "--workspace", "--no-deps"]).args(profile.arguments());
    // With examples among them cargo chooses the features that tests have, and finds checked what lints have checked.
    command.args(["--lib", "--bins", "--examples"]);
    command.env("RUSTDOCFLAGS", flags.join(" ").trim());
    command
}

fn succeeded(command: &mut Command) -> Result<bool> {
    Ok(command.status().with_context(|| cannot_run(command))?.success())
}

fn cannot_run(command: &Command) -> String {
    format!("cannot run {}", shown(command))
}

/// Whether the test binaries, whose output is a pipe, are to use colours all the same.
fn colours() -> bool {
    match env::var("CARGO_TERM_COLOR").as_deref() {
        Ok("always") => true,
        Ok("never") => false,
        _ => std::io::stdout().is_terminal() && env::var_os("NO_COLOR").is_none(),
    }
}
