//! [`Facts`] on SQLite: every method is one transaction on `facts.db`.

use std::collections::{HashMap, HashSet};

use sextant_model::feed::{Change, Subject};
use sextant_model::operation::{Execution, FlowVariant, Operation, StatementText, Usage};
use sextant_model::{Entity, EntityId, Life, NameKey, ObjectName, Timestamp, Viewer};

use super::SqliteStore;
use super::commit::drop_quarantined;
use super::reads::{
    changes, entities, executions, feed, graph, intake, linking, names, operations, quarantine, texts, usages, walks,
};
use crate::{
    Carry, CatalogEntry, Changes, Committed, Counts, ExecutionTimes, ExtractorRun, Facts, GraphPart, KeptChanges,
    NameRef, NameState, OperationSummary, QuarantineFilter, QuarantineGroup, RunLog, StoreError, StoredQuarantined,
};

impl Facts for SqliteStore {
    fn commit(&self, changes: &Changes) -> Result<Committed, StoreError> {
        self.commit_changes(changes)
    }

    fn inbox_position(&self) -> Result<u64, StoreError> {
        self.facts.read(linking::inbox_position)
    }

    fn carry(&self, host: &str, generation: &str) -> Result<Option<Carry>, StoreError> {
        self.facts.read(|connection| linking::carry(connection, host, generation))
    }

    fn known_executions(&self, ids: &[EntityId]) -> Result<HashSet<EntityId>, StoreError> {
        self.facts.read(|connection| executions::known_executions(connection, ids))
    }

    fn name_states(&self, names: &[NameKey]) -> Result<HashMap<NameKey, NameState>, StoreError> {
        self.facts.read(|connection| linking::name_states(connection, names))
    }

    fn lives(&self, entities: &[EntityId]) -> Result<HashMap<EntityId, Vec<Life>>, StoreError> {
        self.facts.read(|connection| linking::lives(connection, entities))
    }

    fn execution_times(&self, operation: EntityId) -> Result<Vec<ExecutionTimes>, StoreError> {
        self.facts.read(|connection| executions::execution_times(connection, operation))
    }

    fn catalog(&self, source: &str) -> Result<Vec<CatalogEntry>, StoreError> {
        self.facts.read(|connection| linking::catalog(connection, source))
    }

    fn held(&self, source: &str) -> Result<Vec<ObjectName>, StoreError> {
        self.facts.read(|connection| linking::held(connection, source))
    }

    fn entities(&self, viewer: &Viewer, ids: &[EntityId]) -> Result<Vec<Entity>, StoreError> {
        self.facts.read(|connection| entities::entities(connection, viewer, ids))
    }

    fn children(&self, viewer: &Viewer, parent: EntityId, skip: u64, limit: u64) -> Result<Vec<Entity>, StoreError> {
        self.facts.read(|connection| entities::children(connection, viewer, parent, skip, limit))
    }

    fn find_name(
        &self,
        _viewer: &Viewer,
        cluster: Option<&str>,
        qualified: &str,
    ) -> Result<Vec<(NameKey, Option<EntityId>)>, StoreError> {
        self.facts.read(|connection| names::find_name(connection, cluster, qualified))
    }

    fn find_relation(
        &self,
        viewer: &Viewer,
        cluster: Option<&str>,
        bare: &str,
        limit: u64,
    ) -> Result<Vec<Entity>, StoreError> {
        self.facts.read(|connection| entities::find_relation(connection, viewer, cluster, bare, limit))
    }

    fn name_by_id(&self, _viewer: &Viewer, id: EntityId) -> Result<Option<(NameKey, Option<EntityId>)>, StoreError> {
        self.facts.read(|connection| names::name_by_id(connection, id))
    }

    fn names_of(&self, _viewer: &Viewer, entities: &[EntityId]) -> Result<Vec<(EntityId, NameKey)>, StoreError> {
        self.facts.read(|connection| names::names_of(connection, entities))
    }

    fn usages_of_names(&self, _viewer: &Viewer, names: &[NameKey]) -> Result<Vec<Usage>, StoreError> {
        self.facts.read(|connection| usages::usages_of_names(connection, names))
    }

    fn usages_of_operations(&self, _viewer: &Viewer, operations: &[EntityId]) -> Result<Vec<Usage>, StoreError> {
        self.facts.read(|connection| usages::usages_of_operations(connection, operations))
    }

    fn operations(&self, _viewer: &Viewer, ids: &[EntityId]) -> Result<Vec<OperationSummary>, StoreError> {
        self.facts.read(|connection| operations::operations(connection, ids))
    }

    fn bare_operations(&self, _viewer: &Viewer, ids: &[EntityId]) -> Result<Vec<Operation>, StoreError> {
        self.facts.read(|connection| operations::bare_operations(connection, ids))
    }

    fn latest_operations(&self, _viewer: &Viewer, limit: u64) -> Result<Vec<OperationSummary>, StoreError> {
        self.facts.read(|connection| operations::latest_operations(connection, limit))
    }

    fn variants(&self, _viewer: &Viewer, operation: EntityId) -> Result<Vec<FlowVariant>, StoreError> {
        self.facts.read(|connection| operations::variants(connection, operation))
    }

    fn texts_of(&self, _viewer: &Viewer, operation: EntityId, limit: u64) -> Result<Vec<StatementText>, StoreError> {
        self.facts.read(|connection| texts::texts_of(connection, operation, limit))
    }

    fn texts(&self, _viewer: &Viewer, ids: &[EntityId]) -> Result<Vec<StatementText>, StoreError> {
        self.facts.read(|connection| texts::texts(connection, ids))
    }

    fn executions(&self, _viewer: &Viewer, ids: &[EntityId]) -> Result<Vec<Execution>, StoreError> {
        self.facts.read(|connection| executions::executions(connection, ids))
    }

    fn executions_of(
        &self,
        _viewer: &Viewer,
        operation: EntityId,
        skip: u64,
        limit: u64,
    ) -> Result<Vec<Execution>, StoreError> {
        self.facts.read(|connection| executions::executions_of(connection, operation, skip, limit))
    }

    fn unlinked_names(&self, _viewer: &Viewer, limit: u64) -> Result<Vec<(NameKey, u64)>, StoreError> {
        self.facts.read(|connection| names::unlinked_names(connection, limit))
    }

    fn quarantined(
        &self,
        _viewer: &Viewer,
        filter: &QuarantineFilter,
        skip: u64,
        limit: u64,
        max_bytes: u64,
    ) -> Result<Vec<StoredQuarantined>, StoreError> {
        self.facts.read(|connection| quarantine::newest(connection, filter, skip, limit, max_bytes))
    }

    fn quarantine_groups(
        &self,
        _viewer: &Viewer,
        filter: &QuarantineFilter,
    ) -> Result<Vec<QuarantineGroup>, StoreError> {
        self.facts.read(|connection| quarantine::groups(connection, filter))
    }

    fn quarantined_after(
        &self,
        filter: &QuarantineFilter,
        after: u64,
        through: u64,
        limit: u64,
        max_bytes: u64,
    ) -> Result<Vec<StoredQuarantined>, StoreError> {
        self.facts.read(|connection| quarantine::after(connection, filter, after, through, limit, max_bytes))
    }

    fn last_quarantined(&self) -> Result<u64, StoreError> {
        self.facts.read(quarantine::last)
    }

    fn drop_quarantined(&self, filter: &QuarantineFilter) -> Result<u64, StoreError> {
        self.facts.write(|connection| drop_quarantined(connection, filter))
    }

    fn quarantined_by_id(
        &self,
        _viewer: &Viewer,
        id: EntityId,
        max_bytes: u64,
    ) -> Result<Option<StoredQuarantined>, StoreError> {
        self.facts.read(|connection| quarantine::by_id(connection, id, max_bytes))
    }

    fn entity_changes(&self, _viewer: &Viewer, entity: EntityId) -> Result<KeptChanges, StoreError> {
        self.facts.read(|connection| changes::entity_changes(connection, entity))
    }

    fn runs(&self, _viewer: &Viewer, source: &str, limit: u64) -> Result<Vec<ExtractorRun>, StoreError> {
        self.facts.read(|connection| intake::runs(connection, source, limit))
    }

    fn run_log(
        &self,
        _viewer: &Viewer,
        source: &str,
        started: Option<Timestamp>,
    ) -> Result<Option<RunLog>, StoreError> {
        self.facts.read(|connection| intake::run_log(connection, source, started))
    }

    fn last_complete_run(&self, source: &str) -> Result<Option<Timestamp>, StoreError> {
        self.facts.read(|connection| intake::last_complete_run(connection, source))
    }

    fn counts(&self, _viewer: &Viewer) -> Result<Counts, StoreError> {
        self.facts.read(intake::counts)
    }

    fn names(&self, _viewer: &Viewer, names: &[NameRef]) -> Result<Vec<(NameKey, Option<EntityId>)>, StoreError> {
        self.facts.read(|connection| walks::names(connection, names))
    }

    fn changes_after(&self, seq: u64, limit: u64) -> Result<Vec<Change>, StoreError> {
        self.facts.read(|connection| feed::changes_after(connection, seq, limit))
    }

    fn newest_change(&self) -> Result<u64, StoreError> {
        self.facts.read(feed::newest_change)
    }

    fn scan(&self, subject: Subject, after: Option<EntityId>, limit: u64) -> Result<Vec<EntityId>, StoreError> {
        self.facts.read(|connection| feed::scan(connection, subject, after, limit))
    }

    fn scan_graph(&self, take: &mut dyn FnMut(GraphPart)) -> Result<u64, StoreError> {
        self.facts.read(|connection| graph::scan_graph(connection, take))
    }

    fn graph_part(&self, operations: &[EntityId], entities: &[EntityId]) -> Result<GraphPart, StoreError> {
        self.facts.read(|connection| graph::graph_part(connection, operations, entities))
    }
}
