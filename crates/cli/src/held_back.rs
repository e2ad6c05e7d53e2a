//! What an audit that is held holds back, in words.

use hashlane_auditor::{Held, HeldBack};
use hashlane_catalog::Terms;
use hashlane_report::text;

/// Directories of which is shown what is held back; of more, how many they are.
const MOST_HELD_BACK: usize = 1_000;

/// How many files of each kind are held back.
fn counts(of: &HeldBack) -> [(u64, &'static str); 5] {
    [
        (of.missing, "missing"),
        (of.emptied, "emptied"),
        (of.older, "older"),
        (of.changed, "changed"),
        (of.unreadable, "unreadable"),
    ]
}

/// What a run that is held holds back, a line for each directory.
pub(crate) fn held_back(name: &str, directories: &[HeldBack]) -> Vec<String> {
    let line = |held: &HeldBack| {
        let counts = counts(held).into_iter().filter(|(number, _)| *number > 0);
        let counts: Vec<_> = counts.map(|(number, what)| format!("{} {what}", text::count(number))).collect();
        let path = [&held.path[..], b"/"].concat();
        let path = if held.path.is_empty() { "./".to_owned() } else { text::name(&path) };
        format!("{name}: {path}: held back: {}\n", counts.join(", "))
    };
    let more = directories.len().saturating_sub(MOST_HELD_BACK) as u64;
    let more = (more > 0).then(|| format!("{name}: and in {} more directories\n", text::count(more)));
    directories.iter().take(MOST_HELD_BACK).map(line).chain(more).collect()
}

/// What to do where the tree is as it should be. `by`: what the command was given besides.
pub(crate) fn way_out(name: &str, held: &Held, by: &str) -> String {
    match held {
        Held::NoMarker => format!(
            "If it is the right tree: `hashlane collection set {name} --marker` writes it again, and `--no-marker` does without"
        ),
        Held::EmptyRoot { .. } => {
            format!("If it was emptied on purpose: `hashlane accept {name} --all-gone --reason WHY`")
        }
        _ => format!("If the tree is as it should be: hashlane audit {name}{by} --resume-held"),
    }
}

/// When an audit of a collection is held.
pub(crate) fn held_if(Terms { hold_if, habits, .. }: &Terms) -> String {
    match habits.says_hold_percent {
        true => format!("more than {} files and {} % are lost or changed", hold_if.files, hold_if.percent),
        false => format!(
            "more than {} files and {} % are lost, or as many files and 10 % have changed, or as many and 50 % were edited",
            hold_if.files, hold_if.percent
        ),
    }
}
