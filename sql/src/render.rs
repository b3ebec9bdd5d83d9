//! Tokens as text again.

use sqlparser::tokenizer::{Token, TokenWithSpan};

/// A text that reads as the same tokens.
pub(crate) fn render(tokens: &[TokenWithSpan]) -> String {
    let mut text = String::new();
    for token in tokens {
        if !text.is_empty() {
            text.push(' ');
        }
        match &token.token {
            Token::SingleQuotedString(value) => push_quoted(&mut text, value, '\''),
            Token::DoubleQuotedString(value) => push_quoted(&mut text, value, '"'),
            // A name that holds a variable is not quoted in the text.
            Token::Word(word) if word.value.contains("${") => text.push_str(&word.value),
            other => text.push_str(&other.to_string()),
        }
    }
    text
}

fn push_quoted(text: &mut String, value: &str, quote: char) {
    text.push(quote);
    for character in value.chars() {
        if character == quote || character == '\\' {
            text.push('\\');
        }
        text.push(character);
    }
    text.push(quote);
}
