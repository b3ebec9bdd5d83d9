//! Figures become a marked section of `docs/benchmarks.md`; the words around it stay.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// A table of figures.
#[derive(Debug, Default)]
pub(crate) struct Report {
    rows: Vec<(String, String)>,
}

impl Report {
    /// Adds one figure and shows it at once.
    pub(crate) fn row(&mut self, what: impl Into<String>, figure: impl Into<String>) {
        let (what, figure) = (what.into(), figure.into());
        eprintln!("  {what}: {figure}");
        self.rows.push((what, figure));
    }

    /// Replaces the section between `<!-- bench:NAME -->` and `<!-- end -->`.
    pub(crate) fn write(&self, name: &str) -> Result<()> {
        let path = page();
        let page_text = fs::read_to_string(&path).with_context(|| format!("{}", path.display()))?;
        let begin = format!("<!-- bench:{name} -->");
        let start =
            page_text.find(&begin).with_context(|| format!("{}: no section {begin}", path.display()))? + begin.len();
        let end = start + page_text[start..].find("<!-- end -->").context("the section has no end")?;
        let mut section = String::from("\n\n| what | figure |\n|---|---|\n");
        for (what, figure) in &self.rows {
            let _ = writeln!(section, "| {what} | {figure} |");
        }
        section.push('\n');
        fs::write(&path, format!("{}{section}{}", &page_text[..start], &page_text[end..]))?;
        Ok(())
    }
}

fn page() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/benchmarks.md")
}

/// The values at 50 % and 95 % of the sorted samples, in milliseconds.
pub(crate) fn percentiles(samples: &mut [f64]) -> (f64, f64) {
    samples.sort_by(f64::total_cmp);
    let at = |share: f64| samples[((samples.len() - 1) as f64 * share) as usize];
    (at(0.5), at(0.95))
}

/// Bytes of all files below a folder.
pub(crate) fn disk_bytes(folder: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(folder) else { return 0 };
    entries
        .flatten()
        .map(|entry| match entry.metadata() {
            Ok(metadata) if metadata.is_dir() => disk_bytes(&entry.path()),
            Ok(metadata) => metadata.len(),
            Err(_) => 0,
        })
        .sum()
}

/// Resident and peak memory of a process in MiB, from `/proc`.
pub(crate) fn memory_mib(pid: u32) -> (u64, u64) {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let value = |key: &str| {
        status
            .lines()
            .find_map(|line| line.strip_prefix(key)?.split_whitespace().next()?.parse::<u64>().ok())
            .map_or(0, |kib| kib / 1024)
    };
    (value("VmRSS:"), value("VmHWM:"))
}
