//! Outputs of different programs brought to one form, `hex[,hex...]  path` sorted, and compared.
//!
//! Invariant: rows live in one allocation each, which goes back to the system when the comparison is over; the memory
//! of this process shows in what the kernel says of the programs it starts.

use std::collections::BTreeMap;
use std::ops::Range;

use anyhow::{Context, Result, bail};

/// What the output of a program looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// `hex  path` or `hex *path`, escaped names after a backslash.
    Gnu,
    /// `ALGORITHM (path) = hex`, a line for each algorithm.
    Bsd,
    /// `size,hex,...,path` under comment lines.
    Hashdeep,
}

/// Sorted rows `hex  path`.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    text: Vec<u8>,
    rows: Vec<Range<usize>>,
}

impl Rows {
    /// Reads what a program printed.
    pub(crate) fn read(output: &[u8], shape: Shape) -> Result<Self> {
        let mut rows = Self { text: Vec::with_capacity(output.len()), rows: Vec::new() };
        match shape {
            Shape::Gnu => rows.read_lines(output, gnu)?,
            Shape::Hashdeep => rows.read_lines(output, hashdeep)?,
            Shape::Bsd => rows.read_bsd(output)?,
        }
        let text = &rows.text;
        rows.rows.sort_unstable_by(|left, right| text[left.clone()].cmp(&text[right.clone()]));
        Ok(rows)
    }

    /// How many rows there are.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// True if every row is the same.
    pub(crate) fn same(&self, other: &Self) -> bool {
        self.rows.len() == other.rows.len() && self.iter().eq(other.iter())
    }

    /// Rows of `self` that `other` lacks.
    pub(crate) fn beyond<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = &'a [u8]> {
        self.iter()
            .filter(|row| other.rows.binary_search_by(|range| other.text[range.clone()].cmp(row)).is_err())
    }

    fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.rows.iter().map(|range| &self.text[range.clone()])
    }

    fn push(&mut self, digests: &[u8], path: &[u8]) {
        let start = self.text.len();
        self.text.extend(digests.iter().map(u8::to_ascii_lowercase));
        self.text.extend(b"  ");
        self.text.extend(path);
        self.rows.push(start..self.text.len());
    }

    fn read_lines(&mut self, output: &[u8], parse: fn(&[u8]) -> Option<Parsed<'_>>) -> Result<()> {
        for line in lines(output) {
            if line.starts_with(b"%%%%") || line.starts_with(b"##") {
                continue;
            }
            let row = parse(line).with_context(|| format!("line not understood: {}", line.escape_ascii()))?;
            self.push(row.digests, &row.path);
        }
        Ok(())
    }

    /// Lines of one path follow one another.
    fn read_bsd(&mut self, output: &[u8]) -> Result<()> {
        let mut pending: Option<(Vec<u8>, Vec<u8>)> = None;
        for line in lines(output) {
            let row = bsd(line).with_context(|| format!("line not understood: {}", line.escape_ascii()))?;
            match &mut pending {
                Some((path, digests)) if *path == row.path => {
                    digests.push(b',');
                    digests.extend(row.digests);
                }
                _ => {
                    if let Some((path, digests)) = pending.replace((row.path, row.digests.to_vec())) {
                        self.push(&digests, &path);
                    }
                }
            }
        }
        if let Some((path, digests)) = pending {
            self.push(&digests, &path);
        }
        Ok(())
    }
}

struct Parsed<'a> {
    digests: &'a [u8],
    path: Vec<u8>,
}

/// What the comparison says about one program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Judgement {
    /// The same rows as most.
    Same,
    /// No wrong row, but a few missing, as may be: names it cannot open.
    Incomplete(String),
    /// Something else.
    Different(String),
}

/// Compares outputs with the one that most programs agree on, the earliest of those that are equally many.
pub(crate) fn judge(outputs: &[Result<Rows>]) -> Vec<Judgement> {
    let read: Vec<_> = outputs.iter().flatten().collect();
    let agreeing = |rows: &&Rows| read.iter().filter(|other| other.same(rows)).count();
    let mut by_votes = BTreeMap::new();
    for rows in &read {
        by_votes.entry(agreeing(rows)).or_insert(*rows);
    }
    let reference = by_votes.last_entry().map(|entry| *entry.get());
    outputs.iter().map(|output| judge_one(output, reference)).collect()
}

fn judge_one(output: &Result<Rows>, reference: Option<&Rows>) -> Judgement {
    let (rows, reference) = match (output, reference) {
        (Ok(rows), Some(reference)) => (rows, reference),
        (Err(error), _) => return Judgement::Different(format!("{error:#}")),
        (Ok(_), None) => return Judgement::Different("nothing to compare with".to_owned()),
    };
    if rows.same(reference) {
        return Judgement::Same;
    }
    let show = |row: &[u8]| row.escape_ascii().to_string();
    match (rows.beyond(reference).next(), reference.beyond(rows).next()) {
        (None, Some(absent)) => {
            let missing = reference.len().saturating_sub(rows.len());
            let text = format!("leaves out {missing} of {} files, first {}", reference.len(), show(absent));
            // One in a thousand changes no timing; more is not the same work.
            if missing * 1_000 <= reference.len() {
                Judgement::Incomplete(text)
            } else {
                Judgement::Different(text)
            }
        }
        (Some(wrong), Some(right)) => {
            Judgement::Different(format!("prints {} where others print {}", show(wrong), show(right)))
        }
        (Some(more), None) => Judgement::Different(format!("prints {} beyond what others print", show(more))),
        (None, None) => Judgement::Different("prints a row twice".to_owned()),
    }
}

/// The output of one program, read as its shape says; empty output is an error.
pub(crate) fn read_output(output: &[u8], shape: Shape) -> Result<Rows> {
    let rows = Rows::read(output, shape)?;
    if rows.len() == 0 {
        bail!("prints nothing");
    }
    Ok(rows)
}

fn lines(output: &[u8]) -> impl Iterator<Item = &[u8]> {
    output.split(|byte| *byte == b'\n').filter(|line| !line.is_empty())
}

fn gnu(line: &[u8]) -> Option<Parsed<'_>> {
    let (escaped, line) = unmarked(line);
    let end = line.iter().position(|byte| *byte == b' ')?;
    let path = line.get(end + 2..)?;
    Some(Parsed { digests: &line[..end], path: unescaped(path, escaped) })
}

fn bsd(line: &[u8]) -> Option<Parsed<'_>> {
    let (escaped, line) = unmarked(line);
    let open = line.windows(2).position(|two| two == b" (")?;
    let close = line.windows(4).rposition(|four| four == b") = ")?;
    let path = line.get(open + 2..close)?;
    Some(Parsed { digests: &line[close + 4..], path: unescaped(path, escaped) })
}

fn hashdeep(line: &[u8]) -> Option<Parsed<'_>> {
    let commas: Vec<_> =
        line.iter().enumerate().filter(|(_, byte)| **byte == b',').map(|(at, _)| at).collect();
    // Digests are hexadecimal; the first field that is not begins the path.
    let hexadecimal = |field: &[u8]| field.len() >= 32 && field.iter().all(u8::is_ascii_hexdigit);
    let fields = commas.windows(2).take_while(|two| hexadecimal(&line[two[0] + 1..two[1]])).count();
    let (first, last) = (*commas.first()?, *commas.get(fields)?);
    Some(Parsed { digests: line.get(first + 1..last)?, path: line[last + 1..].to_vec() })
}

fn unmarked(line: &[u8]) -> (bool, &[u8]) {
    line.strip_prefix(b"\\").map_or((false, line), |rest| (true, rest))
}

fn unescaped(path: &[u8], escaped: bool) -> Vec<u8> {
    let mut plain = Vec::with_capacity(path.len());
    let mut bytes = path.iter().copied();
    while let Some(byte) = bytes.next() {
        plain.push(match byte {
            b'\\' if escaped => match bytes.next() {
                Some(b'n') => b'\n',
                Some(b'r') => b'\r',
                other => other.unwrap_or(b'\\'),
            },
            other => other,
        });
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(output: &str, shape: Shape) -> Vec<String> {
        let rows = Rows::read(output.as_bytes(), shape).expect("the output is right");
        rows.iter().map(|row| String::from_utf8_lossy(row).into_owned()).collect()
    }

    #[test]
    fn lines_of_all_shapes_become_the_same_rows() {
        let wanted = ["ab  a/y", "cd  x\\y"];
        assert_eq!(rows("cd  x\\y\nab  a/y\n", Shape::Gnu), wanted);
        assert_eq!(rows("\\cd *x\\\\y\nAB *a/y\n", Shape::Gnu), wanted);
        assert_eq!(rows("\\MD5 (x\\\\y) = cd\nMD5 (a/y) = ab\n", Shape::Bsd), wanted);
    }

    #[test]
    fn digests_of_one_file_come_together() {
        let (md5, sha256) = ("d".repeat(32), "e".repeat(64));
        let wanted = [format!("{md5},{sha256}  a (1) = b,c")];
        let bsd = format!("MD5 (a (1) = b,c) = {md5}\nSHA256 (a (1) = b,c) = {sha256}\n");
        assert_eq!(rows(&bsd, Shape::Bsd), wanted);
        let hashdeep = format!("%%%% HASHDEEP-1.0\n%%%% size,md5\n## x\n1,{md5},{sha256},a (1) = b,c\n");
        assert_eq!(rows(&hashdeep, Shape::Hashdeep), wanted);
    }

    fn output(text: &str) -> Result<Rows> {
        read_output(text.as_bytes(), Shape::Gnu)
    }

    #[test]
    fn the_odd_one_out_is_named() {
        let judged = judge(&[output("aa  x\n"), output("bb  x\n"), output("aa  x\n"), output("")]);
        assert_eq!(judged[0], Judgement::Same);
        assert_eq!(judged[1], Judgement::Different("prints bb  x where others print aa  x".to_owned()));
        assert_eq!(judged[2], Judgement::Same);
        assert_eq!(judged[3], Judgement::Different("prints nothing".to_owned()));
    }

    #[test]
    fn a_few_files_left_out_are_no_difference() {
        let all: String = (0..2_000).map(|number| format!("aa  f{number:04}\n")).collect();
        let fewer = all.replacen("aa  f0003\n", "", 1);
        let far_fewer = &all[..100];
        let judged = judge(&[output(&all), output(&fewer), output(far_fewer), output(&all)]);
        assert_eq!(
            judged[1],
            Judgement::Incomplete("leaves out 1 of 2000 files, first aa  f0003".to_owned())
        );
        assert!(matches!(judged[2], Judgement::Different(_)));
    }
}
