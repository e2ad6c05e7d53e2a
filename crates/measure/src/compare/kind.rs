//! Kinds of work: what may be averaged. A mean over reading, digesting and writing says nothing of any of them.

use crate::cell::{Cell, Stage};
use crate::import::Format;
use crate::studies::machine_study::{COPIER, is_start};

/// What programs are called that digest a file, in runs of ours as in sysperf's files.
const PROGRAMS: &str = "programs";

/// What a cell of ours is about.
pub(super) fn of_cell(cell: &Cell) -> String {
    let is_side_by_side = cell.messages.is_some_and(|messages| messages > 1);
    let kind = match &cell.stage {
        Stage::Digest if is_side_by_side => "digest, side by side",
        Stage::Digest => "digest, one message",
        Stage::Harness => "requests without reading",
        Stage::Pipeline if cell.is_of_many_files() => "read + digest, many files",
        Stage::Program if is_start(cell) => "starting programs",
        Stage::Program if cell.program.as_deref() == Some(COPIER) => COPIER,
        Stage::Program => PROGRAMS,
        stage => stage.name(),
    };
    kind.to_owned()
}

/// What a cell of another program is about, as far as its name says.
pub(super) fn of_imported(format: Option<Format>, name: &str) -> String {
    match format {
        Some(Format::Sysperf) if is_of(name, COPIER) => COPIER.to_owned(),
        Some(Format::Sysperf) if is_of(name, "hashlane-read") => "read".to_owned(),
        Some(Format::Sysperf) => PROGRAMS.to_owned(),
        // `job, read`: the direction is what is the same for all jobs.
        Some(Format::Fio) => name.rsplit(", ").next().unwrap_or(name).to_owned(),
        // `sha256, 16 B messages`, `BM_ReadFile/4096`, `sha256sum FILE`: what comes first says what it is.
        _ => name.split([',', '/', ' ']).find(|word| !word.is_empty()).unwrap_or(name).to_owned(),
    }
}

fn is_of(name: &str, program: &str) -> bool {
    name.split(',').next() == Some(program)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reading_digesting_and_writing_are_kinds_of_their_own() {
        let stages = [
            Stage::Digest,
            Stage::Harness,
            Stage::MemoryCopy,
            Stage::MemoryRead,
            Stage::Pipeline,
            Stage::Program,
            Stage::RandomRead,
            Stage::Read,
            Stage::SmallFiles,
            Stage::SystemCall,
            Stage::Write,
        ];
        let mut kinds: Vec<_> = stages.iter().map(|stage| of_cell(&Cell::new(stage.clone()))).collect();
        kinds.extend(
            [Stage::Digest, Stage::Pipeline]
                .map(|stage| of_cell(&Cell { messages: Some(16), ..Cell::new(stage) })),
        );
        kinds.push(of_cell(&Cell { program: Some("dd".into()), ..Cell::new(Stage::Program) }));
        kinds.push(of_cell(&Cell { input: Some("empty".into()), ..Cell::new(Stage::Program) }));
        let all = kinds.len();
        kinds.sort_unstable();
        kinds.dedup();
        assert_eq!(kinds.len(), all, "{kinds:?}");
    }

    #[test]
    fn names_of_other_programs_say_what_they_are_about() {
        for (format, name, kind) in [
            (Format::Sysperf, "b2sum, 1 copy, 1024 iterations", "programs"),
            (Format::Sysperf, "dd, 1 copy, 1024 iterations", "dd"),
            (Format::Sysperf, "hashlane-read, 1 copy, 1024 iterations", "read"),
            (Format::Fio, "job, with a comma, write", "write"),
            (Format::OpensslSpeed, "sha256, 16 B messages", "sha256"),
            (Format::GoogleBenchmark, "BM_ReadFile/4096", "BM_ReadFile"),
            (Format::Hyperfine, "sha256sum a", "sha256sum"),
        ] {
            assert_eq!(of_imported(Some(format), name), kind);
        }
    }
}
