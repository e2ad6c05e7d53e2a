//! What is asked of object stores, as lines.

use hashlane_objects::{Plan, Traffic};

use crate::text;

/// What it would take to read what was planned. `traffic`: what was asked to find that out.
pub fn plan_line(plan: &Plan, traffic: &Traffic) -> String {
    let archived = match plan.archived {
        0 => String::new(),
        archived => format!("; {} in an archive cannot be read", text::counted(archived, "object")),
    };
    format!(
        "{}, {} ({}): {} to read them; finding them took {}{archived}{}",
        text::counted(plan.objects, "object"),
        text::decimal(plan.bytes as f64),
        text::binary(plan.bytes as f64),
        text::counted(plan.requests, "request"),
        text::count(traffic.requests()),
        passed_over(traffic)
    )
}

/// What was asked of a store.
pub fn traffic_line(traffic: &Traffic) -> String {
    let requests = traffic.requests();
    let mut line = format!(
        "{}: {} for listings, {} for objects",
        text::counted(requests, "request"),
        text::count(traffic.lists()),
        text::count(traffic.gets())
    );
    if traffic.agreeing() > 0 {
        let objects = text::counted(traffic.agreeing(), "object");
        line += &format!("; {objects} with the checksum that the store keeps");
    }
    line += &passed_over(traffic);
    if traffic.again() > 0 {
        line += &format!("; {} of them repeated", text::count(traffic.again()));
    }
    line
}

/// What listings of versions had that is not content.
fn passed_over(traffic: &Traffic) -> String {
    match traffic.markers() {
        0 => String::new(),
        markers => format!("; {} passed over", text::counted(markers, "delete marker")),
    }
}
