//! How a device is read best: what was measured, and what was chosen.

use hashlane_engine::ReadOrder;
use hashlane_io::Device;
use hashlane_measure::tune::{Candidate, Tuned};

use super::figures;
use crate::tables::Table;
use crate::terminal::table;
use crate::work::{PARTS, device, reading};

/// All ways to read a device, with their figures, and the chosen ones.
pub fn tuning_text(on: &Device, tuned: &Tuned) -> String {
    let head = ["", "engine", "block", "at once", "rate", "95 % interval", "n", ""];
    let mut rows = Table::new(&format!("Ways to read from {}", device(on)), &head);
    for part in PARTS {
        let mut candidates: Vec<_> =
            tuned.candidates.iter().filter(|candidate| candidate.part == part).collect();
        candidates.sort_by(|a, b| f64::total_cmp(&rate(b), &rate(a)));
        rows.rows.extend(candidates.into_iter().map(row));
    }
    rows.notes.extend(tuned.kept.notes.iter().cloned());
    format!("{}\nChosen: {}\n", table(&rows), reading(&tuned.profile, &tuned.parts))
}

fn rate(candidate: &Candidate) -> f64 {
    candidate.timed.figure.map_or(f64::NEG_INFINITY, |figure| figure.median)
}

fn row(candidate: &Candidate) -> Vec<String> {
    let Candidate { part, order, timed, is_default, is_taken } = candidate;
    let cell = &timed.cell;
    let (rate, interval, n) = match &timed.figure {
        Some(figure) => (
            figures::figure(figure.median, timed.unit),
            figures::interval(figure, timed.unit),
            figure.n.to_string(),
        ),
        None => (figures::NONE.to_owned(), "not measured".to_owned(), "0".to_owned()),
    };
    let in_order = if *order == ReadOrder::OnDisk { ", in disk order" } else { "" };
    let marks = [(*is_taken, "chosen"), (*is_default, "default")];
    let marks: Vec<_> = marks.into_iter().filter(|(is, _)| *is).map(|(_, mark)| mark).collect();
    vec![
        format!("{}{in_order}", part.name()),
        cell.engine.clone().unwrap_or_default(),
        cell.block_bytes.map_or_else(|| figures::NONE.to_owned(), figures::block),
        cell.depth.map_or_else(|| figures::NONE.to_owned(), |depth| depth.to_string()),
        rate,
        interval,
        n,
        marks.join(", "),
    ]
}
