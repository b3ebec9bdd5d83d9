//! Names: how a record, a snapshot or a person says which thing is meant.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The name spaces. A table replaced by a view keeps its name and its identity, so both are
/// `Relation`: the kind is not the type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NameKind {
    /// A database of a metastore.
    Database,
    /// A table, view or materialized view.
    Relation,
    /// A directory or file.
    Path,
    /// A job or statement.
    Job,
}

impl NameKind {
    /// The stable word that goes into identities and the store.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Database => "database",
            Self::Relation => "relation",
            Self::Path => "path",
            Self::Job => "job",
        }
    }

    /// The kind of a stored word.
    pub fn from_word(word: &str) -> Option<Self> {
        [Self::Database, Self::Relation, Self::Path, Self::Job].into_iter().find(|kind| kind.as_str() == word)
    }
}

/// The name of a metastore object, in lower case as Hive keeps it: a database, or a table in one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ObjectName {
    /// The database.
    pub database: String,
    /// The table or view; `None` for the database itself.
    pub relation: Option<String>,
}

impl ObjectName {
    /// The name of a database.
    pub fn database(database: &str) -> Self {
        Self { database: database.to_lowercase(), relation: None }
    }

    /// The name of a table or view.
    pub fn relation(database: &str, relation: &str) -> Self {
        Self { database: database.to_lowercase(), relation: Some(relation.to_lowercase()) }
    }

    /// Which name space the name belongs to.
    pub fn kind(&self) -> NameKind {
        if self.relation.is_some() { NameKind::Relation } else { NameKind::Database }
    }

    /// `db` or `db.table`. A part that holds a dot or a back quote is quoted as Hive quotes it.
    pub fn qualified(&self) -> String {
        match &self.relation {
            None => quoted(&self.database),
            Some(relation) => format!("{}.{}", quoted(&self.database), quoted(relation)),
        }
    }

    /// `db.table.column`.
    pub fn qualified_column(&self, column: &str) -> String {
        format!("{}.{}", self.qualified(), quoted(column))
    }

    /// The last part: what the object is called by itself.
    pub fn last_part(&self) -> &str {
        self.relation.as_deref().unwrap_or(&self.database)
    }
}

impl fmt::Display for ObjectName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.qualified())
    }
}

fn quoted(part: &str) -> String {
    if part.contains(['.', '`']) { format!("`{}`", part.replace('`', "``")) } else { part.to_owned() }
}

/// Splits `db.table.column` into its parts, honouring back quotes. The parts keep their case.
pub fn split_qualified(text: &str) -> Vec<String> {
    let mut parts = Vec::new();
    let mut current = String::new();
    let mut inside_quotes = false;
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '`' if inside_quotes && characters.peek() == Some(&'`') => {
                characters.next();
                current.push('`');
            }
            '`' => inside_quotes = !inside_quotes,
            '.' if !inside_quotes => parts.push(std::mem::take(&mut current)),
            other => current.push(other),
        }
    }
    parts.push(current);
    parts
}

/// One row of the name table: what a record calls something, before anybody knows whether a
/// source has ever shown it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct NameKey {
    /// The cluster in which the name was used. Clusters that share a metastore are known under
    /// the first of them, so that a name means the same from either.
    pub cluster: String,
    /// The name space.
    pub kind: NameKind,
    /// `db`, `db.table` or `/path`.
    pub qualified: String,
}

impl NameKey {
    /// The key of a metastore object's name in a cluster.
    pub fn of(cluster: &str, name: &ObjectName) -> Self {
        Self { cluster: cluster.to_owned(), kind: name.kind(), qualified: name.qualified() }
    }

    /// The directories that hold a path, the nearest first; none for other names.
    pub fn directories_above(&self) -> Vec<Self> {
        let mut above = Vec::new();
        if self.kind != NameKind::Path {
            return above;
        }
        // What stands before the first single slash is the address of a file system.
        let address = self.qualified.find("://").map_or(0, |at| at + "://".len());
        let Some(root) = self.qualified[address..].find('/').map(|at| address + at) else {
            return above;
        };
        if address == 0 && root > 0 && !self.qualified[..root].ends_with(':') {
            // Relative: to what is not known.
            return above;
        }
        let mut end = self.qualified.len();
        while let Some(slash) = self.qualified[root + 1..end].rfind('/').map(|at| root + 1 + at) {
            above.push(Self { qualified: self.qualified[..slash].to_owned(), ..self.clone() });
            end = slash;
        }
        if self.qualified.len() > root + 1 {
            above.push(Self { qualified: self.qualified[..=root].to_owned(), ..self.clone() });
        }
        above
    }

    /// The address of an unlinked name, which leads on to the entity once it is linked.
    pub fn id(&self) -> crate::EntityId {
        crate::EntityId::derive(
            "name",
            &[self.cluster.as_bytes(), self.kind.as_str().as_bytes(), self.qualified.as_bytes()],
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_parts_are_quoted_and_split_again() {
        let name = ObjectName::relation("raw", "a.b`c");
        assert_eq!(name.qualified(), "raw.`a.b``c`");
        assert_eq!(split_qualified(&name.qualified()), ["raw", "a.b`c"]);
        assert_eq!(split_qualified(&name.qualified_column("x")), ["raw", "a.b`c", "x"]);
        assert_eq!(split_qualified(""), [""]);
    }

    #[test]
    fn a_path_lies_in_directories() {
        let above = |qualified: &str| {
            let key = NameKey { cluster: "c".to_owned(), kind: NameKind::Path, qualified: qualified.to_owned() };
            key.directories_above().into_iter().map(|key| key.qualified).collect::<Vec<_>>()
        };
        assert_eq!(above("/w/t/f"), ["/w/t", "/w", "/"]);
        assert_eq!(above("/w"), ["/"]);
        assert_eq!(above("/"), [""; 0]);
        assert_eq!(above("s3a://lake/w/t"), ["s3a://lake/w", "s3a://lake/"]);
        assert_eq!(above("s3a://lake/"), [""; 0]);
        assert_eq!(above("file:/w/t"), ["file:/w", "file:/"]);
        assert_eq!(above("w/t"), [""; 0]);
        assert_eq!(above("hdfs://lake"), [""; 0]);
    }
}
