//! Why a collection was not audited, in words that say what to do.

use std::os::unix::ffi::OsStrExt as _;

use hashlane_catalog::Collection;
use hashlane_keeper::NotAudited;
use hashlane_objects::Service;
use hashlane_report::collection::paused;
use hashlane_report::text;
use hashlane_report::times::{time, time_json};

/// Why a collection was not begun: for programs, and for people with the way out. `max_requests`: how many requests all of them may make.
/// Nothing where who has it is to be named.
pub(crate) fn not_begun(
    collection: &Collection,
    why: &NotAudited<'_>,
    max_requests: Option<u64>,
) -> Option<(String, String)> {
    let name = &collection.terms.name;
    let (why, line) = match *why {
        NotAudited::TimeOver => {
            let why = "the time was over";
            (why.to_owned(), format!("not begun, {why}; `hashlane audit {name} --due` reads what is due"))
        }
        NotAudited::Recorded { run, at_s } => {
            let of_json = time_json(at_s);
            let before = |at: &str| {
                format!("this run of Spark is recorded already, as run {run} of {at}; it counts once")
            };
            (before(of_json.as_str().unwrap_or_default()), before(&time(at_s)))
        }
        NotAudited::TooFewRequests { left, known_files } => {
            let why = match max_requests {
                Some(all) if left < all => {
                    format!(
                        "the {} that were left of --max-requests do not cover its listing",
                        text::count(left)
                    )
                }
                _ => format!("--max-requests {left} does not cover its listing"),
            };
            let would = match known_files {
                0 => format!("`hashlane audit {name} --dry-run` says how many it takes"),
                files => {
                    let root = collection.terms.root.as_os_str().as_bytes();
                    let requests = Service::listing_requests(root, files);
                    let (files, requests) =
                        (text::counted(files, "file"), text::counted(requests, "request"));
                    format!("for the {files} that are known it takes about {requests}; allow more than that")
                }
            };
            let line = format!("not begun: {why}; {would}");
            (why, line)
        }
        NotAudited::Paused(pause) => {
            let why = paused(pause);
            let line = format!("not begun: {why}; `hashlane audit --resume-all` ends the pause");
            (why, line)
        }
        _ => return None,
    };
    Some((why, line))
}
