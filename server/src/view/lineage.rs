//! Lineage answers.

use std::collections::{BTreeSet, HashMap};

use serde::Serialize;
use sextant_graph::{ColumnPair, Direction, Edge, Hidden, Lineage, Node, NodeContent};
use sextant_model::record::FlowKind;
use sextant_model::{Entity, EntityId, Timestamp};
use sextant_store::{OperationSummary, StoreError};
use utoipa::ToSchema;

use super::location::LocationMeaning;
use super::namespace::NamespaceState;
use super::physical::{Physical, is_path, written_location};
use super::{Object, entity, location, object, operation};

/// A part of the lineage graph around a root.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LineageAnswer {
    /// Where the walk began: the id of a node.
    #[schema(value_type = String)]
    root: EntityId,
    direction: DirectionWord,
    /// How many hops the walk was allowed.
    depth: u8,
    /// How many nodes the answer was allowed.
    limit: usize,
    /// The root first, then by distance, then the most recently seen.
    nodes: Vec<LineageNode>,
    edges: Vec<LineageEdge>,
    /// Whether something within the depth was left out because of a limit.
    cut: bool,
    coverage: LineageCoverage,
    /// The states of the file systems whose directories and files are in the answer.
    namespace_states: Vec<NamespaceState>,
}

/// Which way a walk went.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum DirectionWord {
    /// To where data comes from.
    Upstream,
    /// To where data goes.
    Downstream,
    /// Both of these.
    Both,
}

/// What an answer can and cannot say.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LineageCoverage {
    /// Operations next to the shown assets whose records told no flows.
    operations_without_lineage: u64,
    /// Everything that a reader must know about what is not in the answer, in words.
    notes: Vec<String>,
}

/// An entity, an operation, or a name that no source has shown. Whatever else is known of it has
/// the names that a single entity has.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_excessive_bools, reason = "independent properties of one node")]
pub struct LineageNode {
    #[schema(value_type = String)]
    id: EntityId,
    /// TABLE, VIEW, FIELD, DIRECTORY, FILE, OPERATION, ...; null for a name that leads nowhere.
    #[serde(rename = "type")]
    #[schema(required)]
    node_type: Option<String>,
    #[schema(required)]
    source_type: Option<String>,
    #[schema(required)]
    cluster: Option<String>,
    #[schema(required)]
    original_name: Option<String>,
    #[schema(required)]
    parent_path: Option<String>,
    /// `db.table`, `db.table.column`, `/path`; null for an operation.
    #[schema(required)]
    qualified_name: Option<String>,
    deleted: bool,
    /// Always false: what is hidden is folded into edges.
    hidden: bool,
    /// Whether no source has shown it.
    unlinked: bool,
    /// Hops from the root; an operation is as far as what lies behind it.
    distance: u8,
    /// Neighbouring assets upstream that the options would show and that are not in the answer.
    more_upstream: u64,
    /// Whether there may be more than that: on the side to which the walk did not go from an asset
    /// nothing is counted where more than 100 statements are, nor behind what is folded.
    more_upstream_is_least: bool,
    /// The same for downstream.
    more_downstream: u64,
    /// The same for downstream.
    more_downstream_is_least: bool,
    /// Inputs that are known by name only, whether or not they are shown.
    unlinked_inputs: u64,
    /// The same for outputs.
    unlinked_outputs: u64,
    /// Everything else: `state`, `parentId`, `deleteTime`, `queryText`, `lineageKnown`, properties.
    #[serde(flatten)]
    #[schema(value_type = std::collections::HashMap<String, serde_json::Value>)]
    properties: Object,
}

/// That data flows, that rows are decided upon, or that two nodes hold the same data.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::option_option, reason = "a flow has no such field; a path's is null where nobody says a location")]
pub struct LineageEdge {
    /// The id of a node; of a table, where it holds the same data as a path.
    #[schema(value_type = String)]
    source: EntityId,
    /// The id of a node.
    #[schema(value_type = String)]
    target: EntityId,
    #[serde(rename = "type")]
    edge_type: EdgeType,
    mark: MarkWord,
    /// The operations on the way. Empty where operations are nodes.
    #[schema(value_type = Vec<String>)]
    via: Vec<EntityId>,
    /// What is folded on the way.
    hides: Vec<HiddenAsset>,
    /// Which columns flow into which, if asked for.
    columns: Vec<ColumnFlow>,
    /// When it was first seen; null where two nodes hold the same data.
    #[schema(value_type = Option<String>, format = DateTime, required)]
    first_seen: Option<Timestamp>,
    /// When it was last seen.
    #[schema(value_type = Option<String>, format = DateTime, required)]
    last_seen: Option<Timestamp>,
    /// Whether only earlier lives of its ends (or of what is folded) have it.
    former_incarnation: bool,
    /// Whether the path only lies below the location. Only of LOGICAL_PHYSICAL.
    #[serde(skip_serializing_if = "Option::is_none")]
    below: Option<bool>,
    /// Which location says so. Only of LOGICAL_PHYSICAL.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<LocationEvidence>)]
    location: Option<Option<LocationEvidence>>,
}

/// What an edge means.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum EdgeType {
    /// Values flow.
    DataFlow,
    /// The source decides which rows arrive.
    ControlFlow,
    /// A table and a path hold the same data.
    LogicalPhysical,
}

/// Where knowledge of an edge comes from.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum MarkWord {
    /// Seen in a run.
    Observed,
}

/// An asset on an edge that is not shown.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct HiddenAsset {
    #[schema(value_type = String)]
    id: EntityId,
    /// `db.table` or `db.table.column`.
    qualified_name: String,
    /// Why: `deleted`.
    reason: String,
}

/// One column flowing into another.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ColumnFlow {
    /// `db.table.column`, or `db.table` where the table counts as a whole.
    source: String,
    /// `db.table.column`.
    target: String,
    #[serde(rename = "type")]
    flow_type: EdgeType,
    /// The engine's own expression text, where it gives one.
    #[schema(required)]
    expression: Option<String>,
}

/// What a location means, by which rule, and whose it is.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LocationEvidence {
    /// The table or partition.
    #[schema(value_type = String)]
    owner: EntityId,
    owner_name: String,
    #[serde(flatten)]
    meaning: LocationMeaning,
}

/// A walk's answer as the API shows it.
pub fn lineage(physical: &Physical<'_>, walked: &Lineage) -> Result<LineageAnswer, StoreError> {
    let (facts, viewer) = (physical.facts, physical.viewer);
    let operations: Vec<EntityId> =
        walked.nodes.iter().filter(|node| matches!(node.content, NodeContent::Operation)).map(|node| node.id).collect();
    let summaries: HashMap<EntityId, OperationSummary> =
        facts.operations(viewer, &operations)?.into_iter().map(|summary| (summary.operation.id, summary)).collect();
    let mut edges: Vec<LineageEdge> = walked.edges.iter().map(shown_edge).collect();
    edges.extend(shown_placements(physical, walked)?);
    let namespace_states = namespace_states(physical, walked)?;
    let mut notes = walked.coverage.notes.clone();
    for state in &namespace_states {
        notes.push(format!("directories and files {} (extractor {})", state.in_words, state.source));
    }
    Ok(LineageAnswer {
        root: walked.root,
        direction: match walked.direction {
            Direction::Upstream => DirectionWord::Upstream,
            Direction::Downstream => DirectionWord::Downstream,
            Direction::Both => DirectionWord::Both,
        },
        depth: walked.depth,
        limit: walked.limit,
        nodes: walked.nodes.iter().map(|node| shown_node(node, &summaries)).collect(),
        edges,
        cut: walked.cut,
        coverage: LineageCoverage { operations_without_lineage: walked.coverage.operations_without_lineage, notes },
        namespace_states,
    })
}

fn shown_node(node: &Node, summaries: &HashMap<EntityId, OperationSummary>) -> LineageNode {
    let mut shown = match &node.content {
        NodeContent::Entity(shown) => object(entity::entity(shown)),
        NodeContent::Operation => summaries.get(&node.id).map(operation::operation).map(object).unwrap_or_default(),
        NodeContent::Unlinked(name) => object(entity::unlinked_name(name)),
        NodeContent::Column { table, column, qualified_name, .. } => {
            object(entity::unlisted_column(node.id, *table, column, qualified_name))
        }
    };
    let mut text = |key: &str| shown.remove(key).and_then(|value| value.as_str().map(str::to_owned));
    let (node_type, source_type, cluster) = (text("type"), text("sourceType"), text("cluster"));
    let (original_name, parent_path, qualified_name) =
        (text("originalName"), text("parentPath"), text("qualifiedName"));
    let deleted_now = shown.remove("deleted").is_some_and(|deleted| deleted == true);
    if deleted_now != node.deleted {
        // As of another time; how it stands now would contradict that.
        shown.remove("state");
        shown.remove("deleteTime");
    }
    let fixed = [
        "id",
        "hidden",
        "unlinked",
        "distance",
        "moreUpstream",
        "moreUpstreamIsLeast",
        "moreDownstream",
        "moreDownstreamIsLeast",
        "unlinkedInputs",
        "unlinkedOutputs",
    ];
    for key in fixed {
        shown.remove(key);
    }
    LineageNode {
        id: node.id,
        node_type,
        source_type,
        cluster,
        original_name,
        parent_path,
        qualified_name,
        deleted: node.deleted,
        hidden: false,
        unlinked: matches!(node.content, NodeContent::Unlinked(_) | NodeContent::Column { .. }),
        distance: node.depth,
        more_upstream: node.more_upstream,
        more_upstream_is_least: node.more_upstream_is_least,
        more_downstream: node.more_downstream,
        more_downstream_is_least: node.more_downstream_is_least,
        unlinked_inputs: node.unlinked_inputs,
        unlinked_outputs: node.unlinked_outputs,
        properties: shown,
    }
}

fn shown_edge(edge: &Edge) -> LineageEdge {
    LineageEdge {
        source: edge.source,
        target: edge.target,
        edge_type: flow_type(edge.kind),
        mark: MarkWord::Observed,
        via: edge.via.clone(),
        hides: edge.hides.iter().map(shown_hidden).collect(),
        columns: edge.columns.iter().map(shown_column).collect(),
        first_seen: Some(edge.first_seen),
        last_seen: Some(edge.last_seen),
        former_incarnation: edge.former_incarnation,
        below: None,
        location: None,
    }
}

fn shown_hidden(hidden: &Hidden) -> HiddenAsset {
    HiddenAsset {
        id: hidden.entity,
        qualified_name: hidden.qualified_name.clone(),
        reason: hidden.reason.as_str().to_owned(),
    }
}

/// That tables and paths hold the same data, each with the location that says so.
fn shown_placements(physical: &Physical<'_>, walked: &Lineage) -> Result<Vec<LineageEdge>, StoreError> {
    let owners: Vec<EntityId> = walked.placements.iter().map(|placement| placement.owner).collect();
    let owners: HashMap<EntityId, Entity> =
        physical.facts.entities(physical.viewer, &owners)?.into_iter().map(|owner| (owner.id, owner)).collect();
    let mut edges = Vec::with_capacity(walked.placements.len());
    for placement in &walked.placements {
        let evidence = owners.get(&placement.owner).and_then(|owner| {
            let written = written_location(owner)?;
            let (meaning, _) = location::location(physical.file_systems, &owner.cluster, written);
            Some(LocationEvidence { owner: owner.id, owner_name: owner.qualified_name.clone(), meaning })
        });
        edges.push(LineageEdge {
            source: placement.table,
            target: placement.path,
            edge_type: EdgeType::LogicalPhysical,
            mark: MarkWord::Observed,
            via: Vec::new(),
            hides: Vec::new(),
            columns: Vec::new(),
            first_seen: None,
            last_seen: None,
            former_incarnation: false,
            below: Some(placement.below),
            location: Some(evidence),
        });
    }
    Ok(edges)
}

/// The states of the file systems whose directories and files are in the answer.
fn namespace_states(physical: &Physical<'_>, walked: &Lineage) -> Result<Vec<NamespaceState>, StoreError> {
    let mut sources: BTreeSet<&str> = BTreeSet::new();
    for node in &walked.nodes {
        if let NodeContent::Entity(entity) = &node.content
            && is_path(entity)
        {
            sources.insert(&entity.source);
        }
    }
    let mut states = Vec::new();
    for source in sources {
        states.extend(physical.state(source)?);
    }
    Ok(states)
}

fn shown_column(pair: &ColumnPair) -> ColumnFlow {
    ColumnFlow {
        source: pair.source.clone(),
        target: pair.target.clone(),
        flow_type: flow_type(pair.kind),
        expression: pair.expression.clone(),
    }
}

/// What a kind of flow is called.
pub(super) const fn flow_type(kind: FlowKind) -> EdgeType {
    match kind {
        FlowKind::Data => EdgeType::DataFlow,
        FlowKind::Control => EdgeType::ControlFlow,
    }
}
