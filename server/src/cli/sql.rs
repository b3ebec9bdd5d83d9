//! `sextant sql`: what statements read, write and compute, without a server.

use std::fmt::Display;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use sextant_sql::{Catalog, Dialect, MemoryCatalog, Reader, Statement, Views, read_schema};

use super::asking::Output;
use super::terminal::printable;
use super::{Outcome, complain};

/// Say what SQL statements read, write and compute, column by column.
///
/// Schemas come from statements earlier in the text and from `--schema`; without one, a `*` stays a
/// `*`, and the answer says so. No server is needed.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  sextant sql load.sql --schema tables.txt -o json
  echo 'insert into t select a, b from u' | sextant sql --dialect impala

A line of a schema file is `db.table: [column, column]`, the partition columns last.")]
pub(super) struct SqlArguments {
    /// The statements; without it, what comes in on stdin.
    file: Option<PathBuf>,
    /// Whose SQL it is.
    #[arg(long, value_enum, default_value = "hive")]
    dialect: DialectArgument,
    /// A file of the columns of tables.
    #[arg(long, value_name = "FILE")]
    schema: Option<PathBuf>,
    /// Whether the sources of columns are the tables that a view is made of, or the view.
    #[arg(long, value_enum, default_value = "through")]
    views: ViewsArgument,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum DialectArgument {
    Hive,
    Impala,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ViewsArgument {
    Through,
    Kept,
}

pub(super) fn run(arguments: &SqlArguments, output: Output) -> Outcome {
    let catalog = match arguments.schema.as_deref().map(schema).transpose() {
        Ok(catalog) => catalog,
        Err(words) => {
            complain(&words, None);
            return Outcome::Usage;
        }
    };
    let text = match text(arguments.file.as_deref()) {
        Ok(text) => text,
        Err(error) => {
            let name = arguments.file.as_ref().map_or("stdin".into(), |file| file.display().to_string());
            complain(&format!("{name}: cannot read: {error}"), None);
            return Outcome::Failed;
        }
    };
    let dialect = match arguments.dialect {
        DialectArgument::Hive => Dialect::Hive,
        DialectArgument::Impala => Dialect::Impala,
    };
    let views = match arguments.views {
        ViewsArgument::Through => Views::Through,
        ViewsArgument::Kept => Views::Kept,
    };
    let catalog = catalog.as_ref().map(|catalog| catalog as &dyn Catalog);
    let statements = Reader::new(dialect, views, catalog).read(&text);
    match write(&statements, output) {
        Ok(()) => Outcome::Done,
        // A reader that has seen enough (`| head`) is no failure.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Outcome::Done,
        Err(error) => {
            complain(&format!("cannot write: {error}"), None);
            Outcome::Failed
        }
    }
}

fn schema(file: &Path) -> Result<MemoryCatalog, String> {
    let text = std::fs::read_to_string(file).map_err(|error| format!("{}: cannot read: {error}", file.display()))?;
    read_schema(&text).map_err(|error| format!("{}: {error}", file.display()))
}

/// The text; bytes that are no UTF-8 become replacement characters, which can be no part of a name.
fn text(file: Option<&Path>) -> std::io::Result<String> {
    let mut bytes = Vec::new();
    match file {
        Some(file) => bytes = std::fs::read(file)?,
        None => {
            std::io::stdin().lock().read_to_end(&mut bytes)?;
        }
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn write(statements: &[Statement], output: Output) -> std::io::Result<()> {
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for statement in statements {
        match output {
            Output::Json => {
                serde_json::to_writer(&mut out, statement)?;
                writeln!(out)?;
            }
            Output::Table => write_for_people(statement, &mut out)?,
        }
    }
    out.flush()
}

fn write_for_people(statement: &Statement, out: &mut impl Write) -> std::io::Result<()> {
    writeln!(out, "line {}: {}", statement.line, printable(&statement.kind))?;
    if !statement.inputs.is_empty() {
        writeln!(out, "  reads   {}", listed(&statement.inputs))?;
    }
    if !statement.outputs.is_empty() {
        writeln!(out, "  writes  {}", listed(&statement.outputs))?;
    }
    for column in &statement.columns {
        let sources = if column.sources.is_empty() { "no column".to_owned() } else { listed(&column.sources) };
        writeln!(out, "  {} <- {sources} ({})", printable(&column.target.to_string()), word(&column.kind))?;
    }
    for control in &statement.control {
        writeln!(out, "  {}: {}", word(&control.usage), printable(&control.source.to_string()))?;
    }
    for problem in &statement.problems {
        writeln!(out, "  unclear at {}:{}: {}", problem.line, problem.column, printable(&problem.message))?;
    }
    Ok(())
}

fn listed<T: Display>(names: impl IntoIterator<Item = T>) -> String {
    let names: Vec<String> = names.into_iter().map(|name| printable(&name.to_string())).collect();
    names.join(", ")
}

/// The word that JSON has for it.
fn word(value: &impl serde::Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}
