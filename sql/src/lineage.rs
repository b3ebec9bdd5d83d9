//! What statements read, write and compute, from their text.
//!
//! Guaranteed: every text has an answer, nothing panics, the time and the depth are bounded, and
//! what could not be read is in the statement's problems.

mod expression;
mod query;
mod relation;
mod resolver;
mod scope;
mod session;
mod target;

use std::collections::BTreeSet;
use std::fmt;

use serde::{Serialize, Serializer};

use crate::problem::Problem;

pub use session::{Dialect, Reader, Views};

/// What one statement does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Statement {
    /// The line of the text where it begins, from 1.
    pub line: u64,
    /// In Hive's words (`QUERY`, `CREATETABLE_AS_SELECT`, ...); where Hive has none, its first words.
    pub kind: String,
    /// The tables (`db.table`) and paths that are read, in order.
    pub inputs: BTreeSet<String>,
    /// The tables (`db.table`) and paths that are written, in order.
    pub outputs: BTreeSet<String>,
    /// What each column that is written is made of.
    pub columns: Vec<ColumnLineage>,
    /// The columns that decide which rows there are, and in which order.
    pub control: BTreeSet<Control>,
    /// What could not be resolved.
    pub problems: BTreeSet<Problem>,
}

/// What one column is made of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ColumnLineage {
    /// The column that is written; without a table, a column of what is shown or of a directory.
    pub target: ColumnName,
    /// The columns whose values go into it: none for a constant.
    pub sources: BTreeSet<ColumnName>,
    /// How.
    pub kind: ColumnKind,
}

/// How a column is made of others.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ColumnKind {
    /// The value as it is.
    Copy,
    /// Computed from values of one row, or constant.
    #[default]
    Expression,
    /// Computed from values of several rows.
    Aggregation,
    /// Computed by a script that nothing is known of.
    Script,
}

/// A column that has a say in which rows there are.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Control {
    /// The column.
    pub source: ColumnName,
    /// Where it stands.
    #[serde(rename = "use")]
    pub usage: ControlUse,
}

/// Where a column that controls stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ControlUse {
    /// In the condition of a join.
    Join,
    /// In `WHERE` or `HAVING`.
    Filter,
    /// In `GROUP BY`.
    Group,
    /// In `ORDER BY`, `SORT BY`, `DISTRIBUTE BY` or `CLUSTER BY`.
    Order,
    /// In what a window is partitioned or ordered by.
    Window,
}

/// A column's name, `db.table.column` where it is of a table.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ColumnName {
    /// Its table, `db.table`, or empty.
    pub table: std::sync::Arc<str>,
    /// The column.
    pub column: std::sync::Arc<str>,
}

impl fmt::Display for ColumnName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.table.is_empty() {
            write!(out, "{}.", self.table)?;
        }
        out.write_str(&self.column)
    }
}

impl Serialize for ColumnName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
