//! `sextant lineage`.

use std::collections::{HashMap, HashSet};
use std::io::Write;

use clap::ValueEnum;
use serde_json::Value;

use super::terminal::{Terminal, counted, printable};
use super::{CommandError, Outcome, Session};
use crate::client::segment;
use crate::view::one_line;

/// Show where data comes from and goes to.
///
/// Deleted tables are folded through (the edge names them) unless --deleted shows them. Names that
/// no source has shown are counted unless --unlinked shows them.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  sextant lineage sales.orders
  sextant lineage sales.orders --direction upstream --depth 5 --operations
  sextant lineage sales.orders.amount --columns
  sextant lineage sample_merge --deleted --unlinked
  sextant lineage sales.orders --physical
  sextant lineage hdfs://prod/warehouse/sales/orders
  sextant lineage sales.orders --as-of 2026-06-30
  sextant lineage sales.orders --between 2026-06-01..2026-07-01
  sextant lineage raw.events --to reports.revenue")]
#[expect(clippy::struct_excessive_bools, reason = "each is one switch of the command line")]
pub(super) struct LineageArguments {
    /// `db.table`, `db.table.column`, a bare name, `/path`, `hdfs://authority/path`, an operation's
    /// id, or any id.
    name: String,
    /// Which way.
    #[arg(long, value_enum, default_value_t = Way::Both)]
    direction: Way,
    /// Hops between assets, 1 to 10 (default 2; with --to 10); operations never count.
    #[arg(long, value_parser = clap::value_parser!(u8).range(1..=10))]
    depth: Option<u8>,
    /// Show only the shortest ways to this asset (and, unless --direction says one way, from it).
    #[arg(long, value_name = "NAME", conflicts_with = "entity_type")]
    to: Option<String>,
    /// Show operations as nodes.
    #[arg(long)]
    operations: bool,
    /// Show deleted assets.
    #[arg(long)]
    deleted: bool,
    /// Also follow columns that only decide which rows arrive (joins and filters).
    #[arg(long)]
    control_flow: bool,
    /// Say which columns flow into which.
    #[arg(long)]
    columns: bool,
    /// Show names that no source has shown.
    #[arg(long)]
    unlinked: bool,
    /// Show the directories of tables (a directory or file shows its tables always).
    #[arg(long)]
    physical: bool,
    /// Only what had been seen by this time (2026-06-30, 2026-06-30T12:00:00Z).
    #[arg(long, value_name = "TIME")]
    as_of: Option<String>,
    /// Only flows that were seen in this time; either end may be left out. A flow counts as seen
    /// from its first to its last run.
    #[arg(long, value_name = "FROM..TO", value_parser = parse_between, conflicts_with = "as_of")]
    between: Option<Between>,
    /// Only flows of the present life of both ends (not of tables dropped and created again).
    #[arg(long)]
    current_life: bool,
    /// At most this many nodes.
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    limit: u64,
    /// Only in this cluster.
    #[arg(long)]
    cluster: Option<String>,
    /// Only of this type: table, view, field, directory, ...
    #[arg(long = "type", value_name = "TYPE")]
    entity_type: Option<String>,
}

/// Two times as they were given.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Between {
    from: Option<String>,
    to: Option<String>,
}

fn parse_between(text: &str) -> Result<Between, String> {
    let (from, to) = text.split_once("..").ok_or("two times are wanted, such as 2026-06-01..2026-07-01")?;
    let end = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    match (end(from), end(to)) {
        (None, None) => Err("one of the two times is wanted, such as 2026-06-01..".to_owned()),
        (from, to) => Ok(Between { from, to }),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Way {
    Upstream,
    Downstream,
    Both,
}

pub(super) async fn run(session: &Session, arguments: &LineageArguments) -> Result<Outcome, CommandError> {
    let direction = match arguments.direction {
        Way::Upstream => "upstream",
        Way::Downstream => "downstream",
        Way::Both => "both",
    };
    let mut parameters = vec![("direction", direction.to_owned()), ("limit", arguments.limit.to_string())];
    // A path's own names are `from` and `to`.
    let (depth, from, to) =
        if arguments.to.is_some() { ("maxDepth", "seenFrom", "seenTo") } else { ("depth", "from", "to") };
    let between = arguments.between.as_ref();
    for (key, on) in [
        ("operations", arguments.operations),
        ("deleted", arguments.deleted),
        ("controlFlow", arguments.control_flow),
        ("columns", arguments.columns),
        ("unlinked", arguments.unlinked),
        ("physical", arguments.physical),
        ("currentLife", arguments.current_life),
    ] {
        if on {
            parameters.push((key, "true".to_owned()));
        }
    }
    for (key, value) in [
        (depth, arguments.depth.map(|depth| depth.to_string())),
        ("asOf", arguments.as_of.clone()),
        (from, between.and_then(|between| between.from.clone())),
        (to, between.and_then(|between| between.to.clone())),
        ("cluster", arguments.cluster.clone()),
        ("type", arguments.entity_type.clone()),
    ] {
        parameters.extend(value.map(|value| (key, value)));
    }
    let path = match &arguments.to {
        None => format!("/api/v1/lineage/{}", segment(&arguments.name)),
        Some(to) => {
            parameters.extend([("from", arguments.name.clone()), ("to", to.clone())]);
            "/api/v1/paths".to_owned()
        }
    };
    let answer = session.client.get(&path, &parameters).await?;
    session.show(&answer, |terminal, out, answer| Drawing::of(terminal, answer).write(out))?;
    Ok(Outcome::Done)
}

/// One side of the root.
#[derive(Clone, Copy)]
enum Side {
    Upstream,
    Downstream,
}

/// A lineage answer as an indented tree; what was drawn above is not drawn again.
struct Drawing<'a> {
    terminal: Terminal,
    answer: &'a Value,
    nodes: HashMap<&'a str, &'a Value>,
    edges: Vec<&'a Value>,
}

impl<'a> Drawing<'a> {
    fn of(terminal: Terminal, answer: &'a Value) -> Self {
        let list = |key: &str| answer[key].as_array().map_or(&[][..], Vec::as_slice);
        let nodes = list("nodes").iter().filter_map(|node| Some((node["id"].as_str()?, node))).collect();
        Self { terminal, answer, nodes, edges: list("edges").iter().collect() }
    }

    fn write(&self, out: &mut dyn Write) -> std::io::Result<()> {
        let root = self.answer["root"].as_str().unwrap_or_default();
        let direction = self.answer["direction"].as_str().unwrap_or("both");
        if let Some(node) = self.nodes.get(root) {
            writeln!(out, "{}", self.label(node))?;
        }
        for (side, word, heading) in
            [(Side::Upstream, "downstream", "comes from"), (Side::Downstream, "upstream", "goes to")]
        {
            if direction == word {
                continue;
            }
            writeln!(out, "{}", self.terminal.bold(heading))?;
            let mut drawn = HashSet::from([root]);
            let mut any = self.write_side(out, root, side, 1, &mut drawn)?;
            if let Some(node) = self.nodes.get(root) {
                any |= self.write_beyond(out, node, side, 1)?;
            }
            if !any {
                writeln!(out, "  nothing that was seen")?;
            }
        }
        if self.answer["cut"] == true {
            writeln!(out, "cut: not everything is shown; the notes say what is missing")?;
        }
        for note in self.answer["coverage"]["notes"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            writeln!(out, "note: {}", printable(note))?;
        }
        Ok(())
    }

    /// Whether anything was drawn.
    fn write_side(
        &self,
        out: &mut dyn Write,
        from: &str,
        side: Side,
        indent: usize,
        drawn: &mut HashSet<&'a str>,
    ) -> std::io::Result<bool> {
        let (near, far) = match side {
            Side::Upstream => ("target", "source"),
            Side::Downstream => ("source", "target"),
        };
        let mut any = false;
        for edge in &self.edges {
            let is_same_data = edge["type"] == "LOGICAL_PHYSICAL";
            // The same data has no direction: a directory leads to its table on either side.
            let end = if edge[near] == from {
                far
            } else if is_same_data && edge[far] == from {
                near
            } else {
                continue;
            };
            let Some(id) = edge[end].as_str() else {
                continue;
            };
            let Some(node) = self.nodes.get(id) else {
                continue;
            };
            let again = !drawn.insert(id);
            if is_same_data && again {
                continue;
            }
            any = true;
            let arrow = match side {
                _ if is_same_data => "==",
                Side::Upstream => "<-",
                Side::Downstream => "->",
            };
            let repeated = if again { " (see above)" } else { "" };
            let indentation = "  ".repeat(indent);
            writeln!(out, "{indentation}{arrow} {}{}{repeated}", self.label(node), self.edge_words(edge))?;
            for column in edge["columns"].as_array().into_iter().flatten() {
                writeln!(out, "{indentation}     {}", column_words(column))?;
            }
            if !again {
                self.write_side(out, id, side, indent + 1, drawn)?;
                self.write_beyond(out, node, side, indent + 1)?;
            }
        }
        Ok(any)
    }

    /// What lies behind a node and is not in the answer; whether there is any.
    fn write_beyond(&self, out: &mut dyn Write, node: &Value, side: Side, indent: usize) -> std::io::Result<bool> {
        let (count, is_least) = match side {
            Side::Upstream => ("moreUpstream", "moreUpstreamIsLeast"),
            Side::Downstream => ("moreDownstream", "moreDownstreamIsLeast"),
        };
        let words = match (node[count].as_u64().unwrap_or_default(), node[is_least] == true) {
            (0, false) => return Ok(false),
            (0, true) => "there may be more behind it".to_owned(),
            (more, false) => format!("{more} more behind it"),
            (more, true) => format!("at least {more} more behind it"),
        };
        writeln!(out, "{}{}", "  ".repeat(indent), self.terminal.dim(&format!("… {words}")))?;
        Ok(true)
    }

    fn label(&self, node: &Value) -> String {
        let text = |key: &str| node[key].as_str().unwrap_or_default();
        let name = node["qualifiedName"].as_str().map_or_else(|| one_line(text("queryText"), 80), str::to_owned);
        let name = printable(&name);
        let mut words = Vec::new();
        let name = if node["deleted"] == true {
            words.push("deleted".to_owned());
            self.terminal.struck(&name)
        } else {
            name
        };
        if node["unlinked"] == true {
            words.push("known by name only".to_owned());
        }
        if node["state"] == "OUT_OF_SCOPE" {
            words.push("out of scope".to_owned());
        }
        for (key, way) in [("unlinkedInputs", "input"), ("unlinkedOutputs", "output")] {
            let number = node[key].as_u64().unwrap_or_default();
            if number > 0 {
                let ways = format!("{way}s");
                words.push(format!("{} by name only", counted(number, way, &ways)));
            }
        }
        if node["type"] == "OPERATION" && node["lineageKnown"] == false {
            words.push("its records told no lineage".to_owned());
        }
        let kind = node["type"].as_str().unwrap_or("NAME").to_lowercase();
        let marks = if words.is_empty() { String::new() } else { format!(" ({})", words.join(", ")) };
        format!("{} {name}{marks}", self.terminal.dim(&kind))
    }

    fn edge_words(&self, edge: &Value) -> String {
        let mut words = Vec::new();
        if edge["type"] == "CONTROL_FLOW" {
            words.push("decides rows".to_owned());
        }
        if edge["type"] == "LOGICAL_PHYSICAL" {
            words.push(placement_words(edge));
        }
        if edge["formerIncarnation"] == true {
            words.push("former incarnation".to_owned());
        }
        let hidden: Vec<String> = edge["hides"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|hidden| {
                let name = printable(hidden["qualifiedName"].as_str().unwrap_or_default());
                format!("{name} ({})", hidden["reason"].as_str().unwrap_or("hidden"))
            })
            .collect();
        if !hidden.is_empty() {
            words.push(format!("through {}", hidden.join(", ")));
        }
        let via = edge["via"].as_array().map_or(0, Vec::len) as u64;
        if via > 0 {
            words.push(format!("by {}", counted(via, "statement", "statements")));
        }
        if let Some(last) = edge["lastSeen"].as_str() {
            words.push(format!("last seen {}", last.get(..10).unwrap_or(last)));
        }
        self.terminal.dim(&format!("  [{}]", words.join("; ")))
    }
}

/// Which location says that a table and a path hold the same data.
fn placement_words(edge: &Value) -> String {
    let written = printable(edge["location"]["written"].as_str().unwrap_or_default());
    let below = if edge["below"] == true { "below its " } else { "" };
    let of_partition = if edge["location"]["owner"] == edge["source"] {
        String::new()
    } else {
        format!(" of {}", printable(edge["location"]["ownerName"].as_str().unwrap_or_default()))
    };
    format!("{below}location {written}{of_partition}")
}

fn column_words(column: &Value) -> String {
    let text = |key: &str| printable(column[key].as_str().unwrap_or_default());
    let decides = if column["type"] == "CONTROL_FLOW" { " (decides rows)" } else { "" };
    let expression = match column["expression"].as_str() {
        Some(expression) => format!("  = {}", printable(&one_line(expression, 60))),
        None => String::new(),
    };
    format!("{} -> {}{decides}{expression}", text("source"), text("target"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn either_end_of_a_time_may_be_left_out() {
        let end = |text: &str| Some(text.to_owned());
        assert_eq!(parse_between("2026-06-01..").unwrap(), Between { from: end("2026-06-01"), to: None });
        assert_eq!(parse_between("a..b").unwrap(), Between { from: end("a"), to: end("b") });
        assert!(parse_between("..").is_err() && parse_between("2026-06-01").is_err());
    }

    #[test]
    fn a_directory_leads_to_its_table_on_both_sides() {
        let answer = json!({
            "root": "d", "direction": "both", "limit": 100, "cut": false,
            "nodes": [
                {"id": "d", "type": "DIRECTORY", "qualifiedName": "/w/t"},
                {"id": "t", "type": "TABLE", "qualifiedName": "db.t"},
                {"id": "u", "type": "TABLE", "qualifiedName": "db.u"},
            ],
            "edges": [
                {"source": "t", "target": "u", "type": "DATA_FLOW", "via": ["o"]},
                {"source": "t", "target": "d", "type": "LOGICAL_PHYSICAL", "below": false,
                 "location": {"written": "hdfs://prod/w/t", "owner": "t"}},
            ],
            "coverage": {"notes": []},
        });
        let mut out = Vec::new();
        Drawing::of(Terminal::plain(), &answer).write(&mut out).unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "directory /w/t
comes from
  == table db.t  [location hdfs://prod/w/t]
goes to
  == table db.t  [location hdfs://prod/w/t]
    -> table db.u  [by 1 statement]
"
        );
    }

    #[test]
    fn a_lineage_is_an_indented_tree() {
        let answer = json!({
            "root": "m", "direction": "both", "depth": 2, "limit": 100, "cut": true,
            "nodes": [
                {"id": "m", "type": "TABLE", "qualifiedName": "default.sample_merge", "unlinkedInputs": 1,
                 "moreDownstream": 3},
                {"id": "a", "type": "TABLE", "qualifiedName": "default.sample_07", "moreUpstream": 2},
                {"id": "t", "type": "TABLE", "qualifiedName": "default.temp_sample_07", "deleted": true},
                {"id": "g", "type": null, "qualifiedName": "default.gone", "unlinked": true},
            ],
            "edges": [
                {"source": "a", "target": "m", "type": "DATA_FLOW", "via": ["o"], "hides": [], "columns": [],
                 "lastSeen": "2026-11-30T00:00:00.000Z", "formerIncarnation": false},
                {"source": "t", "target": "m", "type": "DATA_FLOW", "via": [], "hides": [],
                 "columns": [{"source": "a.x", "target": "m.y", "type": "DATA_FLOW", "expression": null}],
                 "formerIncarnation": true},
                {"source": "g", "target": "t", "type": "CONTROL_FLOW", "via": [], "hides": [], "columns": []},
            ],
            "coverage": {"notes": ["one thing is missing"]},
        });
        let mut out = Vec::new();
        Drawing::of(Terminal::plain(), &answer).write(&mut out).unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "table default.sample_merge (1 input by name only)
comes from
  <- table default.sample_07  [by 1 statement; last seen 2026-11-30]
    … 2 more behind it
  <- table default.temp_sample_07 (deleted)  [former incarnation]
       a.x -> m.y
    <- name default.gone (known by name only)  [decides rows]
goes to
  … 3 more behind it
cut: not everything is shown; the notes say what is missing
note: one thing is missing
"
        );
    }
}
