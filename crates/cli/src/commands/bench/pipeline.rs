//! `hashlane bench pipeline`.

use hashlane_digest::Algorithm;
use hashlane_measure::pipeline::{BLOCKS, FILES, Model, PUBLISHED, Pipelines, Source, States};
use hashlane_measure::{Machine, Size};
use hashlane_report::text::{decimal, span};

use super::session::Session;
use super::{
    Budget, brief, check_directory, check_room, check_writable, device_rates, distinct, lasting, not_studied,
    printed,
};
use crate::args::{CacheStates, PipelineArgs};
use crate::status::{Status, usage};

const BUDGET: Budget = Budget { usual_s: 180, quick_s: 18 };

/// Readings of all files in a round of the original's ways: two states of the cache, alone and with digesting, two models
/// and four blocks, and how `sum` reads.
const READINGS: u64 = 2 * 2 * (2 * 4 + 1);

pub(super) fn run(args: &PipelineArgs) -> anyhow::Result<Status> {
    let directory = match &args.there {
        Some(there) => {
            check_directory("DIR", there)?;
            there.clone()
        }
        None => {
            check_writable("--dir", &args.dir)?;
            args.dir.clone()
        }
    };
    let source = source(args);
    if let Source::Made { count, bytes, exactly: true } = source {
        let option = if args.study.as_published { "--as-published" } else { "--files" };
        let smaller = "use fewer or smaller files (--files, --file-size)";
        check_room(option, &args.dir, count.saturating_mul(bytes), smaller)?;
    }
    let published = args.study.as_published;
    let sha256 = Algorithm::named(PUBLISHED.algorithm).expect("registered");
    let study = Pipelines {
        brief: brief(&args.study, args.name.name.as_ref(), directory.clone(), BUDGET),
        source,
        algorithms: if args.algorithm.is_empty() { vec![sha256] } else { distinct(&args.algorithm) },
        blocks: BLOCKS.of(args.study.extent(), &args.block),
        models: match &args.model {
            _ if published => vec![Model::Serial, Model::Pipelined],
            models if models.is_empty() => Model::ALL.to_vec(),
            models => distinct(models),
        },
        buffers: usize::from(args.buffers),
        states: match args.cache_state {
            CacheStates::Both => States::Both,
            CacheStates::Warm => States::Warm,
            CacheStates::Cold => States::Cold,
        },
    };
    check_memory(&study)?;
    let writes = args.there.is_none().then_some(directory.as_path());
    let mut session = Session::begin(&args.study.results, args.study.progress, writes)?;
    if args.study.as_published {
        session.screen().message(&estimate(args)?);
    }
    let measured = study.run(session.observer()).map_err(not_studied)?;
    session.end(&measured, |run| printed(run, &args.study), None)
}

/// Blocks may take a quarter of the memory that is free.
fn check_memory(study: &Pipelines) -> anyhow::Result<()> {
    let (wanted, free) = (study.memory_bytes(), Machine::describe().free_memory_bytes());
    // Not every system says what is free.
    if wanted <= free / 4 || free == 0 {
        return Ok(());
    }
    Err(usage!(
        "--block, --buffers: blocks of {} would take {}, more than a quarter of the {} of free memory; give smaller or \
         fewer ones",
        Size(study.blocks.iter().copied().max().unwrap_or(0) as u64),
        decimal(wanted as f64),
        decimal(free as f64)
    ))
}

fn source(args: &PipelineArgs) -> Source {
    if let Some(directory) = &args.there {
        return Source::There { directory: directory.clone(), most_bytes: args.most };
    }
    let (count, bytes) = FILES.of(args.study.extent(), &[])[0];
    Source::Made {
        count: args.files.map_or(count, u64::from),
        bytes: args.file_size.unwrap_or(bytes),
        // Who says how many has them all.
        exactly: args.study.as_published || args.files.is_some(),
    }
}

fn estimate(args: &PipelineArgs) -> anyhow::Result<String> {
    let rates = device_rates(&args.dir)?;
    let bytes = (PUBLISHED.files * PUBLISHED.file_bytes) as f64;
    Ok(format!(
        "as published: writes {} in about {}, and reads that {READINGS} times per round, half of them from the device: about \
         {} or more, and the first round half as long again; another round begins if it can end within {}",
        decimal(bytes),
        lasting(bytes / rates.write),
        lasting(bytes * (READINGS / 2) as f64 / rates.read),
        span(BUDGET.of(args.study.budget, args.study.quick))
    ))
}
