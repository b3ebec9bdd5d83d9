//! `sextant entity`.

use std::io::Write;

use serde_json::Value;

use super::terminal::{Terminal, counted, printable, printable_lines};
use super::{CommandError, Outcome, Session, history, physical};
use crate::client::segment;
use crate::view::one_line;

/// Keys that the table for people says in its own way, or not at all.
const SAID_OTHERWISE: &[&str] = &[
    "id",
    "type",
    "qualifiedName",
    "originalName",
    "parentId",
    "position",
    "deleted",
    "state",
    "usedBy",
    "usedByTotal",
    "queryText",
    "queryTexts",
    "inputs",
    "outputs",
    "unlinked",
    "knownByNameOnly",
    "userIsService",
    "principalOriginal",
    "userNote",
    "location",
    "locatedHere",
    "locatedHereTotal",
    "locatedAbove",
    "locatedAboveTotal",
    "locatedBelow",
    "namespaceState",
    "note",
    "fileCount",
    "directoryCount",
    "totalSize",
    "totalSizeWithCopies",
    "smallFileCount",
    "bytesByQuarter",
    "lastChanged",
    "nameQuota",
    "spaceQuota",
    "formerPaths",
    "trash",
    "movedToTrash",
];
/// Parts that are listed.
const LISTED_PARTS: &str = "200";

/// Show one entity, operation or run, with its parts and who uses it.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  sextant entity sales.orders
  sextant entity orders --type view
  sextant entity sales.orders --history
  sextant entity sales.orders.customer_id -o json
  sextant entity /warehouse/sales/orders
  sextant entity hdfs://prod/warehouse/sales

A bare name means the one living entity of that name, `default.` first; when none lives, the one
that is deleted. An id works everywhere.")]
pub(super) struct EntityArguments {
    /// `db.table`, `db.table.column`, a bare name, `/path`, `hdfs://authority/path`, or an id.
    name: String,
    /// Only in this cluster.
    #[arg(long)]
    cluster: Option<String>,
    /// Only of this type: table, view, field, database, directory, file, ...
    #[arg(long = "type", value_name = "TYPE")]
    entity_type: Option<String>,
    /// Show what became of it instead: its lives, its names, and what runs found changed of it.
    #[arg(long)]
    history: bool,
}

pub(super) async fn run(session: &Session, arguments: &EntityArguments) -> Result<Outcome, CommandError> {
    let mut parameters = Vec::new();
    for (key, value) in [("cluster", &arguments.cluster), ("type", &arguments.entity_type)] {
        if let Some(value) = value {
            parameters.push((key, value.clone()));
        }
    }
    let path = format!("/api/v1/entities/{}", segment(&arguments.name));
    if arguments.history {
        return history::show(session, &path, &parameters).await;
    }
    let answer = session.client.get(&path, &parameters).await?;
    let parts = match (session.output, answer["type"].as_str(), answer["id"].as_str()) {
        (super::Output::Table, Some("TABLE" | "VIEW" | "DATABASE" | "DIRECTORY"), Some(id)) => {
            let path = format!("/api/v1/entities/{}/children", segment(id));
            session.client.get(&path, &[("limit", LISTED_PARTS.to_owned())]).await?
        }
        _ => Value::Null,
    };
    session.show(&answer, |terminal, out, entity| write_entity(terminal, out, entity, &parts))?;
    Ok(Outcome::Done)
}

fn write_entity(terminal: Terminal, out: &mut dyn Write, entity: &Value, parts: &Value) -> std::io::Result<()> {
    write_heading(terminal, out, entity)?;
    for (key, value) in entity.as_object().into_iter().flatten() {
        if SAID_OTHERWISE.contains(&key.as_str()) || value.is_null() {
            continue;
        }
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        if !value.is_empty() {
            writeln!(out, "  {} {}", terminal.dim(&format!("{:<20}", printable(key))), printable(&value))?;
        }
    }
    if let Some(note) = entity["userNote"].as_str() {
        writeln!(out, "  {} {note}", terminal.dim(&format!("{:<20}", "user")))?;
    }
    if let Some(text) = entity["queryText"].as_str() {
        writeln!(out, "\n{}", printable_lines(text))?;
    }
    physical::write(terminal, out, entity)?;
    write_ends(terminal, out, entity, "inputs")?;
    write_ends(terminal, out, entity, "outputs")?;
    write_parts(terminal, out, parts)?;
    write_users(terminal, out, entity)
}

fn write_heading(terminal: Terminal, out: &mut dyn Write, entity: &Value) -> std::io::Result<()> {
    let name = entity["qualifiedName"].as_str().or(entity["originalName"].as_str()).unwrap_or("without a name");
    let name = printable(&one_line(name, 120));
    let (name, state) = if entity["unlinked"] == true {
        (terminal.bold(&name), " (known by name only: no source has shown it)")
    } else if entity["deleted"] == true {
        (terminal.struck(&name), " (deleted)")
    } else if entity["state"] == "OUT_OF_SCOPE" {
        (terminal.bold(&name), " (out of scope: the configured patterns no longer cover it)")
    } else {
        (terminal.bold(&name), "")
    };
    let entity_type = entity["type"].as_str().unwrap_or("NAME");
    writeln!(out, "{entity_type} {name}{state}")?;
    writeln!(out, "  {} {}", terminal.dim(&format!("{:<20}", "id")), entity["id"].as_str().unwrap_or_default())
}

fn write_ends(terminal: Terminal, out: &mut dyn Write, entity: &Value, key: &str) -> std::io::Result<()> {
    let Some(ends) = entity[key].as_array() else {
        return Ok(());
    };
    writeln!(out, "\n{}", terminal.bold(key))?;
    if ends.is_empty() {
        let why = if entity["lineageKnown"] == false { "unknown: its records told no lineage" } else { "none" };
        return writeln!(out, "  {why}");
    }
    for end in ends {
        let note = if end["linked"] == true { "" } else { " (known by name only)" };
        writeln!(out, "  {}{note}", printable(end["name"].as_str().unwrap_or_default()))?;
    }
    Ok(())
}

fn write_parts(terminal: Terminal, out: &mut dyn Write, parts: &Value) -> std::io::Result<()> {
    let Some(results) = parts["results"].as_array().filter(|results| !results.is_empty()) else {
        return Ok(());
    };
    writeln!(out)?;
    let rows: Vec<Vec<String>> = results
        .iter()
        .map(|part| {
            let text = |key: &str| part[key].as_str().unwrap_or_default().to_owned();
            let mut note = if part["deleted"] == true { "(deleted) ".to_owned() } else { String::new() };
            if part["partitionKey"] == true {
                note.push_str("partition key ");
            }
            note.push_str(&one_line(&text("originalDescription"), 60));
            vec![text("originalName"), text("type"), text("dataType"), note]
        })
        .collect();
    terminal.table(out, &["NAME", "TYPE", "DATA TYPE", "NOTE"], &rows)?;
    if !parts["next"].is_null() {
        writeln!(out, "… and more; -o json and /api/v1/entities/ID/children list all")?;
    }
    Ok(())
}

fn write_users(terminal: Terminal, out: &mut dyn Write, entity: &Value) -> std::io::Result<()> {
    let Some(users) = entity["usedBy"].as_array() else {
        return Ok(());
    };
    let total = entity["usedByTotal"].as_u64().unwrap_or_default();
    if total == 0 {
        return writeln!(out, "\nno statement that was seen reads or writes it");
    }
    writeln!(out, "\n{}", terminal.bold(&format!("used by {}", counted(total, "statement", "statements"))))?;
    let rows: Vec<Vec<String>> = users
        .iter()
        .map(|user| {
            let text = |key: &str| user[key].as_str().unwrap_or_default().to_owned();
            let role = if user["role"] == "output" { "writes it" } else { "reads it" };
            vec![
                text("lastSeen"),
                role.to_owned(),
                if user["userIsService"] == true {
                    format!("{} (service)", text("principal"))
                } else {
                    text("principal")
                },
                text("operation"),
                one_line(&text("queryText"), 70),
            ]
        })
        .collect();
    terminal.table(out, &["LAST RUN", "ROLE", "USER", "OPERATION", "STATEMENT"], &rows)
}
