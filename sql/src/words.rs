//! Looking at tokens: words, brackets, names.

use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Span, Token, TokenWithSpan, Word};

/// Words behind which a select's list or its tables have ended.
const CLAUSES: [&str; 9] = ["where", "group", "having", "order", "sort", "distribute", "cluster", "limit", "window"];

/// Words between two queries of a set operation.
const SET_OPERATORS: [&str; 4] = ["union", "intersect", "except", "minus"];

/// Whether the token is this word (lower case) and not quoted.
pub(crate) fn is(token: &TokenWithSpan, word: &str) -> bool {
    matches!(&token.token, Token::Word(found) if found.quote_style.is_none() && found.value.eq_ignore_ascii_case(word))
}

/// Whether the token is one of these words (lower case) and not quoted.
pub(crate) fn is_any(token: &TokenWithSpan, words: &[&str]) -> bool {
    words.iter().any(|word| is(token, word))
}

/// Whether the token at `position` is this word.
pub(crate) fn is_at(tokens: &[TokenWithSpan], position: usize, word: &str) -> bool {
    tokens.get(position).is_some_and(|token| is(token, word))
}

/// Whether the tokens from `position` on are these words.
pub(crate) fn are_at(tokens: &[TokenWithSpan], position: usize, words: &[&str]) -> bool {
    words.iter().enumerate().all(|(offset, word)| is_at(tokens, position + offset, word))
}

/// Whether this symbol stands at `position`.
pub(crate) fn symbol_at(tokens: &[TokenWithSpan], position: usize, symbol: &Token) -> bool {
    tokens.get(position).is_some_and(|token| token.token == *symbol)
}

/// The words' value, quoted or not.
pub(crate) fn name_of(token: &TokenWithSpan) -> Option<&str> {
    match &token.token {
        Token::Word(word) => Some(&word.value),
        _ => None,
    }
}

/// The text of a string literal.
pub(crate) fn string_of(token: &TokenWithSpan) -> Option<&str> {
    match &token.token {
        Token::SingleQuotedString(text) | Token::DoubleQuotedString(text) => Some(text),
        _ => None,
    }
}

/// Whether a clause behind the tables of a select begins at `position`.
pub(crate) fn begins_clause(tokens: &[TokenWithSpan], position: usize) -> bool {
    let token = &tokens[position];
    if !is_any(token, &CLAUSES) || position > 0 && tokens[position - 1].token == Token::Period {
        return false;
    }
    !is_any(token, &["group", "order", "sort", "distribute", "cluster"]) || is_at(tokens, position + 1, "by")
}

/// Whether a set operator stands at `position`.
pub(crate) fn is_set_operator(tokens: &[TokenWithSpan], position: usize) -> bool {
    is_any(&tokens[position], &SET_OPERATORS) && !(position > 0 && tokens[position - 1].token == Token::Period)
}

/// Whether a query begins at `position`, in any number of brackets.
pub(crate) fn begins_query(tokens: &[TokenWithSpan], position: usize) -> bool {
    let first = tokens.iter().skip(position).find(|token| token.token != Token::LParen);
    first.is_some_and(|token| is_any(token, &["select", "from", "with", "values", "map", "reduce"]))
}

/// The position of the bracket that closes the one at `open`, or the last position.
pub(crate) fn closing(tokens: &[TokenWithSpan], open: usize) -> usize {
    let mut depth = 0_u32;
    for (position, token) in tokens.iter().enumerate().skip(open) {
        match token.token {
            Token::LParen => depth += 1,
            Token::RParen => {
                depth -= 1;
                if depth == 0 {
                    return position;
                }
            }
            _ => {}
        }
    }
    tokens.len() - 1
}

/// The first position from `start` on, outside of brackets, that fits.
pub(crate) fn find_outside(
    tokens: &[TokenWithSpan],
    start: usize,
    fits: impl Fn(&[TokenWithSpan], usize) -> bool,
) -> Option<usize> {
    let mut position = start;
    while position < tokens.len() {
        if fits(tokens, position) {
            return Some(position);
        }
        position = if tokens[position].token == Token::LParen { closing(tokens, position) + 1 } else { position + 1 };
    }
    None
}

/// The parts between the commas that are outside of all brackets (`<>` are none).
pub(crate) fn split_commas(tokens: &[TokenWithSpan]) -> Vec<&[TokenWithSpan]> {
    let mut parts = Vec::new();
    let mut start = 0;
    while let Some(comma) = find_outside(tokens, start, |tokens, at| tokens[at].token == Token::Comma) {
        parts.push(&tokens[start..comma]);
        start = comma + 1;
    }
    parts.push(&tokens[start..]);
    parts.retain(|part| !part.is_empty());
    parts
}

/// A keyword in the place of another token.
pub(crate) fn keyword(word: &str, span: Span) -> TokenWithSpan {
    TokenWithSpan { token: Token::make_keyword(word), span }
}

/// A symbol in the place of another token.
pub(crate) fn symbol(token: Token, span: Span) -> TokenWithSpan {
    TokenWithSpan { token, span }
}

/// A name that no keyword is taken from.
pub(crate) fn plain_name(value: String, span: Span) -> TokenWithSpan {
    let word = Word { value, quote_style: Some('`'), keyword: Keyword::NoKeyword };
    TokenWithSpan { token: Token::Word(word), span }
}
