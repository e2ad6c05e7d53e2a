//! Which modules of a crate lean on which.
//!
//! The nodes are the modules directly below the root of a crate, with all that is below them; in place of a module that only
//! gathers others ([`ROOMS`]), the modules directly below that. An edge is a path that begins at `crate` or `super` and leads into
//! another one; names that the root only passes on (`pub use`) count for the module that they
//! come from. Not seen are methods called without a path, and what a macro puts together.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::Path;

use crate::crates::Source;
use crate::lexer::{Placed, closing, tokens};

/// What the root of a crate is called in a graph.
const ROOT: &str = "the root";

/// Modules that only gather others: `(crate, module)`.
const ROOMS: &[(&str, &str)] = &[("cli", "commands"), ("cli", "terminal")];

/// From each module to those that it leans on, with the first place where it does.
pub(crate) type Graph = BTreeMap<String, BTreeMap<String, String>>;

/// The modules of a crate that only gather others.
pub(crate) fn rooms_of(name: &str) -> Vec<&'static str> {
    ROOMS.iter().filter(|room| room.0 == name).map(|room| room.1).collect()
}

/// The modules of a crate, and in place of its `rooms` what is in them, and what they lean on.
pub(crate) fn graph(sources: &[Source], rooms: &[&str]) -> Graph {
    let node = |source: &Source| match &source.module()[..] {
        [] => None,
        [room, module, ..] if rooms.contains(&room.as_str()) => Some(format!("{room}::{module}")),
        [module, ..] => Some(module.clone()),
    };
    let modules: BTreeSet<String> = sources.iter().filter_map(node).collect();
    let passed_on = passed_on(sources, &modules);
    let mut graph = Graph::new();
    for source in sources {
        let module = source.module();
        let node = node(source);
        let from = node.as_deref().unwrap_or(ROOT);
        for (name, line) in references(&source.tokens, &module, &modules, rooms) {
            let to = if modules.contains(&name) {
                name
            } else if let Some((room, _)) = name.split_once("::") {
                // What a room itself has.
                room.to_owned()
            } else {
                passed_on.get(&name).cloned().unwrap_or_else(|| ROOT.to_owned())
            };
            if to != from {
                let place = format!("{}:{line}", source.path.display());
                graph.entry(from.to_owned()).or_default().entry(to).or_insert(place);
            }
        }
    }
    graph
}

/// The names that the root takes from its modules and passes on.
fn passed_on(sources: &[Source], modules: &BTreeSet<String>) -> BTreeMap<String, String> {
    let mut names = BTreeMap::new();
    for source in sources.iter().filter(|source| source.module().is_empty()) {
        let tokens = &source.tokens;
        for (at, module) in tokens.iter().enumerate().filter_map(|(at, token)| Some((at, token.word()?))) {
            let is_use = at > 0 && tokens[at - 1].is_word("use");
            if !is_use || !modules.contains(module) {
                continue;
            }
            let end =
                tokens[at..].iter().position(|token| token.is(';')).map_or(tokens.len(), |end| at + end);
            let words = tokens[at + 1..end].iter().filter_map(Placed::word);
            names.extend(words.map(|word| (word.to_owned(), module.to_owned())));
        }
    }
    names
}

/// The names directly below the root of the crate that paths lead to, and the lines that they stand on. `module` is where the
/// tokens are; in the root a path may begin with a module too.
fn references(
    tokens: &[Placed],
    module: &[String],
    modules: &BTreeSet<String>,
    rooms: &[&str],
) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    let room = module.first().map(String::as_str).filter(|room| module.len() > 1 && rooms.contains(room));
    let is_room = matches!(module, [room] if rooms.contains(&room.as_str()));
    // The braces of inline modules that are open, by where they close.
    let mut inline: Vec<usize> = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        inline.retain(|&end| at < end);
        let token = &tokens[at];
        if token.is_word("mod") && tokens.get(at + 2).is_some_and(|brace| brace.is('{')) {
            inline.push(closing(tokens, at + 2));
        } else if token.is_word("crate") && is_path(tokens, at + 1) {
            firsts(tokens, at + 3, (None, rooms), &mut found);
        } else if token.is_word("super") && is_path(tokens, at + 1) && !(at > 0 && tokens[at - 1].is(':')) {
            let mut ups = 0;
            while tokens.get(at).is_some_and(|token| token.is_word("super")) && is_path(tokens, at + 1) {
                ups += 1;
                at += 3;
            }
            let depth = module.len() + inline.len();
            match room {
                _ if ups >= depth => firsts(tokens, at, (None, rooms), &mut found),
                Some(room) if ups + 1 == depth => firsts(tokens, at, (Some(room), &[]), &mut found),
                _ => {}
            }
            continue;
        } else if (module.is_empty() || is_room) && inline.is_empty() {
            let begins = at == 0 || !tokens[at - 1].is(':') && !tokens[at - 1].is('.');
            let passes_on =
                at > 1 && tokens[at - 1].is_word("use") && !tokens[at - 2].is(';') && !tokens[at - 2].is('}');
            let leads = |word: &str| match is_room {
                true => modules.contains(&format!("{}::{word}", module[0])),
                false => modules.contains(word) || rooms.contains(&word),
            };
            let start = if is_room { (Some(module[0].as_str()), &[][..]) } else { (None, rooms) };
            if begins && !passes_on && is_path(tokens, at + 1) && token.word().is_some_and(leads) {
                firsts(tokens, at, start, &mut found);
            }
        }
        at += 1;
    }
    found
}

fn is_path(tokens: &[Placed], at: usize) -> bool {
    tokens.get(at).is_some_and(|token| token.is(':')) && tokens.get(at + 1).is_some_and(|token| token.is(':'))
}

/// The first words of the path, or of all paths in the braces, that begin here, in a room or at the root; where they lead into one
/// of the rooms, the second ones with it.
fn firsts(
    tokens: &[Placed],
    at: usize,
    (room, rooms): (Option<&str>, &[&str]),
    found: &mut Vec<(String, usize)>,
) {
    let Some(first) = tokens.get(at) else { return };
    if let Some(word) = first.word() {
        match room {
            Some(room) => found.push((format!("{room}::{word}"), first.line)),
            None if rooms.contains(&word) && is_path(tokens, at + 1) => {
                firsts(tokens, at + 3, (Some(word), &[]), found);
            }
            None => found.push((word.to_owned(), first.line)),
        }
    } else if first.is('{') {
        let end = closing(tokens, at);
        let mut next = at + 1;
        while next < end {
            firsts(tokens, next, (room, rooms), found);
            // On to what follows the next comma of this list.
            while next < end && !tokens[next].is(',') {
                next = if tokens[next].is('{') { closing(tokens, next) + 1 } else { next + 1 };
            }
            next += 1;
        }
    }
}

/// The shortest way from one module to another.
pub(crate) fn way(graph: &Graph, from: &str, to: &str) -> Option<Vec<String>> {
    let mut before: BTreeMap<&str, Option<&str>> = BTreeMap::from([(from, None)]);
    let mut queue = VecDeque::from([from]);
    while let Some(at) = queue.pop_front() {
        if at == to {
            let mut way = vec![at.to_owned()];
            let mut step = before[at];
            while let Some(place) = step {
                way.push(place.to_owned());
                step = before[place];
            }
            way.reverse();
            return Some(way);
        }
        for next in graph.get(at).into_iter().flat_map(BTreeMap::keys) {
            if !before.contains_key(next.as_str()) {
                before.insert(next, Some(at));
                queue.push_back(next);
            }
        }
    }
    None
}

fn source(path: &str, text: &str) -> Source {
    Source { path: path.into(), tokens: tokens(text) }
}

fn edges(sources: &[Source]) -> Vec<(String, String)> {
    let graph = graph(sources, &["room"]);
    graph.iter().flat_map(|(from, to)| to.keys().map(move |to| (from.clone(), to.clone()))).collect()
}

#[test]
fn every_form_of_a_path_is_an_edge() {
    let lib = "mod a; mod b; pub mod c; pub use c::{Thing, inner::Other as Renamed}; fn own() {}";
    let forms = [
        ("a.rs", "use crate::b::B;", Some("b")),
        ("a.rs", "fn f() { crate::b::g() }", Some("b")),
        ("a.rs", "use crate::{own_words, b::{self, B}};", Some("b")),
        ("a.rs", "use crate::{x::{y, z}, b};", Some("b")),
        ("a.rs", "use super::b::B;", Some("b")),
        ("a.rs", "mod inner { use super::super::b::B; }", Some("b")),
        ("a.rs", "mod inner { use super::b::B; }", None),
        ("a/deep.rs", "use super::super::b::B;", Some("b")),
        ("a/deep.rs", "use super::b::B;", None),
        ("a/deep/er.rs", "use super::super::super::{b, c};", Some("b")),
        ("a/mod.rs", "use super::b;", Some("b")),
        ("a.rs", "use crate::a::b::B;", None),
        ("a.rs", "use other::b::B;", None),
        ("a.rs", "use crate::Thing;", Some("c")),
        ("a.rs", "use crate::Renamed;", Some("c")),
        ("a.rs", "use crate::own;", Some(ROOT)),
    ];
    for (path, text, to) in forms {
        let sources = [
            source("lib.rs", lib),
            source(path, text),
            source("b.rs", "struct B;"),
            source("c/inner.rs", ""),
        ];
        let edges = edges(&sources);
        let has = |to: &str| edges.contains(&("a".to_owned(), to.to_owned()));
        match to {
            Some(to) => assert!(has(to), "{path}: {text}: {edges:?}"),
            None => assert!(!["b", "c"].into_iter().any(has), "{path}: {text}: {edges:?}"),
        }
    }
}

#[test]
fn what_is_in_a_room_stands_for_itself() {
    let forms = [
        ("room/a.rs", "use crate::room::b::B;", "room::a", Some("room::b")),
        ("room/a.rs", "use crate::{own, room::{a::x, b}};", "room::a", Some("room::b")),
        ("room/a.rs", "use super::b::B;", "room::a", Some("room::b")),
        ("room/a.rs", "use super::super::c;", "room::a", Some("c")),
        ("room/a/deep.rs", "use super::super::b;", "room::a", Some("room::b")),
        ("room/a/deep.rs", "use super::b;", "room::a", None),
        ("room/a.rs", "mod inner { use super::super::b; }", "room::a", Some("room::b")),
        ("c.rs", "use crate::room::b;", "c", Some("room::b")),
        ("main.rs", "mod room; fn f() { room::b::run() }", ROOT, Some("room::b")),
        ("main.rs", "mod room; fn f() { room::run() }", ROOT, Some("room")),
        ("room.rs", "mod a; mod b; fn run() { b::run() }", "room", Some("room::b")),
        ("room/a.rs", "use super::run;", "room::a", Some("room")),
        ("room/a.rs", "use crate::room::run;", "room::a", Some("room")),
    ];
    for (path, text, from, to) in forms {
        let room = [source("room.rs", "mod a; mod b;"), source("room/b.rs", ""), source("c.rs", "")];
        let given = room.into_iter().filter(|source| source.path != Path::new(path));
        let sources: Vec<_> = given.chain([source(path, text)]).collect();
        let edges = edges(&sources);
        let expected = to.map(|to| (from.to_owned(), to.to_owned()));
        assert_eq!(edges.iter().find(|(_, to)| to != ROOT), expected.as_ref(), "{path}: {text}");
    }
}

#[test]
fn the_root_leans_on_what_it_calls_and_not_on_what_it_passes_on() {
    let of_root = |text: &str| {
        let sources = [source("main.rs", text), source("a.rs", ""), source("b.rs", "")];
        edges(&sources)
    };
    assert_eq!(of_root("mod a; fn main() { a::run() }"), [(ROOT.to_owned(), "a".to_owned())]);
    assert_eq!(of_root("mod a; use a::Thing;"), [(ROOT.to_owned(), "a".to_owned())]);
    assert_eq!(of_root("mod a; pub use a::Thing; pub(crate) use b::Other;"), []);
    assert_eq!(of_root("mod a; fn main() { other::a::run() }"), []);
}
