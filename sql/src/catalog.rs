//! What is known of tables: their columns, and the texts of views.

use std::collections::HashMap;

/// Answers what is known of a table, as of the time of the statement that is read.
pub trait Catalog {
    /// The table of this name (both parts in lower case), or nothing where it is not known.
    fn table(&self, database: &str, table: &str) -> Option<Table>;
}

/// What is known of a table or a view.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Table {
    /// Its columns in their order, in lower case, without the partition columns.
    pub columns: Vec<String>,
    /// Its partition columns in their order, in lower case.
    pub partition_columns: Vec<String>,
    /// Set for a view.
    pub view: Option<View>,
}

/// The query of a view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct View {
    /// The query's text.
    pub text: String,
    /// The database that names without one are of.
    pub database: String,
}

impl Table {
    /// A table of these columns.
    pub fn of_columns<S: Into<String>>(columns: impl IntoIterator<Item = S>) -> Self {
        Self { columns: columns.into_iter().map(Into::into).collect(), ..Self::default() }
    }

    /// All columns, in the order that `*` has them.
    pub fn all_columns(&self) -> impl Iterator<Item = &String> {
        self.columns.iter().chain(&self.partition_columns)
    }
}

/// What was noted of a name.
pub(crate) enum Noted<'t> {
    Nothing,
    /// That there is no such table any more.
    Gone,
    Table(&'t Table),
}

/// Tables kept in memory.
#[derive(Debug, Clone, Default)]
pub struct MemoryCatalog {
    /// By `db.table`; nothing where it is known that the table is no more.
    tables: HashMap<String, Option<Table>>,
}

impl MemoryCatalog {
    /// Adds or replaces a table.
    pub fn insert(&mut self, database: &str, table: &str, what: Table) {
        self.tables.insert(key(database, table), Some(what));
    }

    /// Notes that a table is no more.
    pub fn remove(&mut self, database: &str, table: &str) {
        self.tables.insert(key(database, table), None);
    }

    pub(crate) fn noted(&self, database: &str, table: &str) -> Noted<'_> {
        match self.tables.get(&key(database, table)) {
            None => Noted::Nothing,
            Some(None) => Noted::Gone,
            Some(Some(table)) => Noted::Table(table),
        }
    }
}

impl Catalog for MemoryCatalog {
    fn table(&self, database: &str, table: &str) -> Option<Table> {
        match self.noted(database, table) {
            Noted::Table(table) => Some(table.clone()),
            Noted::Nothing | Noted::Gone => None,
        }
    }
}

fn key(database: &str, table: &str) -> String {
    format!("{}.{}", database.to_lowercase(), table.to_lowercase())
}
