//! `hashlane audit NAME --evidence`: what a provider says of the files of a collection. Nothing is read, and no store is asked.

use hashlane_catalog::{
    Collection, Compared, Contradiction, EvidenceCounts, Heard, ImportedEvidence, ReportSource, Verdict,
};
use hashlane_digest::{Algorithm, Digest};
use hashlane_keeper::{Class, EvidenceReport, ReportError};
use hashlane_manifest::evidence::Provider;
use hashlane_report::collection::{ImportedReport, import_sentence, not_compared};
use hashlane_report::text;
use hashlane_report::times::date;

use super::{actor, failed, now_s, open, sink, time};
use crate::args::{AuditArgs, ListFormat};
use crate::output::{Output, shown};
use crate::status::{Ended, Status, halted, usage};
use crate::terminal::screen::Screen;

/// Rows of other names that are said one by one, and files that the provider could not read.
const MOST_TOLD: u64 = 20;

pub(super) fn run(args: &AuditArgs, name: &str) -> anyhow::Result<Status> {
    let mut catalog = open(&args.catalog)?;
    let collection = catalog.collection(name).map_err(failed)?;
    let EvidenceReport { provider, source, import } =
        EvidenceReport::read(&args.evidence, &collection).map_err(refused)?;
    let algorithms: Vec<String> = import.algorithms().map(str::to_owned).collect();
    let decision = hashlane_catalog::Decision { actor: actor(), reason: args.reason.clone(), at_s: now_s() };
    let screen = Screen::plain();
    let mut output = Output::open(None, &screen)?;
    let mut teller = Teller {
        args,
        collection: &collection,
        source: &source,
        output: &mut output,
        screen: &screen,
        imported_s: (!args.dry_run).then_some(decision.at_s),
        unknown: 0,
        contradicted: 0,
        failed: 0,
    };
    let imported = import
        .import(&mut catalog, &collection, &source, &decision, args.dry_run, &mut teller)
        .map_err(failed)?;
    let mut status = Status::OK;
    match &imported {
        ImportedEvidence::Incomparable(counts) => {
            return Err(incomparable(&collection, provider, counts, &algorithms));
        }
        ImportedEvidence::New(counts) if counts.of(Compared::Failed) > 0 => status |= Status::UNREADABLE,
        ImportedEvidence::Known { failed, .. } if *failed > 0 => status |= Status::UNREADABLE,
        _ => {}
    }
    teller.say(&imported)?;
    // Also where something else stands against a file, that was acknowledged or says less.
    if teller.contradicted > 0 {
        status |= Status::of_classes(vec![Class::Finding(Verdict::Contradicted)]);
    }
    output.finish()?;
    if args.dry_run {
        return Ok(Status::OK);
    }
    let standing = catalog.standing(collection.id, now_s()).map_err(failed)?.into_iter();
    let open = standing.filter(|standing| standing.open > 0).map(|standing| Class::Finding(standing.verdict));
    status |= Status::of_classes(open.collect());
    Ok(status)
}

/// Says what comes of a report.
struct Teller<'a> {
    args: &'a AuditArgs,
    collection: &'a Collection,
    source: &'a ReportSource,
    output: &'a mut Output,
    screen: &'a Screen,
    /// When it is imported; nothing if it would only be.
    imported_s: Option<i64>,
    /// Rows of other names.
    unknown: u64,
    /// Files that are contradicted, and were not reported yet.
    contradicted: u64,
    /// Files that the provider could not read, and that were reported.
    failed: u64,
}

impl Heard for Teller<'_> {
    fn unknown(&mut self, path: &[u8]) {
        self.unknown += 1;
        if self.args.verbose && self.unknown <= MOST_TOLD {
            let name = &self.collection.terms.name;
            self.screen.message(&format!(
                "{name}: {}: is in the report, but not in the collection",
                text::name(path)
            ));
        }
    }

    fn words(&mut self, algorithm: &str) -> String {
        let ReportSource { provider, kind, made_s, .. } = self.source;
        let on = match made_s {
            Some(made_s) => format!(" on {}", date(*made_s)),
            None => format!(", as imported on {}", date(now_s())),
        };
        format!("{provider} {} another {algorithm}{on}", kind.name())
    }

    fn contradicted(&mut self, contradiction: Contradiction<'_>) -> hashlane_catalog::Result<()> {
        let Contradiction { path, words, algorithm, said, known, is_new } = contradiction;
        self.contradicted += u64::from(is_new);
        let name = &self.collection.terms.name;
        let said = Algorithm::named(algorithm).and_then(|algorithm| Digest::new(algorithm, said).ok());
        let line = if self.args.format == ListFormat::Json {
            format!("{}\n", self.report().contradiction_json(&contradiction, said.as_ref()))
        } else if is_new || self.args.verbose {
            let of = known.digests.iter().find(|digest| digest.algorithm().name() == algorithm);
            let mut lines = format!("{name}: {}: CONTRADICTED: {words}; not read here\n", text::name(path));
            for (what, digest) in [("known", of.copied()), ("said ", said)] {
                lines.extend(digest.map(|digest| format!("    {what}  {algorithm} {digest}\n")));
            }
            lines
        } else {
            return Ok(());
        };
        self.put(&line).map_err(sink)
    }

    fn failed(&mut self, path: &[u8], why: &str) -> hashlane_catalog::Result<bool> {
        self.failed += 1;
        let (name, is_json) = (&self.collection.terms.name, self.args.format == ListFormat::Json);
        let line = if is_json {
            format!("{}\n", self.report().failed_json(path, why))
        } else {
            let why =
                if why.is_empty() { String::new() } else { format!(": {}", text::name(why.as_bytes())) };
            format!("{name}: {}: {} could not read it{why}\n", text::name(path), self.source.provider)
        };
        self.put(&line).map_err(sink)?;
        Ok(is_json || self.failed < MOST_TOLD)
    }
}

impl Teller<'_> {
    /// The report, for programs.
    fn report(&self) -> ImportedReport<'_> {
        let (name, source) = (&self.collection.terms.name, self.source);
        ImportedReport { collection: name, source, imported_s: self.imported_s }
    }

    fn put(&mut self, line: &str) -> anyhow::Result<()> {
        self.output.take(line.as_bytes()).map_err(halted)
    }

    /// Says what was counted.
    fn say(&mut self, imported: &ImportedEvidence) -> anyhow::Result<()> {
        let name = &self.collection.terms.name;
        if self.args.format == ListFormat::Json {
            let line = format!("{}\n", self.report().json(imported));
            return self.put(&line);
        }
        match imported {
            ImportedEvidence::Known { imported_s, differs, failed } => {
                let mut line =
                    format!("{name}: this report was imported on {}; nothing has changed", time(*imported_s));
                if *differs > 0 {
                    let stand = if *differs == 1 { "stands" } else { "stand" };
                    let of_it = text::counted(*differs, "contradiction");
                    line +=
                        &format!("; {of_it} of it {stand}: `hashlane collection report {name}` lists them");
                }
                if *failed > 0 {
                    let files = text::counted(*failed, "file");
                    line += &format!("; {files} that {} could not read", self.source.provider);
                }
                self.screen.message(&line);
            }
            ImportedEvidence::New(counts) if !self.args.quiet => {
                let untold = counts.of(Compared::Failed).saturating_sub(self.failed);
                if untold > 0 {
                    let (files, provider) = (text::count(untold), &self.source.provider);
                    self.screen.message(&format!(
                        "{name}: {files} more that {provider} could not read; --format json names all"
                    ));
                }
                let line = import_sentence(self.source, counts, self.args.dry_run);
                self.screen.message(&format!("{name}: {line}"));
                let word = match counts.of(Compared::Differs) {
                    0 => "that is the provider's word; nothing was read".to_owned(),
                    _ if !self.collection.terms.is_in_store() => format!(
                        "that is the provider's word about its copy; nothing was read. It stands until a later report agrees, or until \
                         `hashlane accept {name} FILE` says that the provider is wrong"
                    ),
                    _ => format!(
                        "that is the provider's word; nothing was read. `hashlane audit {name}` reads what it contradicts, before the rest"
                    ),
                };
                self.screen.message(&format!("{name}: {word}"));
            }
            _ => {}
        }
        Ok(())
    }
}

/// Why no checksum of a report can be compared, and what to do.
fn incomparable(
    collection: &Collection,
    provider: Provider,
    counts: &EvidenceCounts,
    algorithms: &[String],
) -> anyhow::Error {
    let (name, root) = (&collection.terms.name, shown(&collection.terms.root));
    if counts.rows == 0 {
        return usage!("{name}: the report is empty; nothing was recorded");
    }
    if counts.unknown == counts.rows {
        let rows = text::counted(counts.rows, "row");
        return usage!(
            "{name}: none of the {rows} of the report names a file of the collection; names are matched below {root}; nothing was recorded"
        );
    }
    let known: Vec<_> = collection.terms.algorithms.iter().map(|algorithm| algorithm.name()).collect();
    let by_other = counts.of(Compared::OtherAlgorithm) + counts.of(Compared::Composite) > 0;
    if !by_other {
        let mut why = not_compared(counts);
        if counts.of(Compared::Failed) > 0 {
            why = format!(
                "{} that {} could not read, {why}",
                text::count(counts.of(Compared::Failed)),
                provider.name()
            );
        }
        return usage!("{name}: no checksum of the report can be compared: {why}; nothing was recorded");
    }
    let said: Vec<_> = algorithms.iter().map(String::as_str).collect();
    let ask = match provider {
        Provider::S3 => format!("Let S3 compute {} of full objects, or", known.join(" or ").to_uppercase()),
        _ => "To have both,".to_owned(),
    };
    let parts = if counts.of(Compared::Composite) > 0 { ", some of them of parts" } else { "" };
    usage!(
        "{name}: the report has {}{parts}; the collection keeps {}. {ask} register it once more under another name, with \
         `hashlane collection add --algorithm`; nothing was recorded",
        text::listed(&said),
        text::listed(&known)
    )
}

fn refused(error: ReportError) -> anyhow::Error {
    match error {
        ReportError::Catalog(error) => failed(error),
        ReportError::OtherService { own, .. } => {
            let take = own.map_or_else(String::new, |own| format!("{own}, or "));
            usage!("{error}; import {take}a list of `rclone lsjson --hash`; nothing was recorded")
        }
        error if error.is_of_asker() => Ended::usage(error),
        error => Ended::unreadable(error),
    }
}
