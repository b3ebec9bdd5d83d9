//! The last resort for a query that cannot be parsed: the names behind `FROM`, `JOIN` and the commas
//! between tables. Who uses it says so.

use std::collections::HashSet;

use sqlparser::tokenizer::{Token, TokenWithSpan};

use crate::cursor::{Cursor, TableName};
use crate::words::{begins_query, is, is_any, is_at, name_of, symbol_at};

/// Words that no table is named by without quotes.
const NO_TABLES: [&str; 14] = [
    "select",
    "table",
    "values",
    "lateral",
    "uniquejoin",
    "from",
    "where",
    "group",
    "order",
    "having",
    "join",
    "on",
    "union",
    "insert",
];

/// The names of tables that the tokens seem to read.
pub(crate) fn scanned_inputs(tokens: &[TokenWithSpan]) -> Vec<TableName> {
    let defined = defined_in_with(tokens);
    let mut found = Vec::new();
    // For each bracket that is open: whether names behind a comma are tables.
    let mut among_tables = vec![false];
    for (position, token) in tokens.iter().enumerate() {
        match &token.token {
            Token::LParen => among_tables.push(false),
            Token::RParen => {
                among_tables.pop();
                if among_tables.is_empty() {
                    among_tables.push(false);
                }
            }
            Token::Word(_) if is_any(token, &["from", "join"]) => {
                if let Some(last) = among_tables.last_mut() {
                    *last = true;
                }
                found.extend(table_at(tokens, position + 1));
            }
            Token::Word(_) if is_any(token, &["where", "group", "select", "on", "order", "lateral"]) => {
                if let Some(last) = among_tables.last_mut() {
                    *last = false;
                }
            }
            Token::Comma if among_tables.last() == Some(&true) => found.extend(table_at(tokens, position + 1)),
            _ => {}
        }
    }
    found.retain(|name| !(name.parts.len() == 1 && defined.contains(&name.parts[0])));
    found
}

fn table_at(tokens: &[TokenWithSpan], position: usize) -> Option<TableName> {
    if tokens.get(position).is_none_or(|token| is_any(token, &NO_TABLES)) {
        return None;
    }
    let mut cursor = Cursor::new(tokens);
    cursor.position = position;
    let table = cursor.table()?;
    (!symbol_at(tokens, cursor.position, &Token::LParen)).then_some(table)
}

fn defined_in_with(tokens: &[TokenWithSpan]) -> HashSet<String> {
    (1..tokens.len())
        .filter(|&at| is(&tokens[at], "as") && symbol_at(tokens, at + 1, &Token::LParen))
        .filter(|&at| begins_query(tokens, at + 2) || is_at(tokens, at + 2, "select"))
        .filter_map(|at| name_of(&tokens[at - 1]).map(str::to_lowercase))
        .collect()
}
