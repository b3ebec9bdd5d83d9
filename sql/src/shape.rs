//! The shape of a statement: its tokens with the literals folded.

use crate::tokens::{Scanner, Token};

/// Part of every operation's identity. It must rise with any change to what [`normalise`] answers.
pub const NORMALISER_VERSION: u32 = 1;

/// How many different row shapes of one `VALUES` list are compared with the next row.
const MAX_ROW_SHAPES: usize = 16;

/// Words behind which a bracket is set off by a blank; behind any other it belongs to a name.
const WORDS_BEFORE_BRACKETS: [&str; 36] = [
    "all",
    "and",
    "any",
    "as",
    "between",
    "by",
    "distinct",
    "else",
    "except",
    "exists",
    "from",
    "having",
    "in",
    "intersect",
    "into",
    "join",
    "like",
    "limit",
    "minus",
    "not",
    "on",
    "or",
    "over",
    "partition",
    "partitioned",
    "rlike",
    "select",
    "set",
    "table",
    "then",
    "union",
    "using",
    "values",
    "when",
    "where",
    "with",
];

/// The shape of a statement: the same for all texts that differ only in literals, comments, white
/// space, the case of words, and the length of lists of literals.
///
/// - Strings, numbers and placeholders become `?`. A sign in front of one stays (`- ?`), so do
///   `true`, `false` and `null`.
/// - A bracket that holds nothing but literals becomes `(?)`, whatever their number; there, signs,
///   `true`, `false`, `null` and typed literals (`date '2026-01-01'`) count as literals. Rows of a
///   `VALUES` list that have one shape are one row.
/// - Comments and `/*+ hints */` are dropped, blanks are set by one rule, words are in lower case,
///   back quotes go where the name needs none, a last `;` goes.
/// - A quote that is never closed (a text that was cut) keeps everything behind it as it is.
///
/// Impala turns line ends into blanks before it logs a statement, so that a `--` comment seems to
/// run to the end of the text, and dropping it would give different statements one shape. In a text
/// without any line end a `--` is therefore kept like an operator, and what follows it is folded
/// like the rest.
pub fn normalise(text: &str) -> String {
    let mut shape = Shape {
        text: String::with_capacity(text.len().min(1 << 20)),
        last: Last::Nothing,
        brackets: Vec::new(),
        values: None,
    };
    let mut scanner = Scanner::new(text);
    while let Some(token) = scanner.next_token() {
        shape.add(token);
    }
    let length = shape.text.trim_end_matches([';', ' ']).len();
    shape.text.truncate(length);
    shape.text
}

/// An expression of a lineage record with its literals folded as [`normalise`] folds them.
pub fn fold_literals(expression: &str) -> String {
    normalise(expression)
}

/// The last thing written, as far as the next blank depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Last {
    Nothing,
    /// A name or keyword, and where it begins.
    Word(usize),
    Quoted,
    Literal,
    Dot,
    /// `(` or `[`.
    Open,
    /// `)` or `]`.
    Close,
    Comma,
    Symbol,
}

/// What a bracket holds so far, with a view to whether it is a list of literals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Elements {
    /// An element is to begin.
    Awaited,
    /// `-`, `+`, `date` or `timestamp` in front of a literal.
    Introduced,
    /// A literal has ended an element.
    Literal,
    /// It holds something else.
    Mixed,
}

struct Bracket {
    /// Where its content begins in the shape's text.
    content: usize,
    elements: Elements,
    /// Whether it is a row of the `VALUES` list at hand.
    is_row: bool,
}

/// A `VALUES` list that is being written.
struct Values {
    /// How many brackets are open around it.
    depth: usize,
    /// Where the distinct rows stand in the shape's text.
    rows: Vec<(usize, usize)>,
    /// Where the text ended before the comma in front of the row at hand.
    end_of_last_row: usize,
}

struct Shape {
    text: String,
    last: Last,
    brackets: Vec<Bracket>,
    values: Option<Values>,
}

impl Shape {
    fn add(&mut self, token: Token<'_>) {
        self.end_values_before(token);
        match token {
            Token::Word(word) => self.add_word(word),
            Token::Quoted(quoted) => self.add_quoted(quoted),
            Token::Literal => {
                self.begin(true);
                self.text.push('?');
                self.last = Last::Literal;
                self.note_literal();
            }
            Token::Dot => {
                self.text.push('.');
                self.last = Last::Dot;
                self.note(Elements::Mixed);
            }
            Token::Unterminated(rest) => {
                self.begin(true);
                push_collapsed(&mut self.text, rest);
                self.last = Last::Symbol;
                self.note(Elements::Mixed);
            }
            Token::Symbol("(") => self.open(),
            Token::Symbol(")") => self.close(),
            Token::Symbol(symbol) => self.add_symbol(symbol),
        }
    }

    /// Sets the blank between what was written and what is to come.
    fn begin(&mut self, wants_blank: bool) {
        let blank = wants_blank && !matches!(self.last, Last::Nothing | Last::Open | Last::Dot);
        if blank {
            self.text.push(' ');
        }
    }

    /// What the innermost bracket holds, seen the new token.
    fn note(&mut self, elements: Elements) {
        if let Some(bracket) = self.brackets.last_mut() {
            bracket.elements = elements;
        }
    }

    fn note_literal(&mut self) {
        if let Some(bracket) = self.brackets.last_mut()
            && bracket.elements != Elements::Mixed
        {
            bracket.elements = Elements::Literal;
        }
    }

    fn elements(&self) -> Elements {
        self.brackets.last().map_or(Elements::Mixed, |bracket| bracket.elements)
    }

    fn add_word(&mut self, word: &str) {
        self.begin(true);
        let start = self.text.len();
        push_lower(&mut self.text, word);
        self.last = Last::Word(start);
        let meaning = meaning_of(&self.text[start..]);
        if meaning == Meaning::BeginsValues {
            self.values = Some(Values { depth: self.brackets.len(), rows: Vec::new(), end_of_last_row: 0 });
        }
        let elements = match (meaning, self.elements()) {
            (Meaning::IsLiteral, Elements::Awaited) => Elements::Literal,
            (Meaning::IntroducesLiteral, Elements::Awaited) => Elements::Introduced,
            _ => Elements::Mixed,
        };
        self.note(elements);
    }

    fn add_quoted(&mut self, quoted: &str) {
        self.begin(true);
        let start = self.text.len();
        let name = &quoted[1..quoted.len() - 1];
        if needs_no_quotes(name) {
            push_lower(&mut self.text, name);
            self.last = Last::Word(start);
        } else {
            push_collapsed(&mut self.text, quoted);
            self.last = Last::Quoted;
        }
        self.note(Elements::Mixed);
    }

    fn add_symbol(&mut self, symbol: &str) {
        match symbol {
            "," | ";" => {
                self.text.push_str(symbol);
                self.last = Last::Comma;
            }
            "[" => {
                self.begin(!matches!(self.last, Last::Word(_) | Last::Quoted | Last::Close));
                self.text.push('[');
                self.last = Last::Open;
            }
            "]" => {
                self.text.push(']');
                self.last = Last::Close;
            }
            _ => {
                self.begin(true);
                self.text.push_str(symbol);
                self.last = Last::Symbol;
            }
        }
        let elements = match (symbol, self.elements()) {
            (",", Elements::Literal) => Elements::Awaited,
            ("-" | "+", Elements::Awaited | Elements::Introduced) => Elements::Introduced,
            _ => Elements::Mixed,
        };
        self.note(elements);
    }

    fn open(&mut self) {
        let depth = self.brackets.len();
        let is_row = self.values.as_ref().is_some_and(|values| values.depth == depth);
        let wants_blank = match self.last {
            Last::Word(start) => WORDS_BEFORE_BRACKETS.binary_search(&&self.text[start..]).is_ok(),
            Last::Quoted | Last::Close => false,
            _ => true,
        };
        self.begin(wants_blank);
        self.text.push('(');
        self.last = Last::Open;
        self.brackets.push(Bracket { content: self.text.len(), elements: Elements::Awaited, is_row });
    }

    fn close(&mut self) {
        let Some(bracket) = self.brackets.pop() else {
            self.text.push(')');
            self.last = Last::Close;
            return;
        };
        let only_literals = bracket.elements == Elements::Literal;
        if only_literals {
            self.text.truncate(bracket.content);
            self.text.push('?');
        }
        self.text.push(')');
        self.last = Last::Close;
        // A bracket of literals is itself an element of literals: `((1, 2), (3, 4))`.
        match self.elements() {
            Elements::Awaited if only_literals => self.note(Elements::Literal),
            _ => self.note(Elements::Mixed),
        }
        if bracket.is_row {
            self.end_row(bracket.content);
        }
    }

    /// Takes a row back whose shape the list has already.
    fn end_row(&mut self, start: usize) {
        let Some(values) = &mut self.values else {
            return;
        };
        let end = self.text.len();
        let is_known = values.rows.iter().any(|(from, to)| self.text[*from..*to] == self.text[start..end]);
        if is_known {
            self.text.truncate(values.end_of_last_row);
            return;
        }
        if values.rows.len() < MAX_ROW_SHAPES {
            values.rows.push((start, end));
        }
        values.end_of_last_row = end;
    }

    /// A `VALUES` list goes on with `(` behind `values` or a comma, and with a comma behind a row.
    fn end_values_before(&mut self, token: Token<'_>) {
        let Some(values) = &self.values else { return };
        if self.brackets.len() > values.depth {
            return;
        }
        let goes_on = match (self.last, token) {
            (Last::Word(_), Token::Symbol("(")) => values.rows.is_empty(),
            (Last::Comma, Token::Symbol("(")) | (Last::Close, Token::Symbol(",")) => true,
            _ => false,
        };
        if !goes_on || self.brackets.len() < values.depth {
            self.values = None;
        }
    }
}

/// What a word means to the folding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Meaning {
    IsLiteral,
    IntroducesLiteral,
    BeginsValues,
    None,
}

fn meaning_of(lower_word: &str) -> Meaning {
    match lower_word {
        "true" | "false" | "null" => Meaning::IsLiteral,
        "date" | "timestamp" => Meaning::IntroducesLiteral,
        "values" => Meaning::BeginsValues,
        _ => Meaning::None,
    }
}

/// Whether a name means the same without its back quotes.
fn needs_no_quotes(name: &str) -> bool {
    let starts_like_a_word = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    let is_plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    starts_like_a_word && is_plain && meaning_of(&name.to_ascii_lowercase()) == Meaning::None
}

fn push_lower(text: &mut String, word: &str) {
    if word.is_ascii() {
        let start = text.len();
        text.push_str(word);
        text[start..].make_ascii_lowercase();
    } else {
        text.extend(word.chars().flat_map(char::to_lowercase));
    }
}

/// Adds `piece` in lower case with every run of white space and control characters as one blank.
fn push_collapsed(text: &mut String, piece: &str) {
    let mut after_blank = false;
    for character in piece.chars() {
        let is_blank = character.is_whitespace() || character.is_ascii_control();
        if !is_blank {
            text.extend(character.to_lowercase());
        } else if !after_blank {
            text.push(' ');
        }
        after_blank = is_blank;
    }
}

#[cfg(test)]
mod tests;
