//! Schemas written down: a line for each table, `db.table: [column, column]`.

use std::fmt;

use crate::catalog::{MemoryCatalog, Table};

/// A line that is no schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaError {
    /// The line, from 1.
    pub line: usize,
    /// What it holds.
    pub text: String,
}

impl fmt::Display for SchemaError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "line {}: `db.table: [column, column]` expected, found: {}", self.line, self.text)
    }
}

impl std::error::Error for SchemaError {}

/// Reads schemas: `db.table: [column, column]`, one table a line, the partition columns last; lines
/// that begin with `#` are comments. A table without a database is of `default`.
pub fn read_schema(text: &str) -> Result<MemoryCatalog, SchemaError> {
    let mut catalog = MemoryCatalog::default();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') || line == "---" {
            continue;
        }
        let (name, columns) =
            read_line(line).ok_or_else(|| SchemaError { line: index + 1, text: line.chars().take(80).collect() })?;
        let (database, table) = name.split_once('.').unwrap_or(("default", &name));
        catalog.insert(database, table, Table::of_columns(columns));
    }
    Ok(catalog)
}

fn read_line(line: &str) -> Option<(String, Vec<String>)> {
    let (name, list) = line.split_once(':')?;
    let list = list.trim().strip_prefix('[')?.strip_suffix(']')?;
    let name = unquoted(name);
    let columns: Vec<String> = list.split(',').map(unquoted).collect();
    let is_whole = !name.is_empty() && !columns.iter().any(String::is_empty);
    is_whole.then_some((name, columns))
}

fn unquoted(word: &str) -> String {
    word.trim().trim_matches(['"', '\'', '`']).to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::Catalog;

    #[test]
    fn a_line_is_a_table() {
        let catalog = read_schema("# ours\nSales.Orders: [id, \"Amount\"]\n\nt: [a]\n").unwrap();
        assert_eq!(catalog.table("sales", "orders"), Some(Table::of_columns(["id", "amount"])));
        assert_eq!(catalog.table("default", "t"), Some(Table::of_columns(["a"])));
    }

    #[test]
    fn a_line_that_is_none_is_said() {
        let error = read_schema("t: [a]\nu: a, b").unwrap_err();
        assert_eq!(error.to_string(), "line 2: `db.table: [column, column]` expected, found: u: a, b");
    }
}
