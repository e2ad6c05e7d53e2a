//! Libraries name no option of a command: an error states value, limit and way out, and the command adds what they are called.

use std::fmt::Write as _;

use crate::crates::{libraries, sources};
use crate::lexer::Token;

/// Crates whose business are the options of other programs.
const COMMAND_LINES: &[&str] = &["personality"];

/// Texts that name options of other programs: `(crate, file, what is named, why)`.
const OF_OTHERS: &[(&str, &str, &str, &str)] = &[
    ("keeper", "restore.rs", "--endpoint-url", "an argument of the program that copies"),
    ("keeper", "restore.rs", "--preserve=timestamps", "an argument of the program that copies"),
    ("keeper", "restore.rs", "--remove-destination", "an argument of the program that copies"),
    ("measure", "import/fio.rs", "--output-format=json", "how fio is run again"),
    ("measure", "import/google_benchmark.rs", "--benchmark_format=json", "how Google Benchmark is run again"),
    ("measure", "import/hyperfine.rs", "--export-json", "how hyperfine is run again"),
    ("measure", "studies/machine_study/program.rs", "--algorithm", "an argument of a program that is timed"),
    ("measure", "studies/machine_study/program.rs", "--backend", "an argument of a program that is timed"),
    ("measure", "studies/machine_study/program.rs", "--jobs=1", "an argument of a program that is timed"),
    (
        "measure",
        "studies/machine_study/program.rs",
        "--no-calibrate",
        "an argument of a program that is timed",
    ),
    ("measure", "studies/machine_study/program.rs", "--no-profile", "an argument of a program that is timed"),
    ("measure", "studies/machine_study/program.rs", "--quiet", "an argument of a program that is timed"),
];

#[test]
fn no_text_of_a_library_names_an_option() {
    let (mut wrong, mut met) = (String::new(), vec![false; OF_OTHERS.len()]);
    for name in libraries().into_iter().filter(|name| !COMMAND_LINES.contains(&name.as_str())) {
        for source in sources(&name) {
            for placed in &source.tokens {
                let Token::Text(text) = &placed.token else { continue };
                let Some(option) = option_in(text) else { continue };
                let path = source.path.display().to_string();
                let of_others = |of: &str| text.contains(of);
                let excused = OF_OTHERS.iter().position(|(owner, file, of, _)| {
                    (*owner, *file) == (name.as_str(), path.as_str()) && of_others(of)
                });
                match excused {
                    Some(at) => met[at] = true,
                    None => {
                        let _ =
                            writeln!(wrong, "crates/{name}/src/{path}:{}: {option}: {text:?}", placed.line);
                    }
                }
            }
        }
    }
    for ((name, file, of, _), _) in OF_OTHERS.iter().zip(met).filter(|(_, met)| !met) {
        let _ =
            writeln!(wrong, "crates/{name}/src/{file}: {of} is not there any more: take it out of OF_OTHERS");
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

/// An option that a text names.
fn option_in(text: &str) -> Option<&str> {
    let at = text.match_indices("--").map(|(at, _)| at).find(|&at| {
        let behind = text[at + 2..].chars().next();
        let before = text[..at].chars().next_back();
        behind.is_some_and(|letter| letter.is_ascii_lowercase())
            && before.is_none_or(|letter| !letter.is_alphanumeric() && letter != '-')
    })?;
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
    let end = text[at..].find(|letter| !is_part(letter)).unwrap_or(text.len() - at);
    Some(&text[at..at + end])
}

#[test]
fn options_are_told_from_dashes() {
    assert_eq!(option_in("use --algorithm sha256"), Some("--algorithm"));
    assert_eq!(option_in("`--zero`"), Some("--zero"));
    assert_eq!(option_in("--jobs"), Some("--jobs"));
    for no_option in ["", "-- ", "a -- b", "<!--", "-->", "a--b", "---begin", "8--", "--{name}"] {
        assert_eq!(option_in(no_option), None, "{no_option}");
    }
}
