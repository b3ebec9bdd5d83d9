//! Queries and inserts: one query with one target, or a multi-insert, which becomes one query for
//! each of its inserts.

use sqlparser::tokenizer::{Token, TokenWithSpan};

use super::{Head, Place, Target, Write, listed_names};
use crate::cursor::Cursor;
use crate::words::{
    begins_query, closing, find_outside, is, is_any, is_at, name_of, split_commas, string_of, symbol_at,
};

/// How many tokens all queries of a multi-insert may have together: each repeats the tables.
const MAX_TOKENS: usize = 4_000_000;

/// `[with …] [from …] [insert …] select …`
pub(super) fn read(tokens: &[TokenWithSpan]) -> Head {
    let inserts = positions_of_inserts(tokens);
    let mut head = Head::default();
    let Some(&first) = inserts.first() else {
        head.writes.push(Write { target: Target::Result, query: tokens.to_vec() });
        return head;
    };
    // What all queries share: common table expressions, and tables that stand first.
    let shared = &tokens[..first];
    let mut size = 0;
    for (index, &start) in inserts.iter().enumerate() {
        let end = inserts.get(index + 1).copied().unwrap_or(tokens.len());
        let mut cursor = Cursor::new(&tokens[start..end]);
        size += shared.len() + end - start;
        let Some(target) = target(&mut cursor).filter(|_| size <= MAX_TOKENS) else {
            head.writes.push(Write { target: Target::Result, query: tokens[start..].to_vec() });
            break;
        };
        match &target {
            Target::Insert { table, .. } => head.outputs.push(Place::Table(table.clone())),
            Target::Directory(path) => head.outputs.push(Place::Path(path.clone())),
            _ => {}
        }
        head.writes.push(Write { target, query: [shared, cursor.rest()].concat() });
    }
    head
}

fn positions_of_inserts(tokens: &[TokenWithSpan]) -> Vec<usize> {
    let mut inserts = Vec::new();
    let mut start = 0;
    let begins = |tokens: &[TokenWithSpan], at: usize| {
        is_any(&tokens[at], &["insert", "upsert"])
            && tokens.get(at + 1).is_some_and(|next| is_any(next, &["into", "overwrite", "table"]))
    };
    while let Some(at) = find_outside(tokens, start, begins) {
        inserts.push(at);
        start = at + 1;
    }
    inserts
}

/// What stands between `insert` and the query.
fn target(cursor: &mut Cursor) -> Option<Target> {
    cursor.position = 1;
    cursor.eat_any(&["into", "overwrite"]);
    let next = |cursor: &Cursor| cursor.tokens.get(cursor.position + 1).cloned();
    cursor.eat_any(&["local"]);
    // A table may be named `directory` or `table`.
    if cursor.is("directory") && next(cursor).is_some_and(|next| string_of(&next).is_some()) {
        cursor.eat(&["directory"]);
        let path = cursor.string()?;
        skip_to_query(cursor);
        return Some(Target::Directory(path));
    }
    let names_table = |next: TokenWithSpan| name_of(&next).is_some() && !is_any(&next, &["select", "partition"]);
    if cursor.is("table") && next(cursor).is_some_and(names_table) {
        cursor.eat(&["table"]);
    }
    let table = cursor.table()?;
    let (mut columns, mut dynamic_partitions, mut fixed) = (None, Vec::new(), Vec::new());
    loop {
        cursor.eat(&["if", "not", "exists"]);
        if cursor.eat(&["partition"]) {
            for part in split_commas(cursor.group()?) {
                let Some(name) = name_of(&part[0]) else { continue };
                let list = if part.len() > 1 { &mut fixed } else { &mut dynamic_partitions };
                list.push(name.to_lowercase());
            }
        } else if symbol_at(cursor.tokens, cursor.position, &Token::LParen)
            && columns.is_none()
            && !begins_query(cursor.tokens, cursor.position)
        {
            columns = Some(listed_names(cursor.group()?));
        } else if symbol_at(cursor.tokens, cursor.position, &Token::LBracket) {
            let length = cursor.rest().iter().position(|token| token.token == Token::RBracket)?;
            cursor.position += length + 1;
        } else {
            break;
        }
    }
    Some(Target::Insert { table, columns, dynamic_partitions, fixed })
}

/// Goes over what is said of a directory's format.
fn skip_to_query(cursor: &mut Cursor) {
    while !cursor.at_end() {
        let token = &cursor.tokens[cursor.position];
        let properties = is(token, "with") && is_at(cursor.tokens, cursor.position + 1, "serdeproperties");
        if begins_query(cursor.tokens, cursor.position)
            && !properties
            && !(is(token, "map") && is_at(cursor.tokens, cursor.position + 1, "keys"))
        {
            return;
        }
        cursor.position = if token.token == Token::LParen {
            closing(cursor.tokens, cursor.position) + 1
        } else {
            cursor.position + 1
        };
    }
}
