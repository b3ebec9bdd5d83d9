//! A place in the tokens of a statement that moves forward.

use sqlparser::tokenizer::{Location, Token, TokenWithSpan};

use crate::words::{are_at, closing, is_any, is_at, name_of, string_of, symbol_at};

/// A table as the text names it, in lower case: one part or more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TableName {
    pub(crate) parts: Vec<String>,
    pub(crate) place: Location,
}

impl TableName {
    /// The name's parts; one in back quotes that holds a dot is two.
    pub(crate) fn new(parts: &[String], place: Location) -> Self {
        let parts = match parts {
            [whole] if whole.contains('.') && !whole.contains("${") => {
                whole.split('.').map(str::to_lowercase).collect()
            }
            _ => parts.iter().map(|part| part.to_lowercase()).collect(),
        };
        Self { parts, place }
    }
}

pub(crate) struct Cursor<'t> {
    pub(crate) tokens: &'t [TokenWithSpan],
    pub(crate) position: usize,
}

impl<'t> Cursor<'t> {
    pub(crate) fn new(tokens: &'t [TokenWithSpan]) -> Self {
        Self { tokens, position: 0 }
    }

    pub(crate) fn at_end(&self) -> bool {
        self.position >= self.tokens.len()
    }

    pub(crate) fn rest(&self) -> &'t [TokenWithSpan] {
        &self.tokens[self.position.min(self.tokens.len())..]
    }

    pub(crate) fn is(&self, word: &str) -> bool {
        is_at(self.tokens, self.position, word)
    }

    /// Goes over these words, if they are what follows.
    pub(crate) fn eat(&mut self, words: &[&str]) -> bool {
        let found = are_at(self.tokens, self.position, words);
        if found {
            self.position += words.len();
        }
        found
    }

    /// Goes over all words of these that follow.
    pub(crate) fn eat_any(&mut self, words: &[&str]) {
        while self.tokens.get(self.position).is_some_and(|token| is_any(token, words)) {
            self.position += 1;
        }
    }

    /// Moves to behind the first of these words outside of brackets; stays where there is none.
    pub(crate) fn skip_behind(&mut self, words: &[&str]) -> bool {
        let found = crate::words::find_outside(self.tokens, self.position, |tokens, at| are_at(tokens, at, words));
        if let Some(at) = found {
            self.position = at + words.len();
        }
        found.is_some()
    }

    pub(crate) fn word(&mut self) -> Option<String> {
        let name = name_of(self.tokens.get(self.position)?)?.to_lowercase();
        self.position += 1;
        Some(name)
    }

    pub(crate) fn string(&mut self) -> Option<String> {
        let text = string_of(self.tokens.get(self.position)?)?.to_owned();
        self.position += 1;
        Some(text)
    }

    /// A table's name of one part or more.
    pub(crate) fn table(&mut self) -> Option<TableName> {
        let place = self.tokens.get(self.position)?.span.start;
        let mut parts = vec![name_of(&self.tokens[self.position])?.to_owned()];
        self.position += 1;
        while symbol_at(self.tokens, self.position, &Token::Period) {
            let Some(part) = self.tokens.get(self.position + 1).and_then(name_of) else { break };
            parts.push(part.to_owned());
            self.position += 2;
        }
        Some(TableName::new(&parts, place))
    }

    /// What is in the brackets that follow.
    pub(crate) fn group(&mut self) -> Option<&'t [TokenWithSpan]> {
        if !symbol_at(self.tokens, self.position, &Token::LParen) {
            return None;
        }
        let close = closing(self.tokens, self.position);
        let inner = &self.tokens[self.position + 1..close.max(self.position + 1)];
        self.position = close + 1;
        Some(inner)
    }
}
