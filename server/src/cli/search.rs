//! `sextant search`.

use serde_json::Value;
use sextant_search::QUERY_HELP;

use super::terminal::{Terminal, printable};
use super::{CommandError, Outcome, Session, say};
use crate::view::one_line;

/// Search entities, statements and runs.
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{QUERY_HELP}
Examples:
  sextant search 'type:table owner:etl'
  sextant search 'queryText:*temp_sample_08*'
  sextant search 'deleted:true type:table' --sort -lastSeen"))]
pub(super) struct SearchArguments {
    /// The query; several words are one query.
    #[arg(required = true, value_name = "QUERY")]
    query: Vec<String>,
    /// At most this many.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..=1000))]
    limit: u64,
    /// Where the last page ended (its `next`).
    #[arg(long)]
    cursor: Option<String>,
    /// The order: relevance, name, created, started or lastSeen; with a - before it the greatest first.
    #[arg(long, value_name = "FIELD", allow_hyphen_values = true)]
    sort: Option<String>,
    /// Fields whose values are counted, separated by commas.
    #[arg(long, value_name = "FIELDS")]
    facets: Option<String>,
}

pub(super) async fn run(session: &Session, arguments: &SearchArguments) -> Result<Outcome, CommandError> {
    let mut parameters = vec![("query", arguments.query.join(" ")), ("limit", arguments.limit.to_string())];
    for (key, value) in [("cursor", &arguments.cursor), ("sort", &arguments.sort), ("facets", &arguments.facets)] {
        if let Some(value) = value {
            parameters.push((key, value.clone()));
        }
    }
    let answer = session.client.get("/api/v1/search", &parameters).await?;
    session.show(&answer, write_table)?;
    let found = answer["results"].as_array().is_some_and(|results| !results.is_empty());
    if session.output == super::Output::Table
        && let Some(next) = answer["next"].as_str()
    {
        say(&format!("more: --cursor {next}"));
    }
    if !found && arguments.cursor.is_none() {
        hint_at_name(session, &arguments.query).await;
    }
    Ok(if found { Outcome::Done } else { Outcome::NotFound })
}

/// Names that no source has shown are not searched: says so of a query that is such a name. Whatever goes wrong here
/// changes nothing about the answer.
async fn hint_at_name(session: &Session, query: &[String]) {
    let [word] = query else { return };
    let is_name = !word.is_empty() && !word.contains(|character: char| " :*?\"()".contains(character));
    if !is_name {
        return;
    }
    if let Ok(entity) = session.client.get("/api/v1/entities", &[("name", word.clone())]).await
        && entity["knownByNameOnly"] == true
    {
        say(&format!("hint: known by name only: sextant entity {}", printable(word)));
    }
}

fn write_table(terminal: Terminal, out: &mut dyn std::io::Write, answer: &Value) -> std::io::Result<()> {
    let results = answer["results"].as_array().map_or(&[][..], Vec::as_slice);
    if !results.is_empty() {
        let rows: Vec<Vec<String>> = results.iter().map(row).collect();
        terminal.table(out, &["TYPE", "NAME", "SOURCE", "CLUSTER", "ID", "NOTE"], &rows)?;
    }
    let about = if answer["totalIsExact"] == false { "about " } else { "" };
    writeln!(out, "{} of {about}{}", results.len(), answer["total"])?;
    for (field, values) in answer["facets"].as_object().into_iter().flatten() {
        let counted: Vec<String> = values
            .as_array()
            .into_iter()
            .flatten()
            .map(|value| format!("{} {}", printable(value["value"].as_str().unwrap_or_default()), value["count"]))
            .collect();
        writeln!(out, "{}: {}", printable(field), counted.join(", "))?;
    }
    Ok(())
}

fn row(entity: &Value) -> Vec<String> {
    let text = |key: &str| entity[key].as_str().unwrap_or_default().to_owned();
    let name = entity["qualifiedName"].as_str().map_or_else(|| one_line(&text("queryText"), 70), str::to_owned);
    let note = match (entity["deleted"] == true, entity["state"] == "OUT_OF_SCOPE") {
        (true, _) => "(deleted)".to_owned(),
        (false, true) => "(out of scope)".to_owned(),
        (false, false) => match text("type").as_str() {
            "OPERATION_EXECUTION" => format!("{} {}", text("started"), text("principal")),
            _ => String::new(),
        },
    };
    vec![text("type"), name, text("sourceType"), text("cluster"), text("id"), note]
}
