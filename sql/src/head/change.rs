//! `UPDATE`, `DELETE` and `MERGE`: each becomes queries of the rows that it writes.

use sqlparser::tokenizer::{Span, Token, TokenWithSpan};

use super::{Head, Place, Target, Write};
use crate::cursor::{Cursor, TableName};
use crate::words::{find_outside, is, is_any, is_at, keyword, name_of, plain_name, split_commas, symbol, symbol_at};

/// `update NAME set COLUMN = …, … [from …] [where …]`
pub(super) fn update(cursor: &mut Cursor) -> Option<Head> {
    let start = cursor.position;
    let table = cursor.table()?;
    let set = find_outside(cursor.tokens, cursor.position, |tokens, at| is(&tokens[at], "set"))?;
    let named = &cursor.tokens[start..set];
    let tail = find_outside(cursor.tokens, set, |tokens, at| is_any(&tokens[at], &["from", "where"]));
    let tail = tail.unwrap_or(cursor.tokens.len());
    let (columns, values) = assignments(&cursor.tokens[set + 1..tail]);
    let mut tokens = select(values, cursor.tokens[set].span);
    if !is_at(cursor.tokens, tail, "from") {
        tokens.push(keyword("FROM", cursor.tokens[set].span));
        tokens.extend_from_slice(named);
    }
    tokens.extend_from_slice(&cursor.tokens[tail..]);
    let table = aliased(&cursor.tokens[tail..], table);
    Some(changed(&table, vec![written(&table, Some(columns), tokens)]))
}

/// `delete [NAME] from NAME [where …]`
pub(super) fn delete(cursor: &mut Cursor) -> Option<Head> {
    let first = if cursor.is("from") { None } else { cursor.table() };
    let from = find_outside(cursor.tokens, cursor.position, |tokens, at| is(&tokens[at], "from"));
    let mut query = vec![keyword("SELECT", Span::empty()), symbol(Token::Number("1".into(), false), Span::empty())];
    let table = match (from, first) {
        (Some(from), first) => {
            query.extend_from_slice(&cursor.tokens[from..]);
            cursor.position = from + 1;
            let table = cursor.table()?;
            first.map_or(table, |first| aliased(&cursor.tokens[from..], first))
        }
        (None, Some(first)) => {
            query.push(keyword("FROM", Span::empty()));
            query.extend_from_slice(&cursor.tokens[1..]);
            first
        }
        (None, None) => return None,
    };
    Some(changed(&table, vec![Write { target: Target::Removal, query }]))
}

/// `merge into NAME [[as] a] using SOURCE [[as] b] on CONDITION when …`
pub(super) fn merge(cursor: &mut Cursor) -> Option<Head> {
    cursor.eat(&["into"]);
    let start = cursor.position;
    let table = cursor.table()?;
    let using = find_outside(cursor.tokens, cursor.position, |tokens, at| is(&tokens[at], "using"))?;
    let on = find_outside(cursor.tokens, using, |tokens, at| is(&tokens[at], "on"))?;
    let mut whens = Vec::new();
    let mut position = on;
    while let Some(at) = find_outside(cursor.tokens, position, is_when) {
        whens.push(at);
        position = at + 1;
    }
    let first = *whens.first()?;
    let span = cursor.tokens[using].span;
    let mut tables = vec![keyword("FROM", span)];
    tables.extend_from_slice(&cursor.tokens[start..using]);
    tables.push(keyword("JOIN", span));
    tables.extend_from_slice(&cursor.tokens[using + 1..first]);
    let mut writes = Vec::new();
    for (index, &when) in whens.iter().enumerate() {
        let end = whens.get(index + 1).copied().unwrap_or(cursor.tokens.len());
        writes.extend(merge_clause(&cursor.tokens[when..end], &tables, &table));
    }
    Some(changed(&table, writes))
}

fn is_when(tokens: &[TokenWithSpan], at: usize) -> bool {
    is(&tokens[at], "when") && (is_at(tokens, at + 1, "matched") || is_at(tokens, at + 1, "not"))
}

/// `when [not] matched [by …] [and CONDITION] then update set … | delete | insert [(…)] values (…)`
fn merge_clause(clause: &[TokenWithSpan], tables: &[TokenWithSpan], table: &TableName) -> Option<Write> {
    // A `case … when … then … end` may stand in the condition: the last action word counts.
    let then = find_outside(clause, 0, |tokens, at| {
        is(&tokens[at], "then") && tokens.get(at + 1).is_some_and(|next| is_any(next, &["update", "delete", "insert"]))
    })?;
    let condition = find_outside(clause, 0, |tokens, at| at < then && is(&tokens[at], "and"));
    let mut filter = tables.to_vec();
    if let Some(and) = condition {
        filter.push(keyword("WHERE", clause[and].span));
        filter.extend_from_slice(&clause[and + 1..then]);
    }
    let span = clause[then].span;
    let mut cursor = Cursor::new(clause);
    cursor.position = then + 1;
    let (columns, values) = match cursor.word()?.as_str() {
        "update" => {
            cursor.eat(&["set"]);
            if symbol_at(clause, cursor.position, &Token::Mul) {
                (None, vec![])
            } else {
                let (columns, values) = assignments(cursor.rest());
                (Some(columns), values)
            }
        }
        "insert" => {
            let columns = cursor.group().map(super::listed_names);
            cursor.eat(&["values"]);
            (columns, cursor.group().map(split_commas).unwrap_or_default())
        }
        _ => {
            let mut query = vec![keyword("SELECT", span), symbol(Token::Number("1".into(), false), span)];
            query.append(&mut filter);
            return Some(Write { target: Target::Removal, query });
        }
    };
    let mut query = select(values, span);
    query.append(&mut filter);
    Some(written(table, columns, query))
}

/// `COLUMN = VALUE, …` as columns and values.
fn assignments(tokens: &[TokenWithSpan]) -> (Vec<String>, Vec<&[TokenWithSpan]>) {
    let mut columns = Vec::new();
    let mut values = Vec::new();
    for part in split_commas(tokens) {
        let Some(equals) = part.iter().position(|token| token.token == Token::Eq) else { continue };
        let Some(name) = equals.checked_sub(1).and_then(|at| name_of(&part[at])) else { continue };
        columns.push(name.to_lowercase());
        values.push(&part[equals + 1..]);
    }
    (columns, values)
}

/// `select VALUE, …`, or of everything where there are none.
fn select(values: Vec<&[TokenWithSpan]>, span: Span) -> Vec<TokenWithSpan> {
    let mut tokens = vec![keyword("SELECT", span)];
    if values.is_empty() {
        tokens.push(symbol(Token::Mul, span));
    }
    for (index, value) in values.into_iter().enumerate() {
        if index > 0 {
            tokens.push(symbol(Token::Comma, span));
        }
        // `values (1, default)`: no column.
        if value.len() == 1 && is(&value[0], "default") {
            tokens.push(keyword("NULL", span));
        } else {
            tokens.extend_from_slice(value);
        }
        tokens.push(keyword("AS", span));
        tokens.push(plain_name(format!("_c{index}"), span));
    }
    tokens
}

fn written(table: &TableName, columns: Option<Vec<String>>, query: Vec<TokenWithSpan>) -> Write {
    Write { target: Target::Set { table: table.clone(), columns }, query }
}

fn changed(table: &TableName, writes: Vec<Write>) -> Head {
    Head { outputs: vec![Place::Table(table.clone())], writes, kind: "QUERY".into(), ..Head::default() }
}

/// The table that an alias of a `from` stands for.
fn aliased(from: &[TokenWithSpan], name: TableName) -> TableName {
    let [alias] = name.parts.as_slice() else { return name };
    for at in 2..from.len() {
        if name_of(&from[at]).is_some_and(|found| found.eq_ignore_ascii_case(alias))
            && (name_of(&from[at - 1]).is_some() && !is_any(&from[at - 1], &["from", "join"]))
        {
            let mut end = at - 1;
            if is(&from[end], "as") {
                end -= 1;
            }
            let mut start = end;
            while start >= 2 && from[start - 1].token == Token::Period {
                start -= 2;
            }
            let parts: Vec<_> = from[start..=end].iter().filter_map(name_of).map(str::to_owned).collect();
            if !parts.is_empty() {
                return TableName::new(&parts, from[start].span.start);
            }
        }
    }
    name
}
