//! The schemas of what the commands about collections write for programs.

use hashlane_catalog::{Cause, Compared, ReadingKind, Verdict};
use hashlane_digest::Algorithm;
use serde_json::{Value, json};

use super::changes::{self, imported};
use super::status::{forecast, progress, running, states, status, stood};
use super::{
    BYTES, Field, PATH, algorithms, base64, by_algorithm, count, digests, line, maybe, object, one_of,
    origin, origins, seconds, text, truth,
};

/// The schemas, by the names of their files.
pub(super) fn all() -> [(&'static str, Value); 9] {
    [
        ("catalog-change", changes::changed()),
        ("catalog-seal", sealed()),
        ("collection", collection()),
        ("collection-audit", audit()),
        ("collection-history", history()),
        ("collection-progress", progress()),
        ("collection-report", report()),
        ("collection-status", status()),
        ("event", changes::event()),
    ]
}

/// What a command writes: one of these objects.
pub(super) fn written(title: &str, objects: Vec<Value>) -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": title,
        "anyOf": objects,
        "$defs": { "digests": by_algorithm(), "origin": origins() },
    })
}

fn collection() -> Value {
    let (globs, root) = (|| list(text()), "The root of its tree; bytes that are not UTF-8 are replaced");
    let shown = line(
        "hashlane-collection",
        vec![
            ("name", text(), "Its name"),
            ("identity", identity(), IDENTITY),
            ("group", text(), "The group that it is listed in; empty: none"),
            ("root", text(), root),
            ("algorithms", algorithms(), "By which its files are known"),
            ("every_s", maybe("integer"), EVERY),
            ("policy", policies(), POLICY),
            ("include", globs(), "Only files that match one of these; empty: all"),
            ("exclude", globs(), "Not files that match one of these"),
            ("append_only", globs(), "Files that match one of these may grow"),
            ("one_file_system", truth(), "Whether it ends where another file system is mounted"),
            ("tags", list(text()), "What else it is called"),
            (
                "hold_files",
                count(),
                "An audit is held if more files than these and hold_percent are lost or changed",
            ),
            ("hold_percent", seconds(), "In a hundred"),
            (
                "hold_percent_is_of_all",
                truth(),
                "Whether it is of lost and changed files; else it is of lost ones, and of changed ones a tenth, of edited ones half",
            ),
            ("registered", maybe_time(), "When it was registered"),
            ("last_listed", maybe_time(), "When its tree was last listed to its end"),
            ("offline_since", maybe_time(), "Since when it could not be reached; null if it can"),
            ("marker", maybe("string"), "What the file says by which its tree is known again"),
        ],
        vec![
            ("root_b64", base64(), BYTES),
            ("is_default_every", truth(), "Whether nobody has said the period"),
            ("removable", truth(), "Whether it may be away"),
            (
                "from",
                one_of(["device", "any"]),
                "Which readings keep its promise; of a store it says nothing",
            ),
            ("allow_empty", truth(), "Whether its first audit may find no files"),
            ("policies", list(policy_of()), "Policies of files that a glob takes; the last one counts"),
            (
                "endpoint",
                maybe("string"),
                "The server of the objects; null: what the environment says, else AWS",
            ),
            ("region", maybe("string"), "The region of their bucket; null: what the environment says"),
            ("anonymous", truth(), "Whether requests are not signed"),
            ("requester_pays", truth(), "Whether whoever asks pays"),
            ("removed", maybe_time(), "When it was removed, of one that was"),
        ],
    );
    written("A collection, as hashlane collection show and list --format json write it", vec![shown])
}

fn audit() -> Value {
    let of = |kind: &'static str| {
        vec![
            ("type", json!({ "const": kind }), "What the line is about"),
            ("collection", text(), "The collection"),
        ]
    };
    let mut required = of("finding");
    required.extend([
        ("path", text(), PATH),
        ("verdict", verdicts(), "The verdict on it"),
        ("known", content(), "What is known of it"),
        ("is_new", truth(), "Whether it is said for the first time, of this content"),
    ]);
    let finding = line("hashlane-collection-audit", required, finding_options());
    let mut required = of("unlisted");
    required.extend([("path", text(), PATH), ("detail", text(), "What the system said")]);
    let unlisted = line("hashlane-collection-audit", required, vec![("path_b64", base64(), BYTES)]);
    let mut required = of("file");
    required.extend([("path", text(), PATH), ("verdict", verdicts(), "The verdict on it")]);
    let of_edit = vec![
        ("path_b64", base64(), BYTES),
        ("cause", causes(), "What is particular about an edit that was accepted"),
        ("detail", text(), "The same in words"),
    ];
    let file = line("hashlane-collection-audit", required, of_edit);
    let mut required = of("audit");
    required.extend([
        (
            "outcome",
            one_of(["complete", "budget", "stopped", "held", "offline", "refused", "empty", "not-begun"]),
            "How it ended",
        ),
        ("held_back", list(held_back()), "What it holds back, if it is held: by directory, at most 1000"),
        ("held_back_directories", count(), "In how many directories that is"),
        ("detail", maybe("string"), "Why it was held or not begun, or could not reach the collection"),
        ("is_first", truth(), "Whether it was the first of its collection"),
        ("goes_on", truth(), "Whether it went on with one that was interrupted"),
        ("listed", listed(), "What the listing found"),
        ("planned", planned(), "What was to be read"),
        ("read", read(), "What was read"),
        ("reread", reread(), "What was read again, and is not counted in read"),
        ("verdicts", by_verdict(), "Files by verdict"),
        ("listing_ms", count(), "How long the listing took"),
        ("reading_ms", count(), "How long the reading took"),
        ("rereading_ms", count(), "How long it took to read files again"),
        ("by", or_null(read_by()), "Who has read, of an audit that took what a run elsewhere has read"),
        ("run", maybe("integer"), "Its number, by which hashlane catalog names it; null of a dry run, and of one that was not begun"),
        (
            "seal",
            seal(),
            "The Merkle root over the versions of files that the run recorded; null until the run is over",
        ),
    ]);
    let options = vec![
        ("not_watched", not_watched(), "What lies in it and is not watched"),
        ("forecast", forecast(), "What the promise needs: only of a dry run"),
    ];
    let summary = line("hashlane-collection-audit", required, options);
    let mut required = of("evidence");
    required.extend([
        (
            "outcome",
            one_of(["recorded", "known", "would-be-recorded"]),
            "What became of the report; known: it was recorded before, and says nothing new",
        ),
        ("reports", list(text()), "The reports that were named"),
        ("rows", count(), "Rows of them; 0 of one that is known"),
        ("unknown_rows", count(), "Rows whose names no file of the collection has"),
        ("files", count(), "Files of the collection"),
        ("unnamed_files", count(), "Those that the report does not name"),
        ("compared", by_comparison(), "Files by what came of them; empty of a report that is known"),
        (
            "contradicted_files",
            count(),
            "Files of which it says another content; of a report that is known those of which that still stands",
        ),
    ]);
    required.extend(whose());
    let evidence = line("hashlane-collection-audit", required, vec![]);
    let mut required = of("failed");
    required.extend([("path", text(), PATH), ("detail", text(), "Why the provider could not read it")]);
    required.extend(whose());
    let failed = line("hashlane-collection-audit", required, vec![("path_b64", base64(), BYTES)]);
    let known = ["finding", "unlisted", "file", "audit", "evidence", "failed"];
    let other = json!({ "type": "string", "not": { "enum": known } });
    let required = vec![("type", other, "Another kind of line, of a later program: skip it")];
    let later = line("hashlane-collection-audit", required, vec![]);
    let lines = vec![finding, file, unlisted, failed, summary, evidence, later];
    written("A line of hashlane audit --format json", lines)
}

/// What is held back of the files of a directory, without those of directories in it.
fn held_back() -> Value {
    object(
        vec![
            ("path", text(), PATH),
            ("missing", count(), "Files that were not found"),
            ("emptied", count(), "Files that had bytes and have none, as far as they were read"),
            ("older", count(), "Files that have changed and are older than they were"),
            ("changed", count(), "Files that have changed otherwise"),
            ("unreadable", count(), "Files that could not be read"),
        ],
        vec![("path_b64", base64(), BYTES)],
    )
}

/// Who has made a report, and when.
fn whose() -> Vec<Field> {
    vec![
        ("provider", text(), "Who has made the report"),
        (
            "kind",
            one_of(["computed", "stated"]),
            "Whether the provider has computed it from the stored bytes, or only states it",
        ),
        ("made", maybe_time(), "When it was made; null if it does not say so"),
        ("imported", maybe_time(), "When it was imported; null if it would only be"),
    ]
}

fn comparisons() -> [&'static str; 15] {
    Compared::ALL.map(Compared::name)
}

/// A number for each outcome that there is.
fn by_comparison() -> Value {
    object(vec![], comparisons().map(|name| (name, count(), "Files")).to_vec())
}

/// A report of a provider, as it is kept.
pub(super) fn evidence() -> Value {
    let at_import = object(
        vec![
            ("rows", count(), "Its rows"),
            ("unknown_rows", count(), "Rows whose names no file of the collection had"),
            ("files", count(), "Files of the collection"),
            ("unnamed_files", count(), "Those that it does not name"),
            ("compared", by_comparison(), "Files by what came of them"),
        ],
        vec![],
    );
    let mut fields = whose();
    fields.extend([
        ("reports", list(text()), "The reports that were named"),
        ("attested_files", count(), "Files with which it agrees, and which are still of that version"),
        (
            "contradicted_files",
            count(),
            "Files from which it differs, of that version still, and not settled since",
        ),
        ("at_import", at_import, "What was counted when it was imported"),
    ]);
    object(fields, vec![])
}

/// What a report says of one file.
fn said() -> Value {
    let mut fields = whose();
    fields.extend([
        ("outcome", one_of(comparisons()), "What came of comparing it with what was known then"),
        ("digests", digests(), "The checksum that decided, or the first one"),
        ("other_checksum", maybe("string"), "The name of a checksum that is no digest here"),
        ("size_bytes", maybe("integer"), "The size, as the report says"),
        ("modified", maybe_time(), "When it was written, as the report says"),
        ("version_id", maybe("string"), "The version that the report speaks of"),
        ("etag", maybe("string"), "Its entity tag"),
        ("detail", text(), "Why the provider failed, if it did"),
        (
            "is_current",
            truth(),
            "Whether it still counts: the file is of that version, and no reading has settled what differs",
        ),
    ]);
    object(fields, vec![])
}

/// The versions of files that a run recorded, in one number.
fn seal() -> Value {
    json!({ "oneOf": [object(seal_fields(), vec![]), { "type": "null" }] })
}

fn seal_fields() -> Vec<Field> {
    let hex = json!({ "type": "string", "pattern": "^[0-9a-f]{64}$" });
    vec![
        ("leaves", count(), "Versions of files that were recorded"),
        ("root", hex, "The root in hexadecimal, as docs/seals.md defines it"),
    ]
}

/// What the leaves of seals say of a collection.
fn identity() -> Value {
    json!({ "type": "string", "pattern": "^[0-9a-f]{32}$" })
}

fn sealed() -> Value {
    let mut required = vec![
        ("run", count(), "The number of the run"),
        ("collection", text(), "The name that its collection has now"),
        ("identity", identity(), IDENTITY),
        ("begun", maybe_time(), "When it was asked for"),
        (
            "request",
            text(),
            "What was asked for: due, all and what narrows it; or accept, acknowledge, import, evidence, policy, relocate",
        ),
        ("actor", text(), "Who asked"),
    ];
    required.extend(seal_fields());
    let run = line("hashlane-catalog-seal", required, vec![]);
    written("A run with its seal, as hashlane catalog seals --format json writes it", vec![run])
}

fn planned() -> Value {
    object(vec![("files", count(), "Files"), ("bytes", count(), "Their bytes")], vec![])
}

fn listed() -> Value {
    let counts = [
        ("files", "Files"),
        ("bytes", "Their bytes"),
        ("new", "Files that were not known"),
        ("changed", "Files whose size or time has changed"),
        ("gone", "Files that are gone"),
        ("renamed", "Files whose inode has another name now"),
        ("ignored", "Files that a filter leaves out"),
        ("offline", "Files that are there and cannot be read now, because they lie in an archive"),
        ("unlisted", "Directories that could not be listed"),
    ];
    object(counts.map(|(name, meaning)| (name, count(), meaning)).to_vec(), vec![])
}

fn not_watched() -> Value {
    let counts = [
        ("symbolic_links", "Symbolic links"),
        ("special_files", "FIFOs, sockets and devices"),
        ("empty_directories", "Directories in which there is nothing"),
    ];
    object(counts.map(|(name, meaning)| (name, count(), meaning)).to_vec(), vec![])
}

fn read() -> Value {
    object(
        vec![
            ("files", count(), "Files"),
            ("bytes", count(), "Their bytes"),
            ("origin", origin(), "Where they came from"),
        ],
        vec![],
    )
}

fn reread() -> Value {
    let bytes = "Bytes that were read of them, each time that they were";
    object(vec![("files", count(), "Files"), ("bytes", count(), bytes)], vec![])
}

fn history() -> Value {
    let version = object(
        vec![
            ("since", maybe_time(), "When it was recorded"),
            ("until", maybe_time(), "When it was replaced"),
            ("size_bytes", maybe("integer"), "Its size"),
            ("digests", digests(), "Its digests, by algorithm"),
        ],
        vec![],
    );
    let event = object(
        vec![
            ("what", text(), "What happened, in one word"),
            ("actor", text(), "Who did it, or asked for the audit that found it"),
            ("reason", text(), "Why"),
            ("detail", text(), "What else is to be told"),
            ("at", maybe_time(), "When"),
        ],
        vec![("other", text(), "The other file of a move or a copy"), ("other_b64", base64(), BYTES)],
    );
    let finding = object(
        vec![
            ("path", text(), PATH),
            ("verdict", verdicts(), "The verdict on it"),
            ("known", content(), "What is known of it"),
        ],
        finding_options(),
    );
    let of_this = vec![("registered_this", truth(), "Whether it has registered this file")];
    let file = line(
        "hashlane-collection-history",
        vec![
            ("path", text(), PATH),
            ("collection", text(), "The collection"),
            ("state", text(), "What it is, in words for people; finding has the verdict for programs"),
            ("known", content(), "What is known of it"),
            ("since", maybe_time(), "When that was recorded"),
            ("last_read_good", or_null(reading()), "When it was last read good, and from where"),
            ("read_by", or_null(read_by()), "Who read it then; null: an audit here"),
            ("versions", list(version), "What it was before, the earliest first"),
            ("events", list(event), "What happened to it, the earliest first"),
            (
                "evidence",
                list(said()),
                "What providers say of it, none of which was read here; the earliest first",
            ),
            ("finding", or_null(finding), "What stands against it"),
        ],
        vec![
            ("path_b64", base64(), BYTES),
            (
                "offline_since",
                maybe_time(),
                "Since when its collection could not be reached; null if it can: all this was so before",
            ),
            ("imports", list(imported(of_this)), "Imports of lists since it is known, the earliest first"),
        ],
    );
    written("What hashlane history --format json writes of each file", vec![file])
}

fn report() -> Value {
    let report = line(
        "hashlane-collection-report",
        vec![
            ("at", maybe_time(), "The time of the report"),
            ("sentence", text(), "How everything is"),
            ("collections", list(reported()), "The collections"),
        ],
        vec![],
    );
    written("What hashlane collection report --format json writes", vec![report])
}

fn reported() -> Value {
    object(
        vec![
            ("name", text(), "Its name"),
            ("group", text(), "The group that it is listed in; empty: none"),
            ("root", text(), "The root of its tree; bytes that are not UTF-8 are replaced"),
            ("state", states(), "How it is"),
            ("policy", policies(), POLICY),
            ("every_s", maybe("integer"), EVERY),
            ("files", count(), "Files"),
            ("bytes", count(), "Their bytes"),
            ("never_read", count(), "Files that were never read"),
            ("late_files", count(), "Files that were not read good within the promised time"),
            ("late_is_exact", truth(), "Whether late_files is their number, and not an upper bound"),
            ("offline_since", maybe_time(), "Since when it could not be reached; null if it can"),
            ("counts", counts(), "How many findings there are"),
            ("unlisted", list(unlisted()), "Directories that could not be listed; at most 200"),
            ("oldest_readings", list(oldest()), "Readings that are longest ago, the oldest first; at most 8"),
            (
                "from",
                one_of(["device", "any"]),
                "Which readings keep its promise; of a store it says nothing",
            ),
            ("readings", readings_of(), "Its files by where the bytes of their last good reading came from"),
            ("replaced_files", count(), "Files that other ones have replaced since they were read"),
            ("needs_a_person", truth(), "Whether somebody has to look at it"),
            (
                "throughput",
                or_null(throughput()),
                "How fast the last audit read that took a second or longer",
            ),
            ("audits", list(run()), "The last audits, the latest first; at most 12"),
            ("evidence", list(evidence()), "Reports of providers, the latest first; at most 12"),
            ("findings", list(finding()), "All findings"),
        ],
        vec![
            ("root_b64", base64(), BYTES),
            ("running", or_null(object(running(), vec![])), "The audit of it that is under way; null: none"),
            ("imports", list(imported(vec![])), "Imports of lists, the latest first; at most 12"),
        ],
    )
}

fn counts() -> Value {
    object(
        vec![
            ("open", by_verdict(), "Findings that nobody knows of, by verdict"),
            ("new", by_verdict(), "Those of them that the last audit said first"),
            ("acknowledged", by_verdict(), "Findings that somebody knows of, by verdict"),
            ("recovered", count(), "Findings that are over"),
            ("unlisted", count(), "Directories that could not be listed"),
        ],
        vec![],
    )
}

fn unlisted() -> Value {
    object(
        vec![
            ("path", text(), PATH),
            ("since", maybe_time(), "Since when"),
            ("detail", text(), "What the system said"),
        ],
        vec![("path_b64", base64(), BYTES)],
    )
}

fn oldest() -> Value {
    let place = |name: &'static str, bytes: &'static str| {
        object(
            vec![
                (name, text(), "Its path; bytes that are not UTF-8 are replaced"),
                (
                    "files_at_most",
                    count(),
                    "Files of this reading in it; those that were retired since then still count",
                ),
            ],
            vec![(bytes, base64(), BYTES)],
        )
    };
    let place = json!({ "oneOf": [place("file", "file_b64"), place("directory", "directory_b64")] });
    object(
        vec![
            ("at", maybe_time(), "When"),
            ("from", readings(), "Where the bytes came from"),
            ("files_at_most", count(), "Files; those that were retired since then still count"),
            ("there_are_more", truth(), "Whether this reading has more files than were counted"),
            ("places", list(place), "Where some of them lie"),
        ],
        vec![],
    )
}

fn throughput() -> Value {
    let ceiling = object(
        vec![
            ("bytes_per_second", seconds(), "The rate"),
            ("by", one_of(["tune", "fastest-audit"]), "What reached it"),
            ("at", time(), "When"),
        ],
        vec![],
    );
    object(
        vec![
            ("audit", maybe_time(), "When the audit began"),
            ("bytes_per_second", seconds(), "Its rate"),
            ("from", one_of(["device", "cache", "mixed"]), "Where at least 95 % of the bytes came from"),
            (
                "ceiling",
                or_null(ceiling),
                "The best rate that is known of such readings; null if none is known",
            ),
            ("share_of_ceiling", maybe("number"), "The rate by that one"),
        ],
        vec![],
    )
}

fn run() -> Value {
    object(
        vec![
            ("begun", maybe_time(), "When it was asked for"),
            ("ended", maybe_time(), "When it ended; null if it can be gone on with"),
            ("request", text(), "What was asked for"),
            ("actor", text(), "Who asked"),
            ("outcome", maybe("string"), "How it ended; null if it is under way, or was interrupted"),
            ("held", maybe("string"), "Why it was held"),
            ("listed_files", count(), "Files listed"),
            ("listed_bytes", count(), "Their bytes"),
            ("read_files", count(), "Files read"),
            ("read_bytes", count(), "Their bytes"),
            ("device_bytes", count(), "Bytes from the device"),
            ("cache_bytes", count(), "Bytes from the page cache"),
            ("listing_ms", count(), "How long the listing took"),
            ("reading_ms", count(), "How long the reading took"),
            (
                "bytes_per_second",
                maybe("number"),
                "The rate of the reading; null if it took less than a second",
            ),
            ("by", or_null(read_by()), "Who has read; null: the audit itself"),
            ("verdicts", by_verdict(), "Files by verdict"),
        ],
        vec![("standing", or_null(stood()), "What stood when it ended; null where that was not kept")],
    )
}

fn finding() -> Value {
    let acknowledged = object(
        vec![
            ("by", text(), "Who knows of it"),
            ("reason", text(), "Why it alarms nobody"),
            ("at", maybe_time(), "Since when"),
            ("until", maybe_time(), "Until when; null: without an end"),
        ],
        vec![],
    );
    let copy = object(
        vec![
            ("collection", text(), "The collection that it belongs to"),
            ("path", text(), PATH),
            ("read_good", maybe_time(), "When it was last read good"),
            ("from", readings(), "Where the bytes came from"),
            (
                "restore",
                maybe("string"),
                "The command that puts it in the place of the file; null if none is known",
            ),
        ],
        vec![("path_b64", base64(), BYTES)],
    );
    let mut optional = finding_options();
    optional.push((
        "intact_copy",
        or_null(copy),
        "Where an intact copy is known; null if none is, absent if none was looked for",
    ));
    object(
        vec![
            ("path", text(), PATH),
            ("verdict", verdicts(), "The verdict on it"),
            (
                "standing",
                one_of(["open", "acknowledged", "recovered"]),
                "Whether it stands, and whether somebody knows of it",
            ),
            ("is_new", truth(), "Whether it is open, and the last audit said it first"),
            ("since", maybe_time(), "When it was first said"),
            ("last_seen", maybe_time(), "When it was last seen to be so"),
            ("recovered", maybe_time(), "When it was over"),
            ("known", content(), "What is known of the file"),
            ("last_read_good", or_null(reading()), "When it was last read good, and from where"),
            ("acknowledged", or_null(acknowledged), "Who said to know of it; that may be over"),
        ],
        optional,
    )
}

/// What only some findings have.
fn finding_options() -> Vec<Field> {
    let hex = json!({ "type": "string", "pattern": "^[0-9a-f]*$" });
    let mut seen = content_fields();
    seen.extend([
        ("again", list(hex), "Digests of later readings past the page cache, one after the other"),
        ("reading", or_null(readings()), "Where the bytes of the last reading came from"),
    ]);
    vec![
        ("path_b64", base64(), BYTES),
        ("again", truth(), "That an earlier audit has found it, and did not come to tell it"),
        ("seen", object(seen, vec![]), "What was there instead"),
        ("detail", text(), "What else is to be told: the likely cause, what the system said"),
        ("cause", causes(), "How it came about, as far as the audit has tested it"),
        ("contradiction", contradiction(), "What a provider says instead, of a file that one contradicts"),
    ]
}

/// What is known of a file, and what a provider says instead.
fn contradiction() -> Value {
    let hex = |kind: Value| json!({ "type": kind, "pattern": "^[0-9a-f]*$" });
    let mut fields = vec![
        ("algorithm", one_of(Algorithm::all().map(Algorithm::name)), "The algorithm of both digests"),
        ("known", hex(json!(["string", "null"])), "The digest that is known, in hexadecimal"),
        ("said", hex(json!("string")), "The one that the provider has"),
    ];
    fields.extend(whose());
    object(fields, vec![])
}

fn content() -> Value {
    object(content_fields(), vec![])
}

fn content_fields() -> Vec<Field> {
    vec![
        ("size_bytes", maybe("integer"), "The size"),
        ("modified", maybe_time(), "When it was last written to"),
        ("changed", maybe_time(), "When it was last changed in any way"),
        ("inode", maybe("integer"), "Its number in the file system"),
        ("digests", digests(), "Its digests, by algorithm"),
    ]
}

/// When a file was read, and from where.
/// A run elsewhere, whose readings an audit has taken.
fn read_by() -> Value {
    object(
        vec![
            ("program", text(), "The program that read, with its version"),
            ("hashlane", text(), "The version of hashlane on its nodes"),
            ("run_id", text(), "The name of its run"),
            ("source", text(), "What it read, as its nodes saw it"),
            ("directory", text(), "Where its tables were when they were taken"),
            ("tables", count(), "Tables of readings"),
            ("rows", count(), "Their rows"),
            ("manifest_blake3", text(), "BLAKE3 of the _manifest.json, which has the digests of the tables"),
            ("started", maybe_time(), "When the run began: its readings count from then"),
            ("ended", maybe_time(), "When it ended"),
        ],
        vec![],
    )
}

fn reading() -> Value {
    object(vec![("at", maybe_time(), "When"), ("from", readings(), "Where the bytes came from")], vec![])
}

const IDENTITY: &str =
    "The 16 bytes that a collection is known by, whatever its name becomes, in hexadecimal";
pub(super) const EVERY: &str =
    "Within how many seconds every byte is to be read again; null without a promise";
pub(super) const POLICY: &str =
    "Whether new and changed files are accepted (living), new ones only (growing), or neither (frozen)";

pub(super) fn policies() -> Value {
    one_of(["living", "growing", "frozen"])
}

fn policy_of() -> Value {
    object(vec![("glob", text(), "The glob"), ("policy", policies(), POLICY)], vec![])
}

fn causes() -> Value {
    one_of(Cause::ALL.map(Cause::name))
}

/// Files by where the bytes of their last good reading came from.
pub(super) fn readings_of() -> Value {
    let reading = one_of(ReadingKind::ALL.map(ReadingKind::name));
    list(object(
        vec![
            (
                "reading",
                reading,
                "Where the bytes came from; of those that were replaced, nothing was read since",
            ),
            ("files", count(), "How many files"),
            ("bytes", count(), "Their bytes"),
        ],
        vec![],
    ))
}

fn readings() -> Value {
    let is_one = |kind: &ReadingKind| *kind != ReadingKind::Replaced;
    one_of(ReadingKind::ALL.into_iter().filter(is_one).map(ReadingKind::name))
}

fn verdicts() -> Value {
    one_of(Verdict::OF_COLLECTIONS.map(Verdict::name_in_collection))
}

/// A number for each verdict that was given.
pub(super) fn by_verdict() -> Value {
    object(
        vec![],
        Verdict::OF_COLLECTIONS.map(|verdict| (verdict.name_in_collection(), count(), "Files")).to_vec(),
    )
}

pub(super) fn list(of: Value) -> Value {
    json!({ "type": "array", "items": of })
}

pub(super) fn or_null(of: Value) -> Value {
    json!({ "anyOf": [of, { "type": "null" }] })
}

/// A time in UTC, RFC 3339.
pub(super) fn time() -> Value {
    json!({ "type": "string", "pattern": "^-?[0-9]{4,6}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z$" })
}

/// The same; null where it cannot be told.
pub(super) fn maybe_time() -> Value {
    let mut time = time();
    time["type"] = json!(["string", "null"]);
    time
}
