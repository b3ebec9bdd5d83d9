//! `sextant-agent check`: which files would be read, whether they may be, and whether the server
//! answers. It keeps nothing and locks nothing.

use std::collections::HashMap;
use std::io::Write;

use sextant_model::delivery::Hello;

use crate::config::{Config, SpoolConfig};
use crate::delivery::Server;
use crate::error::Error;
use crate::spool::{self, Sighting};
use crate::state::{self, Loaded};

/// Writes what it found to `output`. Gives back whether all is well.
pub async fn check(config: &Config, output: &mut impl Write) -> Result<bool, Error> {
    let mut is_well = true;
    for spool in &config.spools {
        is_well &= check_spool(spool, output)?;
    }
    is_well &= check_server(config, output).await?;
    Ok(is_well)
}

fn check_spool(spool: &SpoolConfig, output: &mut impl Write) -> Result<bool, Error> {
    let mut survey = spool::survey(&spool.pattern, &HashMap::new(), 0);
    survey.sightings.sort_by(|one, other| one.path.cmp(&other.path));
    let mut is_well = survey.troubles.is_empty();
    let bytes: u64 = survey.sightings.iter().map(|sighting| sighting.size).sum();
    writeln!(
        output,
        "spool {} (format {}, cluster {}): {} files, {bytes} bytes",
        spool.pattern.as_str(),
        spool.format,
        spool.cluster,
        survey.sightings.len()
    )?;
    for sighting in &survey.sightings {
        let unreadable = unreadable(sighting);
        is_well &= unreadable.is_none();
        let note = unreadable.map_or_else(|| "readable".to_owned(), |why| format!("NOT READABLE: {why}"));
        writeln!(output, "{:>14}  {}  {note}", sighting.size, sighting.path.display())?;
    }
    for trouble in &survey.troubles {
        writeln!(output, "{:>14}  {}  {}", "-", trouble.path.display(), trouble.what)?;
    }
    for path in &survey.compressed {
        writeln!(output, "{:>14}  {}  compressed copy, left alone", "-", path.display())?;
    }
    for path in &survey.foreign_links {
        writeln!(output, "{:>14}  {}  link out of the spool directory, not followed", "-", path.display())?;
    }
    Ok(is_well)
}

fn unreadable(sighting: &Sighting) -> Option<String> {
    match spool::open(&sighting.path, sighting.inode) {
        Ok(Some(_)) => None,
        Ok(None) => Some("another file took its name just now".to_owned()),
        Err(error) => Some(error.to_string()),
    }
}

async fn check_server(config: &Config, output: &mut impl Write) -> Result<bool, Error> {
    let server = Server::new(&config.server)?;
    let agent = match state::load(&config.agent.state_dir) {
        Loaded::Kept(saved) => saved.agent,
        Loaded::Absent | Loaded::Damaged(_) => "check".to_owned(),
    };
    let hello = Hello { agent, host: config.agent.host.clone(), version: env!("CARGO_PKG_VERSION").to_owned() };
    match server.positions(&hello).await {
        Ok(positions) => {
            let count = positions.positions.len();
            writeln!(output, "server {}: answers; it holds {count} files of this agent", config.server.url)?;
            Ok(true)
        }
        Err(trouble) => {
            writeln!(output, "server {}: {trouble}", config.server.url)?;
            Ok(false)
        }
    }
}
