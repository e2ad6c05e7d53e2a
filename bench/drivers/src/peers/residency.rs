//! How much of an input lies in the page cache, and bringing all of it there.
//!
//! fincore asks mincore(2), which is right only about files that one may write; as root about all.

use std::process::Command;

use anyhow::{Context, Result, bail};

use super::inputs::Input;

/// Reads everything once, and says how much of it then lies in memory.
pub(crate) fn make_warm(input: &Input) -> Result<String> {
    let script = "find \"$0\" -type f -print0 | xargs -0 -r cat > /dev/null";
    let mut reading = Command::new("sh");
    reading.args(["-c", script, &input.name]).current_dir(&input.folder);
    if !reading.status().context("cannot read the input")?.success() {
        bail!("the input {} cannot be read to its end", input.name);
    }
    Ok(residency(input))
}

/// The share of the input's pages that is in the page cache, as fincore sees it.
pub(crate) fn residency(input: &Input) -> String {
    let script = "find \"$0\" -type f -size +0 -print0 | xargs -0 -r fincore -b -n -r -o RES,SIZE 2>/dev/null |
        awk '{ r += $1; s += int(($2 + 4095) / 4096) * 4096 } END { if (s > 0) printf \"%.4g %%\", 100 * r / s }'";
    let output = Command::new("sh").args(["-c", script, &input.name]).current_dir(&input.folder).output();
    let share = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    if share.is_empty() { "unknown".to_owned() } else { share }
}
