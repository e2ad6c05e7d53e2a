//! Rows of CSV that people open in a spreadsheet.
//!
//! A spreadsheet takes a cell that begins with one of a few characters for a formula, and some formulas run programs. Whoever can name a
//! file could put one there. So such a cell gets an apostrophe in front, which makes it text for a spreadsheet.

use csv::WriterBuilder;

/// A row with the end of its line. Cells are quoted where that is needed, and none of them is a formula.
pub fn spreadsheet_row<'a>(cells: impl IntoIterator<Item = &'a str>) -> String {
    let mut writer = WriterBuilder::new().from_writer(Vec::new());
    let cells =
        cells.into_iter().map(|cell| if is_formula(cell) { format!("'{cell}") } else { cell.to_owned() });
    writer.write_record(cells).expect("memory takes all");
    let bytes = writer.into_inner().expect("memory takes all");
    String::from_utf8(bytes).expect("all cells are text")
}

/// Whether a spreadsheet would compute it. Some skip spaces before they look, and some take wide letters for narrow ones.
pub fn is_formula(cell: &str) -> bool {
    let begins =
        |text: &str| text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠']);
    begins(cell) || begins(cell.trim_start())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_never_a_formula() {
        for cell in ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", " =1", "\u{a0}=1", "＝1"] {
            let row = spreadsheet_row([cell]);
            assert_eq!(row.trim_start_matches('"').chars().next(), Some('\''), "{cell:?}: {row:?}");
        }
    }

    #[test]
    fn what_is_no_formula_stays_as_it_is() {
        assert_eq!(spreadsheet_row(["a", "", "1-2", "x=y", "'"]), "a,,1-2,x=y,'\n");
        assert_eq!(
            spreadsheet_row(["a,b", "say \"no\"", "two\nlines"]),
            "\"a,b\",\"say \"\"no\"\"\",\"two\nlines\"\n"
        );
    }
}
