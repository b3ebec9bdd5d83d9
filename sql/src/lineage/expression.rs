//! Expressions: which columns they are made of, and how.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::rc::Rc;
use std::sync::Arc;

use sqlparser::ast::{
    AccessExpr, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Ident, Query, Visit, Visitor,
};

use super::resolver::{Resolver, one};
use super::scope::{Column, Ctes, Relation, Scope, Sources};
use super::{ColumnKind, ColumnName, query::is_named};
use crate::problem::ProblemKind;

/// Functions of several rows.
const AGGREGATES: [&str; 42] = [
    "count",
    "sum",
    "avg",
    "min",
    "max",
    "collect_set",
    "collect_list",
    "group_concat",
    "ndv",
    "appx_median",
    "appx_count_distinct",
    "approx_count_distinct",
    "histogram_numeric",
    "percentile",
    "percentile_approx",
    "percentile_cont",
    "percentile_disc",
    "stddev",
    "stddev_pop",
    "stddev_samp",
    "std",
    "variance",
    "variance_pop",
    "variance_samp",
    "var_pop",
    "var_samp",
    "corr",
    "covar_pop",
    "covar_samp",
    "regr_slope",
    "regr_intercept",
    "regr_r2",
    "regr_count",
    "regr_avgx",
    "regr_avgy",
    "regr_sxx",
    "regr_syy",
    "regr_sxy",
    "bloom_filter",
    "compute_stats",
    "context_ngrams",
    "ngrams",
];

/// Columns that every Hive or Impala table has without listing them.
const VIRTUAL_COLUMNS: [&str; 10] = [
    "input__file__name",
    "block__offset__inside__file",
    "row__offset__inside__block",
    "raw__data__size",
    "row__id",
    "row__is__deleted",
    "partition__spec__id",
    "partition__hash",
    "file__path",
    "iceberg__data__sequence__number",
];

/// What an expression is made of.
#[derive(Default)]
pub(super) struct Found {
    pub(super) sources: BTreeSet<ColumnName>,
    pub(super) kind: ColumnKind,
}

impl Found {
    pub(super) fn named(self, name: Arc<str>) -> Column {
        Column { name, sources: Rc::new(self.sources), kind: self.kind }
    }
}

impl Resolver<'_> {
    /// What an expression is made of.
    pub(super) fn expression(&mut self, expression: &Expr, scope: &Scope, ctes: &Ctes) -> Found {
        let mut plain = expression;
        while let Expr::Nested(inner) = plain {
            plain = inner;
        }
        let path = match plain {
            Expr::Identifier(name) => Some(std::slice::from_ref(name)),
            Expr::CompoundIdentifier(path) => Some(path.as_slice()),
            _ => None,
        };
        if let Some(path) = path {
            let Some((sources, kind)) = self.column(path, scope) else { return Found::default() };
            if !self.spend(sources.len()) {
                return Found::default();
            }
            return Found { sources: (*sources).clone(), kind };
        }
        let mut walk = Walk { resolver: self, scope, ctes, found: Found::default(), depth: 0, skipped_from: None };
        let _ = expression.visit(&mut walk);
        walk.found
    }

    /// The column that a name of one part or more means, or nothing (and a problem).
    fn column(&mut self, path: &[Ident], scope: &Scope) -> Option<(Sources, ColumnKind)> {
        let parts: Vec<String> = path.iter().map(|part| part.value.to_lowercase()).collect();
        let first = path.first()?;
        let place = first.span.start;
        if first.value.contains("${") {
            let words = format!("a variable that was not replaced: {}", first.value);
            self.problem(ProblemKind::UnresolvedVariable, place, words);
            return None;
        }
        let mut level = Some(scope);
        while let Some(here) = level {
            match find_here(&parts, here) {
                Meaning::Column(sources, kind) => return Some((sources, kind)),
                Meaning::Several(tables) => {
                    let words = format!("{} may be of any of: {}", parts.join("."), tables.join(", "));
                    self.problem(ProblemKind::AmbiguousColumn, place, words);
                    return None;
                }
                Meaning::Nothing => level = here.outer,
            }
        }
        let words = format!("no table in reach has the column {}", parts.join("."));
        self.problem(ProblemKind::UnknownColumn, place, words);
        None
    }
}

enum Meaning {
    Column(Sources, ColumnKind),
    /// Which of these tables it is of cannot be said.
    Several(Vec<String>),
    Nothing,
}

fn find_here(parts: &[String], scope: &Scope) -> Meaning {
    for qualifier in [1, 2] {
        if parts.len() <= qualifier {
            break;
        }
        let named = scope.relations.iter().find(|relation| is_named(relation, &parts[..qualifier]));
        let Some(relation) = named else { continue };
        let is_field = parts.len() > qualifier + 1;
        if let Some((sources, kind)) = known_column(relation, &parts[qualifier]) {
            return Meaning::Column(sources, if is_field { kind.max(ColumnKind::Expression) } else { kind });
        }
        if let Some((sources, kind)) = assumed_column(relation, &parts[qualifier]) {
            return Meaning::Column(sources, if is_field { kind.max(ColumnKind::Expression) } else { kind });
        }
    }
    let name = &parts[0];
    let field = |kind: ColumnKind| if parts.len() > 1 { kind.max(ColumnKind::Expression) } else { kind };
    let mut known = scope.relations.iter().filter_map(|relation| Some((relation, known_column(relation, name)?)));
    if let Some((first, (sources, kind))) = known.next() {
        let others: Vec<_> = known.filter(|(other, _)| !other.outside_star).collect();
        if others.is_empty() || others.iter().all(|(other, _)| other.merged.iter().any(|merged| **merged == **name)) {
            return Meaning::Column(sources, field(kind));
        }
        let mut tables = vec![describe(first)];
        tables.extend(others.iter().map(|(other, _)| describe(other)));
        return Meaning::Several(tables);
    }
    if let Some(column) = scope.selected.iter().find(|column| *column.name == **name) {
        return Meaning::Column(Rc::clone(&column.sources), field(column.kind));
    }
    let mut assumed = scope.relations.iter().filter_map(|relation| Some((relation, assumed_column(relation, name)?)));
    let Some((first, (sources, kind))) = assumed.next() else { return Meaning::Nothing };
    let others: Vec<_> = assumed.map(|(other, _)| describe(other)).collect();
    if others.is_empty() {
        return Meaning::Column(sources, field(kind));
    }
    Meaning::Several([vec![describe(first)], others].concat())
}

fn describe(relation: &Relation) -> String {
    relation.table.as_deref().unwrap_or(&relation.alias).to_owned()
}

fn known_column(relation: &Relation, name: &str) -> Option<(Sources, ColumnKind)> {
    let column = relation.columns.list.iter().find(|column| *column.name == *name)?;
    Some((Rc::clone(&column.sources), column.kind))
}

/// A column that the relation may have, since not all of its columns are known.
fn assumed_column(relation: &Relation, name: &str) -> Option<(Sources, ColumnKind)> {
    if let Some(any) = &relation.any {
        return Some((Rc::clone(any), ColumnKind::Expression));
    }
    if let [open] = relation.columns.open.as_slice() {
        return Some((one(open, &name.into()), ColumnKind::Copy));
    }
    let table = relation.table.as_ref().filter(|_| VIRTUAL_COLUMNS.contains(&name))?;
    Some((one(table, &name.into()), ColumnKind::Copy))
}

/// Gathers the columns of an expression.
struct Walk<'w, 'c, 's> {
    resolver: &'w mut Resolver<'c>,
    scope: &'s Scope<'s>,
    ctes: &'s Ctes<'s>,
    found: Found,
    depth: usize,
    /// The depth from which on everything was already looked at in another way.
    skipped_from: Option<usize>,
}

impl Walk<'_, '_, '_> {
    fn add(&mut self, sources: &BTreeSet<ColumnName>, kind: ColumnKind) {
        if self.resolver.spend(sources.len()) {
            self.found.sources.extend(sources.iter().cloned());
        }
        self.found.kind = self.found.kind.max(kind);
    }

    fn add_column(&mut self, path: &[Ident]) {
        if let Some((sources, kind)) = self.resolver.column(path, self.scope) {
            self.add(&sources, kind);
        }
    }

    fn add_expression(&mut self, expression: &Expr) {
        let found = self.resolver.expression(expression, self.scope, self.ctes);
        self.add(&found.sources, found.kind);
    }

    /// Whether all there is to say of the function was said.
    fn function(&mut self, function: &Function) -> bool {
        let name = function.name.to_string().trim_matches('`').to_lowercase();
        if AGGREGATES.contains(&name.as_str()) || function.over.is_some() {
            self.found.kind = self.found.kind.max(ColumnKind::Aggregation);
        }
        if name == crate::rewrite::TRANSFORM {
            self.add_wildcards(function);
        }
        let Some(over) = &function.over else { return false };
        if let FunctionArguments::List(list) = &function.args {
            for argument in &list.args {
                let (FunctionArg::Unnamed(argument)
                | FunctionArg::Named { arg: argument, .. }
                | FunctionArg::ExprNamed { arg: argument, .. }) = argument;
                if let FunctionArgExpr::Expr(expression) = argument {
                    self.add_expression(expression);
                }
            }
        }
        self.resolver.over(over, self.scope, self.ctes);
        true
    }

    /// `transform(*)` reads all columns.
    fn add_wildcards(&mut self, function: &Function) {
        let FunctionArguments::List(list) = &function.args else { return };
        for argument in &list.args {
            let qualifier = match argument {
                FunctionArg::Unnamed(FunctionArgExpr::Wildcard) => None,
                FunctionArg::Unnamed(FunctionArgExpr::QualifiedWildcard(name)) => Some(Resolver::table_name(name)),
                _ => continue,
            };
            let scope = self.scope;
            for relation in &scope.relations {
                if qualifier.as_ref().is_none_or(|name| is_named(relation, &name.parts)) {
                    for column in &relation.columns.list {
                        self.add(&column.sources, column.kind);
                    }
                }
            }
        }
    }

    fn enter(&mut self, is_done: bool) -> ControlFlow<()> {
        self.depth += 1;
        if is_done && self.skipped_from.is_none() {
            self.skipped_from = Some(self.depth);
        }
        ControlFlow::Continue(())
    }

    fn leave(&mut self) -> ControlFlow<()> {
        if self.skipped_from == Some(self.depth) {
            self.skipped_from = None;
        }
        self.depth -= 1;
        ControlFlow::Continue(())
    }
}

impl Visitor for Walk<'_, '_, '_> {
    type Break = ();

    fn pre_visit_expr(&mut self, expression: &Expr) -> ControlFlow<()> {
        if self.skipped_from.is_some() {
            return self.enter(false);
        }
        let is_done = match expression {
            Expr::Identifier(name) => {
                self.add_column(std::slice::from_ref(name));
                true
            }
            Expr::CompoundIdentifier(path) => {
                self.add_column(path);
                true
            }
            Expr::CompoundFieldAccess { root, access_chain } => {
                self.field_access(root, access_chain);
                true
            }
            Expr::Function(function) => self.function(function),
            // Which rows there are says nothing of what they hold: inside, all columns control.
            Expr::Exists { subquery, .. } => {
                self.resolver.query(subquery, self.scope, self.ctes);
                true
            }
            _ => false,
        };
        self.enter(is_done)
    }

    fn post_visit_expr(&mut self, _: &Expr) -> ControlFlow<()> {
        self.leave()
    }

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        if self.skipped_from.is_none() {
            let columns = self.resolver.query(query, self.scope, self.ctes);
            for column in &columns.list {
                self.add(&column.sources, column.kind);
            }
        }
        self.enter(true)
    }

    fn post_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
        self.leave()
    }
}

impl Walk<'_, '_, '_> {
    /// `a.b[0].c`: names up to the first bracket are one path, what is in brackets is computed.
    fn field_access(&mut self, root: &Expr, chain: &[AccessExpr]) {
        let mut path = match root {
            Expr::Identifier(name) => vec![name.clone()],
            Expr::CompoundIdentifier(path) => path.clone(),
            _ => vec![],
        };
        let mut is_path = !path.is_empty();
        if !is_path {
            self.add_expression(root);
        }
        for access in chain {
            match access {
                AccessExpr::Dot(Expr::Identifier(name)) if is_path => path.push(name.clone()),
                AccessExpr::Dot(_) => is_path = false,
                AccessExpr::Subscript(subscript) => {
                    is_path = false;
                    if let sqlparser::ast::Subscript::Index { index } = subscript {
                        self.add_expression(index);
                    }
                }
            }
        }
        if !path.is_empty() {
            self.add_column(&path);
        }
    }
}
