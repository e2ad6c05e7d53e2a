//! `hashlane bench speed`.

use std::sync::Arc;
use std::time::Duration;

use hashlane_digest::Algorithm;
use hashlane_measure::speed::{ALGORITHMS, PUBLISHED, SIZES, Speed};
use hashlane_measure::{Foreign, Form, Machine};
use hashlane_plugin::Plugin;

use super::session::Session;
use super::{Budget, brief, printed, sorted};
use crate::args::{Forms, SpeedArgs};
use crate::status::{Status, usage};

const BUDGET: Budget = Budget { usual_s: 120, quick_s: 15 };

/// How long a library of others may take to be loaded, and a function of it for one message.
const LOADING: Duration = Duration::from_secs(10);
const PATIENCE: Duration = Duration::from_secs(20);

pub(super) fn run(args: &SpeedArgs) -> anyhow::Result<Status> {
    let mut speed = study(args);
    // Before there are threads: each is tried out in a process of its own.
    speed.foreign = foreign(args, &speed.sizes)?;
    let mut session = Session::begin(&args.study.results, args.study.progress, None)?;
    if args.study.as_published {
        let cells = speed.algorithms.len() * speed.sizes.len();
        session.screen().message(&format!(
            "as published: {} messages per timing, {cells} cells; takes at most {} s and writes nothing",
            PUBLISHED.messages,
            speed.brief.budget.as_secs()
        ));
    }
    let measured = speed.run(session.observer());
    session.end(&measured, |run| printed(run, &args.study), None)
}

fn study(args: &SpeedArgs) -> Speed {
    let named = |names: &[&str]| names.iter().filter_map(|name| Algorithm::named(name)).collect();
    let (published, cores) = (args.study.as_published, Machine::describe().processor.cores);
    Speed {
        brief: brief(&args.study, args.name.name.as_ref(), ".".into(), BUDGET),
        algorithms: match &args.algorithm[..] {
            [] if published => named(&PUBLISHED.algorithms),
            [] => named(&ALGORITHMS),
            chosen => chosen.to_vec(),
        },
        foreign: Vec::new(),
        sizes: SIZES.of(args.study.extent(), &args.size),
        threads: match &args.threads[..] {
            [] if cores > 1 && !published => vec![1, cores],
            [] => vec![1],
            chosen => sorted(chosen.iter().map(|&threads| usize::from(threads).min(cores))),
        },
        forms: match args.form {
            Forms::Both if !published => vec![Form::Single, Form::SideBySide],
            Forms::Both | Forms::Single => vec![Form::Single],
            Forms::Lanes => vec![Form::SideBySide],
        },
        messages: published.then_some(PUBLISHED.messages),
    }
}

/// The functions of others, each loaded and tried out with every size in processes of their own first.
fn foreign(args: &SpeedArgs, sizes: &[usize]) -> anyhow::Result<Vec<Foreign>> {
    let mut all: Vec<Foreign> = Vec::new();
    for (name, path) in &args.plugin {
        if Algorithm::named(name).is_some() || all.iter().any(|known| known.name == *name) {
            return Err(usage!("--plugin {name}: this name is already used; give the function another name"));
        }
        let refused = |error| usage!("--plugin {error}");
        let plugin = Plugin::load(name, path, LOADING).map_err(refused)?;
        for &size in sizes {
            plugin.try_out(size, PATIENCE).map_err(refused)?;
        }
        all.push(Foreign { name: name.clone(), function: Arc::new(move |message| plugin.call(message)) });
    }
    Ok(all)
}
