//! Reading a text statement by statement, and learning from each what it does to tables.

use std::collections::BTreeSet;

use super::resolver::Resolver;
use super::{ColumnLineage, Statement};
use crate::catalog::{Catalog, MemoryCatalog, Noted, Table, View};
use crate::cursor::TableName;
use crate::head::{self, Effect, Head, Place, Target};
use crate::scan::scanned_inputs;
use crate::script::{self, RawStatement};
use sqlparser::tokenizer::Location;

/// Which engine's statements they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Dialect {
    /// Apache Hive.
    #[default]
    Hive,
    /// Apache Impala.
    Impala,
}

/// What the sources of columns are where a view is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Views {
    /// The columns of the tables that the view is made of, as Hive and Impala record it.
    #[default]
    Through,
    /// The columns of the view.
    Kept,
}

/// Stack for one statement: a long chain of operators is a deep tree.
const STACK_BYTES: usize = 256 << 20;

/// Statements of fewer tokens are worked out on the stack that is there.
const SMALL: usize = 2_000;

/// Reads statements one after another; each knows what those before have defined.
pub struct Reader<'c> {
    dialect: Dialect,
    views: Views,
    database: String,
    tables: Tables<'c>,
}

/// What is known of tables: first what the text has said, then what the catalog says.
struct Tables<'c> {
    learned: MemoryCatalog,
    base: Option<&'c dyn Catalog>,
}

impl Catalog for Tables<'_> {
    fn table(&self, database: &str, table: &str) -> Option<Table> {
        match self.learned.noted(database, table) {
            Noted::Table(table) => Some(table.clone()),
            Noted::Gone => None,
            Noted::Nothing => self.base?.table(database, table),
        }
    }
}

impl<'c> Reader<'c> {
    /// A reader that asks `catalog`, if there is one, for tables that the text does not define.
    pub fn new(dialect: Dialect, views: Views, catalog: Option<&'c dyn Catalog>) -> Self {
        let tables = Tables { learned: MemoryCatalog::default(), base: catalog };
        Self { dialect, views, database: "default".into(), tables }
    }

    /// Sets the database that names without one are of, as `USE` does; at first it is `default`.
    pub fn use_database(&mut self, database: &str) {
        self.database = database.to_lowercase();
    }

    /// What each statement of the text does.
    pub fn read(&mut self, text: &str) -> Vec<Statement> {
        script::split(text).into_iter().map(|raw| self.statement(raw)).collect()
    }

    fn statement(&mut self, raw: RawStatement) -> Statement {
        let grown = raw.tokens.len() > SMALL;
        let work = || self.statement_here(raw);
        if grown { stacker::grow(STACK_BYTES, work) } else { stacker::maybe_grow(1 << 20, 16 << 20, work) }
    }

    fn statement_here(&mut self, raw: RawStatement) -> Statement {
        let start = raw.tokens.first().map_or(Location::new(1, 1), |token| token.span.start);
        let mut resolver = Resolver::new(&self.tables, self.views, self.dialect, self.database.clone());
        let mut outputs = BTreeSet::new();
        let mut columns: Vec<ColumnLineage> = Vec::new();
        let mut effects = Vec::new();
        let head = if let Some(problem) = raw.problem {
            let mut scanned = head::read(&raw.tokens);
            // Nothing of it is parsed, but what it names is read off.
            scanned.writes.clear();
            scanned.effects.clear();
            scanned.moved = None;
            scanned.inputs.extend(scanned_inputs(&raw.tokens).into_iter().map(Place::Table));
            resolver.gathered.problems.insert(problem);
            scanned
        } else {
            head::read(&raw.tokens)
        };
        let Head { kind, inputs, outputs: written, writes, moved, effects: of_head } = head;
        for place in inputs {
            let name = named(&mut resolver, place);
            resolver.gathered.inputs.insert(name);
        }
        for place in written {
            outputs.insert(named(&mut resolver, place));
        }
        for write in writes {
            let read = resolver.tokens(&write.query).unwrap_or_default();
            let of_write = resolver.written(&write.target, &read);
            if let Target::Create { table, partition_columns, view, .. } = write.target {
                let mut names: Vec<String> = of_write.iter().map(|column| column.target.column.to_string()).collect();
                if !read.open.is_empty() {
                    names.clear();
                }
                names.retain(|name| !partition_columns.contains(name));
                effects.push((resolver.qualified(&table), names, partition_columns, view));
            }
            columns.extend(of_write);
        }
        if let Some((from, to)) = moved {
            columns.extend(resolver.moved(&from, &to));
        }
        let gathered = std::mem::take(&mut resolver.gathered);
        for (table, names, partition_columns, text) in effects {
            let view = text.map(|text| View { text, database: self.database.clone() });
            if let Some((database, name)) = table.split_once('.') {
                self.tables.learned.insert(database, name, Table { columns: names, partition_columns, view });
            }
        }
        for effect in of_head {
            self.learn(effect);
        }
        Statement {
            line: start.line,
            kind,
            inputs: gathered.inputs,
            outputs,
            columns: super::target::united(columns),
            control: gathered.control,
            problems: gathered.problems,
        }
    }

    fn learn(&mut self, effect: Effect) {
        match effect {
            Effect::Use(database) => self.database = database,
            Effect::Define { table, columns, partition_columns } => {
                self.define(&table, Table { columns, partition_columns, view: None });
            }
            Effect::Like { table, model } => {
                if let Some(known) = self.known(&model) {
                    self.define(&table, Table { view: None, ..known });
                }
            }
            Effect::Drop(table) => {
                let (database, name) = self.split(&table);
                self.tables.learned.remove(&database, &name);
            }
            Effect::Rename { from, to } => {
                if let Some(known) = self.known(&from) {
                    self.define(&to, known);
                }
                self.learn(Effect::Drop(from));
            }
            Effect::AddColumns { table, columns } => self.change(&table, |known| known.columns.extend(columns)),
            Effect::ReplaceColumns { table, columns } => self.change(&table, |known| known.columns = columns),
            Effect::RenameColumn { table, from, to } => self.change(&table, |known| {
                for column in known.columns.iter_mut().filter(|column| **column == from) {
                    column.clone_from(&to);
                }
            }),
            Effect::DropColumn { table, column } => {
                self.change(&table, |known| known.columns.retain(|known| *known != column));
            }
        }
    }

    fn split(&self, table: &TableName) -> (String, String) {
        match table.parts.as_slice() {
            [database, name, ..] => (database.clone(), name.clone()),
            [name] => (self.database.clone(), name.clone()),
            [] => (self.database.clone(), String::new()),
        }
    }

    fn known(&self, table: &TableName) -> Option<Table> {
        let (database, name) = self.split(table);
        self.tables.table(&database, &name)
    }

    fn define(&mut self, table: &TableName, what: Table) {
        let (database, name) = self.split(table);
        self.tables.learned.insert(&database, &name, what);
    }

    fn change(&mut self, table: &TableName, change: impl FnOnce(&mut Table)) {
        if let Some(mut known) = self.known(table) {
            change(&mut known);
            self.define(table, known);
        }
    }
}

fn named(resolver: &mut Resolver, place: Place) -> String {
    match place {
        Place::Table(table) => resolver.qualified(&table).to_string(),
        Place::Path(path) => path,
    }
}
