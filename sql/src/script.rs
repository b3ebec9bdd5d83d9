//! A text as statements of tokens.

use sqlparser::tokenizer::{Token, TokenWithSpan, Tokenizer};

use crate::dialect::HadoopDialect;
use crate::problem::{Problem, ProblemKind};
use crate::words::plain_name;

/// How deep brackets may nest. Hive's own parser gives up far earlier.
const MAX_DEPTH: u32 = 200;

/// How large the sum of the depths of all tokens may be: brackets are gone through once a level.
const MAX_WEIGHT: usize = 10_000_000;

/// How many operators may follow each other without a comma or a bracket between them.
const MAX_OPERATORS: u32 = 20_000;

/// The tokens of one statement, without blanks and comments.
pub(crate) struct RawStatement {
    pub(crate) tokens: Vec<TokenWithSpan>,
    /// What keeps it from being parsed, if anything does.
    pub(crate) problem: Option<Problem>,
}

/// The statements of a text: what is between semicolons. Nothing is lost: a text that cannot be
/// read to its end gives what was read, and a problem.
pub(crate) fn split(text: &str) -> Vec<RawStatement> {
    let mut tokens = Vec::new();
    let unread = Tokenizer::new(&HadoopDialect, text).tokenize_with_location_into_buf(&mut tokens).err();
    tokens.retain(|token| !matches!(token.token, Token::Whitespace(_) | Token::EOF));
    let tokens = join_variables(tokens);
    let mut statements = Vec::new();
    let mut current = Vec::new();
    for token in tokens {
        if token.token == Token::SemiColon {
            statements.push(std::mem::take(&mut current));
        } else {
            current.push(token);
        }
    }
    statements.push(current);
    statements.retain(|tokens| !tokens.is_empty());
    let mut statements: Vec<_> =
        statements.into_iter().map(|tokens| RawStatement { problem: too_large(&tokens), tokens }).collect();
    if let Some(error) = unread {
        let problem =
            Problem::at(ProblemKind::NotParsed, error.location, format!("the text ends in it: {}", error.message));
        match statements.last_mut() {
            Some(statement) => statement.problem = Some(problem),
            None => statements.push(RawStatement { tokens: Vec::new(), problem: Some(problem) }),
        }
    }
    statements
}

fn too_large(tokens: &[TokenWithSpan]) -> Option<Problem> {
    let mut depth = 0_u32;
    let mut operators = 0_u32;
    let mut weight = 0_usize;
    for token in tokens {
        weight += depth as usize;
        if weight > MAX_WEIGHT {
            let words = "it is too large for how deep its brackets nest";
            return Some(Problem::at(ProblemKind::NotParsed, token.span.start, words));
        }
        match token.token {
            Token::LParen | Token::LBracket => {
                depth += 1;
                operators = 0;
            }
            Token::RParen | Token::RBracket => {
                depth = depth.saturating_sub(1);
            }
            Token::Comma => operators = 0,
            Token::Word(_) | Token::Period | Token::Number(..) => {}
            _ => operators += 1,
        }
        if depth > MAX_DEPTH {
            let words = format!("brackets are nested deeper than {MAX_DEPTH}");
            return Some(Problem::at(ProblemKind::NotParsed, token.span.start, words));
        }
        if operators > MAX_OPERATORS {
            let words = format!("more than {MAX_OPERATORS} operators follow each other");
            return Some(Problem::at(ProblemKind::NotParsed, token.span.start, words));
        }
    }
    None
}

/// Makes one name of each variable and what touches it: `db_${hiveconf:env}.t` has two names.
fn join_variables(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    if !tokens.iter().any(|token| token.token == Token::LBrace) {
        return tokens;
    }
    let mut joined: Vec<TokenWithSpan> = Vec::with_capacity(tokens.len());
    let mut position = 0;
    while position < tokens.len() {
        let token = &tokens[position];
        let opens = token.token == Token::LBrace
            && joined.last().is_some_and(|before| {
                matches!(&before.token, Token::Word(word) if word.value.ends_with('$'))
                    && before.span.end == token.span.start
            });
        let end = tokens[position..].iter().take(16).position(|token| token.token == Token::RBrace);
        let (true, Some(length), Some(before)) = (opens, end, joined.last()) else {
            let touches_variable = joined.last().is_some_and(|before| {
                matches!(&before.token, Token::Word(word) if word.value.ends_with('}'))
                    && before.span.end == token.span.start
            });
            match (&token.token, joined.pop_if(|_| touches_variable && is_name_part(&token.token))) {
                (part, Some(before)) => {
                    let mut span = before.span;
                    span.end = token.span.end;
                    joined.push(plain_name(format!("{}{}", word_text(&before.token), word_text(part)), span));
                }
                _ => joined.push(token.clone()),
            }
            position += 1;
            continue;
        };
        let mut name = word_text(&before.token);
        for part in &tokens[position..=position + length] {
            name.push_str(&word_text(&part.token));
        }
        let mut span = before.span;
        span.end = tokens[position + length].span.end;
        joined.pop();
        joined.push(plain_name(name, span));
        position += length + 1;
    }
    joined
}

fn is_name_part(token: &Token) -> bool {
    matches!(token, Token::Word(word) if word.quote_style.is_none()) || matches!(token, Token::Number(..))
}

fn word_text(token: &Token) -> String {
    match token {
        Token::Word(word) => word.value.clone(),
        other => other.to_string(),
    }
}
