//! `[[spool]]`: what is followed, and what becomes of it.

use std::time::Duration;

use sextant_model::delivery::{MAX_SPOOL_NAME_BYTES, MAX_SPOOL_PATH_BYTES};

use super::settings::{COMPRESSED, FORMATS, RETENTION_ACTIONS};
use super::written::Written;
use super::{CompressedCopies, RetentionConfig, SpoolConfig, Values, absolute, one_line};
use crate::error::Error;
use crate::spool::SpoolPattern;

/// Reads one of them.
pub(super) fn read(values: &Values) -> Result<SpoolConfig, Error> {
    let path = values.required("path")?;
    if path.text.is_empty() || path.is_number {
        return Err(values.wrong("path", &path));
    }
    let whole_path = absolute(&path.text);
    if whole_path.len() > MAX_SPOOL_PATH_BYTES {
        return Err(too_long("path", &path, MAX_SPOOL_PATH_BYTES));
    }
    let pattern = SpoolPattern::new(&whole_path).map_err(|reason| Error::Configuration {
        place: path.place.clone(),
        problem: format!("[[spool]] path = \"{}\" is not a pattern: {reason}", one_line(&path.text)),
    })?;
    // Asked for first so that a left-out format is said as such.
    values.required("format")?;
    let format = values.word("format", &FORMATS)?;
    let cluster = values.required("cluster")?;
    if cluster.text.is_empty() || cluster.text.chars().any(char::is_control) {
        return Err(values.wrong("cluster", &cluster));
    }
    if cluster.text.len() > MAX_SPOOL_NAME_BYTES {
        return Err(too_long("cluster", &cluster, MAX_SPOOL_NAME_BYTES));
    }
    let compressed = match values.word("compressed", &COMPRESSED)?.as_str() {
        "none" => CompressedCopies::None,
        "known" => CompressedCopies::Known,
        _ => CompressedCopies::All,
    };
    let retention = retention_config(values, &pattern)?;
    Ok(SpoolConfig { pattern, format, cluster: cluster.text, compressed, retention })
}

fn too_long(key: &str, written: &Written, most: usize) -> Error {
    let problem = format!("[spool] {key} is longer than the {most} bytes that the server takes");
    Error::Configuration { place: written.place.clone(), problem }
}

fn retention_config(values: &Values, pattern: &SpoolPattern) -> Result<Option<RetentionConfig>, Error> {
    let action = values.word("retention_action", &RETENTION_ACTIONS)?;
    let directory = values.path("retention_directory")?;
    let wrong_at = |key: &str, problem: &str| {
        let place = values.table.get(key).map_or(&values.place, |written| &written.place);
        Err(Error::Configuration { place: place.clone(), problem: format!("[spool] {problem}") })
    };
    match (action.as_str(), &directory) {
        ("move", None) => return wrong_at("retention_action", "retention_action = \"move\" needs retention_directory"),
        ("delete", Some(_)) => {
            return wrong_at("retention_directory", "retention_directory is for retention_action = \"move\"");
        }
        _ => {}
    }
    if values.text("retention").is_none_or(|written| written.text == "off") {
        for key in ["retention_action", "retention_directory"] {
            if values.table.contains_key(key) {
                return wrong_at(key, &format!("{key} does nothing without retention; write how long files stay"));
            }
        }
        return Ok(None);
    }
    if let Some(directory) = &directory
        && pattern.looks_into(directory)
    {
        return wrong_at(
            "retention_directory",
            &format!(
                "retention_directory = \"{}\" is in the spool, whose files it would be for again; write a directory \
                 outside",
                directory.display()
            ),
        );
    }
    let age = values.duration("retention", Duration::from_hours(1), Duration::from_hours(24 * 3650))?;
    Ok(Some(RetentionConfig { age, move_to: directory }))
}
