//! What is gathered while a statement is worked out, and the tables it names.

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;
use std::sync::Arc;

use sqlparser::ast::{Ident, ObjectName};
use sqlparser::tokenizer::{Location, TokenWithSpan};

use super::scope::{Column, Columns, Ctes, Relation, Scope, Sources};
use super::session::{Dialect, Views};
use super::{ColumnKind, ColumnName, Control, ControlUse};
use crate::catalog::{Catalog, Table, View};
use crate::cursor::TableName;
use crate::parse::{parse_query, parse_text};
use crate::problem::{Problem, ProblemKind};
use crate::scan::scanned_inputs;

/// How deep views may be made of views.
const MAX_VIEWS: usize = 32;

/// How many sources may be noted for one statement, all columns together.
const MAX_SOURCES: usize = 4_000_000;

pub(super) struct Resolver<'c> {
    pub(super) catalog: &'c dyn Catalog,
    pub(super) views: Views,
    pub(super) dialect: Dialect,
    pub(super) database: String,
    pub(super) gathered: Gathered,
    /// Tables and views looked up before.
    known: HashMap<Arc<str>, Rc<Columns>>,
    views_in_progress: Vec<Arc<str>>,
    spent: usize,
}

/// What a statement was found to read.
#[derive(Default, Clone)]
pub(super) struct Gathered {
    pub(super) inputs: BTreeSet<String>,
    pub(super) control: BTreeSet<Control>,
    pub(super) problems: BTreeSet<Problem>,
}

impl<'c> Resolver<'c> {
    pub(super) fn new(catalog: &'c dyn Catalog, views: Views, dialect: Dialect, database: String) -> Self {
        Self {
            catalog,
            views,
            dialect,
            database,
            gathered: Gathered::default(),
            known: HashMap::new(),
            views_in_progress: Vec::new(),
            spent: 0,
        }
    }

    pub(super) fn problem(&mut self, kind: ProblemKind, place: Location, message: impl Into<String>) {
        self.gathered.problems.insert(Problem::at(kind, place, message));
    }

    /// Counts work; false once there was too much of it.
    pub(super) fn spend(&mut self, amount: usize) -> bool {
        self.spent = self.spent.saturating_add(amount);
        if self.spent <= MAX_SOURCES {
            return true;
        }
        if !self.gathered.problems.iter().any(|problem| problem.kind == ProblemKind::TooLarge) {
            let words = format!("more than {MAX_SOURCES} sources: columns are incomplete");
            self.problem(ProblemKind::TooLarge, Location::empty(), words);
        }
        false
    }

    pub(super) fn control(&mut self, sources: &BTreeSet<ColumnName>, usage: ControlUse) {
        if self.spend(sources.len()) {
            self.gathered.control.extend(sources.iter().map(|source| Control { source: source.clone(), usage }));
        }
    }

    /// The columns of a query that is given as tokens: none where it cannot be parsed.
    pub(super) fn tokens(&mut self, tokens: &[TokenWithSpan]) -> Option<Columns> {
        match parse_query(tokens) {
            Ok(query) => Some(self.query(&query, &Scope::default(), &Ctes::default())),
            Err(problem) => {
                self.gathered.problems.insert(problem);
                for table in scanned_inputs(tokens) {
                    let name = self.qualified(&table);
                    self.gathered.inputs.insert(name.to_string());
                }
                None
            }
        }
    }

    /// `db.table` of a table's name.
    pub(super) fn qualified(&mut self, name: &TableName) -> Arc<str> {
        if name.parts.iter().any(|part| part.contains("${")) {
            let words = format!("the name has a variable: {}", name.parts.join("."));
            self.problem(ProblemKind::UnresolvedVariable, name.place, words);
        }
        self.in_database(name)
    }

    /// `db.table` of a name that nothing is noted of.
    pub(super) fn in_database(&self, name: &TableName) -> Arc<str> {
        match name.parts.as_slice() {
            [table] => format!("{}.{table}", self.database).into(),
            // A third part names a snapshot or other data about the table.
            [database, table, ..] => format!("{database}.{table}").into(),
            [] => "".into(),
        }
    }

    pub(super) fn table_name(name: &ObjectName) -> TableName {
        let identifiers: Vec<&Ident> = name.0.iter().filter_map(|part| part.as_ident()).collect();
        let place = identifiers.first().map_or(Location::empty(), |first| first.span.start);
        let parts: Vec<String> = identifiers.iter().map(|part| part.value.clone()).collect();
        TableName::new(&parts, place)
    }

    /// Notes that a table is read, and answers its columns.
    pub(super) fn table(&mut self, name: &TableName) -> Relation {
        let qualified = self.qualified(name);
        self.gathered.inputs.insert(qualified.to_string());
        let columns = if let Some(columns) = self.known.get(&qualified) {
            Rc::clone(columns)
        } else {
            let columns = Rc::new(self.read_table(&qualified, name.place));
            self.known.insert(Arc::clone(&qualified), Rc::clone(&columns));
            columns
        };
        let alias = qualified.rsplit('.').next().unwrap_or_default().into();
        Relation { alias, table: Some(qualified), columns, ..Relation::default() }
    }

    /// What the catalog has of `db.table`.
    pub(super) fn look_up(&self, qualified: &str) -> Option<Table> {
        let (database, table) = qualified.split_once('.')?;
        self.catalog.table(database, table)
    }

    fn read_table(&mut self, qualified: &Arc<str>, place: Location) -> Columns {
        let Some(table) = self.look_up(qualified) else {
            return Columns { open: vec![Arc::clone(qualified)], ..Columns::default() };
        };
        let names: Vec<Arc<str>> = table.all_columns().map(|name| name.to_lowercase().into()).collect();
        if let Some(view) = &table.view {
            if self.views == Views::Through {
                if let Some(columns) = self.view(qualified, view, place) {
                    return renamed(columns, &names);
                }
            } else if names.is_empty() {
                let before = self.gathered.clone();
                let columns = self.view(qualified, view, place);
                self.gathered = before;
                let names = columns.into_iter().flat_map(|columns| columns.list).map(|column| column.name);
                return own_columns(qualified, names);
            }
        }
        if names.is_empty() {
            return Columns { open: vec![Arc::clone(qualified)], ..Columns::default() };
        }
        own_columns(qualified, names)
    }

    /// The columns of a view's query, or nothing where it cannot be read.
    fn view(&mut self, qualified: &Arc<str>, view: &View, place: Location) -> Option<Columns> {
        if self.views_in_progress.contains(qualified) || self.views_in_progress.len() >= MAX_VIEWS {
            let words = format!("views are made of each other, or more than {MAX_VIEWS} deep: {qualified}");
            self.problem(ProblemKind::TooLarge, place, words);
            return None;
        }
        let query = match parse_text(&view.text) {
            Ok(query) => query,
            Err(problem) => {
                let words = format!("the text of the view {qualified} was not parsed: {}", problem.message);
                self.problem(ProblemKind::NotParsed, place, words);
                return None;
            }
        };
        self.views_in_progress.push(Arc::clone(qualified));
        let database = std::mem::replace(&mut self.database, view.database.clone());
        let problems = self.gathered.problems.clone();
        let columns = self.query(&query, &Scope::default(), &Ctes::default());
        // What is unclear in the view has no place in this text.
        let of_view: Vec<_> = self.gathered.problems.difference(&problems).cloned().collect();
        self.gathered.problems = problems;
        for problem in of_view {
            self.problem(problem.kind, place, format!("in the view {qualified}: {}", problem.message));
        }
        self.database = database;
        self.views_in_progress.pop();
        Some(columns)
    }
}

/// A query's columns under other names, as many as there are.
pub(super) fn renamed(mut columns: Columns, names: &[Arc<str>]) -> Columns {
    for (column, name) in columns.list.iter_mut().zip(names) {
        column.name = Arc::clone(name);
    }
    columns
}

fn own_columns(table: &Arc<str>, names: impl IntoIterator<Item = Arc<str>>) -> Columns {
    let list = names.into_iter().map(|name| Column { sources: one(table, &name), name, kind: ColumnKind::Copy });
    Columns { list: list.collect(), ..Columns::default() }
}

/// The one column of this table.
pub(super) fn one(table: &Arc<str>, column: &Arc<str>) -> Sources {
    Rc::new(BTreeSet::from([ColumnName { table: Arc::clone(table), column: Arc::clone(column) }]))
}
