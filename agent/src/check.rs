//! `sextant-agent check`: which files would be read, whether they may be, and whether the server
//! answers. It keeps nothing, locks nothing, and does not tell the server who asks: a check is no agent.

use std::collections::HashMap;
use std::fs::{self, Metadata};
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::config::{Config, SpoolConfig};
use crate::delivery::Server;
use crate::error::Error;
use crate::retention::is_older;
use crate::spool::{self, Sighting, Survey};

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
    let mut survey = spool::survey(&spool.pattern, spool.compressed, &HashMap::new(), 0);
    survey.sightings.sort_by(|one, other| one.path.cmp(&other.path));
    let mut is_well = survey.troubles.is_empty();
    let bytes: u64 = survey.sightings.iter().map(|sighting| sighting.size).sum();
    let count = survey.sightings.len();
    let (files, unit) = (if count == 1 { "file" } else { "files" }, if bytes == 1 { "byte" } else { "bytes" });
    writeln!(
        output,
        "spool {} (format {}, cluster {}): {count} {files}, {bytes} {unit}",
        spool.pattern.as_str(),
        spool.format,
        spool.cluster
    )?;
    for sighting in &survey.sightings {
        let unreadable = unreadable(sighting);
        is_well &= unreadable.is_none();
        let mut note = unreadable.map_or_else(|| "readable".to_owned(), |why| format!("NOT READABLE: {why}"));
        if let Some(what) = retention_note(spool, sighting) {
            note.push_str("; ");
            note.push_str(&what);
        }
        writeln!(output, "{:>14}  {}  {note}", sighting.size, sighting.path.display())?;
    }
    for trouble in &survey.troubles {
        writeln!(output, "{:>14}  {}  {}", "-", trouble.path.display(), trouble.what)?;
    }
    for path in &survey.compressed {
        writeln!(output, "{:>14}  {}  compressed, left alone", "-", path.display())?;
    }
    for path in &survey.foreign_links {
        writeln!(output, "{:>14}  {}  link out of the spool directory, not followed", "-", path.display())?;
    }
    for what in retention_troubles(spool, &survey) {
        is_well = false;
        writeln!(output, "{:>14}  {what}", "-")?;
    }
    Ok(is_well)
}

/// From which directories files cannot be moved where retention is to move them, as far as that is seen without
/// trying.
fn retention_troubles(spool: &SpoolConfig, survey: &Survey) -> Vec<String> {
    let Some(target) = spool.retention.as_ref().and_then(|retention| retention.move_to.as_ref()) else {
        return Vec::new();
    };
    let Some(device) = nearest(target).map(|metadata| metadata.dev()) else {
        return Vec::new();
    };
    let is_elsewhere = |directory: &&PathBuf| fs::metadata(directory).is_ok_and(|metadata| metadata.dev() != device);
    let told = |directory: &PathBuf| {
        format!(
            "retention_directory {} is on another file system than {}: its files cannot be moved there, and stay",
            target.display(),
            directory.display()
        )
    };
    survey.directories.iter().filter(is_elsewhere).map(told).collect()
}

/// The directory, or of those above it the nearest that is there.
fn nearest(directory: &Path) -> Option<Metadata> {
    directory.ancestors().find_map(|directory| fs::metadata(directory).ok())
}

/// What retention would do with the file, once the server has all of it.
fn retention_note(spool: &SpoolConfig, sighting: &Sighting) -> Option<String> {
    let retention = spool.retention.as_ref()?;
    if !sighting.superseded || !is_older(sighting.modified, retention.age) {
        return None;
    }
    Some(match &retention.move_to {
        Some(directory) => {
            let there = if directory.is_dir() { "" } else { ", which it would make" };
            format!("retention would move it to {}{there}, once it is delivered", directory.display())
        }
        None => "retention would delete it once it is delivered".to_owned(),
    })
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
    match server.health().await {
        Ok(()) => {
            writeln!(output, "server {}: answers and is ready", config.server.url)?;
            Ok(true)
        }
        Err(trouble) => {
            writeln!(output, "server {}: {trouble}", config.server.url)?;
            Ok(false)
        }
    }
}
