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
    /// A machine of which there is no figure.
    NoFigures,
    /// Something of one of several files.
    In {
        /// The file, as it was given.
        file: String,
        /// What it is.
        remark: Box<Remark>,
    },
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed { place, text } => write!(f, "{place}: a measurement failed: {text}"),
            Self::NoFigure { cell, found } => write!(f, "{cell}: left out: {found} is not a possible figure"),
            Self::NoTime { line, cell } => {
                write!(f, "line {line}: {cell}: a time of 0, which yields no rate")
            }
            Self::CutToNothing { line, cell } => {
                write!(f, "line {line}: {cell}: a recorded rate of 0, which yields no ratio")
            }
            Self::NotItsTime { line, recorded, recomputed } => write!(
                f,
                "line {line}: {recorded} MB/s are recorded, but bytes and wall time yield {recomputed} MB/s"
            ),
            Self::Repeated { cell, timings } => {
                write!(f, "{cell}: {timings} timings; their median is compared")
            }
            Self::SaidTwice { lines: 1 } => f.write_str("1 line repeats another; counted once"),
            Self::SaidTwice { lines } => {
                write!(f, "{lines} lines repeat others; counted once")
            }
            Self::Copies { cells } => {
                write!(
                    f,
                    "{cells} figures of lookup files are copies of measurements already read; counted once"
                )
            }
            Self::CopyDiffers { cell } => {
                write!(
                    f,
                    "{cell}: the lookup file and the file of measurements have different figures; the latter is used"
                )
            }
            Self::SideBySide { cell, jobs } => {
                write!(f, "{cell}: {jobs} jobs ran side by side; their rates are added")
            }
            Self::LeftOut { what, count } => write!(f, "left out: {count} {what}"),
            Self::NotInAllRuns { cells: 1 } => {
                f.write_str("1 cell was not measured in each of its runs; left out")
            }
            Self::NotInAllRuns { cells } => {
                write!(f, "{cells} cells were not measured in each of its runs; left out")
            }
            Self::In { file, remark } => write!(f, "{file}: {remark}"),
            Self::NoFigures => f.write_str("no figures; left out"),
        }
    }
}
