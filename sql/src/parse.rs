//! Parsing the query of a statement.

use sqlparser::ast::Query;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::{Location, Token, TokenWithSpan};

use crate::dialect::HadoopDialect;
use crate::problem::{Problem, ProblemKind};
use crate::rewrite::rewrite_query;
use crate::script;

/// How deep the parser may call itself: more than the brackets that a statement may have need.
const RECURSION_LIMIT: usize = 1_000;

/// Parses a query, rewritten to what sqlparser reads.
pub(crate) fn parse_query(tokens: &[TokenWithSpan]) -> Result<Query, Problem> {
    let rewritten = rewrite_query(tokens);
    let place = tokens.first().map_or(Location::empty(), |token| token.span.start);
    let mut parser =
        Parser::new(&HadoopDialect).with_recursion_limit(RECURSION_LIMIT).with_tokens_with_locations(rewritten);
    let query = parser.parse_query().map_err(|error| not_parsed(&error, place))?;
    let next = parser.next_token();
    if next.token == Token::EOF {
        return Ok(*query);
    }
    Err(Problem::at(ProblemKind::NotParsed, next.span.start, format!("not expected: {}", next.token)))
}

/// Parses the text of a view.
pub(crate) fn parse_text(text: &str) -> Result<Query, Problem> {
    let Some(statement) = script::split(text).into_iter().next() else {
        return Err(Problem::at(ProblemKind::NotParsed, Location::empty(), "it is empty"));
    };
    match statement.problem {
        Some(problem) => Err(problem),
        None => parse_query(&statement.tokens),
    }
}

/// The parser says the place at the end of its words.
fn not_parsed(error: &ParserError, start: Location) -> Problem {
    let (ParserError::ParserError(words) | ParserError::TokenizerError(words)) = error else {
        return Problem::at(ProblemKind::NotParsed, start, "nested too deep");
    };
    let (message, place) = match words.rsplit_once(" at Line: ") {
        Some((message, place)) => {
            let mut numbers = place.split(", Column: ").map(|number| number.parse().unwrap_or(0));
            (message, Location::new(numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)))
        }
        None => (words.as_str(), start),
    };
    let message = message.strip_prefix("Expected: ").map_or(message.to_owned(), |rest| format!("expected {rest}"));
    Problem::at(ProblemKind::NotParsed, place, message)
}
