//! How collections are, all in one sentence.

use hashlane_auditor::Audited;
use hashlane_catalog::{Collection, Late, Pending, ReadingKind, Readings, Terms, Total};
use hashlane_engine::Skipped;
use hashlane_keeper::{Action, Outlook, Progress};

use super::{HowTo, outlook_line};
use crate::text;

/// What the sentence takes of a collection.
pub(super) struct Brief<'a> {
    pub(super) name: &'a str,
    pub(super) needs_a_person: bool,
    pub(super) is_offline: bool,
    pub(super) is_silent: bool,
    pub(super) has_promise: bool,
    pub(super) is_running: bool,
    pub(super) progress: Progress,
}

/// Which files of an audit were read again for another reason than their age, and which were not read because more is known of them.
pub(super) fn known_otherwise(audited: &Audited) -> String {
    let mut known = String::new();
    if audited.known_later > 0 {
        known += &format!("; {} known by later readings", text::counted(audited.known_later, "file"));
    }
    if audited.unsettled_objects > 0 {
        known += &format!("; {}", text::read_again(audited.unsettled_objects));
    }
    known
}

/// That a first audit is not over, and how much of what is known it has read.
pub(super) fn not_over(total: Total, never_read: u64) -> String {
    match never_read {
        // It was asked for some paths only, or its last file was read as the budget was over.
        0 => "all that is known of it was read, but no audit of the whole has ended yet".to_owned(),
        never_read => format!(
            "its first audit is not over: {} of {} read",
            text::count(total.files.saturating_sub(never_read)),
            text::counted(total.files, "file")
        ),
    }
}

/// The policies of a collection, as they are given: `growing, living:*.xmp`.
pub fn policies(terms: &Terms) -> String {
    let by_glob = terms
        .policies
        .iter()
        .map(|(glob, policy)| format!(", {}:{}", policy.name(), text::name(glob.as_bytes())));
    std::iter::once(terms.policy.name().to_owned()).chain(by_glob).collect()
}

/// What becomes of a decision that is recorded and not carried out yet. `is_audited`: the audit that is under way does that.
pub fn recorded(name: &str, files: u64, is_audited: bool) -> String {
    let (them, files) = (if files == 1 { "it" } else { "them" }, text::counted(files, "file"));
    match is_audited {
        true => format!("{name}: {files} recorded; the audit of {name} accepts {them} when it is over"),
        false => format!(
            "{name}: {files} recorded; the tree cannot be reached, and the next audit that reaches it accepts {them}"
        ),
    }
}

/// What has become of decisions that were made while a collection was audited.
pub(super) fn waiting(name: &str, pending: Pending, how: HowTo<'_>) -> Vec<String> {
    let waits = text::counted(pending.waiting, "acceptance");
    let verb = if pending.waiting == 1 { "waits" } else { "wait" };
    let refused = text::counted(pending.refused, "file");
    let [was, they] = if pending.refused == 1 { ["was", "it was"] } else { ["were", "they were"] };
    let notes = [
        (
            pending.waiting,
            format!("{waits} {verb}; the audit that is under way or the next one carries them out"),
        ),
        (
            pending.refused,
            format!(
                "{refused} {was} not accepted: {they} no longer as {they} found; `{}` shows what stands",
                how(&Action::Report(name))
            ),
        ),
    ];
    notes.into_iter().filter(|(files, _)| *files > 0).map(|(_, note)| note).collect()
}

/// How all of them are.
pub(super) fn sentence(all: &[Brief<'_>]) -> String {
    let names = |which: fn(&Brief<'_>) -> bool| -> Vec<_> {
        all.iter().filter(|brief| which(brief)).map(|brief| brief.name).collect()
    };
    let bad = names(|brief| brief.needs_a_person);
    let offline = names(|brief| brief.is_offline);
    let silent = names(|brief| brief.is_silent);
    let unpromised = names(|brief| !brief.has_promise);
    let running = names(|brief| brief.is_running);
    let begun = names(|brief| brief.progress == Progress::Begun);
    let never = names(|brief| brief.progress == Progress::None).len();
    let collections = text::counted(all.len() as u64, "collection");
    let how = match &bad[..] {
        _ if all.is_empty() => return "no collection is registered".to_owned(),
        [] if !offline.is_empty() => {
            format!("{} cannot be reached; all else is well", text::listed(&offline))
        }
        [] if never == all.len() => "none was audited yet".to_owned(),
        [] if !begun.is_empty() => {
            let audits = if begun.len() == 1 { "the first audit of" } else { "the first audits of" };
            let are = if begun.len() == 1 { "is" } else { "are" };
            let names = text::listed(&begun);
            let never = match never {
                0 => String::new(),
                never => format!(", {} never audited", text::count(never as u64)),
            };
            format!("all that was read is well; {audits} {names} {are} not over{never}")
        }
        [] if never > 0 => {
            format!("all that was audited is well, {} never audited", text::count(never as u64))
        }
        [] if !silent.is_empty() => {
            let is = if silent.len() == 1 { "is" } else { "are" };
            format!("{} {is} silent; all else is well", text::listed(&silent))
        }
        [] if !unpromised.is_empty() => {
            let has = if unpromised.len() == 1 { "has" } else { "have" };
            format!("all that was read is well; {} {has} no promise", text::listed(&unpromised))
        }
        [] => "all is well".to_owned(),
        [one] => format!("{one} needs a person"),
        some => format!("{} need a person", text::listed(some)),
    };
    // Of that nothing is judged yet: what is said before it was so when it began.
    let running = match &running[..] {
        [] => String::new(),
        [one] => format!("; {one} is being audited"),
        some => format!("; {} are being audited", text::listed(some)),
    };
    format!("{collections}: {how}{running}")
}

/// What is promised of a collection, where its first audit is over; later, that it cannot be kept. `outlook`: whether that is so.
pub fn promise(
    terms: &Terms,
    audited: &Audited,
    outlook: Option<&Outlook>,
    how: HowTo<'_>,
) -> Option<String> {
    let period_s = terms.period_s?;
    if !audited.is_first {
        return outlook.filter(|outlook| outlook.is_bad()).map(|outlook| outlook_line(outlook, how));
    }
    let is_usual = if terms.habits.is_usual_period { ", the default" } else { "" };
    let line = outlook.map_or_else(String::new, |outlook| format!(": {}", outlook_line(outlook, how)));
    Some(format!("every byte is to be read again within {}{is_usual}{line}", text::days(period_s)))
}

/// That nothing is promised of a collection at a time, in seconds since 1970. `oldest_s`: when its files were read that were read longest ago.
pub fn no_promise(
    collection: &Collection,
    total: Total,
    oldest_s: Option<i64>,
    now_s: i64,
    how: HowTo<'_>,
) -> Option<String> {
    if collection.terms.period_s.is_some() {
        return None;
    }
    let is_in_store = collection.terms.is_in_store();
    let what = if is_in_store { "objects" } else { "files" };
    let mut note = format!("no promise: unchanged {what} are not read again");
    if let Some(oldest_s) = oldest_s {
        note += &format!("; oldest reading {}", text::ago(now_s - oldest_s));
    }
    if is_in_store && total.files > 0 {
        let (bytes, requests) = (total.bytes.div_ceil(90) as f64, total.files.div_ceil(90));
        let requests = text::counted(requests, "request");
        let every = how(&Action::Promise(90));
        note += &format!("; `{every}` would read {} a day, in {requests}", text::decimal(bytes));
    }
    Some(note)
}

/// Where the bytes of the last readings came from. `is_held`: those from the page cache keep no promise.
pub(super) fn kinds_of_readings(readings: &[Readings], total: Total, is_held: bool) -> Option<String> {
    let of_kind = |Readings { reading, total: of, .. }: &Readings| {
        let share = match total.bytes {
            0 => String::new(),
            all => format!(" ({} of the bytes)", text::percent(of.bytes, all)),
        };
        let unread = if is_held && *reading == ReadingKind::Cache { ", which counts as unread" } else { "" };
        format!("{}{share} {}{unread}", text::counted(of.files, "file"), from(*reading))
    };
    let kinds: Vec<_> = readings.iter().map(of_kind).collect();
    (!kinds.is_empty()).then(|| format!("last readings: {}", kinds.join("; ")))
}

/// Where the bytes of a reading came from, in words.
pub(super) fn from(reading: ReadingKind) -> String {
    let reason = if reading == ReadingKind::Unknown { ": it could not be observed" } else { "" };
    format!("{}{reason}", reading.words())
}

/// What lies in a collection and is not watched, if it is reported for the first time.
pub fn unwatched(audited: &Audited) -> Option<String> {
    let Skipped { symlinks, special, empty_directories, .. } = audited.skipped;
    let others =
        [(symlinks, "symbolic link"), (special, "special file"), (empty_directories, "empty directory")];
    text::counted_all(&others).filter(|_| audited.is_first)
}

/// How many files were late, at the beginning of a sentence.
pub(super) fn late_in_words(late: Late) -> String {
    match late {
        Late::Exactly(1) => "1 file was".to_owned(),
        Late::Exactly(files) => format!("{} files were", text::count(files)),
        Late::AtMost(files) => format!("up to {} files were", text::count(files)),
    }
}

/// How many files are late: `3`, `≤ 1,200,000`.
pub(super) fn late_files(late: Late) -> String {
    match late {
        Late::AtMost(files) => format!("≤ {}", text::count(files)),
        late => text::count(late.files()),
    }
}

/// `3 files were`.
pub(super) fn were(files: u64) -> String {
    format!("{} {}", text::counted(files, "file"), if files == 1 { "was" } else { "were" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_needs_a_person_comes_before_what_is_not_known_yet() {
        let brief = |name, progress| Brief {
            name,
            needs_a_person: false,
            is_offline: false,
            is_silent: false,
            has_promise: true,
            is_running: false,
            progress,
        };
        let (none, begun, over) =
            (|| brief("n", Progress::None), || brief("b", Progress::Begun), || brief("o", Progress::Over));
        for (all, expected) in [
            (vec![], "no collection is registered"),
            (vec![none(), none()], "2 collections: none was audited yet"),
            (vec![none(), over()], "2 collections: all that was audited is well, 1 never audited"),
            (vec![begun()], "1 collection: all that was read is well; the first audit of b is not over"),
            (
                vec![begun(), over(), begun(), none()],
                "4 collections: all that was read is well; the first audits of b and b are not over, 1 never audited",
            ),
            (vec![over()], "1 collection: all is well"),
            (
                vec![Brief { is_offline: true, ..over() }],
                "1 collection: o cannot be reached; all else is well",
            ),
            (
                vec![over(), Brief { is_silent: true, ..over() }],
                "2 collections: o is silent; all else is well",
            ),
            (
                vec![Brief { has_promise: false, ..over() }],
                "1 collection: all that was read is well; o has no promise",
            ),
            (vec![begun(), Brief { needs_a_person: true, ..over() }], "2 collections: o needs a person"),
            (
                vec![Brief { is_running: true, ..none() }],
                "1 collection: none was audited yet; n is being audited",
            ),
            (
                vec![Brief { is_running: true, ..begun() }],
                "1 collection: all that was read is well; the first audit of b is not over; b is being audited",
            ),
            (
                vec![Brief { is_running: true, ..over() }, Brief { is_running: true, ..over() }],
                "2 collections: all is well; o and o are being audited",
            ),
        ] {
            assert_eq!(sentence(&all), expected);
        }
    }
}
