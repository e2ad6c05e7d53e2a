//! `hashlane bench speed`.

use std::sync::Arc;
use std::time::Duration;

use hashlane_digest::Algorithm;
use hashlane_measure::speed::{ALGORITHMS, PUBLISHED, QUICK_SIZES, SIZES, Speed};
use hashlane_measure::{Foreign, Form, Machine};
use hashlane_plugin::Plugin;

use super::session::Session;
use super::{Budget, brief, printed, sorted};
use crate::args::{Forms, SpeedArgs};
use crate::status::{Ended, Status};

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
    session.end(&measured, |run| printed(run, &args.study))
}

fn study(args: &SpeedArgs) -> Speed {
    let brief = brief(&args.study, args.name.name.as_ref(), ".".into(), BUDGET);
    let named = |names: &[&str]| names.iter().filter_map(|name| Algorithm::named(name)).collect::<Vec<_>>();
    if args.study.as_published {
        return Speed {
            brief,
            algorithms: named(&PUBLISHED.algorithms),
            foreign: Vec::new(),
            sizes: PUBLISHED.sizes.to_vec(),
            threads: vec![1],
            forms: vec![Form::Single],
            messages: Some(PUBLISHED.messages),
        };
    }
    let usual: &[usize] = if args.study.quick { &QUICK_SIZES } else { &SIZES };
    let cores = Machine::describe().processor.cores;
    let threads = match args.threads.as_slice() {
        [] if cores > 1 => vec![1, cores],
        [] => vec![1],
        chosen => chosen.iter().map(|&threads| usize::from(threads).min(cores)).collect(),
    };
    Speed {
        brief,
        algorithms: if args.algorithm.is_empty() { named(&ALGORITHMS) } else { args.algorithm.clone() },
        foreign: Vec::new(),
        sizes: if args.size.is_empty() { usual.to_vec() } else { sorted(&args.size) },
        threads: sorted(&threads),
        forms: match args.form {
            Forms::Both => vec![Form::Single, Form::SideBySide],
            Forms::Single => vec![Form::Single],
            Forms::Lanes => vec![Form::SideBySide],
        },
        messages: None,
    }
}

/// The functions of others, each loaded and tried out with every size in processes of their own first.
fn foreign(args: &SpeedArgs, sizes: &[usize]) -> anyhow::Result<Vec<Foreign>> {
    let mut all: Vec<Foreign> = Vec::new();
    for (name, path) in &args.plugin {
        if Algorithm::named(name).is_some() || all.iter().any(|known| known.name == *name) {
            return Err(Ended::usage(format!(
                "--plugin {name}: this name is already used; give the function another name"
            )));
        }
        let refused = |error| Ended::usage(format!("--plugin {error}"));
        let plugin = Plugin::load(name, path, LOADING).map_err(refused)?;
        for &size in sizes {
            plugin.try_out(size, PATIENCE).map_err(refused)?;
        }
        all.push(Foreign { name: name.clone(), function: Arc::new(move |message| plugin.call(message)) });
    }
    Ok(all)
}
