//! `hashlane bench io`.

use std::os::unix::fs::FileTypeExt as _;
use std::path::Path;

use hashlane_io::directory_of;
use hashlane_measure::input_output::{InputOutput, Scale, Single, Task};
use hashlane_measure::{DropCaches, Machine, Run};
use hashlane_report::text::{counted, decimal, span, system};
use hashlane_report::written::{block_count, block_size};

use super::session::Session;
use super::{
    Budget, brief, check_directory, check_room, check_writable, device_rates, lasting, not_studied, printed,
    sorted,
};
use crate::args::IoArgs;
use crate::output::shown;
use crate::status::{Ended, Status, usage};

const BUDGET: Budget = Budget { usual_s: 120, quick_s: 15 };

/// For reading one file again and again.
const READ_BUDGET: Budget = Budget { usual_s: 10, quick_s: 10 };

pub(super) fn run(args: &IoArgs) -> anyhow::Result<Status> {
    let task = task(args)?;
    let drops = drops(args)?;
    let directory = match &args.file {
        Some(file) => directory_of(file).to_owned(),
        None => args.dir.clone(),
    };
    match &args.file {
        Some(_) => check_directory("FILE", &directory)?,
        None => check_writable("--dir", &directory)?,
    }
    if args.study.as_published {
        check_room("--as-published", &directory, Scale::published().file_bytes, "leave the option out")?;
    }
    if let (Some(file), Some(output)) = (&args.file, &args.study.results.output)
        && std::path::absolute(file).ok() == std::path::absolute(output).ok()
    {
        return Err(usage!("--output {}: is FILE itself; name another file", shown(output)));
    }
    let writes = args.file.is_none().then_some(directory.as_path());
    let mut session = Session::begin(&args.study.results, args.study.progress, writes)?;
    let measured = match task {
        Some(task) => {
            if let Some(less) = less_than_asked_for(&task) {
                session.screen().message(&less);
            }
            let single = Single {
                brief: brief(&args.study, args.name.name.as_ref(), directory, READ_BUDGET),
                task,
                drops,
            };
            single.run(session.observer())
        }
        None => {
            let scale = scale(args);
            if args.study.as_published {
                session.screen().message(&estimate(&scale, args)?);
            }
            let brief = brief(&args.study, args.name.name.as_ref(), directory, BUDGET);
            let study = InputOutput { brief, file: args.file.clone(), scale, drops };
            study.run(session.observer())
        }
    };
    let measured: Run = measured.map_err(not_studied)?;
    session.end(&measured, |run| printed(run, &args.study), None)
}

fn scale(args: &IoArgs) -> Scale {
    let cores = Machine::describe().processor.cores.max(1);
    let mut scale = match args.study.extent() {
        (_, true) => Scale::published(),
        (true, _) => Scale::quick(cores),
        _ => Scale::usual(cores),
    };
    if !args.block.is_empty() {
        scale.read_blocks = sorted(args.block.iter().copied());
        scale.few_blocks.clone_from(&scale.read_blocks);
    }
    for numbers in [&mut scale.threads, &mut scale.depths] {
        *numbers = sorted(numbers.iter().copied());
    }
    scale
}

fn estimate(scale: &Scale, args: &IoArgs) -> anyhow::Result<String> {
    let rates = device_rates(&args.dir)?;
    let (round, kept) = scale.written_bytes();
    let of_round = round as f64 / rates.write + scale.cold_bytes() as f64 / rates.read;
    Ok(format!(
        "as published: writes {} and then {} per round, in files of up to {}; that takes about {}, and each round {} or \
         more; another round begins if it can end within {}",
        decimal(kept as f64),
        decimal(round as f64),
        decimal(scale.copies.iter().copied().max().unwrap_or(0) as f64),
        lasting(kept as f64 / rates.write),
        lasting(of_round),
        span(BUDGET.of(args.study.budget, false))
    ))
}

/// What is done once, in the old form; none if the study is made.
fn task(args: &IoArgs) -> anyhow::Result<Option<Task>> {
    if let (Some(words), Some(file)) = (&args.write, &args.file) {
        let (block_bytes, count) = blocks("--write", words)?;
        let count = count.ok_or_else(|| {
            Ended::usage("--write: COUNT: `all` is only for reading; give a number".to_owned())
        })?;
        check_file(file, true, args.i_know)?;
        if count.checked_mul(block_bytes as u64).is_none_or(|bytes| bytes > i64::MAX as u64) {
            return Err(usage!(
                "--write: {count} blocks of {block_bytes} bytes exceed the largest possible file; give fewer"
            ));
        }
        return Ok(Some(Task::Write { file: file.clone(), block_bytes, count, over: args.i_know }));
    }
    if let Some(file) = &args.file {
        check_file(file, false, args.i_know)?;
        if let Some(words) = &args.read {
            let (block_bytes, count) = blocks("--read", words)?;
            return Ok(Some(Task::Read { file: file.clone(), block_bytes, count }));
        }
    }
    Ok(args.reasonable.map(|block_bytes| Task::Reasonable { block_bytes }))
}

/// What to say where a file has not as many blocks as are to be read.
fn less_than_asked_for(task: &Task) -> Option<String> {
    let Task::Read { file, block_bytes, count: Some(count) } = task else { return None };
    let bytes = std::fs::metadata(file).ok().filter(std::fs::Metadata::is_file)?.len();
    let blocks = bytes.div_ceil(*block_bytes as u64);
    (blocks < *count).then(|| {
        format!(
            "--read: COUNT {count}: {} has only {}; the whole file is read",
            shown(file),
            counted(blocks, "such block")
        )
    })
}

/// BLOCK and COUNT; no count is all that there is.
fn blocks(option: &str, words: &[String]) -> anyhow::Result<(usize, Option<u64>)> {
    let [block, count] = words else { unreachable!("clap takes two") };
    let block_bytes = block_size(block).map_err(|why| usage!("{option}: BLOCK `{block}`: {why}"))?;
    let count = block_count(count).map_err(|why| usage!("{option}: COUNT `{count}`: {why}"))?;
    Ok((block_bytes, count))
}

fn drops(args: &IoArgs) -> anyhow::Result<Option<DropCaches>> {
    let Some(number) = args.drop else { return Ok(None) };
    DropCaches::try_rights().map_err(|error| {
        usage!(
            "--drop {number}: {}: {}; it needs root; without --drop, cold means that the file is not in the page cache",
            DropCaches::FILE,
            system(&error)
        )
    })?;
    Ok(DropCaches::of(number))
}

/// What is to be read has to be a file, or a device that was meant. What is to be written over must be meant.
fn check_file(file: &Path, writes: bool, knows: bool) -> anyhow::Result<()> {
    let kind = match std::fs::metadata(file) {
        Ok(facts) => facts.file_type(),
        Err(_) if writes => return Ok(()),
        Err(error) => {
            return Err(usage!("{}: {}", shown(file), system(&error)));
        }
    };
    let is_device = kind.is_block_device();
    let wrong = match () {
        () if kind.is_dir() && writes => "is a directory; name a file",
        () if kind.is_dir() => "is a directory; name a file in it, or leave out FILE and use --dir",
        () if !kind.is_file() && !is_device => "is neither a file nor a disk; name a file",
        () if knows || (kind.is_file() && !writes) => return Ok(()),
        () if !writes => "is a device; to read it anyway, use --i-know",
        () if is_device => "is a device, and everything on it would be lost; to overwrite it, use --i-know",
        () => "already exists; to overwrite it, use --i-know",
    };
    Err(usage!("{}: {wrong}", shown(file)))
}
