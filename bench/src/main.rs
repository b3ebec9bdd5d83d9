//! Measurements of the main paths, each beside a peer where there is one. The figures go into
//! `docs/benchmarks.md`; nothing here is asserted by a test.
//!
//! usage: `sextant-bench [intake|million|agent|search|graph|browser|columns|hms|namespace|fsimage|listing]...` (all of them without a name)

#![expect(clippy::print_stderr, reason = "a measurement shows its figures while it runs")]

mod agent;
mod browser;
mod columns;
mod fsimage;
mod graph;
mod hms;
mod intake;
mod listing;
mod namespace;
mod records;
mod report;
mod search;

use anyhow::{Result, bail};
use report::Report;

type Measurement = fn(&mut Report) -> Result<()>;

const MEASUREMENTS: [(&str, Measurement); 11] = [
    ("intake", intake::run),
    ("million", intake::million),
    ("agent", agent::run),
    ("search", search::run),
    ("graph", graph::run),
    ("browser", browser::run),
    ("columns", columns::run),
    ("hms", hms::run),
    ("namespace", namespace::run),
    ("fsimage", fsimage::run),
    ("listing", listing::run),
];

fn main() -> Result<()> {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let known = MEASUREMENTS.map(|(name, _)| name);
    if let Some(unknown) = wanted.iter().find(|name| !known.contains(&name.as_str())) {
        bail!("no measurement is called {unknown}; there are {}", known.join(", "));
    }
    for (name, measure) in MEASUREMENTS {
        if wanted.is_empty() || wanted.iter().any(|wanted| wanted == name) {
            eprintln!("{name}");
            let mut report = Report::default();
            measure(&mut report)?;
            report.write(name)?;
        }
    }
    Ok(())
}
