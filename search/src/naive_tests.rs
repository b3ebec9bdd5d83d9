//! The index against a naive reading of the language: random documents, random queries, the same
//! answers. The naive reading goes through all documents and knows no words, trigrams or plans of
//! the index.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use sextant_model::{EntityId, Timestamp, Viewer};

use crate::fields::{FieldId, Kind};
use crate::pattern::{Pattern, Piece};
use crate::query::{Leaf, Node, Place, Test};
use crate::search::Effort;
use crate::{Document, Index, Options, Sort, SortField, Value, parse};

/// Checks as few candidates as possible, so that small indexes reach every way of answering.
const LAZY: Effort = Effort { checked_exactly: 2, checked_in_sample: 4, too_few_in_sample: 2 };

fn id(number: u8) -> EntityId {
    EntityId::derive("test", &[&[number]])
}

// --- the naive reading ---------------------------------------------------------------------

fn lower(text: &str) -> String {
    text.chars().flat_map(char::to_lowercase).collect()
}

fn satisfies(document: &Document, node: &Node) -> bool {
    match node {
        Node::All => true,
        Node::And { required, .. } => required.iter().all(|node| satisfies(document, node)),
        Node::Or(nodes) => nodes.iter().any(|node| satisfies(document, node)),
        Node::Not(node) => !satisfies(document, node),
        Node::Leaf(Leaf { place, test }) => match place {
            Place::Default => {
                FieldId::all().filter(|field| field.definition().default).any(|field| passes(document, field, test))
            }
            Place::Field(field) => passes(document, *field, test),
            Place::Parameter(key) => {
                let texts = texts_of(document, crate::fields::TABLE_PARAMETERS);
                let values = texts.filter_map(|text| text.strip_prefix(&format!("{key}=")).map(str::to_owned));
                values.into_iter().any(|value| passes_as(Kind::Keyword, &value, test))
            }
        },
    }
}

fn texts_of<'a>(document: &'a Document, name: &'a str) -> impl Iterator<Item = String> + 'a {
    document.fields.iter().filter(move |(field, _)| *field == name).filter_map(|(_, value)| match value {
        Value::Text(text) => Some(lower(text)),
        Value::Bool(flag) => Some(flag.to_string()),
        _ => None,
    })
}

fn passes(document: &Document, field: FieldId, test: &Test) -> bool {
    if let Test::Range { low, high } = test {
        return document.fields.iter().any(|(name, value)| {
            let number = match value {
                Value::Number(number) => *number,
                Value::Time(time) => time.as_millis(),
                _ => return false,
            };
            *name == field.name() && low.is_none_or(|low| low <= number) && high.is_none_or(|high| number < high)
        });
    }
    if *test == Test::Exists {
        return document.fields.iter().any(|(name, _)| *name == field.name());
    }
    texts_of(document, field.name()).any(|text| passes_as(field.kind(), &text, test))
}

fn passes_as(kind: Kind, there: &str, test: &Test) -> bool {
    match (kind, test) {
        (_, Test::Exists) => true,
        (Kind::Keyword | Kind::Flag, Test::Word(value) | Test::Quoted(value)) | (Kind::Name, Test::Quoted(value)) => {
            there == value
        }
        (Kind::Keyword | Kind::Flag, Test::Pattern(pattern)) => is_like(there, pattern),
        (Kind::Path, Test::Quoted(value)) => is_path(there, value),
        (Kind::Path, Test::Word(value)) if value.contains('/') => is_path(there, value),
        (Kind::Name | Kind::Path, Test::Word(value)) => there == value || has_phrase(there, value),
        (Kind::Path, Test::Pattern(pattern)) if pattern.to_string().contains('/') => {
            forms_of_path(there).iter().any(|form| is_like(form, pattern))
        }
        (Kind::Text, Test::Word(value) | Test::Quoted(value)) => {
            if value.contains(|character: char| character == '_' || character.is_alphanumeric()) {
                has_phrase(there, value)
            } else {
                there.contains(value.as_str())
            }
        }
        (_, Test::Pattern(pattern)) => has_like(there, pattern),
        (Kind::Number | Kind::Date, _) | (_, Test::Range { .. }) => false,
    }
}

fn forms_of_path(path: &str) -> Vec<String> {
    let path = if path.len() > 1 { path.strip_suffix('/').unwrap_or(path) } else { path };
    let mut forms = vec![path.to_owned()];
    if let Some((_, behind)) = path.split_once("://")
        && let Some(slash) = behind.find('/')
    {
        forms.push(behind[slash..].to_owned());
    }
    forms
}

fn is_path(text: &str, value: &str) -> bool {
    let value = if value.len() > 1 { value.strip_suffix('/').unwrap_or(value) } else { value };
    forms_of_path(text).iter().any(|form| form == value)
}

/// Whether the words of `value` stand one behind the other in `text`, where each may also be
/// only a part of the word there.
fn has_phrase(text: &str, value: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        let blanked: String = text
            .chars()
            .map(|character| if character == '_' || character.is_alphanumeric() { character } else { ' ' })
            .collect();
        blanked.split_whitespace().map(str::to_owned).collect()
    };
    let (there, wanted) = (words(text), words(value));
    let is_word_of = |there: &String, wanted: &String| there == wanted || there.split('_').any(|part| part == wanted);
    !wanted.is_empty()
        && there
            .windows(wanted.len())
            .any(|window| window.iter().zip(&wanted).all(|(there, wanted)| is_word_of(there, wanted)))
}

fn is_like(text: &str, pattern: &Pattern) -> bool {
    let mut symbols: Vec<Piece> = Vec::new();
    for piece in pattern.pieces() {
        match piece {
            Piece::Literal(text) => symbols.extend(text.chars().map(|character| Piece::Literal(character.to_string()))),
            other => symbols.push(other.clone()),
        }
    }
    is_like_from(&text.chars().collect::<Vec<_>>(), &symbols)
}

fn is_like_from(text: &[char], symbols: &[Piece]) -> bool {
    match (symbols.first(), text.first()) {
        (None, first) => first.is_none(),
        (Some(Piece::AnyText), _) => (0..=text.len()).any(|skipped| is_like_from(&text[skipped..], &symbols[1..])),
        (Some(_), None) => false,
        (Some(Piece::AnyCharacter), Some(_)) => is_like_from(&text[1..], &symbols[1..]),
        (Some(Piece::Literal(literal)), Some(first)) => {
            *literal == first.to_string() && is_like_from(&text[1..], &symbols[1..])
        }
    }
}

/// Whether the pattern matches from one edge of a word's part to another.
fn has_like(text: &str, pattern: &Pattern) -> bool {
    let characters: Vec<char> = text.chars().collect();
    let is_edge = |place: usize| {
        let inside = |index: usize| characters.get(index).is_some_and(|character| character.is_alphanumeric());
        place == 0 || !(inside(place - 1) && inside(place))
    };
    let edges: Vec<usize> = (0..=characters.len()).filter(|place| is_edge(*place)).collect();
    edges.iter().any(|begin| {
        let ends = edges.iter().filter(|end| *end >= begin);
        ends.into_iter().any(|end| is_like(&characters[*begin..*end].iter().collect::<String>(), pattern))
    })
}

// --- random documents and queries ------------------------------------------------------------

fn name() -> impl Strategy<Value = String> {
    "(temp|Sample|07|a|ÄB)([_.-](temp|sample|08|b)){0,2}"
}

fn path() -> impl Strategy<Value = String> {
    "(hdfs://ns1)?(/(tmp|user|a_b|x-y)){1,3}/?"
}

fn text() -> impl Strategy<Value = String> {
    "((insert|into|Temp_sample_08|select|äb|\\(a\\)|=|'x y') ?){0,5}"
}

fn value() -> impl Strategy<Value = (&'static str, Value)> {
    prop_oneof![
        name().prop_map(|name| ("originalName", Value::Text(name))),
        name().prop_map(|name| ("qualifiedName", Value::Text(name))),
        path().prop_map(|path| ("fileSystemPath", Value::Text(path))),
        path().prop_map(|path| ("parentPath", Value::Text(path))),
        text().prop_map(|text| ("queryText", Value::Text(text))),
        text().prop_map(|text| ("originalDescription", Value::Text(text))),
        "(hive|Impala|a|temp)".prop_map(|owner| ("owner", Value::Text(owner))),
        "(table|VIEW|OPERATION)".prop_map(|word| ("type", Value::Text(word))),
        "(k|key)=(Val|v_1|)".prop_map(|parameter| ("tableParameters", Value::Text(parameter))),
        any::<bool>().prop_map(|flag| ("deleted", Value::Bool(flag))),
        (-2_i64..4).prop_map(|size| ("size", Value::Number(size))),
        (0_i64..4).prop_map(|day| ("created", Value::Time(Timestamp::from_seconds(1_790_000_000 + day * 86_400)))),
    ]
}

/// Every third document is a second one of the entity before it.
fn document() -> impl Strategy<Value = (u8, Vec<(&'static str, Value)>)> {
    (0_u8..40, proptest::collection::vec(value(), 0..9))
}

fn made(number: u8, fields: Vec<(&'static str, Value)>) -> Document {
    let entity = if number % 3 == 2 { number - 1 } else { number };
    // What belongs to the entity is the same in all of its documents.
    let of_entity = |name: &str| ["originalName", "type", "created"].contains(&name);
    let mut fields: Vec<_> = fields.into_iter().filter(|(name, _)| !of_entity(name)).collect();
    let names = ["temp_sample_08", "Sample_07", "a", "äb.temp", "a"];
    if entity % 5 != 4 {
        fields.push(("originalName", Value::Text(names[usize::from(entity) % names.len()].to_owned())));
    }
    if entity % 4 != 3 {
        fields.push(("type", Value::Text(["TABLE", "view", "operation"][usize::from(entity) % 3].to_owned())));
    }
    if entity % 7 != 6 {
        fields.push(("created", Value::Time(Timestamp::from_seconds(1_790_000_000 + i64::from(entity % 4) * 86_400))));
    }
    // Entities 1, 4, 7, ... have two documents, neither of which is their own.
    let key = if number.is_multiple_of(3) { id(number) } else { id(number + 100) };
    Document { key, entity: id(entity), fields }
}

/// Prefixes of clauses with the values that make sense behind them.
const CLAUSES: &[(&[&str], &[&str])] = &[
    (
        &[""],
        &[
            "temp",
            "sample",
            "07",
            "sample_07",
            "a",
            "hive",
            "table",
            "\"a\"",
            "*temp*",
            "s?mple*",
            "/tmp",
            "/user/tmp",
            "x-y",
        ],
    ),
    (
        &["originalName:", "qualifiedName:"],
        &["temp", "TEMP_sample", "sample*", "*ample", "?", "*", "a_b*", "\"a\"", "*_*", "t?mp*08", "08", "."],
    ),
    (
        &["fileSystemPath:", "parentPath:"],
        &["/tmp", "/tmp/user/", "tmp", "/tmp/*", "*user*", "hdfs*", "\"/user\"", "y", "*", "*-*", "/*/a_b", "ns1", "x"],
    ),
    (
        &["queryText:", "comment:"],
        &[
            "insert",
            "insert*",
            "*sample*",
            "\"insert into\"",
            "*nto*te*",
            "=",
            "\"x y\"",
            "in?ert",
            "*",
            "äb",
            "*b",
            "sample",
            "*temp_sample_08*",
            "*'*",
            "\"temp_sample_08 select\"",
        ],
    ),
    (&["owner:"], &["hive", "HIVE", "im*", "*a", "*", "\"temp\"", "?"]),
    (&["type:"], &["table", "v*", "Operation"]),
    (&["tp_k:", "tp_KEY:"], &["v*", "val", "*", "v_1"]),
    (&["deleted:"], &["true", "false", "*"]),
    (&["size:"], &["1", ">0", "<=2", "[0 TO 2]", "{0 TO 2}", "[* TO 1]", "*", "-1"]),
    (&["created:"], &["2026-09-21", ">2026-09-22", "[2026-09-22 TO 2026-09-23]", "[* TO NOW-2DAY]", "NOW", "*"]),
];

fn leaf() -> impl Strategy<Value = String> {
    use proptest::sample::select;
    select(CLAUSES)
        .prop_flat_map(|(prefixes, values)| (select(prefixes), select(values)))
        .prop_map(|(prefix, value)| format!("{prefix}{value}"))
}

fn query() -> impl Strategy<Value = String> {
    leaf().prop_recursive(4, 12, 3, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(left, right)| format!("({left} {right})")),
            (inner.clone(), inner.clone()).prop_map(|(left, right)| format!("({left}) OR ({right})")),
            (inner.clone(), inner.clone()).prop_map(|(left, right)| format!("(+({left}) ({right}))")),
            (inner.clone(), inner.clone()).prop_map(|(left, right)| format!("({left}) AND NOT ({right})")),
            inner.prop_map(|inner| format!("-({inner})")),
        ]
    })
}

// --- the comparison --------------------------------------------------------------------------

fn now() -> Timestamp {
    Timestamp::parse("2026-09-24T00:00:00Z").expect("a time")
}

/// Every page of a query, two hits at a time.
fn all_pages(index: &Index, query: &crate::Query, sort: Sort, effort: Effort) -> Vec<EntityId> {
    let mut entities = Vec::new();
    let mut cursor = None;
    loop {
        let options = Options { limit: 2, cursor, sort, facets: false };
        let found = index.search_with(&Viewer::all(), query, &options, effort).expect("an answer");
        entities.extend(found.hits.iter().map(|hit| hit.entity));
        cursor = found.next;
        if cursor.is_none() {
            return entities;
        }
    }
}

fn name_of(document: &Document) -> Option<String> {
    texts_of(document, "originalName").next()
}

fn created(document: &Document) -> Option<i64> {
    document.fields.iter().find_map(|(name, value)| match value {
        Value::Time(time) if *name == "created" => Some(time.as_millis()),
        _ => None,
    })
}

/// The rank of the types that the documents have.
fn type_rank(document: &Document) -> usize {
    let word = texts_of(document, "type").next();
    ["table", "view", "operation"].iter().position(|known| word.as_deref() == Some(known)).unwrap_or(9)
}

fn distinct<'a>(documents: impl Iterator<Item = &'a &'a Document>) -> BTreeSet<EntityId> {
    documents.map(|document| document.entity).collect()
}

fn compare(index: &Index, documents: &BTreeMap<EntityId, Document>, text: &str) -> Result<(), TestCaseError> {
    let query = parse(text, now()).map_err(|error| TestCaseError::fail(format!("{error}")))?;
    let matching: Vec<&Document> = documents.values().filter(|document| satisfies(document, &query.root)).collect();
    let expected = distinct(matching.iter());

    let options = Options { limit: 100, facets: true, ..Options::default() };
    let found = index.search(&Viewer::all(), &query, &options).expect("an answer");
    let entities: BTreeSet<EntityId> = found.hits.iter().map(|hit| hit.entity).collect();
    prop_assert_eq!(&entities, &expected, "{}", text);
    prop_assert_eq!((found.total, found.total_is_exact), (expected.len() as u64, true), "{}", text);
    prop_assert_eq!(found.hits.len(), expected.len(), "{}: an entity twice", text);
    for hit in &found.hits {
        prop_assert!(matching.iter().any(|document| document.key == hit.matched_key), "{}", text);
    }
    // Each entity is counted by one of its documents; in the type all of them agree.
    let tables = distinct(matching.iter().filter(|document| type_rank(document) == 0));
    let counted = found.facets.get("type").and_then(|values| values.iter().find(|(value, _)| value == "TABLE"));
    prop_assert_eq!(counted.map_or(0, |(_, count)| *count), tables.len() as u64, "{}", text);

    let one_of_each: BTreeMap<EntityId, &Document> =
        matching.iter().map(|document| (document.entity, *document)).collect();
    let mut ordered: Vec<&Document> = one_of_each.into_values().collect();
    let in_order = |ordered: &[&Document]| ordered.iter().map(|document| document.entity).collect::<Vec<_>>();
    ordered
        .sort_by_key(|document| (name_of(document).is_none(), name_of(document), type_rank(document), document.entity));
    let by_name = Sort::Ascending(SortField::Name);
    prop_assert_eq!(all_pages(index, &query, by_name, Effort::NORMAL), in_order(&ordered), "{}", text);
    prop_assert_eq!(all_pages(index, &query, by_name, LAZY), in_order(&ordered), "lazily: {}", text);
    let newest_first = |document: &Document| created(document).map(std::cmp::Reverse);
    ordered.sort_by_key(|document| (created(document).is_none(), newest_first(document), document.entity));
    let by_time = Sort::Descending(SortField::Created);
    prop_assert_eq!(all_pages(index, &query, by_time, LAZY), in_order(&ordered), "{}", text);
    // Scores are not part of the naive reading, but small pages must go on as the large one does.
    // An entity whose documents differ in score may come again by the lesser one.
    let by_relevance: Vec<EntityId> = found.hits.iter().map(|hit| hit.entity).collect();
    for effort in [Effort::NORMAL, LAZY] {
        let mut seen = BTreeSet::new();
        let mut entities = all_pages(index, &query, Sort::Relevance, effort);
        entities.retain(|entity| seen.insert(*entity));
        prop_assert_eq!(&entities, &by_relevance, "{:?}: {}", effort, text);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn the_index_answers_as_a_naive_reader_does(
        batches in proptest::collection::vec(proptest::collection::vec(document(), 0..14), 1..4),
        deleted in proptest::collection::vec(0_u8..40, 0..6),
        queries in proptest::collection::vec(query(), 25),
    ) {
        let directory = tempfile::tempdir().expect("a directory");
        let index = Index::open(directory.path()).expect("an index").index;
        let mut documents = BTreeMap::new();
        for (number, batch) in batches.into_iter().enumerate() {
            let batch: Vec<Document> = batch.into_iter().map(|(number, fields)| made(number, fields)).collect();
            index.update(&batch, &[]).expect("an update");
            index.commit(number as u64 + 1).expect("a commit");
            documents.extend(batch.into_iter().map(|document| (document.key, document)));
        }
        let deletions: Vec<EntityId> = deleted.into_iter().map(id).collect();
        index.update(&[], &deletions).expect("an update");
        index.commit(10).expect("a commit");
        documents.retain(|key, _| !deletions.contains(key));
        for text in queries {
            compare(&index, &documents, &text)?;
        }
    }
}
