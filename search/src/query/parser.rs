//! The grammar, by recursive descent:
//!
//! ```text
//! disjunction := conjunction (OR conjunction)*
//! conjunction := clause (AND? clause)*
//! clause      := ("+" | "-" | "!" | NOT)* primary
//! primary     := "(" disjunction ")" | field ":" value | value
//! value       := "(" disjunction ")" | range | comparison | quoted | word
//! ```

use sextant_model::Timestamp;

use super::dates::{self, Interval};
use super::scanner::{Operator, Scanner, ValueCharacter};
use super::{
    Leaf, MAX_CLAUSES, MAX_DEPTH, MAX_PATTERN_CHARACTERS, MAX_QUERY_BYTES, Node, Place, Query, QueryError, Test,
};
use crate::fields::{self, FieldId, Kind};
use crate::pattern::{Pattern, Piece};
use crate::words::folded;

pub(super) fn parse(text: &str, now: Timestamp) -> Result<Query, QueryError> {
    if text.len() > MAX_QUERY_BYTES {
        return Err(QueryError::new(text, 0, format!("the query is longer than {} KiB", MAX_QUERY_BYTES >> 10)));
    }
    let mut parser = Parser { scanner: Scanner::new(text), now, depth: 0, clauses: 0 };
    parser.scanner.skip_blanks();
    if parser.scanner.peek().is_none() {
        return Ok(Query::everything());
    }
    let root = parser.disjunction(&Place::Default)?;
    if parser.scanner.peek().is_some() {
        return Err(parser.error_here("`)` without a `(` before it"));
    }
    Ok(Query { root })
}

struct Parser<'a> {
    scanner: Scanner<'a>,
    now: Timestamp,
    depth: usize,
    clauses: usize,
}

struct Clause {
    node: Node,
    position: usize,
    /// It carries a `+`.
    plus: bool,
    /// It carries any sign, or is joined by `AND`: what is unsigned beside a `+` does not
    /// concern it.
    bound: bool,
}

impl Parser<'_> {
    fn error_here(&self, message: impl Into<String>) -> QueryError {
        self.scanner.error(self.scanner.position(), message)
    }

    fn disjunction(&mut self, place: &Place) -> Result<Node, QueryError> {
        let mut alternatives = Vec::new();
        loop {
            let clauses = self.conjunction(place)?;
            let another = self.scanner.peek_operator().filter(|seen| seen.operator == Operator::Or);
            let plus = clauses.iter().find(|clause| clause.plus);
            if let Some(plus) = plus.filter(|_| another.is_some() || !alternatives.is_empty()) {
                return Err(self
                    .scanner
                    .error(plus.position, "`+` in a list joined by OR has no clear meaning")
                    .hint("leave the `+` out, or put the clauses that belong together in parentheses"));
            }
            alternatives.push(joined(clauses));
            let Some(or) = another else { break };
            self.scanner.skip(or.written.len());
            self.scanner.skip_blanks();
            self.expect_clause_behind(or.written)?;
        }
        Ok(Node::any_of(alternatives))
    }

    fn conjunction(&mut self, place: &Place) -> Result<Vec<Clause>, QueryError> {
        let mut clauses = vec![self.clause(place)?];
        loop {
            self.scanner.skip_blanks();
            if self.scanner.is_at_end_of_list() {
                return Ok(clauses);
            }
            match self.scanner.peek_operator() {
                Some(seen) if seen.operator == Operator::Or => return Ok(clauses),
                Some(seen) if seen.operator == Operator::And => {
                    self.scanner.skip(seen.written.len());
                    self.scanner.skip_blanks();
                    self.expect_clause_behind(seen.written)?;
                    if let Some(before) = clauses.last_mut() {
                        before.bound = true;
                    }
                    clauses.push(Clause { bound: true, ..self.clause(place)? });
                }
                _ => clauses.push(self.clause(place)?),
            }
        }
    }

    fn expect_clause_behind(&self, operator: &str) -> Result<(), QueryError> {
        if self.scanner.is_at_end_of_list() {
            return Err(self.error_here(format!("nothing follows `{operator}`")).hint(word_hint(operator)));
        }
        Ok(())
    }

    fn clause(&mut self, place: &Place) -> Result<Clause, QueryError> {
        let position = self.scanner.position();
        let mut plus = false;
        let mut negations = 0;
        loop {
            match self.scanner.peek() {
                Some(sign @ ('+' | '-')) => {
                    if self.scanner.peek_ahead(1).is_none_or(|next| next.is_whitespace() || next == ')') {
                        return Err(self.error_here(format!("nothing follows the `{sign}`")).hint(format!(
                            "put it directly before a clause, or write `\\{sign}` for the character itself"
                        )));
                    }
                    self.scanner.skip(1);
                    if sign == '+' {
                        plus = true;
                    } else {
                        negations += 1;
                    }
                }
                Some('!') => {
                    self.scanner.skip(1);
                    self.scanner.skip_blanks();
                    negations += 1;
                }
                _ => match self.scanner.peek_operator() {
                    Some(seen) if seen.operator == Operator::Not => {
                        self.scanner.skip(seen.written.len());
                        self.scanner.skip_blanks();
                        self.expect_clause_behind(seen.written)?;
                        negations += 1;
                    }
                    Some(seen) if !seen.may_be_word => {
                        return Err(self
                            .error_here(format!("nothing stands before `{}`", seen.written))
                            .hint(word_hint(seen.written)));
                    }
                    _ => break,
                },
            }
        }
        self.descend(negations)?;
        let mut node = self.primary(place)?;
        self.depth -= negations;
        for _ in 0..negations {
            node = Node::Not(Box::new(node));
        }
        Ok(Clause { node, position, plus, bound: plus || negations > 0 })
    }

    fn descend(&mut self, levels: usize) -> Result<(), QueryError> {
        self.depth += levels;
        if self.depth > MAX_DEPTH {
            return Err(self.error_here(format!("nested deeper than {MAX_DEPTH} levels")));
        }
        Ok(())
    }

    fn primary(&mut self, place: &Place) -> Result<Node, QueryError> {
        if self.scanner.is_next("*:*") {
            self.scanner.skip(3);
            return Ok(Node::All);
        }
        if let Some(name) = self.scanner.peek_field_name() {
            let position = self.scanner.position();
            match meant_place(&name) {
                Some(named) => {
                    self.scanner.skip(name.chars().count() + 1);
                    self.scanner.skip_blanks();
                    if self.scanner.is_at_end_of_list() {
                        return Err(self.scanner.error(position, format!("no value behind `{name}:`")));
                    }
                    return self.value(&named);
                }
                // Within `field:( )` a colon belongs to the value unless a field stands before it.
                None if *place == Place::Default => {
                    let error = self.scanner.error(position, format!("unknown field `{name}`"));
                    return Err(error.hint(match fields::nearest_name(&name) {
                        Some(near) => format!("did you mean `{near}`?"),
                        None => "write `\\:` if the colon belongs to the text".to_owned(),
                    }));
                }
                None => {}
            }
        }
        self.value(place)
    }

    fn value(&mut self, place: &Place) -> Result<Node, QueryError> {
        let position = self.scanner.position();
        let kind = kind_of(place);
        match self.scanner.peek() {
            None => Err(self.error_here("a clause is missing")),
            Some(')') => Err(self.error_here("a clause is missing before the `)`")),
            Some('(') => self.group(place),
            Some('{') if self.scanner.peek_ahead(1) == Some('!') => Err(self
                .error_here("Solr's local parameters are not supported")
                .hint("write `identity:(A OR B)` for `{!terms f=identity}A,B`, a range for `{!frange}`")),
            Some('[' | '{') => self.range(place),
            Some('"') => {
                let text = self.scanner.read_quoted()?;
                self.leaf(place, Test::Quoted(text), position)
            }
            Some('<' | '>') if matches!(kind, Some(Kind::Number | Kind::Date)) => self.comparison(place),
            Some(_) => {
                let characters = self.scanner.read_value()?;
                let test = self.word(&characters, position)?;
                self.leaf(place, test, position)
            }
        }
    }

    fn group(&mut self, place: &Place) -> Result<Node, QueryError> {
        let opened = self.scanner.position();
        self.descend(1)?;
        self.scanner.skip(1);
        self.scanner.skip_blanks();
        let node = self.disjunction(place)?;
        if self.scanner.peek() != Some(')') {
            return Err(self.scanner.error(opened, "the `(` is never closed"));
        }
        self.scanner.skip(1);
        self.depth -= 1;
        Ok(node)
    }

    /// A value without quotes: a word or a pattern.
    fn word(&self, characters: &[ValueCharacter], position: usize) -> Result<Test, QueryError> {
        let is_count = |character: &&ValueCharacter| matches!(character, ValueCharacter::Plain(digit) if digit.is_ascii_digit() || *digit == '.');
        let count = characters.iter().rev().take_while(is_count).count();
        if let Some(ValueCharacter::Plain(sign @ ('~' | '^'))) = characters.iter().rev().nth(count) {
            let at = position + characters.len() - 1 - count;
            return Err(self
                .scanner
                .error(at, format!("`{sign}` behind a value (fuzzy search, boost) is not supported"))
                .hint(format!("write `\\{sign}` for the character itself")));
        }
        let pieces = characters.iter().map(|character| match character {
            ValueCharacter::Plain(plain) | ValueCharacter::Escaped(plain) => Piece::Literal(plain.to_string()),
            ValueCharacter::Star => Piece::AnyText,
            ValueCharacter::QuestionMark => Piece::AnyCharacter,
        });
        let pattern = Pattern::new(pieces);
        match pattern.pieces() {
            [Piece::AnyText] => Ok(Test::Exists),
            [Piece::Literal(word)] => Ok(Test::Word(word.clone())),
            _ if characters.len() > MAX_PATTERN_CHARACTERS => Err(self
                .scanner
                .error(position, format!("a value with wildcards is longer than {MAX_PATTERN_CHARACTERS} characters"))),
            _ => Ok(Test::Pattern(pattern)),
        }
    }

    /// The test as the field's kind takes it.
    fn leaf(&mut self, place: &Place, test: Test, position: usize) -> Result<Node, QueryError> {
        self.clauses += 1;
        if self.clauses > MAX_CLAUSES {
            return Err(self.scanner.error(position, format!("more than {MAX_CLAUSES} clauses")));
        }
        let field = match place {
            Place::Default if test == Test::Exists => return Ok(Node::All),
            Place::Field(field) => Some(*field),
            Place::Default | Place::Parameter(_) => None,
        };
        let test = match (field.map_or(Kind::Keyword, FieldId::kind), test) {
            (_, test @ (Test::Exists | Test::Range { .. })) => test,
            (Kind::Number | Kind::Date, Test::Word(value) | Test::Quoted(value)) => {
                let interval = self.interval(place, &value, position)?;
                Test::Range { low: Some(interval.start), high: Some(interval.end) }
            }
            (Kind::Number | Kind::Date, _) => {
                let name = field.map_or("", FieldId::name);
                return Err(self
                    .scanner
                    .error(position, format!("`{name}` has no wildcards except `{name}:*`"))
                    .hint(format!("write a range: `{name}:[A TO B]`")));
            }
            (Kind::Flag, Test::Word(value) | Test::Quoted(value)) if is_flag(&value) => Test::Word(folded(&value)),
            (Kind::Flag, _) => {
                let name = field.map_or("", FieldId::name);
                return Err(self.scanner.error(position, format!("`{name}` is `true` or `false`")));
            }
            (_, Test::Word(value)) => Test::Word(folded(&value)),
            (_, Test::Quoted(value)) => Test::Quoted(folded(&value)),
            (_, Test::Pattern(pattern)) => {
                Test::Pattern(Pattern::new(pattern.pieces().iter().map(|piece| match piece {
                    Piece::Literal(value) => Piece::Literal(folded(value)),
                    other => other.clone(),
                })))
            }
        };
        Ok(Node::Leaf(Leaf { place: place.clone(), test }))
    }

    fn interval(&self, place: &Place, text: &str, position: usize) -> Result<Interval, QueryError> {
        if kind_of(place) == Some(Kind::Date) {
            return dates::interval(text, self.now).map_err(|message| {
                self.scanner
                    .error(position, message)
                    .hint("write 2026-11-30, 2026-11-30T17:22:40Z, NOW, NOW-7DAY or NOW/DAY")
            });
        }
        match number(text) {
            Some(number) => Ok(Interval { start: number, end: number.saturating_add(1) }),
            None => Err(self
                .scanner
                .error(position, format!("not a whole number: `{text}`"))
                .hint("write 1000, 64MB or 1GB")),
        }
    }

    fn comparison(&mut self, place: &Place) -> Result<Node, QueryError> {
        let is_greater = self.scanner.peek() == Some('>');
        self.scanner.skip(1);
        let or_equal = self.scanner.peek() == Some('=');
        self.scanner.skip(usize::from(or_equal));
        self.scanner.skip_blanks();
        let (bound, position) = self.bound()?;
        let interval = self.interval(place, &bound, position)?;
        let test = match (is_greater, or_equal) {
            (true, true) => Test::Range { low: Some(interval.start), high: None },
            (true, false) => Test::Range { low: Some(interval.end), high: None },
            (false, true) => Test::Range { low: None, high: Some(interval.end) },
            (false, false) => Test::Range { low: None, high: Some(interval.start) },
        };
        self.leaf(place, range_or_exists(test), position)
    }

    fn range(&mut self, place: &Place) -> Result<Node, QueryError> {
        let opened = self.scanner.position();
        if !matches!(kind_of(place), Some(Kind::Number | Kind::Date)) {
            let message = match place {
                Place::Field(field) => format!("`{}` has no order: ranges work on numbers and dates", field.name()),
                _ => "a range needs a field of numbers or dates".to_owned(),
            };
            return Err(self.error_here(message).hint("put a value that begins with a bracket in quotes"));
        }
        let low_included = self.scanner.peek() == Some('[');
        self.scanner.skip(1);
        self.scanner.skip_blanks();
        let (low, low_position) = self.bound()?;
        self.scanner.skip_blanks();
        if !(self.scanner.is_next("TO") || self.scanner.is_next("to")) {
            return Err(self.error_here("`TO` is missing between the two ends of the range").hint("write `[A TO B]`"));
        }
        self.scanner.skip(2);
        self.scanner.skip_blanks();
        let (high, high_position) = self.bound()?;
        self.scanner.skip_blanks();
        let high_included = match self.scanner.peek() {
            Some(']') => true,
            Some('}') => false,
            _ => return Err(self.scanner.error(opened, "the range is never closed")),
        };
        self.scanner.skip(1);
        let low = match low.as_str() {
            "*" => None,
            text => {
                let interval = self.interval(place, text, low_position)?;
                Some(if low_included { interval.start } else { interval.end })
            }
        };
        let high = match high.as_str() {
            "*" => None,
            text => {
                let interval = self.interval(place, text, high_position)?;
                Some(if high_included { interval.end } else { interval.start })
            }
        };
        self.leaf(place, range_or_exists(Test::Range { low, high }), opened)
    }

    fn bound(&mut self) -> Result<(String, usize), QueryError> {
        let position = self.scanner.position();
        let bound =
            if self.scanner.peek() == Some('"') { self.scanner.read_quoted()? } else { self.scanner.read_bound() };
        if bound.is_empty() {
            return Err(self.scanner.error(position, "a number or date is missing"));
        }
        Ok((bound, position))
    }
}

/// The clauses of one list as one node.
fn joined(clauses: Vec<Clause>) -> Node {
    let has_plus = clauses.iter().any(|clause| clause.plus);
    let (required, optional): (Vec<Clause>, Vec<Clause>) =
        clauses.into_iter().partition(|clause| !has_plus || clause.bound);
    let nodes = |clauses: Vec<Clause>| clauses.into_iter().map(|clause| clause.node).collect::<Vec<Node>>();
    if optional.is_empty() {
        return Node::all_of(nodes(required));
    }
    Node::And { required: nodes(required), optional: nodes(optional) }
}

fn range_or_exists(range: Test) -> Test {
    if range == (Test::Range { low: None, high: None }) { Test::Exists } else { range }
}

/// The place that `name:` leads to.
fn meant_place(name: &str) -> Option<Place> {
    let prefix_length = "tp_".len();
    match name.get(..prefix_length) {
        Some(prefix) if prefix.eq_ignore_ascii_case("tp_") && name.len() > prefix_length => {
            Some(Place::Parameter(folded(&name[prefix_length..])))
        }
        _ => fields::meant_by(name).map(Place::Field),
    }
}

fn kind_of(place: &Place) -> Option<Kind> {
    match place {
        Place::Field(field) => Some(field.kind()),
        Place::Default | Place::Parameter(_) => None,
    }
}

fn is_flag(text: &str) -> bool {
    text.eq_ignore_ascii_case("true") || text.eq_ignore_ascii_case("false")
}

/// A whole number, perhaps with a unit of bytes.
fn number(text: &str) -> Option<i64> {
    let digits = text.trim_end_matches(|character: char| character.is_ascii_alphabetic());
    let unit = text[digits.len()..].to_ascii_uppercase();
    let shift = match unit.strip_suffix('B').unwrap_or(&unit) {
        "" if unit.is_empty() => 0,
        "K" => 10,
        "M" => 20,
        "G" => 30,
        "T" => 40,
        _ => return None,
    };
    digits.parse::<i64>().ok()?.checked_mul(1 << shift)
}

fn word_hint(operator: &str) -> String {
    format!("put it in quotes if it is a word: `\"{operator}\"`")
}

#[cfg(test)]
#[path = "parser_tests.rs"]
mod tests;
