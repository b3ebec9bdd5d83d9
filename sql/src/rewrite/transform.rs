//! Scripts in a query: `SELECT TRANSFORM (…) USING '…' AS (…)`, and `MAP` and `REDUCE`, which mean the
//! same, become a call of one function with several results.

use sqlparser::tokenizer::{Token, TokenWithSpan};

use super::elements;
use crate::words::{
    begins_clause, closing, find_outside, is, is_any, is_at, keyword, name_of, plain_name, split_commas, symbol,
    symbol_at,
};

/// The name of the function that stands for a script.
pub(crate) const TRANSFORM: &str = "transform";

/// Rewrites the script that begins at `position`; answers where to go on, or nothing where there is
/// none.
pub(super) fn rewrite(tokens: &[TokenWithSpan], position: usize, out: &mut Vec<TokenWithSpan>) -> Option<usize> {
    let (arguments, behind) = arguments(tokens, position)?;
    let using = find_outside(tokens, behind, |tokens, at| is(&tokens[at], "using") || is(&tokens[at], "from"))?;
    if !is(&tokens[using], "using") {
        return None;
    }
    let end = end_of_script(tokens, using + 1);
    let span = tokens[position].span;
    out.push(keyword("SELECT", span));
    out.push(plain_name(TRANSFORM.into(), span));
    out.push(symbol(Token::LParen, span));
    out.extend(elements(arguments));
    out.push(symbol(Token::RParen, span));
    out.push(keyword("AS", span));
    out.push(symbol(Token::LParen, span));
    for (index, name) in result_names(&tokens[using + 1..end]).into_iter().enumerate() {
        if index > 0 {
            out.push(symbol(Token::Comma, span));
        }
        out.push(plain_name(name, span));
    }
    out.push(symbol(Token::RParen, span));
    Some(end)
}

fn arguments(tokens: &[TokenWithSpan], position: usize) -> Option<(&[TokenWithSpan], usize)> {
    if is(&tokens[position], "select") {
        if !is_at(tokens, position + 1, "transform") || !symbol_at(tokens, position + 2, &Token::LParen) {
            return None;
        }
        let close = closing(tokens, position + 2);
        return Some((&tokens[position + 3..close.max(position + 3)], close + 1));
    }
    let begins_branch = position == 0
        || matches!(tokens[position - 1].token, Token::RParen | Token::Word(_)) && !is_at(tokens, position - 1, "as");
    if !begins_branch || symbol_at(tokens, position + 1, &Token::Period) {
        return None;
    }
    let using = find_outside(tokens, position, |tokens, at| is_any(&tokens[at], &["using", "from", "select"]))?;
    is(&tokens[using], "using").then(|| (&tokens[position + 1..using], using))
}

/// Where what is said of the script ends.
fn end_of_script(tokens: &[TokenWithSpan], start: usize) -> usize {
    find_outside(tokens, start, |tokens, at| {
        is_any(&tokens[at], &["from", "insert", "union", "lateral"]) || begins_clause(tokens, at)
    })
    .unwrap_or(tokens.len())
}

/// The names of a script's results, from `'command' [as (name type, …)] [row format …]`.
fn result_names(tokens: &[TokenWithSpan]) -> Vec<String> {
    let Some(position) = find_outside(tokens, 0, |tokens, at| is(&tokens[at], "as")) else {
        return vec!["key".into(), "value".into()];
    };
    let list = if symbol_at(tokens, position + 1, &Token::LParen) {
        &tokens[position + 2..closing(tokens, position + 1).max(position + 2)]
    } else {
        let end = find_outside(tokens, position + 1, |tokens, at| is_any(&tokens[at], &["row", "recordreader"]));
        &tokens[position + 1..end.unwrap_or(tokens.len())]
    };
    // A type in angle brackets has commas of its own.
    let mut depth = 0_i32;
    let mut names = Vec::new();
    for part in split_commas(list) {
        if depth == 0 {
            names.extend(name_of(&part[0]).map(str::to_owned));
        }
        for token in part {
            match token.token {
                Token::Lt => depth += 1,
                Token::Gt => depth -= 1,
                Token::ShiftRight => depth -= 2,
                _ => {}
            }
        }
    }
    names
}
