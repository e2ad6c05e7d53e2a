//! The rules of deny.toml refuse what they are there to refuse: each is broken once, in a copy.

use std::fs;

use xtask::cargo::workspace;
use xtask::dependencies::{RULES, check, tool};

/// A part of the rules, with what stands there instead, what is checked, and what is said of it.
const BREACHES: [(&str, &str, &str, &str); 4] = [
    ("    \"Zlib\",\n", "", "licenses", "license is not explicitly allowed"),
    ("\"Zlib\"", "\"Zlib\", \"AGPL-3.0\"", "licenses", "license was not encountered"),
    ("\"hashlane-catalog\", ", "", "bans", "'rusqlite"),
    (
        "    { crate = \"hmac@0.12\", reason = \"pbkdf2, of rsa\" },\n",
        "",
        "bans",
        "duplicate entries for crate 'hmac'",
    ),
];

#[test]
fn each_rule_about_what_the_project_stands_on_refuses_a_breach() {
    let Some(tool) = tool() else {
        let reason = "SKIPPED: no cargo-deny";
        assert!(std::env::var_os("HASHLANE_SKIPS_FAIL").is_none_or(|fail| fail != "1"), "{reason}");
        println!("{reason}");
        return;
    };
    let rules = fs::read_to_string(workspace().join(RULES)).expect("there are rules");
    let place = tempfile::tempdir().expect("a temporary directory");
    let copy = place.path().join(RULES);
    let judged = |rules: &str, what: &str| {
        fs::write(&copy, rules).expect("a copy of the rules");
        let judged = check(&tool, &copy, &[what]).output().expect("cargo-deny runs");
        (judged.status.success(), String::from_utf8_lossy(&judged.stderr).into_owned())
    };
    for (part, instead, what, said) in BREACHES {
        assert!(rules.contains(part), "{RULES} has no `{part}`");
        let (passes, told) = judged(&rules.replacen(part, instead, 1), what);
        assert!(!passes && told.contains(said), "{part}: {told}");
    }
}
