//! What names mean at a place of a query: the tables in reach, and the queries that were given names.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

use sqlparser::ast::{Cte, Query};

use super::{ColumnKind, ColumnName};

/// The columns that a column's values come from.
pub(super) type Sources = Rc<BTreeSet<ColumnName>>;

/// One column of a table or a query.
#[derive(Debug, Clone)]
pub(super) struct Column {
    pub(super) name: Arc<str>,
    pub(super) sources: Sources,
    pub(super) kind: ColumnKind,
}

/// The columns of a table or a query, as far as they are known.
#[derive(Debug, Clone, Default)]
pub(super) struct Columns {
    pub(super) list: Vec<Column>,
    /// Tables of unknown columns that add theirs.
    pub(super) open: Vec<Arc<str>>,
    /// How many of the list stand before the first unknown ones.
    pub(super) before_open: usize,
}

impl Columns {
    pub(super) fn add_open(&mut self, table: Arc<str>) {
        if self.open.is_empty() {
            self.before_open = self.list.len();
        }
        if !self.open.contains(&table) {
            self.open.push(table);
        }
    }
}

/// A table, a subquery or a lateral view in reach.
#[derive(Debug, Clone, Default)]
pub(super) struct Relation {
    /// The name that columns are qualified by, in lower case.
    pub(super) alias: Arc<str>,
    /// `db.table`, where it is a table.
    pub(super) table: Option<Arc<str>>,
    pub(super) columns: Rc<Columns>,
    /// Whatever column is asked for is made of these: a table function whose results have no names.
    pub(super) any: Option<Sources>,
    /// `*` leaves it out: the right side of a semi join.
    pub(super) outside_star: bool,
    /// Columns that a join has merged with those of the tables before.
    pub(super) merged: Vec<Arc<str>>,
}

/// The tables in reach, from the innermost query outwards.
#[derive(Default)]
pub(super) struct Scope<'p> {
    pub(super) relations: Vec<Relation>,
    /// The select's own columns, where they can be named.
    pub(super) selected: Vec<Column>,
    pub(super) outer: Option<&'p Scope<'p>>,
}

/// Queries given names by `WITH`, from the innermost outwards.
#[derive(Clone, Copy, Default)]
pub(super) struct Ctes<'p> {
    pub(super) named: &'p [NamedQuery<'p>],
    pub(super) outer: Option<&'p Ctes<'p>>,
}

/// A query that was given a name; resolved when it is first asked for.
pub(super) struct NamedQuery<'p> {
    pub(super) name: String,
    pub(super) query: &'p Query,
    pub(super) columns: Vec<Arc<str>>,
    pub(super) state: RefCell<NamedQueryState>,
}

#[derive(Clone)]
pub(super) enum NamedQueryState {
    Unread,
    BeingRead,
    Read(Rc<Columns>),
}

impl<'p> NamedQuery<'p> {
    pub(super) fn new(cte: &'p Cte) -> Self {
        Self {
            name: cte.alias.name.value.to_lowercase(),
            query: &cte.query,
            columns: cte.alias.columns.iter().map(|column| column.name.value.to_lowercase().into()).collect(),
            state: RefCell::new(NamedQueryState::Unread),
        }
    }
}

impl<'p> Ctes<'p> {
    /// The query of this name, and those in reach where it was written; one that is being read is not
    /// in its own reach.
    pub(super) fn find(&'p self, name: &str) -> Option<(&'p NamedQuery<'p>, &'p Ctes<'p>)> {
        let mut level = self;
        loop {
            let found = level
                .named
                .iter()
                .rev()
                .find(|query| query.name == name && !matches!(*query.state.borrow(), NamedQueryState::BeingRead));
            match (found, level.outer) {
                (Some(query), _) => return Some((query, level)),
                (None, Some(outer)) => level = outer,
                (None, None) => return None,
            }
        }
    }
}
