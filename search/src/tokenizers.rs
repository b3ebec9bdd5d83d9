//! How texts become terms. The texts of names, paths and prose are folded before they come here.

use tantivy::tokenizer::{TextAnalyzer, Token, TokenStream, Tokenizer, TokenizerManager};

use crate::words::{folded, parts, words};

/// The whole value in folded case.
pub(crate) const WHOLE: &str = "whole";
/// Words by position, with their parts at the same position.
pub(crate) const WORDS: &str = "words";
/// Every three neighbouring characters.
pub(crate) const TRIGRAMS: &str = "trigrams";

/// Longer terms cannot be kept by the index.
const MAX_TERM_BYTES: usize = 65_000;

pub(crate) fn manager() -> TokenizerManager {
    let manager = TokenizerManager::default();
    manager.register(WHOLE, TextAnalyzer::from(WholeTokenizer));
    manager.register(WORDS, TextAnalyzer::from(WordTokenizer));
    manager.register(TRIGRAMS, TextAnalyzer::from(TrigramTokenizer));
    manager
}

/// The trigrams of a text.
pub(crate) fn trigrams(text: &str) -> impl Iterator<Item = &str> {
    let starts = text.char_indices().map(|(start, _)| start);
    let ends = text.char_indices().skip(3).map(|(end, _)| end).chain(std::iter::once(text.len()));
    // A text of one or two characters has no end for its first start.
    let has_any = text.chars().nth(2).is_some();
    starts.zip(ends).filter(move |_| has_any).map(|(start, end)| &text[start..end])
}

/// Tokens that are pieces of the text, made one after the other.
pub(crate) struct Pieces<I> {
    pieces: I,
    token: Token,
}

impl<'a, I: Iterator<Item = (usize, &'a str)>> TokenStream for Pieces<I> {
    fn advance(&mut self) -> bool {
        let Some((position, piece)) = self.pieces.find(|(_, piece)| piece.len() <= MAX_TERM_BYTES) else {
            return false;
        };
        self.token.position = position;
        self.token.text.clear();
        self.token.text.push_str(piece);
        true
    }

    fn token(&self) -> &Token {
        &self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.token
    }
}

type BoxedPieces<'a> = Pieces<Box<dyn Iterator<Item = (usize, &'a str)> + 'a>>;

#[derive(Clone)]
struct WholeTokenizer;

impl Tokenizer for WholeTokenizer {
    type TokenStream<'a> = Once;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> Once {
        let token = Token { text: folded(text), position: 0, ..Token::default() };
        Once { is_read: token.text.len() > MAX_TERM_BYTES, token }
    }
}

/// One token.
pub(crate) struct Once {
    token: Token,
    is_read: bool,
}

impl TokenStream for Once {
    fn advance(&mut self) -> bool {
        !std::mem::replace(&mut self.is_read, true)
    }

    fn token(&self) -> &Token {
        &self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.token
    }
}

#[derive(Clone)]
struct WordTokenizer;

impl Tokenizer for WordTokenizer {
    type TokenStream<'a> = BoxedPieces<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> BoxedPieces<'a> {
        let pieces = words(text)
            .enumerate()
            .flat_map(|(position, word)| std::iter::once(word).chain(parts(word)).map(move |piece| (position, piece)));
        Pieces { pieces: Box::new(pieces), token: Token::default() }
    }
}

#[derive(Clone)]
struct TrigramTokenizer;

impl Tokenizer for TrigramTokenizer {
    type TokenStream<'a> = BoxedPieces<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> BoxedPieces<'a> {
        Pieces { pieces: Box::new(trigrams(text).map(|trigram| (0, trigram))), token: Token::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trigrams_are_of_characters() {
        assert_eq!(trigrams("größe").collect::<Vec<_>>(), ["grö", "röß", "öße"]);
        assert_eq!(trigrams("abc").collect::<Vec<_>>(), ["abc"]);
        assert_eq!(trigrams("ab").count(), 0);
        assert_eq!(trigrams("").count(), 0);
    }

    #[test]
    fn parts_stand_where_their_word_stands() {
        let mut tokenizer = WordTokenizer;
        let mut stream = tokenizer.token_stream("into temp_sample_08 (a)");
        let mut tokens = Vec::new();
        stream.process(&mut |token| tokens.push((token.position, token.text.clone())));
        let expected = [(0, "into"), (1, "temp_sample_08"), (1, "temp"), (1, "sample"), (1, "08"), (2, "a")];
        assert_eq!(tokens, expected.map(|(position, text)| (position, text.to_owned())));
    }
}
