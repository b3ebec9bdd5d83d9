//! Turns the tokens of a Hive or Impala query into tokens that sqlparser has a grammar for, without
//! changing which columns go where.
//!
//! What has no say in lineage is dropped (hints, samples, limits, types of casts), what is said in
//! another way is said in the standard's (`DISTRIBUTE BY` of a window, `FROM` before `SELECT`).
//! Every token keeps its place in the text.

mod reorder;
mod transform;

use sqlparser::tokenizer::{Token, TokenWithSpan};

use crate::words::{
    are_at, begins_clause, begins_query, closing, is, is_any, is_at, is_set_operator, keyword, name_of, split_commas,
    string_of, symbol, symbol_at,
};

pub(crate) use transform::TRANSFORM;

/// Hints in brackets.
const HINTS: [&str; 9] = [
    "shuffle",
    "noshuffle",
    "broadcast",
    "nobroadcast",
    "straight_join",
    "clustered",
    "noclustered",
    "schedule_cache_local",
    "sortby",
];

const UNITS: [&str; 18] = [
    "year",
    "years",
    "month",
    "months",
    "week",
    "weeks",
    "day",
    "days",
    "hour",
    "hours",
    "minute",
    "minutes",
    "second",
    "seconds",
    "millisecond",
    "milliseconds",
    "microseconds",
    "nanoseconds",
];

/// How many tokens may stand between `interval` and its unit, what is in brackets counted as one.
const MAX_AMOUNT: usize = 16;

/// The query's tokens, rewritten. Brackets must be known to nest no deeper than a stack can take.
pub(crate) fn rewrite_query(tokens: &[TokenWithSpan]) -> Vec<TokenWithSpan> {
    let mut out = Vec::with_capacity(tokens.len());
    rewrite_into(tokens, &mut out);
    out
}

/// Appends the rewritten tokens: only a query is built apart, since its clauses may change places.
fn rewrite_into(tokens: &[TokenWithSpan], out: &mut Vec<TokenWithSpan>) {
    let start = out.len();
    elements_into(tokens, out);
    if begins_query(&out[start..], 0) {
        let query = out.split_off(start);
        out.extend(reorder::reorder_query(query));
    }
}

/// Goes over the tokens once and rewrites what needs no look at the whole query.
fn elements(tokens: &[TokenWithSpan]) -> Vec<TokenWithSpan> {
    let mut out = Vec::with_capacity(tokens.len());
    elements_into(tokens, &mut out);
    out
}

fn elements_into(tokens: &[TokenWithSpan], out: &mut Vec<TokenWithSpan>) {
    let first = out.len();
    let mut unique_join = false;
    let mut position = 0;
    while position < tokens.len() {
        let token = &tokens[position];
        position = match &token.token {
            Token::LParen => group(tokens, position, unique_join, out),
            Token::LBracket if tokens.get(position + 1).is_some_and(|next| is_any(next, &HINTS)) => {
                let length = tokens[position..].iter().position(|token| token.token == Token::RBracket);
                position + length.map_or(1, |length| length + 1)
            }
            Token::Word(word)
                if word.quote_style.is_none() && out[first..].last().is_none_or(|last| last.token != Token::Period) =>
            {
                unique_join |= is(token, "uniquejoin");
                unique_join &= !is(token, "select");
                if let Some(next) = rewritten_word(tokens, position, unique_join, out) {
                    next
                } else {
                    out.push(token.clone());
                    position + 1
                }
            }
            _ => {
                out.push(token.clone());
                position + 1
            }
        };
    }
}

/// Rewrites what begins with a word at `position`; answers where to go on, or nothing where there is
/// nothing to rewrite.
fn rewritten_word(
    tokens: &[TokenWithSpan],
    position: usize,
    unique_join: bool,
    out: &mut Vec<TokenWithSpan>,
) -> Option<usize> {
    let token = &tokens[position];
    let word = name_of(token)?.to_ascii_lowercase();
    let next = position + 1;
    match word.as_str() {
        "straight_join" | "uniquejoin" => Some(next),
        "preserve" if unique_join => Some(next),
        "div" if out.last().is_some_and(|last| ends_operand(&last.token)) && next < tokens.len() => {
            out.push(symbol(Token::Div, token.span));
            Some(next)
        }
        "select" | "map" | "reduce" => transform::rewrite(tokens, position, out),
        "for" if is_at(tokens, next, "system_time") || is_at(tokens, next, "system_version") => {
            Some(behind_version(tokens, position))
        }
        "interval" if tokens.get(next).is_some_and(|next| begins_amount(&next.token)) => {
            interval(tokens, position, out)
        }
        "tablesample" => Some(behind_sample(tokens, position)),
        "grouping" if is_at(tokens, next, "sets") && out.last().is_some_and(|last| ends_operand(&last.token)) => {
            symbol_at(tokens, next + 1, &Token::LParen).then(|| closing(tokens, next + 1) + 1)
        }
        "with" if are_at(tokens, next, &["cube"]) || are_at(tokens, next, &["rollup"]) => Some(next + 1),
        "limit"
            if !symbol_at(tokens, next, &Token::LParen) || out.last().is_some_and(|last| ends_operand(&last.token)) =>
        {
            Some(behind_limit(tokens, next))
        }
        "table" if symbol_at(tokens, next, &Token::LParen) && is_at(tokens, next + 1, "values") => Some(next),
        unit if UNITS.contains(&unit) && is_bare_amount(out) => Some(next),
        _ => partitioned_function(tokens, position, out),
    }
}

/// A group in brackets, whose inner part is rewritten by itself.
fn group(tokens: &[TokenWithSpan], open: usize, unique_join: bool, out: &mut Vec<TokenWithSpan>) -> usize {
    let close = closing(tokens, open);
    let inner = &tokens[open + 1..close.max(open + 1)];
    if unique_join && out.last().is_some_and(|last| name_of(last).is_some()) {
        return close + 1;
    }
    out.push(tokens[open].clone());
    let before = open.checked_sub(1).map(|before| &tokens[before]);
    if inner.first().is_some_and(|first| is_any(first, &["distribute", "sort", "cluster", "partition", "order"])) {
        out.extend(window(inner));
    } else if before.is_some_and(|before| is(before, "cast")) {
        out.extend(cast(inner));
    } else if is_values_row(tokens, open) {
        out.extend(elements(&without_aliases(inner)));
    } else {
        rewrite_into(inner, out);
    }
    if symbol_at(tokens, close, &Token::RParen) {
        out.push(tokens[close].clone());
    }
    close + 1
}

fn ends_operand(token: &Token) -> bool {
    matches!(
        token,
        Token::Word(_)
            | Token::Number(..)
            | Token::SingleQuotedString(_)
            | Token::DoubleQuotedString(_)
            | Token::RParen
            | Token::RBracket
    )
}

fn begins_amount(token: &Token) -> bool {
    matches!(
        token,
        Token::Number(..)
            | Token::SingleQuotedString(_)
            | Token::DoubleQuotedString(_)
            | Token::LParen
            | Token::Minus
            | Token::Word(_)
    )
}

/// `+ 1 day` without the word `interval`.
fn is_bare_amount(out: &[TokenWithSpan]) -> bool {
    let [.., sign, amount] = out else { return false };
    matches!(sign.token, Token::Plus | Token::Minus)
        && (matches!(amount.token, Token::Number(..)) || string_of(amount).is_some())
}

/// `interval AMOUNT unit [to unit]` becomes the amount.
fn interval(tokens: &[TokenWithSpan], position: usize, out: &mut Vec<TokenWithSpan>) -> Option<usize> {
    let mut start = position + 1;
    if tokens[start].token == Token::Minus {
        start += 1;
    }
    let mut end = start;
    let mut amount = 0;
    while end < tokens.len() && !is_any(&tokens[end], &UNITS) {
        amount += 1;
        if amount > MAX_AMOUNT {
            return None;
        }
        match tokens[end].token {
            Token::LParen => end = closing(tokens, end),
            Token::Word(_)
            | Token::Number(..)
            | Token::Period
            | Token::SingleQuotedString(_)
            | Token::DoubleQuotedString(_) => {}
            _ => return None,
        }
        end += 1;
    }
    if end == start || !tokens.get(end).is_some_and(|unit| is_any(unit, &UNITS)) {
        return None;
    }
    out.extend(elements(&tokens[start..end]));
    let to_unit = is_at(tokens, end + 1, "to");
    Some(if to_unit { end + 3 } else { end + 1 })
}

/// Behind `tablesample [system] (...) [repeatable (...)]`.
fn behind_sample(tokens: &[TokenWithSpan], position: usize) -> usize {
    let mut position = position + 1;
    while position < tokens.len() {
        if tokens[position].token == Token::LParen {
            position = closing(tokens, position) + 1;
            if !is_at(tokens, position, "repeatable") {
                break;
            }
        } else if is_any(&tokens[position], &["system", "repeatable"]) {
            position += 1;
        } else {
            break;
        }
    }
    position
}

/// Behind `for system_time as of EXPRESSION`.
fn behind_version(tokens: &[TokenWithSpan], position: usize) -> usize {
    const TABLE_WORDS: [&str; 9] = ["join", "left", "right", "inner", "full", "cross", "on", "as", "lateral"];
    let mut position = position + 4;
    while position < tokens.len() {
        let token = &tokens[position];
        match token.token {
            Token::LParen => position = closing(tokens, position),
            Token::Comma => break,
            Token::Word(_) => {
                let alias = ends_operand(&tokens[position - 1].token)
                    && !is_any(&tokens[position - 1], &["of", "interval"])
                    && !is_any(token, &UNITS);
                if alias || is_any(token, &TABLE_WORDS) || begins_clause(tokens, position) {
                    break;
                }
            }
            _ => {}
        }
        position += 1;
    }
    position
}

/// Behind the amount of a `limit`.
fn behind_limit(tokens: &[TokenWithSpan], start: usize) -> usize {
    let mut position = start;
    while position < tokens.len() {
        let token = &tokens[position];
        if token.token == Token::LParen {
            position = closing(tokens, position);
        } else if is_set_operator(tokens, position) || is_any(token, &["insert", "select", "from", "where"]) {
            break;
        }
        position += 1;
    }
    position
}

/// The inner part of a window: Hive's `distribute by`, `sort by` and `cluster by` in the standard's words.
fn window(inner: &[TokenWithSpan]) -> Vec<TokenWithSpan> {
    let mut renamed = inner.to_vec();
    for position in 0..renamed.len() {
        if is_at(inner, position + 1, "by") {
            if is_any(&inner[position], &["distribute", "cluster"]) {
                renamed[position] = keyword("PARTITION", inner[position].span);
            } else if is(&inner[position], "sort") {
                renamed[position] = keyword("ORDER", inner[position].span);
            }
        }
    }
    elements(&renamed)
}

/// A cast's type has no say in lineage, and has forms that sqlparser does not know.
fn cast(inner: &[TokenWithSpan]) -> Vec<TokenWithSpan> {
    let mut position = 0;
    let mut last_as = None;
    while position < inner.len() {
        if inner[position].token == Token::LParen {
            position = closing(inner, position);
        } else if is(&inner[position], "as") {
            last_as = Some(position);
        }
        position += 1;
    }
    let Some(last_as) = last_as else { return elements(inner) };
    let mut out = elements(&inner[..last_as]);
    out.push(inner[last_as].clone());
    out.push(keyword("STRING", inner[last_as].span));
    out
}

/// Whether the bracket opens the first row of `values`: only it may name its columns.
fn is_values_row(tokens: &[TokenWithSpan], open: usize) -> bool {
    open.checked_sub(1).is_some_and(|before| is(&tokens[before], "values"))
}

/// `(1 as a, 2 as b)` without the names.
fn without_aliases(inner: &[TokenWithSpan]) -> Vec<TokenWithSpan> {
    let mut out = Vec::with_capacity(inner.len());
    for part in split_commas(inner) {
        if let Some(first) = part.first().filter(|_| !out.is_empty()) {
            out.push(symbol(Token::Comma, first.span));
        }
        let named = part.len() > 2 && is(&part[part.len() - 2], "as");
        out.extend_from_slice(if named { &part[..part.len() - 2] } else { part });
    }
    out
}

/// `function(on TABLE partition by … )` becomes `(select * from TABLE)`.
fn partitioned_function(tokens: &[TokenWithSpan], position: usize, out: &mut Vec<TokenWithSpan>) -> Option<usize> {
    if !symbol_at(tokens, position + 1, &Token::LParen) || !is_at(tokens, position + 2, "on") {
        return None;
    }
    let close = closing(tokens, position + 1);
    let inner = &tokens[position + 3..close.max(position + 3)];
    let mut end = 0;
    while end < inner.len() {
        if inner[end].token == Token::LParen {
            end = closing(inner, end);
            if end > 0
                && inner.get(end + 1).is_none_or(|next| is_any(next, &["partition", "order", "distribute", "sort"]))
            {
                end += 1;
                break;
            }
        } else if inner[end].token == Token::Comma
            || is_any(&inner[end], &["partition", "order", "distribute", "sort", "cluster"])
                && is_at(inner, end + 1, "by")
            || end > 0
                && name_of(&inner[end]).is_some()
                && symbol_at(inner, end + 1, &Token::LParen)
                && !is_at(inner, end + 2, "on")
        {
            break;
        }
        end += 1;
    }
    let span = tokens[position].span;
    out.push(symbol(Token::LParen, span));
    out.push(keyword("SELECT", span));
    out.push(symbol(Token::Mul, span));
    out.push(keyword("FROM", span));
    out.extend(elements(&inner[..end.min(inner.len())]));
    out.push(symbol(Token::RParen, span));
    Some(close + 1)
}
