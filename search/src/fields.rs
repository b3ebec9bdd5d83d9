//! The fields that documents have and queries name: one table from which the schema, the parser,
//! the help and the completion are made.

/// How the values of a field are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The whole value, in any case. Wildcards match the whole value.
    Keyword,
    /// `true` or `false`.
    Flag,
    /// A name: a word of it or the whole of it; in quotes only the whole.
    Name,
    /// A path: with a slash the whole path, without one a word of it.
    Path,
    /// Prose or a statement: words; in quotes a phrase.
    Text,
    /// A whole number.
    Number,
    /// A point in time, in milliseconds.
    Date,
}

/// A field of documents and queries.
#[derive(Debug, PartialEq, Eq)]
pub struct Field {
    /// The name, as Navigator's users know it.
    pub name: &'static str,
    /// Other names that queries may use.
    pub aliases: &'static [&'static str],
    /// How values are compared.
    pub kind: Kind,
    /// Whether a word without a field looks here.
    pub default: bool,
    /// Whether answers count its values.
    pub facet: bool,
    /// One line for help and completion.
    pub description: &'static str,
}

const fn field(name: &'static str, aliases: &'static [&'static str], kind: Kind, description: &'static str) -> Field {
    Field { name, aliases, kind, default: false, facet: false, description }
}

impl Field {
    const fn searched_by_default(self) -> Self {
        Self { default: true, ..self }
    }

    const fn counted(self) -> Self {
        Self { facet: true, ..self }
    }
}

/// The field that `tp_KEY:value` looks into. Its values are `key=value`.
pub const TABLE_PARAMETERS: &str = "tableParameters";

/// The field of [`crate::Document::entity`], which documents do not repeat among their fields.
pub(crate) const IDENTITY: &str = "identity";

/// Every field. The order is part of the index format.
pub static FIELDS: &[Field] = &[
    field("type", &[], Kind::Keyword, "TABLE, VIEW, DATABASE, FIELD, PARTITION, DIRECTORY, FILE, OPERATION, ...")
        .searched_by_default()
        .counted(),
    field("sourceType", &[], Kind::Keyword, "HIVE, IMPALA, HDFS, SPARK, OPENLINEAGE").searched_by_default().counted(),
    field("source", &["sourceId"], Kind::Keyword, "the source instance (the extractor's name)"),
    field("cluster", &["clusterName"], Kind::Keyword, "the cluster").counted(),
    field("database", &["databaseName"], Kind::Keyword, "the database that holds it").counted(),
    field("owner", &[], Kind::Keyword, "the owner, as the source tells it").searched_by_default().counted(),
    field("principal", &["user"], Kind::Keyword, "who ran an operation").searched_by_default(),
    field("state", &[], Kind::Keyword, "LIVING, DELETED or OUT_OF_SCOPE"),
    field("deleted", &[], Kind::Flag, "whether the source said that it is gone").counted(),
    field("operationType", &[], Kind::Keyword, "QUERY, CREATETABLE_AS_SELECT, ..."),
    field("engine", &[], Kind::Keyword, "the execution engine (mr, tez, spark)"),
    field("tableType", &[], Kind::Keyword, "MANAGED_TABLE, EXTERNAL_TABLE, VIRTUAL_VIEW, ..."),
    field("inputFormat", &[], Kind::Keyword, "a table's input format class"),
    field("outputFormat", &[], Kind::Keyword, "a table's output format class"),
    field("serdeLibName", &[], Kind::Keyword, "a table's SerDe class"),
    field("group", &[], Kind::Keyword, "a path's group"),
    field("permissions", &[], Kind::Keyword, "a path's permissions (rwxr-x---)"),
    field("storagePolicy", &[], Kind::Keyword, "the storage policy set on a path (HOT, COLD, ...)"),
    field("erasureCodingPolicy", &[], Kind::Keyword, "the erasure coding policy set on a path"),
    field("encryptionKey", &["ezKeyName"], Kind::Keyword, "the key of the encryption zone that begins at a path"),
    field("trash", &[], Kind::Flag, "whether a path lies in a trash"),
    field(TABLE_PARAMETERS, &[], Kind::Keyword, "a table's parameters as key=value; `tp_KEY:value` is the short form"),
    field(IDENTITY, &["id"], Kind::Keyword, "the entity's id"),
    field("parentId", &["firstClassParentId"], Kind::Keyword, "the id of what it is part of"),
    field("queryId", &[], Kind::Keyword, "the engine's own id of a run"),
    field("jobId", &["jobIds"], Kind::Keyword, "a YARN job of a run"),
    field("originalName", &["name"], Kind::Name, "its own name, without its parents").searched_by_default(),
    field("qualifiedName", &[], Kind::Name, "db, db.table, db.table.column or /path").searched_by_default(),
    field("parentPath", &[], Kind::Path, "/db for a table, /db/table for a column, the directory of a file"),
    field("fileSystemPath", &["path"], Kind::Path, "where its data lies").searched_by_default(),
    field("formerPaths", &["formerPath"], Kind::Path, "where a directory or file was before it was renamed"),
    field("originalDescription", &["description", "comment"], Kind::Text, "the comment given at the source"),
    field("dataType", &[], Kind::Text, "a column's type"),
    field("queryText", &[], Kind::Text, "a statement's text, each true text by itself"),
    field("created", &[], Kind::Date, "when the source created it"),
    field("lastModified", &[], Kind::Date, "when it was last changed"),
    field("lastAccessed", &[], Kind::Date, "when it was last read"),
    field("started", &[], Kind::Date, "when a run began"),
    field("ended", &[], Kind::Date, "when a run ended"),
    field("deleteTime", &[], Kind::Date, "when it was found to be gone"),
    field("firstSeen", &[], Kind::Date, "when it was first seen"),
    field("lastSeen", &[], Kind::Date, "when it was last seen"),
    field("size", &[], Kind::Number, "a file's bytes"),
    field("columnCount", &[], Kind::Number, "number of columns"),
    field("partitionCount", &[], Kind::Number, "number of partitions"),
    field("rowCount", &[], Kind::Number, "number of rows, as the source's statistics say"),
    field("fileCount", &[], Kind::Number, "number of files in a directory and below"),
    field("directoryCount", &[], Kind::Number, "number of directories below a directory"),
    field("smallFileCount", &[], Kind::Number, "number of small files in a directory and below"),
    field("totalSize", &[], Kind::Number, "bytes of all files in a directory and below"),
    field("totalSizeWithCopies", &[], Kind::Number, "the same with all copies"),
    field("nameQuota", &[], Kind::Number, "the most names allowed below a directory"),
    field("spaceQuota", &[], Kind::Number, "the most bytes allowed below a directory, with copies"),
    field("replication", &[], Kind::Number, "a file's replication"),
    field("blockSize", &[], Kind::Number, "a file's block size in bytes"),
];

/// A field's place in [`FIELDS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct FieldId(pub(crate) u8);

impl FieldId {
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        (0..FIELDS.len()).map(|index| Self(index as u8))
    }

    /// The field of exactly this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::all().find(|id| id.definition().name == name)
    }

    pub(crate) fn definition(self) -> &'static Field {
        &FIELDS[usize::from(self.0)]
    }

    pub(crate) fn name(self) -> &'static str {
        self.definition().name
    }

    pub(crate) fn kind(self) -> Kind {
        self.definition().kind
    }
}

/// The field that a query means by `name`: its name or an alias, in any case.
pub(crate) fn meant_by(name: &str) -> Option<FieldId> {
    FieldId::all().find(|id| {
        let field = id.definition();
        field.name.eq_ignore_ascii_case(name) || field.aliases.iter().any(|alias| alias.eq_ignore_ascii_case(name))
    })
}

/// The field name most like `name`, if one is near enough to be what was meant.
pub(crate) fn nearest_name(name: &str) -> Option<&'static str> {
    let wanted: Vec<char> = name.to_lowercase().chars().take(64).collect();
    let tolerance = (wanted.len() / 3).clamp(1, 3);
    FIELDS
        .iter()
        .flat_map(|field| std::iter::once(field.name).chain(field.aliases.iter().copied()))
        .map(|candidate| (edit_distance(&wanted, &candidate.to_lowercase().chars().collect::<Vec<_>>()), candidate))
        .filter(|(distance, _)| *distance <= tolerance)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Levenshtein's distance, in which two neighbours swapped count once.
fn edit_distance(left: &[char], right: &[char]) -> usize {
    let mut before_previous: Vec<usize> = Vec::new();
    let mut previous: Vec<usize> = (0..=right.len()).collect();
    for row in 1..=left.len() {
        let mut current = vec![row; right.len() + 1];
        for column in 1..=right.len() {
            let differs = usize::from(left[row - 1] != right[column - 1]);
            let mut best = (previous[column] + 1).min(current[column - 1] + 1).min(previous[column - 1] + differs);
            let swapped =
                row > 1 && column > 1 && left[row - 1] == right[column - 2] && left[row - 2] == right[column - 1];
            if swapped {
                best = best.min(before_previous[column - 2] + 1);
            }
            current[column] = best;
        }
        before_previous = std::mem::replace(&mut previous, current);
    }
    previous[right.len()]
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn names_and_aliases_are_unambiguous() {
        let mut seen = HashSet::new();
        for field in FIELDS {
            for name in std::iter::once(&field.name).chain(field.aliases) {
                assert!(seen.insert(name.to_lowercase()), "{name} is given twice");
                assert!(!name.to_lowercase().starts_with("tp_"), "{name} reads as a table parameter");
            }
        }
    }

    #[test]
    fn a_slip_of_the_finger_is_understood() {
        for (typed, meant) in [
            ("ownr", Some("owner")),
            ("onwer", Some("owner")),
            ("sourcetyp", Some("sourceType")),
            ("orginalName", Some("originalName")),
            ("quertText", Some("queryText")),
            ("http", None),
            ("", None),
        ] {
            assert_eq!(nearest_name(typed), meant, "{typed}");
        }
    }
}
