//! What is to be known of figures that were read.

use std::fmt;

/// Something that a file says of its figures, or that was decided about them.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Remark {
    /// Its program noted that a measurement failed.
    Failed {
        /// Where it stands: a line, or a place in JSON.
        place: String,
        /// What it says.
        text: String,
    },
    /// A figure that is 0 or that nothing can have.
    NoFigure {
        /// The cell.
        cell: String,
        /// What stands there.
        found: String,
    },
    /// A time of 0: no rate follows from it.
    NoTime {
        /// The line, from 1.
        line: usize,
        /// The cell.
        cell: String,
    },
    /// A rate that was cut to 0: no ratio follows from it.
    CutToNothing {
        /// The line, from 1.
        line: usize,
        /// The cell.
        cell: String,
    },
    /// Recorded rates that are not the whole part of what their bytes and times make.
    NotItsTime {
        /// The line, from 1.
        line: usize,
        /// The recorded rate, in MB/s.
        recorded: String,
        /// What bytes and time make, in MB/s.
        recomputed: String,
    },
    /// Several timings of a cell.
    Repeated {
        /// The cell.
        cell: String,
        /// How many.
        timings: usize,
    },
    /// Lines that say once more what another says.
    SaidTwice {
        /// How many.
        lines: usize,
    },
    /// Copies of figures that were there anyway.
    Copies {
        /// How many.
        cells: usize,
    },
    /// A copy that is not what it is a copy of.
    CopyDiffers {
        /// The cell.
        cell: String,
    },
    /// Jobs of one name that ran side by side.
    SideBySide {
        /// The cell.
        cell: String,
        /// How many.
        jobs: usize,
    },
    /// Lines of a kind that is not compared.
    LeftOut {
        /// What they are.
        what: String,
        /// How many.
        count: usize,
    },
    /// Cells that some of several runs do not have.
    NotInAllRuns {
        /// How many.
        cells: usize,
    },
    /// A machine without a figure.
    NoFigures,
    /// Something of one of several files.
    In {
        /// The file, as it was given.
        file: String,
        /// What it is.
        remark: Box<Remark>,
    },
}

impl Remark {
    /// What it is about, if it is about one thing of several: a cell, a line, a file.
    fn about(&self) -> Option<String> {
        match self {
            Self::Failed { place, .. } => Some(place.clone()),
            Self::NoFigure { cell, .. }
            | Self::Repeated { cell, .. }
            | Self::CopyDiffers { cell }
            | Self::SideBySide { cell, .. } => Some(cell.clone()),
            Self::NoTime { line, cell } | Self::CutToNothing { line, cell } => {
                Some(format!("line {line}: {cell}"))
            }
            Self::NotItsTime { line, .. } => Some(format!("line {line}")),
            Self::In { file, remark } => Some(match remark.about() {
                Some(about) => format!("{file}: {about}"),
                None => file.clone(),
            }),
            Self::SaidTwice { .. }
            | Self::Copies { .. }
            | Self::LeftOut { .. }
            | Self::NotInAllRuns { .. }
            | Self::NoFigures => None,
        }
    }

    /// What is to be known of that.
    fn what(&self) -> String {
        match self {
            Self::Failed { text, .. } => format!("a measurement failed: {text}"),
            Self::NoFigure { found, .. } => format!("left out: {found} is not a possible figure"),
            Self::NoTime { .. } => "a time of 0, which yields no rate".to_owned(),
            Self::CutToNothing { .. } => "a recorded rate of 0, which yields no ratio".to_owned(),
            Self::NotItsTime { recorded, recomputed, .. } => {
                format!("{recorded} MB/s are recorded, but bytes and wall time yield {recomputed} MB/s")
            }
            Self::Repeated { timings, .. } => format!("{timings} timings; their median is compared"),
            Self::SaidTwice { lines: 1 } => "1 line repeats another; counted once".to_owned(),
            Self::SaidTwice { lines } => format!("{lines} lines repeat others; counted once"),
            Self::Copies { cells } => {
                format!(
                    "{cells} figures of lookup files are copies of measurements already read; counted once"
                )
            }
            Self::CopyDiffers { .. } => {
                "the lookup file and the file of measurements have different figures; the latter is used"
                    .to_owned()
            }
            Self::SideBySide { jobs, .. } => format!("{jobs} jobs ran side by side; their rates are added"),
            Self::LeftOut { what, count } => format!("left out: {count} {what}"),
            Self::NotInAllRuns { cells: 1 } => {
                "1 cell was not measured in each of its runs; left out".to_owned()
            }
            Self::NotInAllRuns { cells } => {
                format!("{cells} cells were not measured in each of its runs; left out")
            }
            Self::NoFigures => "no figures; left out".to_owned(),
            Self::In { remark, .. } => remark.what(),
        }
    }

    /// Remarks of several subjects, each with the name of its own, as lines: what is to be known of several things is said
    /// once, with all that it is about.
    pub fn said_once<'a>(remarks: impl IntoIterator<Item = (&'a str, &'a Self)>) -> Vec<String> {
        /// Things that are named.
        const NAMED: usize = 3;
        let mut said: Vec<(String, Vec<String>)> = Vec::new();
        for (subject, remark) in remarks {
            let what = remark.what();
            let about = match remark.about() {
                // A subject of one file may have its name.
                Some(about) if matches!(remark, Self::In { file, .. } if file == subject) => about,
                Some(about) => format!("{subject}: {about}"),
                None => subject.to_owned(),
            };
            match said.iter_mut().find(|(known, _)| *known == what) {
                Some((_, all)) => all.push(about),
                None => said.push((what, vec![about])),
            }
        }
        let line = |(what, all): (String, Vec<String>)| {
            let more = all.len().saturating_sub(NAMED);
            let named = all.into_iter().take(NAMED).collect::<Vec<_>>().join("; ");
            let more = if more > 0 { format!("; and {more} more") } else { String::new() };
            format!("{named}{more}: {what}")
        };
        said.into_iter().map(line).collect()
    }
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(about) = self.about() {
            write!(f, "{about}: ")?;
        }
        f.write_str(&self.what())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_several_things_have_in_common_is_said_once() {
        let side_by_side = |cell: &str, jobs| Remark::SideBySide { cell: cell.into(), jobs };
        let of_file = |file: &str, remark| Remark::In { file: file.into(), remark: Box::new(remark) };
        let (ash, oak) = (
            [
                side_by_side("a, read", 2),
                Remark::NoFigures,
                of_file("x.csv", side_by_side("b, read", 2)),
                side_by_side("c, read", 4),
            ],
            [side_by_side("a, read", 2), side_by_side("b, read", 2), Remark::NoFigures],
        );
        let all = ash.iter().map(|remark| ("ash", remark)).chain(oak.iter().map(|remark| ("oak", remark)));
        assert_eq!(
            Remark::said_once(all),
            [
                "ash: a, read; ash: x.csv: b, read; oak: a, read; and 1 more: 2 jobs ran side by side; their rates are added",
                "ash; oak: no figures; left out",
                "ash: c, read: 4 jobs ran side by side; their rates are added",
            ]
        );
        assert_eq!(
            Remark::said_once([("x.csv", &of_file("x.csv", side_by_side("a, read", 2)))]),
            ["x.csv: a, read: 2 jobs ran side by side; their rates are added"]
        );
        assert_eq!(
            of_file("x.csv", side_by_side("a, read", 2)).to_string(),
            "x.csv: a, read: 2 jobs ran side by side; their rates are added"
        );
        assert_eq!(
            of_file("x.csv", Remark::Copies { cells: 3 }).to_string().split(':').next(),
            Some("x.csv")
        );
    }
}
