//! What a file system shows, and which entity's data lies where.

use std::collections::{HashMap, HashSet};

use sextant_model::namespace::NamespaceStamp;
use sextant_model::{EntityId, NameKey, Viewer};

use crate::{ContentHash, StoreError};

/// What is known of a directory or file that lives, for the comparison with the next state of its
/// namespace. There are millions of them: 33 bytes each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownPath {
    /// Its identity.
    pub id: EntityId,
    /// Fingerprint of what was shown last.
    pub content: ContentHash,
    /// Whether it is a file.
    pub is_file: bool,
}

/// A path that operations use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsedPath {
    /// Its name.
    pub name: NameKey,
    /// The entity that the name leads to.
    pub entity: Option<EntityId>,
}

/// Where an entity says that its data lies, as its source writes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenLocation {
    /// A database, table or partition.
    pub owner: EntityId,
    /// Its cluster.
    pub cluster: String,
    /// The property `fileSystemPath`, if it has one.
    pub location: Option<String>,
}

/// The part of the facts that is about file systems.
pub trait Namespaces: Send + Sync {
    // --- what the linker asks before it decides ---

    /// The state that the last complete run of a source applied.
    fn last_stamp(&self, source: &str) -> Result<Option<NamespaceStamp>, StoreError>;
    /// Every directory and file of a source that lives, in the order of their ids.
    fn known_paths(&self, source: &str) -> Result<Vec<KnownPath>, StoreError>;
    /// Entities that are not identified by what their inode or path makes of an id, by that id.
    fn other_identities(&self, source: &str) -> Result<HashMap<EntityId, EntityId>, StoreError>;
    /// The directories and files that a source's deletions are held for.
    fn held_paths(&self, source: &str) -> Result<Vec<EntityId>, StoreError>;
    /// The paths of a cluster that operations use.
    fn used_paths(&self, cluster: &str) -> Result<Vec<UsedPath>, StoreError>;
    /// Those of these directories and files that a location or an operation names: by the name
    /// given with each, or by another that leads to it.
    fn referenced(&self, paths: &[(EntityId, Option<NameKey>)]) -> Result<HashSet<EntityId>, StoreError>;
    /// The fingerprint of the rules by which all locations were made into names; `None` before
    /// the first time, and while they are made anew.
    fn location_rules(&self) -> Result<Option<ContentHash>, StoreError>;
    /// What metastore entities say of their locations, in an order of the store's own, after the one
    /// of `after`, to make all names anew.
    fn written_locations(&self, after: Option<EntityId>, limit: u64) -> Result<Vec<WrittenLocation>, StoreError>;

    // --- reads ---

    /// The databases, tables and partitions whose data lies at exactly these paths, also the
    /// deleted ones.
    fn located_at(&self, viewer: &Viewer, names: &[NameKey]) -> Result<Vec<(NameKey, EntityId)>, StoreError>;
    /// Where the data of these databases, tables and partitions lies, as far as they say.
    fn locations_of(&self, viewer: &Viewer, owners: &[EntityId]) -> Result<Vec<(EntityId, NameKey)>, StoreError>;
    /// What lies below a path (not at it), in the order of the paths, at most `limit`.
    fn located_below(
        &self,
        viewer: &Viewer,
        directory: &NameKey,
        limit: u64,
    ) -> Result<Vec<(NameKey, EntityId)>, StoreError>;
    /// The paths of a cluster that a location or an operation names, in order, each once, as in
    /// [`NameKey::qualified`].
    fn referenced_paths(&self, viewer: &Viewer, cluster: &str) -> Result<Vec<String>, StoreError>;
}
