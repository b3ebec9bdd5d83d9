//! What a process has used so far, from `/proc`.

use std::fs;

use anyhow::{Context, Result};

/// Linux counts processor time for `/proc` in hundredths of a second.
const TICKS_PER_SECOND: f64 = 100.0;

/// Processor time of a process with all its threads, seconds.
pub(super) fn cpu_seconds(pid: u32) -> Result<f64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).context("the process is gone")?;
    // The name of the program stands in parentheses and may hold blanks.
    let (_, numbers) = stat.rsplit_once(')').context("a stat without a name")?;
    let numbers: Vec<&str> = numbers.split_whitespace().collect();
    let ticks = |index: usize| numbers.get(index).and_then(|text| text.parse::<f64>().ok()).context("a short stat");
    Ok((ticks(11)? + ticks(12)?) / TICKS_PER_SECOND)
}
