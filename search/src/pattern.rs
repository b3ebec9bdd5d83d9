//! Wildcard patterns: `*` stands for any text, `?` for any one character.
//!
//! A match is found by looking for the stretches between the `*`s one after the other, each as
//! early as possible. Nothing is ever taken back, so the time is bounded by the length of the
//! text times the length of one stretch.

use std::fmt;

use memchr::memmem::Finder;

use crate::words::is_part_character;

/// One element of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Piece {
    /// Exactly this text, in folded case.
    Literal(String),
    /// `?`
    AnyCharacter,
    /// `*`
    AnyText,
}

/// A wildcard pattern over folded text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pattern {
    pieces: Vec<Piece>,
}

/// Where a pattern without `*` at its beginning may begin, and one without `*` at its end may end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Anchoring {
    /// At the two ends of the text.
    Whole,
    /// Wherever a part of a word begins or ends, too.
    Words,
}

impl Pattern {
    /// A pattern of these pieces; neighbouring literals are joined, repeated `*` dropped.
    pub(crate) fn new(pieces: impl IntoIterator<Item = Piece>) -> Self {
        let mut joined: Vec<Piece> = Vec::new();
        for piece in pieces {
            match (joined.last_mut(), piece) {
                (Some(Piece::Literal(before)), Piece::Literal(text)) => before.push_str(&text),
                (Some(Piece::AnyText), Piece::AnyText) => {}
                (_, piece) => joined.push(piece),
            }
        }
        Self { pieces: joined }
    }

    /// The pattern that finds `text` anywhere.
    pub(crate) fn containing(text: &str) -> Self {
        Self::new([Piece::AnyText, Piece::Literal(text.to_owned()), Piece::AnyText])
    }

    pub(crate) fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// The texts that every match contains.
    pub(crate) fn literals(&self) -> impl Iterator<Item = &str> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Literal(text) => Some(text.as_str()),
            _ => None,
        })
    }

    /// The text that every match of the whole begins with.
    pub(crate) fn literal_prefix(&self) -> &str {
        match self.pieces.first() {
            Some(Piece::Literal(text)) => text,
            _ => "",
        }
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pieces.iter().try_for_each(|piece| match piece {
            Piece::Literal(text) => f.write_str(&crate::query::escaped(text)),
            Piece::AnyCharacter => f.write_str("?"),
            Piece::AnyText => f.write_str("*"),
        })
    }
}

/// A pattern made ready for many texts.
#[derive(Debug)]
pub(crate) struct Matcher {
    stretches: Vec<Stretch>,
    begins_anywhere: bool,
    ends_anywhere: bool,
    anchoring: Anchoring,
}

/// What stands between two `*`: some `?`s, then texts that are each followed by some `?`s.
#[derive(Debug)]
struct Stretch {
    leading_characters: usize,
    literals: Vec<Literal>,
    total_characters: usize,
}

#[derive(Debug)]
struct Literal {
    finder: Finder<'static>,
    text: String,
    following_characters: usize,
}

impl Matcher {
    pub(crate) fn new(pattern: &Pattern, anchoring: Anchoring) -> Self {
        let stretches = pattern
            .pieces
            .split(|piece| *piece == Piece::AnyText)
            .filter(|stretch| !stretch.is_empty())
            .map(Stretch::new)
            .collect();
        Self {
            stretches,
            begins_anywhere: pattern.pieces.first() == Some(&Piece::AnyText),
            ends_anywhere: pattern.pieces.last() == Some(&Piece::AnyText),
            anchoring,
        }
    }

    /// Whether the pattern matches `text`, which must be folded.
    pub(crate) fn matches(&self, text: &str) -> bool {
        let last = self.stretches.len().wrapping_sub(1);
        let mut position = 0;
        for (index, stretch) in self.stretches.iter().enumerate() {
            let begin = (index == 0 && !self.begins_anywhere).then_some(self.anchoring);
            let end = (index == last && !self.ends_anywhere).then_some(self.anchoring);
            match stretch.find(text, position, begin, end) {
                Some(behind) => position = behind,
                None => return false,
            }
        }
        true
    }
}

impl Stretch {
    fn new(pieces: &[Piece]) -> Self {
        let mut stretch = Self { leading_characters: 0, literals: Vec::new(), total_characters: 0 };
        for piece in pieces {
            match piece {
                Piece::Literal(text) => {
                    stretch.total_characters += text.chars().count();
                    stretch.literals.push(Literal {
                        finder: Finder::new(text).into_owned(),
                        text: text.clone(),
                        following_characters: 0,
                    });
                }
                Piece::AnyCharacter | Piece::AnyText => {
                    stretch.total_characters += 1;
                    match stretch.literals.last_mut() {
                        Some(literal) => literal.following_characters += 1,
                        None => stretch.leading_characters += 1,
                    }
                }
            }
        }
        stretch
    }

    /// The end of the first occurrence that begins at or behind `from` and keeps to the anchors.
    fn find(&self, text: &str, from: usize, begin: Option<Anchoring>, end: Option<Anchoring>) -> Option<usize> {
        let fits = |start: usize| -> Option<usize> {
            let behind = self.end_of_match_at(text, start)?;
            let allowed = may_stand_at(text, start, 0, begin) && may_stand_at(text, behind, text.len(), end);
            allowed.then_some(behind)
        };
        if begin == Some(Anchoring::Whole) {
            return if from == 0 { fits(0) } else { None };
        }
        if end == Some(Anchoring::Whole) {
            let start = back_by(text, text.len(), self.total_characters)?;
            return if start >= from { fits(start) } else { None };
        }
        let Some(literal) = self.literals.first() else {
            return text[from..].char_indices().find_map(|(offset, _)| fits(from + offset));
        };
        let mut search_from = from;
        while search_from <= text.len() {
            let found = search_from + literal.finder.find(&text.as_bytes()[search_from..])?;
            if let Some(start) = back_by(text, found, self.leading_characters)
                && start >= from
                && let Some(behind) = fits(start)
            {
                return Some(behind);
            }
            search_from = found + 1;
        }
        None
    }

    /// Where the stretch ends when it begins at `start`, if it matches there.
    fn end_of_match_at(&self, text: &str, start: usize) -> Option<usize> {
        let mut position = forward_by(text, start, self.leading_characters)?;
        for literal in &self.literals {
            if !text[position..].starts_with(literal.text.as_str()) {
                return None;
            }
            position = forward_by(text, position + literal.text.len(), literal.following_characters)?;
        }
        Some(position)
    }
}

/// Whether a pattern may begin or end at `position`, where the text itself does so at `edge`.
fn may_stand_at(text: &str, position: usize, edge: usize, anchoring: Option<Anchoring>) -> bool {
    match anchoring {
        None => true,
        Some(Anchoring::Whole) => position == edge,
        Some(Anchoring::Words) => position == edge || !is_inside_part(text, position),
    }
}

/// Whether the characters before and behind `position` belong to one part of a word.
fn is_inside_part(text: &str, position: usize) -> bool {
    let before = text[..position].chars().next_back();
    let behind = text[position..].chars().next();
    before.is_some_and(is_part_character) && behind.is_some_and(is_part_character)
}

fn forward_by(text: &str, position: usize, characters: usize) -> Option<usize> {
    let mut rest = text[position..].chars();
    for _ in 0..characters {
        rest.next()?;
    }
    Some(text.len() - rest.as_str().len())
}

fn back_by(text: &str, position: usize, characters: usize) -> Option<usize> {
    let mut rest = text[..position].chars();
    for _ in 0..characters {
        rest.next_back()?;
    }
    Some(rest.as_str().len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use regex::Regex;

    use super::*;

    fn pattern(text: &str) -> Pattern {
        Pattern::new(text.chars().map(|character| match character {
            '*' => Piece::AnyText,
            '?' => Piece::AnyCharacter,
            other => Piece::Literal(other.to_string()),
        }))
    }

    fn matches(pattern_text: &str, anchoring: Anchoring, text: &str) -> bool {
        Matcher::new(&pattern(pattern_text), anchoring).matches(text)
    }

    #[test]
    fn words_begin_and_end_at_underscores_too() {
        let text = "insert into db.temp_sample_08 select";
        for (pattern_text, whole, words) in [
            ("*temp_sample_08*", true, true),
            ("sample*", false, true),
            ("ample*", false, false),
            ("insert*", true, true),
            ("*select", true, true),
            ("*selec", false, false),
            ("*sample", false, true),
            ("ins*sel*", true, true),
            ("db.*_0?", false, true),
            ("d?.temp", false, true),
            ("*", true, true),
            ("?*", true, true),
            ("*temp*sample*temp*", false, false),
        ] {
            assert_eq!(matches(pattern_text, Anchoring::Whole, text), whole, "{pattern_text} whole");
            assert_eq!(matches(pattern_text, Anchoring::Words, text), words, "{pattern_text} words");
        }
    }

    #[test]
    fn hostile_patterns_take_no_exponential_time() {
        let text = "a".repeat(20_000);
        assert!(!matches(&format!("{}b", "*a".repeat(300)), Anchoring::Whole, &text));
        assert!(!matches(&format!("*{}b*", "a?".repeat(100)), Anchoring::Words, &text));
    }

    /// The same meaning, said as a regular expression over the whole text.
    fn regex(pattern_text: &str) -> Regex {
        let mut text = String::from(r"(?s)\A");
        for character in pattern_text.chars() {
            match character {
                '*' => text.push_str(".*"),
                '?' => text.push('.'),
                other => text.push_str(&regex::escape(&other.to_string())),
            }
        }
        text.push_str(r"\z");
        Regex::new(&text).expect("a valid regular expression")
    }

    proptest! {
        #[test]
        fn whole_matching_equals_a_regular_expression(pattern_text in "[abé*?]{1,8}", text in "[abé\n]{0,12}") {
            let expected = regex(&pattern_text).is_match(&text);
            prop_assert_eq!(matches(&pattern_text, Anchoring::Whole, &text), expected);
        }

        #[test]
        fn word_matching_equals_a_naive_search(pattern_text in "[ab._*?]{1,6}", text in "[ab._é]{0,10}") {
            let whole = regex(&pattern_text);
            let places = text.char_indices().map(|(index, _)| index).chain([text.len()]);
            let edges: Vec<usize> = places.filter(|place| !is_inside_part(&text, *place)).collect();
            let between = |begin: usize, end: usize| begin <= end && whole.is_match(&text[begin..end]);
            let expected = edges.iter().any(|begin| edges.iter().any(|end| between(*begin, *end)));
            prop_assert_eq!(matches(&pattern_text, Anchoring::Words, &text), expected);
        }
    }
}
