//! [`Namespaces`] on SQLite.

use std::collections::{HashMap, HashSet};

use sextant_model::namespace::NamespaceStamp;
use sextant_model::{EntityId, NameKey, Viewer};

use super::SqliteStore;
use super::reads::{locations, paths};
use crate::{ContentHash, KnownPath, Namespaces, StoreError, UsedPath, WrittenLocation};

impl Namespaces for SqliteStore {
    fn last_stamp(&self, source: &str) -> Result<Option<NamespaceStamp>, StoreError> {
        self.facts.read(|connection| paths::last_stamp(connection, source))
    }

    fn known_paths(&self, source: &str) -> Result<Vec<KnownPath>, StoreError> {
        self.facts.read(|connection| paths::known_paths(connection, source))
    }

    fn other_identities(&self, source: &str) -> Result<HashMap<EntityId, EntityId>, StoreError> {
        self.facts.read(|connection| paths::other_identities(connection, source))
    }

    fn held_paths(&self, source: &str) -> Result<Vec<EntityId>, StoreError> {
        self.facts.read(|connection| paths::held_paths(connection, source))
    }

    fn used_paths(&self, cluster: &str) -> Result<Vec<UsedPath>, StoreError> {
        self.facts.read(|connection| paths::used_paths(connection, cluster))
    }

    fn referenced(&self, paths: &[(EntityId, Option<NameKey>)]) -> Result<HashSet<EntityId>, StoreError> {
        self.facts.read(|connection| paths::referenced(connection, paths))
    }

    fn location_rules(&self) -> Result<Option<ContentHash>, StoreError> {
        self.facts.read(locations::location_rules)
    }

    fn written_locations(&self, after: Option<EntityId>, limit: u64) -> Result<Vec<WrittenLocation>, StoreError> {
        self.facts.read(|connection| locations::written_locations(connection, after, limit))
    }

    fn located_at(&self, _viewer: &Viewer, names: &[NameKey]) -> Result<Vec<(NameKey, EntityId)>, StoreError> {
        self.facts.read(|connection| locations::located_at(connection, names))
    }

    fn locations_of(&self, _viewer: &Viewer, owners: &[EntityId]) -> Result<Vec<(EntityId, NameKey)>, StoreError> {
        self.facts.read(|connection| locations::locations_of(connection, owners))
    }

    fn located_below(
        &self,
        _viewer: &Viewer,
        directory: &NameKey,
        limit: u64,
    ) -> Result<Vec<(NameKey, EntityId)>, StoreError> {
        self.facts.read(|connection| locations::located_below(connection, directory, limit))
    }

    fn referenced_paths(&self, _viewer: &Viewer, cluster: &str) -> Result<Vec<String>, StoreError> {
        self.facts.read(|connection| paths::referenced_paths(connection, cluster))
    }
}
