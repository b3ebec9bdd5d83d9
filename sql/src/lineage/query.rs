//! Queries: which columns come out, and of what.

use std::collections::BTreeSet;
use std::rc::Rc;

use sqlparser::ast::{
    Distinct, Expr, GroupByExpr, NamedWindowExpr, OrderBy, OrderByKind, Query, Select, SelectItem,
    SelectItemQualifiedWildcardKind, SetExpr, SetOperator, WindowSpec, WindowType,
};
use sqlparser::tokenizer::Location;

use super::resolver::Resolver;
use super::scope::{Column, Columns, Ctes, NamedQuery, NamedQueryState, Relation, Scope};
use super::session::Dialect;
use super::{ColumnKind, ControlUse};
use crate::problem::ProblemKind;
use crate::rewrite::TRANSFORM;

impl Resolver<'_> {
    /// The columns of a query.
    pub(super) fn query(&mut self, query: &Query, outer: &Scope, ctes: &Ctes) -> Columns {
        let named: Vec<NamedQuery> = query.with.iter().flat_map(|with| &with.cte_tables).map(NamedQuery::new).collect();
        let ctes = &Ctes { named: &named, outer: Some(ctes) };
        let order_by = query.order_by.as_ref();
        if let SetExpr::Select(select) = query.body.as_ref() {
            return self.select(select, order_by, outer, ctes);
        }
        let columns = self.set_expression(&query.body, outer, ctes);
        if let Some(order_by) = order_by {
            let scope = Scope { selected: columns.list.clone(), outer: Some(outer), ..Scope::default() };
            self.order_by(order_by, &scope, ctes);
        }
        columns
    }

    /// The columns of a query that `WITH` has named.
    pub(super) fn named_query(&mut self, named: &NamedQuery, ctes: &Ctes) -> Rc<Columns> {
        if let NamedQueryState::Read(columns) = &*named.state.borrow() {
            return Rc::clone(columns);
        }
        *named.state.borrow_mut() = NamedQueryState::BeingRead;
        let columns = self.query(named.query, &Scope::default(), ctes);
        let columns = Rc::new(super::resolver::renamed(columns, &named.columns));
        *named.state.borrow_mut() = NamedQueryState::Read(Rc::clone(&columns));
        columns
    }

    fn set_expression(&mut self, expression: &SetExpr, outer: &Scope, ctes: &Ctes) -> Columns {
        // A long union leans to the left: a loop, so that its length takes no stack.
        let mut right_sides = Vec::new();
        let mut leftmost = expression;
        while let SetExpr::SetOperation { left, op, right, .. } = leftmost {
            right_sides.push((*op, right.as_ref()));
            leftmost = left;
        }
        let mut columns = self.one_set(leftmost, outer, ctes);
        for (operator, right) in right_sides.into_iter().rev() {
            let other = self.set_expression(right, outer, ctes);
            if matches!(operator, SetOperator::Except | SetOperator::Minus) {
                for column in &other.list {
                    self.control(&column.sources, ControlUse::Filter);
                }
            } else {
                self.unite(&mut columns, other);
            }
        }
        columns
    }

    fn unite(&mut self, columns: &mut Columns, other: Columns) {
        for (column, with) in columns.list.iter_mut().zip(&other.list) {
            column.kind = column.kind.max(with.kind);
            if self.spend(with.sources.len()) && !with.sources.is_subset(&column.sources) {
                Rc::make_mut(&mut column.sources).extend(with.sources.iter().cloned());
            }
        }
        for table in other.open {
            columns.add_open(table);
        }
    }

    fn one_set(&mut self, expression: &SetExpr, outer: &Scope, ctes: &Ctes) -> Columns {
        match expression {
            SetExpr::Select(select) => self.select(select, None, outer, ctes),
            SetExpr::Query(query) => self.query(query, outer, ctes),
            SetExpr::Values(values) => {
                let scope = Scope { outer: Some(outer), ..Scope::default() };
                let mut columns = Columns::default();
                for row in &values.rows {
                    let mut of_row = Columns::default();
                    for (index, value) in row.content.iter().enumerate() {
                        let found = self.expression(value, &scope, ctes);
                        of_row.list.push(found.named(format!("col{}", index + 1).into()));
                    }
                    if columns.list.is_empty() {
                        columns = of_row;
                    } else {
                        self.unite(&mut columns, of_row);
                    }
                }
                columns
            }
            SetExpr::SetOperation { .. } => self.set_expression(expression, outer, ctes),
            SetExpr::Table(_) | SetExpr::Insert(_) | SetExpr::Update(_) | SetExpr::Delete(_) | SetExpr::Merge(_) => {
                let words = "a statement stands where a query is expected";
                self.problem(ProblemKind::NotParsed, Location::empty(), words);
                Columns::default()
            }
        }
    }

    fn select(&mut self, select: &Select, order_by: Option<&OrderBy>, outer: &Scope, ctes: &Ctes) -> Columns {
        let mut scope = Scope { outer: Some(outer), ..Scope::default() };
        for table in &select.from {
            self.joined(table, &mut scope, ctes);
        }
        for view in &select.lateral_views {
            let relation = self.lateral_view(view, &scope, ctes);
            scope.relations.push(relation);
        }
        let columns = self.projection(&select.projection, &scope, ctes);
        if let Some(Distinct::On(expressions)) = &select.distinct {
            self.controls(expressions, ControlUse::Group, &scope, ctes);
        }
        self.controls(&select.selection, ControlUse::Filter, &scope, ctes);
        scope.selected.clone_from(&columns.list);
        if let GroupByExpr::Expressions(expressions, _) = &select.group_by {
            self.controls(expressions, ControlUse::Group, &scope, ctes);
        }
        self.controls(&select.having, ControlUse::Filter, &scope, ctes);
        self.controls(&select.cluster_by, ControlUse::Order, &scope, ctes);
        self.controls(&select.distribute_by, ControlUse::Order, &scope, ctes);
        self.controls(select.sort_by.iter().map(|sort| &sort.expr), ControlUse::Order, &scope, ctes);
        for window in &select.named_window {
            if let NamedWindowExpr::WindowSpec(window) = &window.1 {
                self.window(window, &scope, ctes);
            }
        }
        if let Some(order_by) = order_by {
            self.order_by(order_by, &scope, ctes);
        }
        columns
    }

    fn order_by(&mut self, order_by: &OrderBy, scope: &Scope, ctes: &Ctes) {
        if let OrderByKind::Expressions(expressions) = &order_by.kind {
            self.controls(expressions.iter().map(|order| &order.expr), ControlUse::Order, scope, ctes);
        }
    }

    pub(super) fn controls<'e>(
        &mut self,
        expressions: impl IntoIterator<Item = &'e Expr>,
        usage: ControlUse,
        scope: &Scope,
        ctes: &Ctes,
    ) {
        for expression in expressions {
            let found = self.expression(expression, scope, ctes);
            self.control(&found.sources, usage);
        }
    }

    /// What a window is partitioned and ordered by.
    pub(super) fn window(&mut self, window: &WindowSpec, scope: &Scope, ctes: &Ctes) {
        self.controls(&window.partition_by, ControlUse::Window, scope, ctes);
        self.controls(window.order_by.iter().map(|order| &order.expr), ControlUse::Window, scope, ctes);
    }

    pub(super) fn over(&mut self, over: &WindowType, scope: &Scope, ctes: &Ctes) {
        if let WindowType::WindowSpec(window) = over {
            self.window(window, scope, ctes);
        }
    }

    fn projection(&mut self, items: &[SelectItem], scope: &Scope, ctes: &Ctes) -> Columns {
        let mut columns = Columns::default();
        for (position, item) in items.iter().enumerate() {
            match item {
                SelectItem::UnnamedExpr(expression) => {
                    let name = self.unnamed(expression, position);
                    let found = self.expression(expression, scope, ctes);
                    columns.list.push(found.named(name.into()));
                }
                SelectItem::ExprWithAlias { expr, alias } => {
                    let found = self.expression(expr, scope, ctes);
                    columns.list.push(found.named(alias.value.to_lowercase().into()));
                }
                SelectItem::ExprWithAliases { expr, aliases } => {
                    let mut found = self.expression(expr, scope, ctes);
                    if matches!(expr, Expr::Function(function) if function.name.to_string().trim_matches('`') == TRANSFORM)
                    {
                        found.kind = ColumnKind::Script;
                    }
                    let sources = Rc::new(found.sources);
                    if self.spend(sources.len() * aliases.len()) {
                        columns.list.extend(aliases.iter().map(|alias| Column {
                            name: alias.value.to_lowercase().into(),
                            sources: Rc::clone(&sources),
                            kind: found.kind,
                        }));
                    }
                }
                SelectItem::Wildcard(options) => {
                    let place = options.wildcard_token.0.span.start;
                    self.star(&scope.relations, place, &mut columns);
                }
                SelectItem::QualifiedWildcard(kind, options) => {
                    let place = options.wildcard_token.0.span.start;
                    self.qualified_star(kind, scope, ctes, place, &mut columns);
                }
            }
        }
        columns
    }

    /// The name of a column that was given none.
    fn unnamed(&self, expression: &Expr, position: usize) -> String {
        match expression {
            Expr::Identifier(name) => name.value.to_lowercase(),
            Expr::CompoundIdentifier(parts) => parts.last().map(|part| part.value.to_lowercase()).unwrap_or_default(),
            Expr::Nested(inner) => self.unnamed(inner, position),
            Expr::CompoundFieldAccess { access_chain, .. } => match access_chain.last() {
                Some(sqlparser::ast::AccessExpr::Dot(Expr::Identifier(name))) => name.value.to_lowercase(),
                _ => format!("_c{position}"),
            },
            _ if self.dialect == Dialect::Impala => expression.to_string().to_lowercase(),
            _ => format!("_c{position}"),
        }
    }

    fn qualified_star(
        &mut self,
        kind: &SelectItemQualifiedWildcardKind,
        scope: &Scope,
        ctes: &Ctes,
        place: Location,
        columns: &mut Columns,
    ) {
        let name = match kind {
            SelectItemQualifiedWildcardKind::ObjectName(name) => Self::table_name(name),
            SelectItemQualifiedWildcardKind::Expr(expression) => {
                let found = self.expression(expression, scope, ctes);
                columns.list.push(found.named("*".into()));
                return;
            }
        };
        let mut level = Some(scope);
        while let Some(here) = level {
            if let Some(relation) = here.relations.iter().find(|relation| is_named(relation, &name.parts)) {
                let mut alone = relation.clone();
                alone.outside_star = false;
                alone.merged.clear();
                return self.star(&[alone], place, columns);
            }
            level = here.outer;
        }
        let words = format!("no table in reach is named {}", name.parts.join("."));
        self.problem(ProblemKind::UnknownColumn, place, words);
    }

    fn star(&mut self, relations: &[Relation], place: Location, columns: &mut Columns) {
        for relation in relations.iter().filter(|relation| !relation.outside_star) {
            if !self.spend(relation.columns.list.len()) {
                return;
            }
            let shown = relation.columns.list.iter().filter(|column| !relation.merged.contains(&column.name));
            columns.list.extend(shown.cloned());
            if relation.any.is_some() && relation.columns.list.is_empty() {
                let words = format!("what {} holds is not known", relation.alias);
                self.problem(ProblemKind::StarWithoutSchema, place, words);
            }
            for open in &relation.columns.open {
                if relation.table.is_some() {
                    let words = format!("the columns of {open} are not known");
                    self.problem(ProblemKind::StarWithoutSchema, place, words);
                }
                columns.add_open(open.clone());
            }
        }
    }
}

/// Whether a relation is meant by `alias` or `db.table`.
pub(super) fn is_named(relation: &Relation, parts: &[String]) -> bool {
    match parts {
        [alias] => *relation.alias == **alias,
        [database, table] => relation
            .table
            .as_ref()
            .and_then(|name| name.split_once('.'))
            .is_some_and(|found| found == (database.as_str(), table.as_str())),
        _ => false,
    }
}

/// Columns that nothing is known of but their sources.
pub(super) fn alike(names: &[&str], sources: &BTreeSet<super::ColumnName>, kind: ColumnKind) -> Columns {
    let sources = Rc::new(sources.clone());
    let list = names.iter().map(|name| Column { name: (*name).into(), sources: Rc::clone(&sources), kind });
    Columns { list: list.collect(), ..Columns::default() }
}
