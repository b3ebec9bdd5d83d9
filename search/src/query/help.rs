//! The language, told to its users.

/// How to write a query, for a terminal. The fields themselves are in [`crate::FIELDS`].
pub const QUERY_HELP: &str = r#"A query is a list of words and FIELD:VALUE clauses. All of them must match; case never matters.

  sample_07                          a word in a name, path, owner, user or type
  type:table owner:hive              the two together
  originalName:sample                a name that is sample or has the word sample (sample_07)
  originalName:"sample"              exactly this name
  queryText:insert                   statements with this word
  queryText:"insert into"            statements with this phrase
  queryText:*temp_sample_08*         statements with this text anywhere
  queryText:insert*                  statements with a word that begins so
  fileSystemPath:/user/admin         exactly this path; /user/admin/* is everything below it
  tp_transactional:true              a table parameter
  lastModified:*                     has the field; -lastModified:* has not

Wildcards: * is any text, ? any one character, anywhere in a value. Without a * at its beginning a
value begins at the beginning of a word, without one at its end it ends at the end of a word.
Parts between underscores count as words. A keyword (owner, type, ...), and a path that is
written with a slash, is compared as a whole.

Joining: AND, OR, NOT (also && || !), parentheses; NOT binds first, then AND, then OR. Clauses
side by side are joined by AND. -x excludes x. In a list with +x, unsigned clauses only raise the
order. A group after a field, owner:(hive OR impala), is about that field. Lower-case and, or,
not between clauses are operators as well; in quotes they are words.

Numbers and dates: size:>1GB, size:[1000 TO *], columnCount:3, created:[2026-01-01 TO 2026-01-31],
{ } leave the ends out, started:>=NOW-7DAY, created:[NOW-1YEAR/DAY TO NOW/DAY+1DAY]. A date is
2026, 2026-11, 2026-11-30 (the whole year, month, day), RFC 3339 (2026-11-30T17:22:40Z), or NOW,
each with +1DAY or -3MONTHS (YEAR MONTH WEEK DAY HOUR MINUTE SECOND) and /DAY (rounded down).

A \ takes a character's special meaning away (\: \- \* \/ \( ), quotes that of all but \ and ".
"#;

#[cfg(test)]
mod tests {
    use sextant_model::Timestamp;

    use super::QUERY_HELP;
    use crate::query::parse;

    #[test]
    fn the_examples_are_queries() {
        let examples = QUERY_HELP.lines().filter_map(|line| line.strip_prefix("  "));
        let queries: Vec<&str> = examples.filter_map(|line| line.split("   ").next()).collect();
        assert!(queries.len() > 8);
        let inline = ["-lastModified:*", "owner:(hive OR impala)", "size:>1GB", "size:[1000 TO *]", "columnCount:3"];
        let dates =
            ["created:[2026-01-01 TO 2026-01-31]", "started:>=NOW-7DAY", "created:[NOW-1YEAR/DAY TO NOW/DAY+1DAY]"];
        for query in queries.into_iter().chain(inline).chain(dates) {
            assert!(QUERY_HELP.contains(query));
            if let Err(error) = parse(query, Timestamp::from_seconds(1_790_000_000)) {
                panic!("{error}");
            }
        }
    }
}
