//! Shards and their listings, in words.

use hashlane_digest::Algorithm;
use hashlane_manifest::shards::{BadEntry, ShardFault, ShardProblem, Unlike};
use hashlane_manifest::{Error, Shard};

use crate::text;

/// Which part of a listing a shard is.
pub fn shard_line(shard: &Shard) -> String {
    let Shard { index, count, files, bytes, listing, .. } = shard;
    format!(
        "shard {index} of {count}: {} of {}, {} of {}",
        text::count(*files),
        text::counted(listing.files, "file"),
        text::decimal(*bytes as f64),
        text::decimal(listing.bytes as f64)
    )
}

/// What is wrong with shards. `told`: the words of an error of a list.
pub fn shard_problem(problem: &ShardProblem, told: &dyn Fn(&Error) -> String) -> String {
    let what = match &*problem.fault {
        ShardFault::None => "does not state which shard it is".to_owned(),
        ShardFault::Several => "is more than one shard; name each shard's own file".to_owned(),
        ShardFault::OtherCount(Unlike { first, of_first, has }) => {
            let [one, of_first] = [has, of_first].map(|count| text::count(u64::from(*count)));
            format!("is one of {one} shards, {first} one of {of_first}")
        }
        ShardFault::OtherListing(Unlike { first, of_first, has }) => {
            let [one, of_first] = [has, of_first].map(|listing| {
                format!("{} of {}", text::counted(listing.files, "file"), text::decimal(listing.bytes as f64))
            });
            format!(
                "is a shard of another listing than {first} ({one}; {of_first}); files were added, removed or changed \
                 in between, are selected by their age, or the PATHs were named in another way: write all shards again"
            )
        }
        ShardFault::Twice(index, first) => format!("is shard {index}, and so is {first}"),
        ShardFault::Missing { gaps, count, files } => {
            return format!(
                "missing: {} of {}, with {}",
                ranges(gaps),
                text::counted(u64::from(*count), "shard"),
                text::counted(*files, "file")
            );
        }
        ShardFault::OtherFiles { stated, listed } => {
            return format!("the shards state {stated} files, and their listing {listed}");
        }
        ShardFault::OtherBeginning(before) => {
            let end = before.as_ref();
            let end = end.map_or_else(|| "the listing begins".to_owned(), |name| format!("{name} ends"));
            format!(
                "does not begin where {end}; another version of hashlane may have split it: write all shards again"
            )
        }
        ShardFault::OtherAlgorithms(Unlike { first, of_first, has }) => {
            format!("its digests are {}, and those of {first} are {}", names(has), names(of_first))
        }
        ShardFault::NotHeld(error) => told(error),
        ShardFault::ColumnNotRead(kind) => kind.to_string(),
        ShardFault::Entry(why) => bad_entry(why, told),
        ShardFault::CommentedOut(entries) => {
            format!("{} commented out, not merged", text::counted(*entries, "entry"))
        }
        ShardFault::Fewer { index, listed, stated } => format!(
            "lists {} of the {} of shard {index}; look at what could not be read, and write it again",
            text::count(*listed),
            text::counted(*stated, "file")
        ),
        ShardFault::OtherNames(index) => {
            format!("lists other names than shard {index} should; write it again")
        }
        _ => "is wrong in a way that has no words here".to_owned(),
    };
    format!("{}: {what}", problem.list)
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
