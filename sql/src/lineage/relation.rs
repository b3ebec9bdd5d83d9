//! What stands in `FROM`: tables, subqueries, joins, nested collections, lateral views.

use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

use sqlparser::ast::{
    Expr, FunctionArg, FunctionArgExpr, Ident, Join, JoinConstraint, JoinOperator, LateralView, ObjectName, TableAlias,
    TableFactor, TableWithJoins,
};

use super::query::{alike, is_named};
use super::resolver::{Resolver, renamed};
use super::scope::{Columns, Ctes, Relation, Scope, Sources};
use super::{ColumnKind, ControlUse};
use crate::cursor::TableName;
use crate::problem::ProblemKind;

impl Resolver<'_> {
    /// Adds the relations of one item of `FROM` to the scope.
    pub(super) fn joined(&mut self, tables: &TableWithJoins, scope: &mut Scope, ctes: &Ctes) {
        self.factor(&tables.relation, scope, ctes);
        for join in &tables.joins {
            self.join(join, scope, ctes);
        }
    }

    fn join(&mut self, join: &Join, scope: &mut Scope, ctes: &Ctes) {
        let first = scope.relations.len();
        self.factor(&join.relation, scope, ctes);
        let (constraint, is_semi) = match &join.join_operator {
            JoinOperator::Join(constraint)
            | JoinOperator::Inner(constraint)
            | JoinOperator::Left(constraint)
            | JoinOperator::LeftOuter(constraint)
            | JoinOperator::Right(constraint)
            | JoinOperator::RightOuter(constraint)
            | JoinOperator::FullOuter(constraint)
            | JoinOperator::CrossJoin(constraint)
            | JoinOperator::StraightJoin(constraint) => (constraint, false),
            JoinOperator::Semi(constraint)
            | JoinOperator::LeftSemi(constraint)
            | JoinOperator::Anti(constraint)
            | JoinOperator::LeftAnti(constraint) => (constraint, true),
            JoinOperator::RightSemi(constraint) | JoinOperator::RightAnti(constraint) => {
                for relation in &mut scope.relations[..first] {
                    relation.outside_star = true;
                }
                (constraint, false)
            }
            _ => return,
        };
        if is_semi {
            for relation in &mut scope.relations[first..] {
                relation.outside_star = true;
            }
        }
        match constraint {
            JoinConstraint::On(condition) => self.controls([condition], ControlUse::Join, scope, ctes),
            JoinConstraint::Using(names) | JoinConstraint::UsingAlias(names, _) => {
                for name in names {
                    self.join_using(name, first, scope, ctes);
                }
            }
            JoinConstraint::Natural | JoinConstraint::None => {}
        }
    }

    fn join_using(&mut self, name: &ObjectName, first: usize, scope: &mut Scope, ctes: &Ctes) {
        let Some(column) = name.0.last().and_then(|part| part.as_ident()) else { return };
        let merged: Arc<str> = column.value.to_lowercase().into();
        for relation in &mut scope.relations[first..] {
            relation.merged.push(Arc::clone(&merged));
        }
        for relation in 0..scope.relations.len() {
            let alone = Scope { relations: vec![scope.relations[relation].clone()], ..Scope::default() };
            let known = alone.relations[0].columns.list.iter().any(|column| column.name == merged);
            if known {
                self.controls([&Expr::Identifier(column.clone())], ControlUse::Join, &alone, ctes);
            }
        }
    }

    fn factor(&mut self, factor: &TableFactor, scope: &mut Scope, ctes: &Ctes) {
        match factor {
            TableFactor::Table { name, alias, args: None, .. } => {
                let mut relation = self.named_relation(name, scope, ctes);
                take_alias(&mut relation, alias.as_ref());
                scope.relations.push(relation);
            }
            TableFactor::Derived { subquery, alias, .. } => {
                // Only nested collections of the tables before are in its reach.
                let columns = self.query(subquery, scope, ctes);
                let mut relation = Relation { columns: Rc::new(columns), ..Relation::default() };
                take_alias(&mut relation, alias.as_ref());
                scope.relations.push(relation);
            }
            TableFactor::NestedJoin { table_with_joins, alias } => {
                let first = scope.relations.len();
                self.joined(table_with_joins, scope, ctes);
                if let Some(alias) = alias {
                    let mut columns = Columns::default();
                    for relation in scope.relations.drain(first..) {
                        columns.list.extend(relation.columns.list.iter().cloned());
                        for open in &relation.columns.open {
                            columns.add_open(Arc::clone(open));
                        }
                    }
                    let mut relation = Relation { columns: Rc::new(columns), ..Relation::default() };
                    take_alias(&mut relation, Some(alias));
                    scope.relations.push(relation);
                }
            }
            TableFactor::Table { args: Some(arguments), alias, .. } => {
                let relation = self.function_relation(&arguments.args, alias.as_ref(), scope, ctes);
                scope.relations.push(relation);
            }
            TableFactor::Function { args, alias, .. } => {
                let relation = self.function_relation(args, alias.as_ref(), scope, ctes);
                scope.relations.push(relation);
            }
            other => {
                let words = format!("not read: {}", other.to_string().chars().take(80).collect::<String>());
                self.problem(ProblemKind::NotParsed, sqlparser::tokenizer::Location::empty(), words);
            }
        }
    }

    fn function_relation(
        &mut self,
        arguments: &[FunctionArg],
        alias: Option<&TableAlias>,
        scope: &Scope,
        ctes: &Ctes,
    ) -> Relation {
        let mut sources = BTreeSet::new();
        for argument in arguments {
            if let FunctionArg::Unnamed(FunctionArgExpr::Expr(expression)) = argument {
                sources.extend(self.expression(expression, scope, ctes).sources);
            }
        }
        let mut relation = Relation { any: Some(Rc::new(sources)), ..Relation::default() };
        take_alias(&mut relation, alias);
        relation
    }

    /// A name in `FROM`: a query named by `WITH`, a nested collection of a table in reach, or a table.
    fn named_relation(&mut self, name: &ObjectName, scope: &Scope, ctes: &Ctes) -> Relation {
        let table = Self::table_name(name);
        if let [single] = table.parts.as_slice()
            && let Some((named, reach)) = ctes.find(single)
        {
            let columns = self.named_query(named, reach);
            return Relation { alias: single.as_str().into(), columns, ..Relation::default() };
        }
        if table.parts.len() > 1
            && let Some(relation) = self.nested_collection(&table, name, scope, ctes)
        {
            return relation;
        }
        self.table(&table)
    }

    /// Impala: `FROM orders o, o.items`, `FROM db.orders.items`.
    fn nested_collection(
        &mut self,
        table: &TableName,
        name: &ObjectName,
        scope: &Scope,
        ctes: &Ctes,
    ) -> Option<Relation> {
        let alias: Arc<str> = table.parts.last()?.as_str().into();
        let mut level = Some(scope);
        while let Some(here) = level {
            if here.relations.iter().any(|relation| is_named(relation, &table.parts[..1])) {
                let identifiers: Vec<Ident> = name.0.iter().filter_map(|part| part.as_ident()).cloned().collect();
                let found = self.expression(&Expr::CompoundIdentifier(identifiers), scope, ctes);
                return Some(Relation { alias, any: Some(Rc::new(found.sources)), ..Relation::default() });
            }
            level = here.outer;
        }
        if self.known_table(table) {
            return None;
        }
        // `db.table.collection` or `table.collection` of a table that is known.
        for length in [2, 1] {
            let Some(column) = table.parts.get(length) else { continue };
            let owner = TableName { parts: table.parts[..length].to_vec(), place: table.place };
            let qualified = self.in_database(&owner);
            let Some(known) = self.look_up(&qualified) else { continue };
            if known.all_columns().any(|found| found == column) {
                self.gathered.inputs.insert(qualified.to_string());
                let sources: Sources = super::resolver::one(&qualified, &column.as_str().into());
                return Some(Relation { alias, any: Some(sources), ..Relation::default() });
            }
        }
        None
    }

    fn known_table(&self, table: &TableName) -> bool {
        if table.parts.len() > 2 {
            return false;
        }
        self.look_up(&self.in_database(table)).is_some()
    }

    /// `LATERAL VIEW function(…) alias AS columns`.
    pub(super) fn lateral_view(&mut self, view: &LateralView, scope: &Scope, ctes: &Ctes) -> Relation {
        let found = self.expression(&view.lateral_view, scope, ctes);
        let kind = found.kind.max(ColumnKind::Expression);
        let function = match &view.lateral_view {
            Expr::Function(function) => function.name.to_string().to_lowercase(),
            _ => String::new(),
        };
        let names: Vec<String> = view.lateral_col_alias.iter().map(|name| name.value.to_lowercase()).collect();
        let mut names: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut any = None;
        if names.is_empty() {
            match function.as_str() {
                "explode" => names = vec!["col"],
                "posexplode" => names = vec!["pos", "val"],
                _ => {}
            }
            any = Some(Rc::new(found.sources.clone()));
        }
        Relation {
            alias: view.lateral_view_name.to_string().trim_matches('`').to_lowercase().into(),
            columns: Rc::new(alike(&names, &found.sources, kind)),
            any,
            ..Relation::default()
        }
    }
}

fn take_alias(relation: &mut Relation, alias: Option<&TableAlias>) {
    let Some(alias) = alias else { return };
    relation.alias = alias.name.value.to_lowercase().into();
    if !alias.columns.is_empty() {
        let names: Vec<Arc<str>> = alias.columns.iter().map(|column| column.name.value.to_lowercase().into()).collect();
        relation.columns = Rc::new(renamed((*relation.columns).clone(), &names));
        if let Some(sources) = relation.any.take() {
            let names: Vec<&str> = names.iter().map(|name| &**name).collect();
            relation.columns = Rc::new(alike(&names, &sources, ColumnKind::Expression));
        }
    }
}
