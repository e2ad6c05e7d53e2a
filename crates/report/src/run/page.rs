//! A run as one HTML page.

use hashlane_measure::{CellResult, Run, Unit};
use maud::{Markup, html};

use super::figures;
use super::tables::machine;
use crate::page::{Head, document, rich};
use crate::view::View;

/// The page.
pub fn page(run: &Run) -> String {
    let name = &run.machine.processor.name;
    let cores = run.machine.processor.cores;
    let view = View::of(run);
    let heading = html! { (rich(name)) ", " (cores) @if cores == 1 { " core" } @else { " cores" } };
    let names = [
        run.name.as_ref().map(|name| format!("run {name}")),
        run.host.as_ref().map(|host| format!("host {host}")),
    ];
    let names: String = names.into_iter().flatten().map(|name| format!("{name}, ")).collect();
    let when = format!("{names}{} UTC, {}", run.started.replace('T', " ").trim_end_matches('Z'), run.program);
    let more = html! {
        @if !run.warnings.is_empty() {
            section {
                h2 { "Warnings" }
                ul.warnings { @for warning in &run.warnings { li { (rich(&warning.to_string())) } } }
            }
        }
        (machine_section(run))
        (sample_section(run))
        (method_section(run))
    };
    let doubts = run.warnings.iter().filter(|warning| warning.is_doubt()).map(ToString::to_string).collect();
    document(&Head { title: name, heading, when: &when, program: &run.program, doubts }, &view, &more)
}

fn machine_section(run: &Run) -> Markup {
    html! {
        section {
            h2 { "Machine" }
            dl { @for (name, fact) in machine(run) { dt { (name) } dd { (rich(&fact)) } } }
        }
    }
}

fn sample_section(run: &Run) -> Markup {
    html! {
        section {
            h2 { "Samples" }
            details {
                summary { "Every timing, in the order of the rounds" }
                @for result in run.cells.iter().filter(|result| !result.samples.is_empty()) {
                    h3 { (rich(&result.cell.to_string())) }
                    (strip(result))
                    p.samples { @for figure in result.figures() { span { (figures::figure(figure, result.unit)) } " " } }
                }
            }
        }
    }
}

/// The samples of a cell as dots, the first round at the left, on a scale from the smallest to the largest.
fn strip(result: &CellResult) -> Markup {
    let values = result.figures();
    let (low, high) =
        values.iter().fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(*value), high.max(*value)));
    let x = |index: usize| 4.0 + index as f64 * 192.0 / (values.len().max(2) - 1) as f64;
    let y = |value: f64| if high > low { 34.0 - (value - low) / (high - low) * 28.0 } else { 20.0 };
    html! {
        svg.strip viewBox="0 0 200 40" role="img" aria-label=(format!("{} samples", values.len())) {
            @for (index, value) in values.iter().enumerate() {
                circle.dot cx=(format!("{:.1}", x(index))) cy=(format!("{:.1}", y(*value))) r="2" {}
            }
        }
    }
}

fn method_section(run: &Run) -> Markup {
    let overhead = run.overhead;
    html! {
        section {
            h2 { "How this was measured" }
            p {
                "Cells were measured in rounds, in a different order in each (seed " (run.seed) "). Figures are medians; \
                 intervals contain the true median in at least 95 of 100 cases; fewer than 6 samples have none. GB are 10" sup { "9" }
                " bytes, MiB are 2" sup { "20" } ". Reading the clock takes "
                (figures::figure(overhead.stopwatch_ns as f64, Unit::NanosecondsPerOperation))
                ", at most " (format!("{:.3} %", overhead.largest_share * 100.0))
                " of a sample, and is not subtracted. Warm files were in the page cache and cold ones were not, as \
                 observed before each sample; if that cannot be observed, the cache state is called unknown."
            }
            p.command { code { (rich(&run.command.join(" "))) } }
        }
    }
}
