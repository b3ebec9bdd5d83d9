//! Where the columns of a query go.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::resolver::Resolver;
use super::scope::{Column, Columns};
use super::{ColumnLineage, ColumnName};
use crate::cursor::TableName;
use crate::head::Target;
use crate::problem::ProblemKind;

impl Resolver<'_> {
    /// What each column that is written is made of.
    pub(super) fn written(&mut self, target: &Target, columns: &Columns) -> Vec<ColumnLineage> {
        match target {
            Target::Removal => Vec::new(),
            Target::Result | Target::Directory(_) => {
                columns.list.iter().map(|column| lineage(&"".into(), &column.name, column)).collect()
            }
            Target::Create { table, columns: names, .. } => {
                let table = self.qualified(table);
                let name = |index: usize, column: &Column| -> Arc<str> {
                    names
                        .as_ref()
                        .and_then(|names| names.get(index))
                        .map_or(Arc::clone(&column.name), |name| name.as_str().into())
                };
                let columns = columns.list.iter().enumerate();
                columns.map(|(index, column)| lineage(&table, &name(index, column), column)).collect()
            }
            Target::Set { table, columns: listed } => {
                let Some(names) = listed.clone().or_else(|| self.insertable(table, &[], &[])) else {
                    return Vec::new();
                };
                self.by_position(table, &names, columns)
            }
            Target::Insert { table, columns: listed, dynamic_partitions, fixed } => {
                let Some(mut names) = listed.clone().or_else(|| self.insertable(table, dynamic_partitions, fixed))
                else {
                    return Vec::new();
                };
                names.extend(
                    dynamic_partitions.iter().filter(|name| !names.contains(name)).cloned().collect::<Vec<_>>(),
                );
                let mut written = self.by_position(table, &names, columns);
                if listed.is_some() {
                    names.extend_from_slice(fixed);
                    written.extend(self.left_out(table, &names));
                }
                written
            }
        }
    }

    /// The columns that an insert with a list of columns leaves empty.
    fn left_out(&mut self, table: &TableName, names: &[String]) -> Vec<ColumnLineage> {
        let qualified = self.qualified(table);
        let known = self.look_up(&qualified).unwrap_or_default();
        let empty = |name: &String| ColumnLineage {
            target: ColumnName { table: Arc::clone(&qualified), column: name.as_str().into() },
            sources: BTreeSet::new(),
            kind: super::ColumnKind::Expression,
        };
        known.all_columns().filter(|name| !names.contains(name)).map(empty).collect()
    }

    /// The columns of a table that a query without a list of columns gives, but the partitions that
    /// the statement names.
    fn insertable(&mut self, table: &TableName, dynamic: &[String], fixed: &[String]) -> Option<Vec<String>> {
        let qualified = self.qualified(table);
        let Some(known) = self.look_up(&qualified).filter(|known| known.all_columns().next().is_some()) else {
            let words = format!("the columns of {qualified} are not known");
            self.problem(ProblemKind::UnknownTarget, table.place, words);
            return None;
        };
        let is_named = |name: &&String| !dynamic.contains(name) && !fixed.contains(name);
        Some(known.all_columns().filter(is_named).cloned().collect())
    }

    fn by_position(&mut self, table: &TableName, names: &[String], columns: &Columns) -> Vec<ColumnLineage> {
        let qualified = self.qualified(table);
        let place = table.place;
        let known = if columns.open.is_empty() { columns.list.len() } else { columns.before_open };
        if columns.open.is_empty() && known != names.len() {
            let words = format!("{qualified} takes {} columns, the query gives {known}", names.len());
            self.problem(ProblemKind::UnknownTarget, place, words);
        }
        let pairs = names.iter().zip(&columns.list).take(known);
        pairs.map(|(name, column)| lineage(&qualified, &name.as_str().into(), column)).collect()
    }

    /// All columns of a table go to another's columns of the same names.
    pub(super) fn moved(&mut self, from: &TableName, to: &TableName) -> Vec<ColumnLineage> {
        let (from_name, to_name) = (self.qualified(from), self.qualified(to));
        let Some(known) = self.look_up(&from_name).or_else(|| self.look_up(&to_name)) else {
            let words = format!("the columns of {from_name} are not known");
            self.problem(ProblemKind::StarWithoutSchema, from.place, words);
            return Vec::new();
        };
        let column = |table: &Arc<str>, name: &str| ColumnName { table: Arc::clone(table), column: name.into() };
        let pair = |name: &String| ColumnLineage {
            target: column(&to_name, name),
            sources: BTreeSet::from([column(&from_name, name)]),
            kind: super::ColumnKind::Copy,
        };
        known.all_columns().map(pair).collect()
    }
}

fn lineage(table: &Arc<str>, name: &Arc<str>, column: &Column) -> ColumnLineage {
    ColumnLineage {
        target: ColumnName { table: Arc::clone(table), column: Arc::clone(name) },
        sources: (*column.sources).clone(),
        kind: column.kind,
    }
}

/// One entry for each target: several writes to one column (the cases of a merge) are united.
pub(super) fn united(all: Vec<ColumnLineage>) -> Vec<ColumnLineage> {
    let mut united: Vec<ColumnLineage> = Vec::with_capacity(all.len());
    let mut positions = std::collections::HashMap::new();
    for column in all {
        if column.target.table.is_empty() {
            united.push(column);
            continue;
        }
        if let Some(&position) = positions.get(&column.target) {
            let before: &mut ColumnLineage = &mut united[position];
            before.kind = before.kind.max(column.kind);
            before.sources.extend(column.sources);
        } else {
            positions.insert(column.target.clone(), united.len());
            united.push(column);
        }
    }
    united
}
