//! The command reaches object stores as trees, whose errors are put into words already. So what a store refuses is named where options
//! and inputs are and where messages are, and nowhere else.

use std::fmt::Write as _;

use crate::crates::{Source, sources};
use crate::lexer::tokens;

/// The crate that asks stores, and its error.
const OBJECTS: &str = "hashlane_objects";
const ERROR: &str = "Error";

/// Modules of the command that have to do with what is wrong with a store.
const ALLOWED: [&str; 3] = ["args", "hints", "inputs"];

#[test]
fn commands_put_no_error_of_a_store_into_words() {
    let told = told(&sources("cli"));
    assert!(told.is_empty(), "\n{told}");
}

/// What is reported of sources that name the error and may not.
fn told(sources: &[Source]) -> String {
    let mut told = String::new();
    for source in sources {
        let module = source.module();
        let is_allowed = module.first().is_some_and(|first| ALLOWED.contains(&first.as_str()));
        // A path, or all of a list of them: neither goes on behind these marks.
        let named = source.tokens.split(|token| ";()=".chars().any(|mark| token.is(mark))).find_map(|part| {
            let crate_at = part.iter().position(|token| token.is_word(OBJECTS))?;
            part[crate_at..].iter().find(|token| token.is_word(ERROR))
        });
        if let Some(token) = named.filter(|_| !is_allowed) {
            let path = source.path.display();
            let _ = writeln!(
                told,
                "crates/cli/src/{path}:{}: names {OBJECTS}::{ERROR}: put errors into words in hints.rs",
                token.line
            );
        }
    }
    told
}

#[test]
fn a_command_that_names_the_error_is_told_of_and_options_and_messages_are_not() {
    let of = |path: &str, text: &str| told(&[Source { path: path.into(), tokens: tokens(text) }]);
    for path in ["args/store.rs", "args.rs", "hints.rs", "inputs.rs"] {
        assert_eq!(of(path, "use hashlane_objects::Error;"), "", "{path}");
    }
    for path in ["commands/sum.rs", "commands/hints.rs", "main.rs", "session.rs"] {
        for text in
            ["\nuse hashlane_objects::{Objects, Error};", "\nfn f() { hashlane_objects::Error::Nothing }"]
        {
            let told = of(path, text);
            assert!(told.starts_with(&format!("crates/cli/src/{path}:2: names")), "{path}: {told}");
        }
    }
    for text in ["use hashlane_objects::Objects;\nuse hashlane_catalog::Error;", "// hashlane_objects::Error"]
    {
        assert_eq!(of("commands/sum.rs", text), "");
    }
}
