//! Entities: what a source has shown, under the names that Navigator's users know.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::{EntityId, Timestamp};

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum $name { $($(#[$variant_doc])* #[serde(rename = $word)] $variant),+ }

        impl $name {
            /// Every value, in the order of declaration.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The word used in the API, the store and the index.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { f.write_str(self.as_str()) }
        }

        impl FromStr for $name {
            type Err = UnknownWord;
            /// Reads the word in any case.
            fn from_str(text: &str) -> Result<Self, UnknownWord> {
                Self::ALL.iter().copied().find(|value| value.as_str().eq_ignore_ascii_case(text))
                    .ok_or_else(|| UnknownWord(text.chars().take(64).collect()))
            }
        }
    };
}

/// A word that names no value of its enumeration.
#[derive(Debug, thiserror::Error)]
#[error("unknown word: {0}")]
pub struct UnknownWord(String);

words! {
    /// What an entity is, as Navigator called it.
    EntityType {
        /// A database of a metastore.
        Database = "DATABASE",
        /// A managed or external table.
        Table = "TABLE",
        /// A view or materialized view.
        View = "VIEW",
        /// A column.
        Field = "FIELD",
        /// A partition of a table.
        Partition = "PARTITION",
        /// A directory.
        Directory = "DIRECTORY",
        /// A file.
        File = "FILE",
        /// A distinct statement shape, or a job.
        Operation = "OPERATION",
        /// One run of an operation.
        OperationExecution = "OPERATION_EXECUTION",
    }
}

words! {
    /// Which kind of service an entity comes from.
    SourceType {
        /// Hive: metastore objects, and statements run by Hive.
        Hive = "HIVE",
        /// Statements run by Impala.
        Impala = "IMPALA",
        /// Directories and files.
        Hdfs = "HDFS",
        /// Spark applications.
        Spark = "SPARK",
        /// Jobs told by OpenLineage events.
        OpenLineage = "OPENLINEAGE",
    }
}

words! {
    /// Whether an entity is there.
    EntityState {
        /// The last complete pass saw it.
        Living = "LIVING",
        /// The source said that it is gone.
        Deleted = "DELETED",
        /// The configured patterns no longer cover it; nobody knows whether it still exists.
        OutOfScope = "OUT_OF_SCOPE",
    }
}

/// Technical properties by Navigator's names (`owner`, `created`, `fileSystemPath`, ...).
pub type Properties = serde_json::Map<String, serde_json::Value>;

/// A database, table, view, field, partition, directory or file that a source has shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entity {
    /// Never changes, whatever happens to the name.
    pub id: EntityId,
    /// What it is now; a table replaced by a view changes its type, not its identity.
    pub entity_type: EntityType,
    /// The kind of service it comes from.
    pub source_type: SourceType,
    /// The source instance: the name of the extractor that shows it.
    pub source: String,
    /// The cluster it belongs to.
    pub cluster: String,
    /// Its own name, without its parents.
    pub original_name: String,
    /// `db`, `db.table`, `db.table.column`, `/path`; of a file system that is not its cluster's
    /// first `hdfs://other/path`.
    pub qualified_name: String,
    /// The entity it is part of: a table's database, a field's table, the directory that holds it.
    pub parent: Option<EntityId>,
    /// `/db` for a table, `/db/table` for a field, the path of the directory that holds a directory
    /// or file; none for a database and the root.
    pub parent_path: Option<String>,
    /// Whether it is there.
    pub state: EntityState,
    /// When the pass that first missed it ran. Set exactly while `state` is `Deleted`.
    pub delete_time: Option<Timestamp>,
    /// The last complete pass that saw it before it was gone; `None` while it lives.
    pub last_seen: Option<Timestamp>,
    /// When a pass first saw it.
    pub first_seen: Timestamp,
    /// Position among its siblings for a field (0-based), else 0.
    pub position: u32,
    /// Technical properties.
    pub properties: Properties,
}

impl Entity {
    /// Whether the source said that it is gone.
    pub fn is_deleted(&self) -> bool {
        self.state == EntityState::Deleted
    }
}
