//! What people write as the parameters of a study.

use hashlane_measure::sysperf_count;

/// One number of copies or iterations, or all of a range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counts(pub Vec<u64>);

/// A number of copies or iterations as sysperf writes it, or a range of them: `1Kib`, `1Kib:5Kib:1Kib`.
pub fn counts(text: &str) -> Result<Counts, String> {
    /// More values than this are no sweep that anybody waits for.
    const MOST_VALUES: u64 = 64;
    let count = |text: &str| {
        let count = sysperf_count(text).ok_or("not a count; write it like 32, 1Kib or 1M")?;
        if count == 0 { Err("0 is too few; give at least 1".to_owned()) } else { Ok(count) }
    };
    let parts: Vec<_> = text.split(':').collect();
    match parts.as_slice() {
        [one] => Ok(Counts(vec![count(one)?])),
        [least, most, step] => {
            let (least, most, step) = (count(least)?, count(most)?, count(step)?);
            if least > most || (most - least) / step >= MOST_VALUES {
                return Err(format!(
                    "not a range; give the smaller end first, and a step that yields at most {MOST_VALUES} values"
                ));
            }
            Ok(Counts((0..=(most - least) / step).map(|number| least + number * step).collect()))
        }
        _ => Err("not a range; write it like 1Kib:5Kib:1Kib".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_those_of_sysperf_and_ranges_of_them() {
        assert_eq!(counts("5Kib"), Ok(Counts(vec![5120])));
        assert_eq!(counts("1M"), Ok(Counts(vec![1 << 20])));
        assert_eq!(counts("1Kib:5Kib:2Kib"), Ok(Counts(vec![1024, 3072, 5120])));
        assert_eq!(counts("3:10:4"), Ok(Counts(vec![3, 7])));
        for wrong in ["", "0", "many", "1:2", "5:1:1", "1:2:0", "1:1M:1", "1:2:3:4", "-1", "1.5"] {
            assert!(counts(wrong).is_err(), "{wrong}");
        }
    }
}
