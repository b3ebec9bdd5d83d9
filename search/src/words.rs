//! What a word is, and what "the same in another case" means: one definition for the index, the
//! query language and the matcher of wildcards.

/// Folds the case of `text`. Character by character, so that a piece of a text folds to a piece
/// of the folded text (`str::to_lowercase` treats a final sigma by its surroundings).
pub(crate) fn folded(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    text.chars().flat_map(char::to_lowercase).collect()
}

/// Whether a character belongs to a part of a word. Wildcard patterns may begin and end wherever
/// such a run begins or ends.
pub(crate) fn is_part_character(character: char) -> bool {
    if character.is_ascii() { character.is_ascii_alphanumeric() } else { character.is_alphanumeric() }
}

/// Whether a character belongs to a word: identifiers keep their underscores.
fn is_word_character(character: char) -> bool {
    character == '_' || is_part_character(character)
}

/// The words of a text: the maximal runs of letters, digits and underscores.
pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|character| !is_word_character(character)).filter(|word| !word.is_empty())
}

/// The parts of a word between its underscores; none for a word that has no underscore, since it
/// is its own only part.
pub(crate) fn parts(word: &str) -> impl Iterator<Item = &str> {
    let has_parts = word.contains('_');
    word.split('_').filter(move |part| has_parts && !part.is_empty())
}

/// A path without scheme and authority: `/user/x` of `hdfs://nameservice1/user/x`.
pub(crate) fn without_scheme(path: &str) -> Option<&str> {
    let behind_scheme = &path[path.find("://")? + 3..];
    Some(&behind_scheme[behind_scheme.find('/')?..])
}

/// A path without the slash at its end; the root keeps its slash.
pub(crate) fn without_final_slash(path: &str) -> &str {
    match path.strip_suffix('/') {
        Some(stripped) if !stripped.is_empty() => stripped,
        _ => path,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_words_and_have_parts() {
        assert_eq!(
            words("insert into db.temp_sample_08(a)").collect::<Vec<_>>(),
            ["insert", "into", "db", "temp_sample_08", "a"]
        );
        assert_eq!(parts("temp_sample_08").collect::<Vec<_>>(), ["temp", "sample", "08"]);
        assert_eq!(parts("sample").count(), 0);
        assert_eq!(parts("__").count(), 0);
    }

    #[test]
    fn folding_does_not_look_at_the_neighbours() {
        assert_eq!(folded("ΟΔΟΣ"), "οδοσ");
        assert_eq!(folded(&folded("İstanbul")), folded("İstanbul"));
    }

    #[test]
    fn paths_lose_scheme_and_final_slash() {
        assert_eq!(without_scheme("hdfs://ns1/user/x"), Some("/user/x"));
        assert_eq!(without_scheme("hdfs://ns1"), None);
        assert_eq!(without_scheme("/user/x"), None);
        assert_eq!(without_final_slash("/user/"), "/user");
        assert_eq!(without_final_slash("/"), "/");
    }
}
