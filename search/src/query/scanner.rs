//! The lowest floor of the grammar: characters, escapes, quotes, and operators.

use super::QueryError;

/// The text of a query, and how far it has been read.
pub(super) struct Scanner<'a> {
    text: &'a str,
    characters: Vec<char>,
    position: usize,
}

/// A word that joins clauses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    And,
    Or,
    Not,
}

/// An operator that was seen but not yet read.
pub(super) struct SeenOperator {
    pub(super) operator: Operator,
    /// How it is written.
    pub(super) written: &'static str,
    /// Whether the same characters could be an ordinary word.
    pub(super) may_be_word: bool,
}

/// A character of a value without quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ValueCharacter {
    /// A character that stands for itself.
    Plain(char),
    /// A character behind a `\`.
    Escaped(char),
    /// `*`
    Star,
    /// `?`
    QuestionMark,
}

const OPERATORS: &[(&str, Operator)] = &[
    ("&&", Operator::And),
    ("||", Operator::Or),
    ("AND", Operator::And),
    ("OR", Operator::Or),
    ("NOT", Operator::Not),
    ("and", Operator::And),
    ("or", Operator::Or),
    ("not", Operator::Not),
];

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, characters: text.chars().collect(), position: 0 }
    }

    pub(super) fn position(&self) -> usize {
        self.position
    }

    pub(super) fn error(&self, position: usize, message: impl Into<String>) -> QueryError {
        QueryError::new(self.text, position, message)
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.peek_ahead(0)
    }

    pub(super) fn peek_ahead(&self, ahead: usize) -> Option<char> {
        self.characters.get(self.position + ahead).copied()
    }

    pub(super) fn skip(&mut self, characters: usize) {
        self.position = (self.position + characters).min(self.characters.len());
    }

    pub(super) fn skip_blanks(&mut self) {
        while self.peek().is_some_and(char::is_whitespace) {
            self.position += 1;
        }
    }

    pub(super) fn is_next(&self, expected: &str) -> bool {
        expected.chars().enumerate().all(|(ahead, character)| self.peek_ahead(ahead) == Some(character))
    }

    /// Whether no further clause can begin here.
    pub(super) fn is_at_end_of_list(&self) -> bool {
        matches!(self.peek(), None | Some(')'))
    }

    /// The operator that stands here, if one does. A lower-case word counts only when a clause
    /// follows it.
    pub(super) fn peek_operator(&self) -> Option<SeenOperator> {
        let (written, operator) = OPERATORS.iter().copied().find(|(written, _)| {
            let is_symbol = !written.starts_with(char::is_alphabetic);
            let ends = |next: char| next.is_whitespace() || "()\"".contains(next);
            self.is_next(written) && (is_symbol || self.peek_ahead(written.len()).is_none_or(ends))
        })?;
        let may_be_word = written.starts_with(char::is_lowercase);
        if may_be_word {
            let mut behind = self.characters[self.position + written.len()..].iter();
            if matches!(behind.find(|character| !character.is_whitespace()), None | Some(')')) {
                return None;
            }
        }
        Some(SeenOperator { operator, written, may_be_word })
    }

    /// A field's name that stands here with its colon. Nothing is read.
    pub(super) fn peek_field_name(&self) -> Option<String> {
        let rest = &self.characters[self.position..];
        let ends = |character: &char| character.is_whitespace() || "():\"\\*?[]{}".contains(*character);
        let length = rest.iter().position(ends)?;
        (length > 0 && rest[length] == ':').then(|| rest[..length].iter().collect())
    }

    /// Reads a value without quotes, up to a blank or a parenthesis.
    pub(super) fn read_value(&mut self) -> Result<Vec<ValueCharacter>, QueryError> {
        let mut value = Vec::new();
        while let Some(character) = self.peek() {
            let read = match character {
                ')' => break,
                blank if blank.is_whitespace() => break,
                '(' | '"' if !value.is_empty() => {
                    return Err(self
                        .error(self.position, format!("`{character}` in the middle of a value"))
                        .hint(format!("put the value in quotes, or write `\\{character}`")));
                }
                '\\' => {
                    let Some(escaped) = self.peek_ahead(1) else {
                        return Err(self
                            .error(self.position, "nothing follows the `\\`")
                            .hint("write `\\\\` for the character itself"));
                    };
                    self.position += 1;
                    ValueCharacter::Escaped(escaped)
                }
                '*' => ValueCharacter::Star,
                '?' => ValueCharacter::QuestionMark,
                plain => ValueCharacter::Plain(plain),
            };
            value.push(read);
            self.position += 1;
        }
        Ok(value)
    }

    /// Reads a value in quotes; the scanner stands on the first one.
    pub(super) fn read_quoted(&mut self) -> Result<String, QueryError> {
        let start = self.position;
        let mut value = String::new();
        self.position += 1;
        loop {
            match self.peek() {
                None => return Err(self.error(start, "the quote is never closed")),
                Some('"') => break,
                Some('\\') if self.peek_ahead(1).is_some() => {
                    self.position += 1;
                    value.extend(self.peek());
                }
                Some(character) => value.push(character),
            }
            self.position += 1;
        }
        self.position += 1;
        match self.peek() {
            _ if value.is_empty() => Err(self.error(start, "an empty value")),
            Some('~' | '^') => Err(self.error(self.position, "`~` and `^` behind a value are not supported")),
            Some(next) if !next.is_whitespace() && !")]}".contains(next) => {
                Err(self.error(self.position, "no blank behind the quoted value"))
            }
            _ => Ok(value),
        }
    }

    /// Reads a number or date, without quotes.
    pub(super) fn read_bound(&mut self) -> String {
        let start = self.position;
        while self.peek().is_some_and(|character| !character.is_whitespace() && !")]}".contains(character)) {
            self.position += 1;
        }
        // `\:` in a time is what Solr's users are used to.
        self.characters[start..self.position].iter().filter(|character| **character != '\\').collect()
    }
}
