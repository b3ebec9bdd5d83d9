//! Puts the clauses of a select into the standard's order: `FROM` before `SELECT` goes behind its
//! list, lateral views go behind all joins.

use sqlparser::tokenizer::{Token, TokenWithSpan};

use crate::words::{
    begins_clause, closing, find_outside, is, is_any, is_at, is_set_operator, name_of, symbol, symbol_at,
};

/// A query's tokens, its brackets already rewritten.
pub(super) fn reorder_query(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let moves = find_outside(&tokens, 0, |tokens, at| at == 0 && is(&tokens[at], "from") || is(&tokens[at], "lateral"));
    let from_later = is_at(&tokens, 0, "with");
    let set_operator = find_outside(&tokens, 0, is_set_operator);
    if moves.is_none() && !from_later && set_operator.is_none() {
        return tokens;
    }
    let mut out = Vec::with_capacity(tokens.len());
    let mut start = behind_with(&tokens);
    out.extend_from_slice(&tokens[..start]);
    loop {
        let end = find_outside(&tokens, start, is_set_operator).unwrap_or(tokens.len());
        // Impala: what is ordered before a set operator is ordered by itself.
        let wrapped = end < tokens.len() && find_outside(&tokens[start..end], 0, is_order).is_some();
        if wrapped {
            out.push(symbol(Token::LParen, tokens[start].span));
        }
        reorder_select(&tokens[start..end], &mut out);
        if wrapped {
            out.push(symbol(Token::RParen, tokens[end].span));
        }
        if end == tokens.len() {
            return out;
        }
        start = end + 1;
        while tokens.get(start).is_some_and(|token| is_any(token, &["all", "distinct"])) {
            start += 1;
        }
        out.extend_from_slice(&tokens[end..start]);
    }
}

fn is_order(tokens: &[TokenWithSpan], at: usize) -> bool {
    is(&tokens[at], "order") && is_at(tokens, at + 1, "by")
}

/// The position behind `with NAME [(…)] as (…), …`.
fn behind_with(tokens: &[TokenWithSpan]) -> usize {
    if !is_at(tokens, 0, "with") {
        return 0;
    }
    find_outside(tokens, 1, |tokens, at| {
        is_any(&tokens[at], &["select", "from", "values", "insert"])
            || tokens[at].token == Token::LParen && at > 1 && tokens[at - 1].token == Token::RParen
    })
    .unwrap_or(tokens.len())
}

fn reorder_select(tokens: &[TokenWithSpan], out: &mut Vec<TokenWithSpan>) {
    let clauses = |start| find_outside(tokens, start, begins_clause).unwrap_or(tokens.len());
    if is_at(tokens, 0, "from") {
        let Some(select) = find_outside(tokens, 1, |tokens, at| is(&tokens[at], "select")) else {
            out.extend_from_slice(tokens);
            return;
        };
        let lateral =
            find_outside(tokens, select, |tokens, at| is(&tokens[at], "lateral") && is_at(tokens, at + 1, "view"));
        let list_end = clauses(select).min(lateral.unwrap_or(tokens.len()));
        let tables_end = clauses(select).max(list_end);
        out.extend_from_slice(&tokens[select..list_end]);
        let mut tables = tokens[..select].to_vec();
        tables.extend_from_slice(&tokens[list_end..tables_end]);
        laterals_last(&tables, out);
        out.extend_from_slice(&tokens[tables_end..]);
        return;
    }
    let Some(from) = find_outside(tokens, 0, |tokens, at| is(&tokens[at], "from")) else {
        out.extend_from_slice(tokens);
        return;
    };
    let end = clauses(from);
    out.extend_from_slice(&tokens[..from]);
    laterals_last(&tokens[from..end], out);
    out.extend_from_slice(&tokens[end..]);
}

/// The tables of a select, the lateral views behind the joins.
fn laterals_last(tables: &[TokenWithSpan], out: &mut Vec<TokenWithSpan>) {
    let mut laterals = Vec::new();
    let mut position = 0;
    while position < tables.len() {
        if is(&tables[position], "lateral") && is_at(tables, position + 1, "view") {
            let end = behind_lateral_view(tables, position);
            laterals.extend_from_slice(&tables[position..end]);
            position = end;
        } else {
            out.push(tables[position].clone());
            position += 1;
        }
    }
    out.append(&mut laterals);
}

/// Behind `lateral view [outer] function(…) [name] [as column, …]`.
fn behind_lateral_view(tokens: &[TokenWithSpan], position: usize) -> usize {
    const FOLLOWING: [&str; 10] =
        ["lateral", "join", "left", "right", "inner", "full", "cross", "on", "natural", "insert"];
    let mut position = position + 2;
    while position < tokens.len() && tokens[position].token != Token::LParen {
        position += 1;
    }
    if position >= tokens.len() {
        return position;
    }
    position = closing(tokens, position) + 1;
    let is_name =
        |at: usize| tokens.get(at).is_some_and(|token| name_of(token).is_some() && !is_any(token, &FOLLOWING));
    if is_name(position) && !is_at(tokens, position, "as") {
        position += 1;
    }
    if is_at(tokens, position, "as") {
        position += 2;
        while symbol_at(tokens, position, &Token::Comma) && is_name(position + 1) {
            position += 2;
        }
    }
    position.min(tokens.len())
}
