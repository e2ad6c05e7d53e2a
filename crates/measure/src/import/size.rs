//! Counts as sysperf writes them: `5120`, `5Kib`, `1M`.

/// The counts that a text may stand for, the likeliest first; none if it is not a count.
///
/// `Kib`, `Mib` and `Gib` are powers of 1024 in all of its files. Plain `K` and `Kb` were written by versions that differed:
/// they may be either, and what stands beside them in a line decides.
pub(super) fn counts(text: &str) -> Option<Vec<u64>> {
    let text = text.trim();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let number: u64 = text[..digits].parse().ok()?;
    let suffix = text[digits..].trim().to_ascii_lowercase();
    if suffix.is_empty() {
        return Some(vec![number]);
    }
    let power = match suffix.as_bytes()[0] {
        b'k' => 1,
        b'm' => 2,
        b'g' => 3,
        b't' => 4,
        _ => return None,
    };
    let scaled = |base: u64| number.checked_mul(base.checked_pow(power)?);
    match &suffix[1..] {
        "ib" | "i" => scaled(1024).map(|count| vec![count]),
        "" => Some(vec![scaled(1024)?, scaled(1000)?]),
        "b" => Some(vec![scaled(1000)?, scaled(1024)?]),
        _ => None,
    }
}

/// The count that a text stands for where nothing beside it decides; none if it is not a count. `1K` and `1Kib` are 1024.
pub fn sysperf_count(text: &str) -> Option<u64> {
    counts(text)?.first().copied()
}

/// A count as sysperf writes it: with the largest suffix that leaves a whole number, `5Kib`.
pub(crate) fn shown_count(count: u64) -> String {
    const SUFFIXES: [(u32, &str); 4] = [(40, "Tib"), (30, "Gib"), (20, "Mib"), (10, "Kib")];
    let whole = SUFFIXES.iter().find(|(power, _)| count > 0 && count.is_multiple_of(1 << power));
    whole.map_or_else(|| count.to_string(), |(power, suffix)| format!("{}{suffix}", count >> power))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_as_the_same() {
        for (count, text) in
            [(64, "64"), (1024, "1Kib"), (5120, "5Kib"), (1536, "1536"), (3 << 20, "3Mib"), (0, "0")]
        {
            assert_eq!((shown_count(count).as_str(), sysperf_count(text)), (text, Some(count)));
        }
        assert_eq!((sysperf_count("1M"), sysperf_count("many")), (Some(1 << 20), None));
    }

    #[test]
    fn suffixes_are_powers() {
        assert_eq!(counts("5120"), Some(vec![5120]));
        assert_eq!(counts("5Kib"), Some(vec![5120]));
        assert_eq!(counts("1Mib"), Some(vec![1 << 20]));
        assert_eq!(counts("5K"), Some(vec![5120, 5000]));
        assert_eq!(counts("5Kb"), Some(vec![5000, 5120]));
        assert_eq!(counts("1M"), Some(vec![1 << 20, 1_000_000]));
        for wrong in ["", "Kib", "5Q", "5Kibs", "-1", "1.5K", "99999999999999999999", "99999999999T", "5é"] {
            assert_eq!(counts(wrong), None, "{wrong}");
        }
    }
}
