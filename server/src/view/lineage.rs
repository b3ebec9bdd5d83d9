//! Lineage answers.

use std::collections::{BTreeSet, HashMap};

use serde_json::{Value, json as object};
use sextant_graph::{ColumnPair, Direction, Edge, Lineage, Mark, Node, NodeContent};
use sextant_model::record::FlowKind;
use sextant_model::{Entity, EntityId};
use sextant_store::{OperationSummary, StoreError};

use super::physical::{Physical, is_path, written_location};
use super::{Object, entity, json, location, operation};

/// A walk's answer as the API shows it.
pub fn lineage(physical: &Physical<'_>, walked: &Lineage) -> Result<Object, StoreError> {
    let (facts, viewer) = (physical.facts, physical.viewer);
    let operations: Vec<EntityId> = walked
        .nodes
        .iter()
        .filter(|node| matches!(node.content, NodeContent::Operation(_)))
        .map(|node| node.id)
        .collect();
    let summaries: HashMap<EntityId, OperationSummary> =
        facts.operations(viewer, &operations)?.into_iter().map(|summary| (summary.operation.id, summary)).collect();
    let nodes: Vec<Value> = walked.nodes.iter().map(|node| Value::Object(shown_node(node, &summaries))).collect();
    let mut edges: Vec<Value> = walked.edges.iter().map(shown_edge).collect();
    edges.extend(shown_placements(physical, walked)?);
    let states = namespace_states(physical, walked)?;
    let mut said = walked.coverage.notes.clone();
    for state in &states {
        let text = |key: &str| state.get(key).and_then(Value::as_str).unwrap_or_default();
        said.push(format!("directories and files {} (extractor {})", text("inWords"), text("source")));
    }
    let mut answer = Object::new();
    let mut put = |key: &str, value: Value| answer.insert(key.to_owned(), value);
    put("root", json(walked.root));
    put("direction", direction_word(walked.direction).into());
    put("depth", json(walked.depth));
    put("limit", json(walked.limit));
    put("nodes", nodes.into());
    put("edges", edges.into());
    put("cut", json(walked.cut));
    put(
        "coverage",
        object!({
            "operationsWithoutLineage": walked.coverage.operations_without_lineage,
            "notes": said,
        }),
    );
    put("namespaceStates", json(states));
    Ok(answer)
}

/// The word for a direction.
pub const fn direction_word(direction: Direction) -> &'static str {
    match direction {
        Direction::Upstream => "upstream",
        Direction::Downstream => "downstream",
        Direction::Both => "both",
    }
}

fn shown_node(node: &Node, summaries: &HashMap<EntityId, OperationSummary>) -> Object {
    let mut shown = match &node.content {
        NodeContent::Entity(shown) => entity::entity(shown),
        NodeContent::Operation(bare) => match summaries.get(&node.id) {
            Some(summary) => operation::operation(summary),
            None => operation::bare_operation(bare),
        },
        NodeContent::Unlinked(name) => entity::unlinked_name(name),
        NodeContent::Column { table, column, qualified_name, .. } => {
            entity::unlisted_column(node.id, *table, column, qualified_name)
        }
    };
    let unlinked = matches!(node.content, NodeContent::Unlinked(_) | NodeContent::Column { .. });
    let mut put = |key: &str, value: Value| shown.insert(key.to_owned(), value);
    put("id", json(node.id));
    put("hidden", json(false));
    put("unlinked", json(unlinked));
    put("distance", json(node.depth));
    put("moreUpstream", json(node.more_upstream));
    put("moreDownstream", json(node.more_downstream));
    put("unlinkedInputs", json(node.unlinked_inputs));
    put("unlinkedOutputs", json(node.unlinked_outputs));
    shown
}

fn shown_edge(edge: &Edge) -> Value {
    let hides: Vec<Value> = edge
        .hides
        .iter()
        .map(|hidden| {
            object!({
                "id": hidden.entity,
                "qualifiedName": hidden.qualified_name,
                "reason": hidden.reason.as_str(),
            })
        })
        .collect();
    object!({
        "source": edge.source,
        "target": edge.target,
        "type": flow_word(edge.kind),
        "mark": edge.mark.as_str(),
        "via": edge.via,
        "hides": hides,
        "columns": edge.columns.iter().map(shown_column).collect::<Vec<_>>(),
        "firstSeen": edge.first_seen,
        "lastSeen": edge.last_seen,
        "formerIncarnation": edge.former_incarnation,
    })
}

/// That tables and paths hold the same data, each with the location that says so.
fn shown_placements(physical: &Physical<'_>, walked: &Lineage) -> Result<Vec<Value>, StoreError> {
    let owners: Vec<EntityId> = walked.placements.iter().map(|placement| placement.owner).collect();
    let owners: HashMap<EntityId, Entity> =
        physical.facts.entities(physical.viewer, &owners)?.into_iter().map(|owner| (owner.id, owner)).collect();
    let mut edges = Vec::with_capacity(walked.placements.len());
    for placement in &walked.placements {
        let evidence = owners.get(&placement.owner).and_then(|owner| {
            let written = written_location(owner)?;
            let (mut told, _) = location::location(physical.file_systems, &owner.cluster, written);
            told.insert("owner".to_owned(), json(owner.id));
            told.insert("ownerName".to_owned(), json(&owner.qualified_name));
            Some(told)
        });
        edges.push(object!({
            "source": placement.table,
            "target": placement.path,
            "type": "LOGICAL_PHYSICAL",
            "mark": Mark::Observed.as_str(),
            "via": [],
            "hides": [],
            "columns": [],
            "firstSeen": null,
            "lastSeen": null,
            "formerIncarnation": false,
            "below": placement.below,
            "location": evidence,
        }));
    }
    Ok(edges)
}

/// The states of the file systems whose directories and files are in the answer.
fn namespace_states(physical: &Physical<'_>, walked: &Lineage) -> Result<Vec<Object>, StoreError> {
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

fn shown_column(pair: &ColumnPair) -> Value {
    object!({
        "source": pair.source,
        "target": pair.target,
        "type": flow_word(pair.kind),
        "expression": pair.expression,
    })
}

/// The word for a kind of flow.
pub const fn flow_word(kind: FlowKind) -> &'static str {
    match kind {
        FlowKind::Data => "DATA_FLOW",
        FlowKind::Control => "CONTROL_FLOW",
    }
}
