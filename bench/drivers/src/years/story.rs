//! A story: a collection, its files, and what happens day by day. It can be printed, and read again from what was printed.
//!
//! Owns the text form.

use std::fmt;
use std::fmt::Write as _;

use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use hashlane_catalog::Policy;

use super::ground::Kind;
use super::people::Deed;

/// A policy, and for which names it holds; nothing: for all that no glob takes.
pub(super) type Rule = (Option<String>, Policy);

/// What a keeper has asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Terms {
    pub(super) kind: Kind,
    pub(super) policy: Vec<Rule>,
    pub(super) append_only: Vec<String>,
    pub(super) every_days: i64,
    /// How many files may be missing or changed before an audit is held.
    pub(super) hold_files: u64,
}

/// A night, with an audit at its end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Night {
    /// Days since the last one.
    pub(super) days: i64,
    /// It reads all files, and not those that are due.
    pub(super) all: bool,
    pub(super) bytes: Option<u64>,
    pub(super) files: Option<u64>,
    /// The number of readings that it is stopped or dies after, or of events.
    pub(super) stop: Option<u64>,
    pub(super) death: Option<u64>,
    pub(super) event: Option<u64>,
    /// It goes on with a run that is held.
    pub(super) resume: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Deed(Deed),
    Night(Night),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Story {
    pub(super) terms: Terms,
    /// The files that are there at first, and the numbers of their contents.
    pub(super) files: Vec<(String, u64)>,
    pub(super) steps: Vec<Step>,
}

/// Whether a name is meant: `*.end`, `directory/**`, or the name itself.
pub(super) fn takes(glob: &str, name: &str) -> bool {
    match (glob.strip_prefix('*'), glob.strip_suffix("/**")) {
        (Some(end), _) => name.ends_with(end),
        (_, Some(directory)) => name.strip_prefix(directory).is_some_and(|rest| rest.starts_with('/')),
        _ => glob == name,
    }
}

/// The policy of a name.
pub(super) fn policy_of(rules: &[Rule], name: &str) -> Policy {
    let is_meant = |rule: &&Rule| rule.0.as_ref().is_some_and(|glob| takes(glob, name));
    let rule = rules.iter().rev().find(is_meant).or_else(|| rules.iter().find(|rule| rule.0.is_none()));
    rule.map_or(Policy::Growing, |rule| rule.1)
}

const POLICIES: [(&str, Policy); 3] =
    [("living", Policy::Living), ("growing", Policy::Growing), ("frozen", Policy::Frozen)];

/// Reads `growing` or `living:*.xmp`.
pub(super) fn rule(word: &str) -> Result<Rule> {
    let (name, glob) = word.split_once(':').map_or((word, None), |(name, glob)| (name, Some(glob)));
    let found = POLICIES.into_iter().find(|(known, _)| *known == name);
    let (_, policy) = found.with_context(|| format!("{name} is no policy"))?;
    Ok((glob.map(str::to_owned), policy))
}

pub(super) fn word((glob, policy): &Rule) -> String {
    let name = POLICIES.into_iter().find(|(_, known)| known == policy).map_or("", |(name, _)| name);
    glob.as_ref().map_or_else(|| name.to_owned(), |glob| format!("{name}:{glob}"))
}

impl Story {
    /// Reads what a story was printed as. Lines that begin with `#` say nothing.
    pub(super) fn parse(text: &str) -> Result<Self> {
        let terms = Terms {
            kind: Kind::Ext4,
            policy: vec![(None, Policy::Growing)],
            append_only: Vec::new(),
            every_days: 30,
            hold_files: 50,
        };
        let mut story = Self { terms, files: Vec::new(), steps: Vec::new() };
        for (number, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or_default().trim();
            if !line.is_empty() {
                story.take(line).with_context(|| format!("line {}: {line}", number + 1))?;
            }
        }
        Ok(story)
    }

    fn take(&mut self, line: &str) -> Result<()> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "ground" => match Kind::from_str(rest, false) {
                Ok(kind) => self.terms.kind = kind,
                Err(why) => bail!("{why}"),
            },
            "rules" => self.terms.policy = rest.split_whitespace().map(rule).collect::<Result<_>>()?,
            "append-only" => {
                self.terms.append_only = rest.split_whitespace().map(str::to_owned).collect();
            }
            "every" => self.terms.every_days = rest.parse()?,
            "hold" => self.terms.hold_files = rest.parse()?,
            "file" => {
                let (name, number) = rest.split_once(' ').context("the number of its content is missing")?;
                self.files.push((name.to_owned(), number.parse()?));
            }
            "night" => self.steps.push(Step::Night(Night::parse(rest)?)),
            _ => self.steps.push(Step::Deed(Deed::parse(line)?)),
        }
        Ok(())
    }

    pub(super) fn nights(&self) -> usize {
        self.steps.iter().filter(|step| matches!(step, Step::Night(_))).count()
    }

    pub(super) fn deeds(&self) -> usize {
        self.steps.len() - self.nights()
    }
}

impl fmt::Display for Story {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Terms { kind, policy, append_only, every_days, hold_files } = &self.terms;
        let kind = kind.to_possible_value();
        writeln!(f, "ground {}", kind.as_ref().map_or("", |kind| kind.get_name()))?;
        writeln!(f, "rules {}", policy.iter().map(word).collect::<Vec<_>>().join(" "))?;
        if !append_only.is_empty() {
            writeln!(f, "append-only {}", append_only.join(" "))?;
        }
        writeln!(f, "every {every_days}\nhold {hold_files}")?;
        for (name, number) in &self.files {
            writeln!(f, "file {name} {number}")?;
        }
        for step in &self.steps {
            match step {
                Step::Deed(deed) => writeln!(f, "{deed}")?,
                Step::Night(night) => writeln!(f, "night {night}")?,
            }
        }
        Ok(())
    }
}

impl Night {
    fn parse(text: &str) -> Result<Self> {
        let mut words = text.split_whitespace();
        let days = words.next().context("the number of days is missing")?.parse()?;
        let mut night = Self { days, ..Self::default() };
        while let Some(word) = words.next() {
            let place = match word {
                "all" => {
                    night.all = true;
                    continue;
                }
                "resume" => {
                    night.resume = true;
                    continue;
                }
                "bytes" => &mut night.bytes,
                "files" => &mut night.files,
                "stop" => &mut night.stop,
                "death" => &mut night.death,
                "event" => &mut night.event,
                _ => bail!("{word} is nothing that an audit is asked for"),
            };
            *place = Some(words.next().with_context(|| format!("{word}: a number is missing"))?.parse()?);
        }
        Ok(night)
    }
}

impl fmt::Display for Night {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { days, all, bytes, files, stop, death, event, resume } = self;
        let mut words = days.to_string();
        let numbers =
            [("bytes", bytes), ("files", files), ("stop", stop), ("death", death), ("event", event)];
        for (word, number) in numbers {
            if let Some(number) = number {
                write!(words, " {word} {number}")?;
            }
        }
        for (word, is_asked) in [("all", *all), ("resume", *resume)] {
            if is_asked {
                write!(words, " {word}")?;
            }
        }
        f.write_str(&words)
    }
}
