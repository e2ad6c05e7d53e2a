//! The command reaches object stores through libraries: what a store refuses it puts into words, and what a store is asked it does not
//! know. So the crate that asks them is named where options are and where messages are, and nowhere else.

use std::fmt::Write as _;

use crate::crates::{Source, sources};
use crate::lexer::tokens;

/// The crate.
const OBJECTS: &str = "hashlane_objects";

/// Modules of the command that hold options or messages of stores.
const ALLOWED: [&str; 3] = ["args", "hints", "objects"];

#[test]
fn commands_do_not_ask_object_stores_themselves() {
    let told = told(&sources("cli"));
    assert!(told.is_empty(), "\n{told}");
}

/// What is told of sources that name the crate and may not.
fn told(sources: &[Source]) -> String {
    let mut told = String::new();
    for source in sources {
        let module = source.module();
        let is_allowed = module.first().is_some_and(|first| ALLOWED.contains(&first.as_str()));
        if let Some(token) = source.tokens.iter().find(|token| token.is_word(OBJECTS) && !is_allowed) {
            let path = source.path.display();
            let _ = writeln!(
                told,
                "crates/cli/src/{path}:{}: names {OBJECTS}: ask crates/keeper or crates/verify, and put errors into words in objects.rs",
                token.line
            );
        }
    }
    told
}

#[test]
fn a_command_that_names_the_crate_is_told_of_and_options_and_messages_are_not() {
    let of = |path: &str, text: &str| told(&[Source { path: path.into(), tokens: tokens(text) }]);
    for path in ["args/store.rs", "args.rs", "hints.rs", "objects.rs"] {
        assert_eq!(of(path, "use hashlane_objects::Error;"), "", "{path}");
    }
    for path in ["commands/sum.rs", "commands/objects.rs", "main.rs", "inputs.rs"] {
        let told = of(path, "\nfn f() { hashlane_objects::is_object(b\"\") }");
        assert!(told.starts_with(&format!("crates/cli/src/{path}:2: names")), "{path}: {told}");
    }
    assert_eq!(of("commands/sum.rs", "// hashlane_objects\nfn f() { say(\"hashlane_objects\") }"), "");
}
