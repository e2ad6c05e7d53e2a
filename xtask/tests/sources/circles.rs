//! No crate has new circles of modules.
//!
//! What the list holds are edges ([`crate::modules`]) that lie on a circle, and not the circles, as a few edges make many: two
//! modules that lean on each other are two lines, and a circle that grows by a module is a new line. So whatever joins a circle or
//! closes one shows as a line that is not there, whichever way through the graph is shortest.
//!
//! A type and the error of its crate may hold each other: the error names what it is about, and what it is about returns it. What leads
//! from an error to such a type is not an edge here, so it does not close a longer circle either.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::crates::{Source, sources, with_beside};
use crate::lexer::tokens;
use crate::modules::{Graph, graph, rooms_of, way};

/// Those of today. It only ever loses lines.
const LISTED: &str = include_str!("circles.txt");

/// How many there are. Whoever takes lines out of the list lowers it.
const EDGES: usize = 0;

/// What the module of a crate's error is called.
const ERROR: &str = "error";

#[test]
fn no_crate_has_a_circle_of_modules_that_is_not_listed() {
    let (mut found, mut told) = (BTreeSet::new(), String::new());
    for name in with_beside() {
        let graph = without_pairs_of_the_error(&graph(&sources(&name), &rooms_of(&name)));
        for (from, to) in on_circles(&graph) {
            let line = format!("{name}: {from} -> {to}");
            if !listed(LISTED).contains(line.as_str()) {
                let back = way(&graph, to, from).unwrap_or_default().join(" -> ");
                let _ = writeln!(told, "{line} ({}) closes a circle: {from} -> {back}", graph[from][to]);
            }
            found.insert(line);
        }
    }
    told += &gone(LISTED, &found);
    assert!(told.is_empty(), "\n{told}");
}

/// What is said of each line of the list that is not found any more.
fn gone(list: &str, found: &BTreeSet<String>) -> String {
    let gone = listed(list).into_iter().filter(|line| !found.contains(*line));
    gone.map(|line| format!("{line} is on no circle any more: take it out of circles.txt\n")).collect()
}

/// The lines of a list, without its header.
fn listed(list: &str) -> BTreeSet<&str> {
    list.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).collect()
}

/// A graph without what leads from the error of a crate to modules that lead to it themselves.
fn without_pairs_of_the_error(graph: &Graph) -> Graph {
    let mut kept = graph.clone();
    if let Some(edges) = kept.get_mut(ERROR) {
        edges.retain(|to, _| !graph.get(to).is_some_and(|back| back.contains_key(ERROR)));
    }
    kept
}

/// The edges that lie on some circle, in order.
fn on_circles(graph: &Graph) -> Vec<(&str, &str)> {
    let edges = graph.iter().flat_map(|(from, to)| to.keys().map(move |to| (from.as_str(), to.as_str())));
    edges.filter(|(from, to)| way(graph, to, from).is_some()).collect()
}

/// The edges on circles of a made-up crate.
fn of(files: &[(&str, &str)]) -> Vec<String> {
    let source = |(path, text): &(&str, &str)| Source { path: path.into(), tokens: tokens(text) };
    let sources: Vec<_> = files.iter().map(source).collect();
    let graph = without_pairs_of_the_error(&graph(&sources, &[]));
    on_circles(&graph).into_iter().map(|(from, to)| format!("{from} -> {to}")).collect()
}

#[test]
fn the_edges_of_a_circle_are_found_and_those_that_only_lead_to_it_are_not() {
    assert!(of(&[("a.rs", "use crate::{b, c};"), ("b.rs", "use crate::c;"), ("c.rs", "")]).is_empty());
    let round = [
        ("a.rs", "use crate::b;"),
        ("b/x.rs", "use crate::c;"),
        ("c.rs", "use crate::{a, d};"),
        ("d.rs", ""),
        ("e.rs", "use crate::a;"),
    ];
    assert_eq!(of(&round), ["a -> b", "b -> c", "c -> a"]);
}

#[test]
fn what_joins_a_circle_shows_as_another_edge() {
    let before = [("a.rs", "use crate::b;"), ("b.rs", "use crate::a;"), ("c.rs", "use crate::a;")];
    assert_eq!(of(&before), ["a -> b", "b -> a"]);
    let after = [("a.rs", "use crate::b;"), ("b.rs", "use crate::{a, c};"), ("c.rs", "use crate::a;")];
    assert_eq!(of(&after), ["a -> b", "b -> a", "b -> c", "c -> a"]);
}

#[test]
fn an_error_and_what_it_is_about_may_hold_each_other_and_what_it_does_not_name_may_not() {
    let pair = [("error.rs", "use crate::format;"), ("format.rs", "use crate::error;")];
    assert!(of(&pair).is_empty());
    let round = [("error.rs", "use crate::a;"), ("a.rs", "use crate::b;"), ("b.rs", "use crate::error;")];
    assert_eq!(of(&round), ["a -> b", "b -> error", "error -> a"]);
}

#[test]
fn a_listed_circle_that_is_gone_is_to_be_taken_out_of_the_list() {
    let found = BTreeSet::from(["io: a -> b".to_owned()]);
    assert_eq!(gone("# why\n\nio: a -> b\n", &found), "");
    let told = gone("io: a -> b\nio: b -> a\n", &found);
    assert_eq!(told, "io: b -> a is on no circle any more: take it out of circles.txt\n");
}

#[test]
fn the_list_is_in_order_names_nothing_twice_and_does_not_grow() {
    let lines: Vec<_> = LISTED.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
    assert!(lines.is_sorted_by(|one, next| one < next), "circles.txt");
    assert_eq!(lines.len(), EDGES, "the list may only lose lines, and EDGES goes down with it");
}
