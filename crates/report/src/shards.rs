//! Shards and their listings, in words.

use hashlane_digest::Algorithm;
use hashlane_manifest::Error;
use hashlane_manifest::shards::{BadEntry, ShardProblem};

use crate::text;

/// What is wrong with shards. `told`: the words of an error of a list.
pub fn shard_problem(problem: &ShardProblem, told: &dyn Fn(&Error) -> String) -> String {
    match problem {
        ShardProblem::None { list } => {
            format!("{list}: is not a shard: it does not state which shard it is")
        }
        ShardProblem::Several { list } => {
            format!("{list}: is more than one shard; name each shard's own file")
        }
        ShardProblem::OtherCount { lists: [(list, one), (first, of_first)] } => {
            let [one, of_first] = [one, of_first].map(|count| text::count(u64::from(*count)));
            format!("{list}: is one of {one} shards, {first} one of {of_first}")
        }
        ShardProblem::OtherListing { lists: [(list, one), (first, of_first)] } => {
            let [one, of_first] = [one, of_first].map(|listing| {
                format!("{} of {}", text::counted(listing.files, "file"), text::decimal(listing.bytes as f64))
            });
            format!(
                "{list}: is a shard of another listing than {first} ({one}; {of_first}); files were added, removed or changed \
                 in between, are selected by their age, or the PATHs were named in another way: write all shards again"
            )
        }
        ShardProblem::Twice { lists: [list, first], index } => {
            format!("{list}: is shard {index}, and so is {first}")
        }
        ShardProblem::Missing { gaps, count, files } => format!(
            "missing: {} of {}, with {}",
            ranges(gaps),
            text::counted(u64::from(*count), "shard"),
            text::counted(*files, "file")
        ),
        ShardProblem::OtherFiles { stated, listed } => {
            format!("the shards state {stated} files, and their listing {listed}")
        }
        ShardProblem::OtherBeginning { list, before } => {
            let end = before.as_ref();
            let end = end.map_or_else(|| "the listing begins".to_owned(), |name| format!("{name} ends"));
            format!(
                "{list}: does not begin where {end}; another version of hashlane may have split it: write all shards again"
            )
        }
        ShardProblem::OtherAlgorithms { lists: [(list, has), (first, of_first)] } => {
            let [has, of_first] = [has, of_first].map(|algorithms| names(algorithms));
            format!("{list}: its digests are {has}, and those of {first} are {of_first}")
        }
        ShardProblem::NotHeld { list, error } => format!("{list}: {}", told(error)),
        ShardProblem::ColumnNotRead { list, kind } => format!("{list}: {kind}"),
        ShardProblem::CommentedOut { list, entries } => {
            format!("{list}: {} commented out, not merged", text::counted(*entries, "entry"))
        }
        ShardProblem::Entry { list, why } => format!("{list}: {}", bad_entry(why, told)),
        ShardProblem::Fewer { list, index, listed, stated } => format!(
            "{list}: lists {} of the {} of shard {index}; look at what could not be read, and write it again",
            text::count(*listed),
            text::counted(*stated, "file")
        ),
        ShardProblem::OtherNames { list, index } => {
            format!("{list}: lists other names than shard {index} should; write it again")
        }
        _ => "is wrong in a way that has no words here".to_owned(),
    }
}

fn bad_entry(why: &BadEntry, told: &dyn Fn(&Error) -> String) -> String {
    match why {
        BadEntry::Line(problem) => problem.to_string(),
        BadEntry::NotRead(path) => format!("{}: was not read", text::name(path.as_bytes())),
        BadEntry::OtherAlgorithms(path, before) => {
            let name = text::name(path.as_bytes());
            format!("{name}: its digests are not {}, as those before", names(before))
        }
        BadEntry::NotHeld(error) => told(error),
        _ => "was not taken".to_owned(),
    }
}

/// Algorithms in a row.
fn names(algorithms: &[Algorithm]) -> String {
    let names: Vec<_> = algorithms.iter().map(|algorithm| algorithm.name()).collect();
    names.join(", ")
}

/// Ranges of shards, as people write them: `shards 3, 7-12`.
fn ranges(gaps: &[(u32, u32)]) -> String {
    /// More would be no help to anybody.
    const MOST: usize = 20;
    let shown = gaps.iter().take(MOST).map(|(first, last)| match first == last {
        true => first.to_string(),
        false => format!("{first}-{last}"),
    });
    let shown: Vec<_> = shown.collect();
    let rest = if gaps.len() > MOST { " and more" } else { "" };
    let is_one = matches!(gaps, [(first, last)] if first == last);
    format!("{} {}{rest}", if is_one { "shard" } else { "shards" }, shown.join(", "))
}
