//! The scanner: a text as words, literals, quoted names and symbols, in one pass.

/// What the scanner tells apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Token<'a> {
    /// A keyword or an unquoted name.
    Word(&'a str),
    /// A name in back quotes, with them.
    Quoted(&'a str),
    /// A string, a number, or a placeholder (`?`).
    Literal,
    /// A dot that joins two parts of a name.
    Dot,
    /// An operator or a punctuation mark.
    Symbol(&'a str),
    /// Everything from a quote that is never closed to the end of the text.
    Unterminated(&'a str),
}

/// What stood before, as far as the meaning of a dot and of digits depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Before {
    /// Something a dot can join to: a name, a literal, a closing bracket.
    Operand,
    /// A dot that joins, so that digits behind it are a name (`sales.2024_q1`).
    Dot,
    /// Anything else.
    Other,
}

/// Operators of several characters, the longest first.
const LONG_OPERATORS: [&str; 12] = ["<=>", "<=", ">=", "<>", "!=", "==", "||", "&&", ":=", "->", "=>", "::"];

/// Hands out the tokens of a text.
pub(crate) struct Scanner<'a> {
    text: &'a str,
    position: usize,
    before: Before,
    /// Whether `--` comments end somewhere: whether the text has more than one line.
    has_lines: bool,
    /// Whether a `--` that could not be dropped has been passed.
    inside_kept_comment: bool,
    /// Set once a `/*` was found that nothing closes, so that the end is not looked for again.
    block_comments_are_over: bool,
}

impl<'a> Scanner<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self {
            text,
            position: 0,
            before: Before::Other,
            has_lines: text.bytes().any(|byte| byte == b'\n' || byte == b'\r'),
            inside_kept_comment: false,
            block_comments_are_over: false,
        }
    }

    fn byte(&self, position: usize) -> u8 {
        self.text.as_bytes().get(position).copied().unwrap_or(0)
    }

    /// The next token, or nothing at the end of the text.
    pub(crate) fn next_token(&mut self) -> Option<Token<'a>> {
        let blank_before = self.skip_blanks_and_comments();
        let start = self.position;
        let first = *self.text.as_bytes().get(start)?;
        let token = match first {
            b'\'' | b'"' => match closing_quote(self.text, start, true) {
                Some(end) => self.take(end, |_| Token::Literal),
                None => self.take(self.text.len(), Token::Unterminated),
            },
            b'`' => match closing_quote(self.text, start, false) {
                Some(end) => self.take(end, Token::Quoted),
                None => self.take(self.text.len(), Token::Unterminated),
            },
            b'?' => self.take(start + 1, |_| Token::Literal),
            b'0'..=b'9' if self.before != Before::Dot => match number_length(&self.text[start..]) {
                Some(length) => self.take(start + length, |_| Token::Literal),
                None => self.take_word(),
            },
            b'.' => self.take_dot_or_number(blank_before),
            byte if is_word_byte(byte) => self.take_word(),
            _ => self.take_symbol(),
        };
        self.before = match token {
            Token::Word(_) | Token::Quoted(_) | Token::Literal | Token::Symbol(")" | "]") => Before::Operand,
            Token::Dot => Before::Dot,
            Token::Symbol(_) | Token::Unterminated(_) => Before::Other,
        };
        Some(token)
    }

    fn take(&mut self, end: usize, make: impl FnOnce(&'a str) -> Token<'a>) -> Token<'a> {
        let taken = &self.text[self.position..end];
        self.position = end;
        make(taken)
    }

    fn take_word(&mut self) -> Token<'a> {
        let bytes = self.text.as_bytes();
        let mut end = self.position;
        loop {
            while end < bytes.len() && bytes[end].is_ascii() && is_word_byte(bytes[end]) {
                end += 1;
            }
            match self.text[end..].chars().next() {
                Some(character) if !character.is_ascii() && !character.is_whitespace() => {
                    end += character.len_utf8();
                }
                // `don't` inside a comment that has swallowed the statement opens no string.
                Some('\'')
                    if self.inside_kept_comment
                        && bytes[end - 1].is_ascii_alphabetic()
                        && self.byte(end + 1).is_ascii_alphabetic() =>
                {
                    end += 1;
                }
                _ => break,
            }
        }
        self.take(end, Token::Word)
    }

    /// A dot joins names (`a.b`, `a . b`) except where it can only begin a number (`a .5`, `(.5`).
    fn take_dot_or_number(&mut self, blank_before: bool) -> Token<'a> {
        let start = self.position;
        let digit_follows = self.byte(start + 1).is_ascii_digit();
        let joins = self.before == Before::Operand && !(blank_before && digit_follows);
        if joins {
            return self.take(start + 1, |_| Token::Dot);
        }
        if digit_follows {
            let length = fraction_length(&self.text[start..]);
            return self.take(start + length, |_| Token::Literal);
        }
        self.take(start + 1, Token::Symbol)
    }

    fn take_symbol(&mut self) -> Token<'a> {
        let rest = &self.text[self.position..];
        if rest.starts_with("--") {
            self.inside_kept_comment = true;
            return self.take(self.position + 2, Token::Symbol);
        }
        let operator = LONG_OPERATORS.iter().find(|operator| rest.starts_with(**operator));
        let length = operator.map_or(1, |operator| operator.len());
        self.take(self.position + length, Token::Symbol)
    }

    /// Whether anything was skipped.
    fn skip_blanks_and_comments(&mut self) -> bool {
        let bytes = self.text.as_bytes();
        let start = self.position;
        while let Some(&byte) = bytes.get(self.position) {
            match byte {
                // Control characters are blanks: no shape holds any.
                0..=b' ' | 0x7f => self.position += 1,
                b'-' if self.has_lines && self.byte(self.position + 1) == b'-' => {
                    let rest = &bytes[self.position..];
                    let length = rest.iter().position(|byte| *byte == b'\n' || *byte == b'\r');
                    self.position += length.unwrap_or(rest.len());
                }
                b'/' if self.byte(self.position + 1) == b'*' && !self.block_comments_are_over => {
                    let Some(length) = self.text[self.position + 2..].find("*/") else {
                        self.block_comments_are_over = true;
                        break;
                    };
                    self.position += length + 4;
                }
                0x80.. => match self.text[self.position..].chars().next() {
                    Some(character) if character.is_whitespace() => {
                        self.position += character.len_utf8();
                    }
                    _ => break,
                },
                _ => break,
            }
        }
        self.position > start
    }
}

/// Letters, digits, `_`, `$`, and everything beyond ASCII (white space there is told apart by the
/// caller).
fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

/// Behind the quote that closes the one at `start`. A doubled quote stands for itself; a backslash
/// takes away the meaning of what follows it, except in back quotes.
fn closing_quote(text: &str, start: usize, backslash_escapes: bool) -> Option<usize> {
    let bytes = text.as_bytes();
    let quote = bytes[start];
    let mut position = start + 1;
    while let Some(&byte) = bytes.get(position) {
        if byte == b'\\' && backslash_escapes {
            position += 2;
        } else if byte == quote {
            if bytes.get(position + 1) != Some(&quote) {
                return Some(position + 1);
            }
            position += 2;
        } else {
            position += 1;
        }
    }
    None
}

/// Whether a word has a character at `position` that belongs to it.
fn word_goes_on(text: &str, position: usize) -> bool {
    match text.as_bytes().get(position) {
        Some(byte) if byte.is_ascii() => is_word_byte(*byte),
        Some(_) => text[position..].chars().next().is_some_and(|character| !character.is_whitespace()),
        None => false,
    }
}

/// Where the digits end that begin at `position`.
fn end_of_digits(text: &str, position: usize) -> usize {
    let digits = text.as_bytes().iter().skip(position).take_while(|byte| byte.is_ascii_digit()).count();
    position + digits
}

/// How long the number at the start of `text` is, which begins with a digit; nothing when it is a
/// name that begins with digits (`2024_sales`), as both engines allow.
fn number_length(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    if bytes[0] == b'0' && matches!(bytes.get(1), Some(b'x' | b'X')) {
        let digits = bytes[2..].iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
        if digits > 0 && !word_goes_on(text, 2 + digits) {
            return Some(2 + digits);
        }
    }
    let whole = end_of_digits(text, 0);
    let digit_behind_dot = bytes.get(whole + 1).is_some_and(u8::is_ascii_digit);
    let has_fraction = bytes.get(whole) == Some(&b'.') && (digit_behind_dot || !word_goes_on(text, whole + 1));
    let mantissa = if has_fraction { end_of_digits(text, whole + 1) } else { whole };
    let (exponent, has_sign) = with_exponent(text, mantissa);
    let length = with_suffix(text, exponent);
    let is_name = word_goes_on(text, length) && !has_fraction && !has_sign;
    if is_name { None } else { Some(length) }
}

/// How long the number at the start of `text` is, which begins with a dot and a digit.
fn fraction_length(text: &str) -> usize {
    let (length, _) = with_exponent(text, end_of_digits(text, 1));
    with_suffix(text, length)
}

/// The length with an exponent, if there is one, and whether that has a sign.
fn with_exponent(text: &str, mantissa: usize) -> (usize, bool) {
    let bytes = text.as_bytes();
    if !matches!(bytes.get(mantissa), Some(b'e' | b'E')) {
        return (mantissa, false);
    }
    let has_sign = matches!(bytes.get(mantissa + 1), Some(b'+' | b'-'));
    let digits_start = mantissa + 1 + usize::from(has_sign);
    let end = end_of_digits(text, digits_start);
    if end == digits_start { (mantissa, false) } else { (end, has_sign) }
}

/// The length with Hive's type suffix (`10L`, `1.5BD`) or size suffix (`100M`), if there is one.
fn with_suffix(text: &str, length: usize) -> usize {
    let bytes = text.as_bytes();
    let suffix_length = match bytes.get(length).map(u8::to_ascii_lowercase) {
        Some(b'b') if matches!(bytes.get(length + 1), Some(b'd' | b'D')) => 2,
        Some(b'l' | b's' | b'y' | b'd' | b'f' | b'b' | b'k' | b'm' | b'g') => 1,
        _ => 0,
    };
    if word_goes_on(text, length + suffix_length) { length } else { length + suffix_length }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<Token<'_>> {
        let mut scanner = Scanner::new(text);
        std::iter::from_fn(|| scanner.next_token()).collect()
    }

    #[test]
    fn numbers_are_told_from_names() {
        for number in ["0", "42", "1.5", "1.", ".5", "1e10", "1.5E-3", "0xFF", "10L", "1Y", "2BD", "100M", "1d", "1e5f"]
        {
            assert_eq!(tokens(number), [Token::Literal], "{number}");
        }
        for name in ["2024_sales", "1st", "0xyz", "1e5x", "3dd", "_1", "$x", "größe", "12é"] {
            assert_eq!(tokens(name), [Token::Word(name)], "{name}");
        }
    }

    #[test]
    fn digits_behind_a_joining_dot_are_a_name() {
        assert_eq!(tokens("db.2024"), [Token::Word("db"), Token::Dot, Token::Word("2024")]);
        assert_eq!(tokens("a .5"), [Token::Word("a"), Token::Literal]);
        assert_eq!(tokens("(.5"), [Token::Symbol("("), Token::Literal]);
    }

    #[test]
    fn quotes_are_closed_where_the_engines_close_them() {
        assert_eq!(tokens(r"'it\'s' x"), [Token::Literal, Token::Word("x")]);
        assert_eq!(tokens(r"'it''s' x"), [Token::Literal, Token::Word("x")]);
        assert_eq!(tokens(r#""a'b" x"#), [Token::Literal, Token::Word("x")]);
        assert_eq!(tokens(r"`a\` x"), [Token::Quoted(r"`a\`"), Token::Word("x")]);
        assert_eq!(tokens("x 'abc"), [Token::Word("x"), Token::Unterminated("'abc")]);
    }

    #[test]
    fn comments_are_skipped_where_they_end() {
        assert_eq!(tokens("a /* ' */ b"), [Token::Word("a"), Token::Word("b")]);
        assert_eq!(tokens("a -- '\nb"), [Token::Word("a"), Token::Word("b")]);
        assert_eq!(tokens("a -- b"), [Token::Word("a"), Token::Symbol("--"), Token::Word("b")]);
        assert_eq!(tokens("a /* b").len(), 4);
    }
}
