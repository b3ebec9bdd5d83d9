//! Lineage answers.

use std::collections::HashMap;

use serde_json::{Value, json as object};
use sextant_graph::{ColumnPair, Direction, Edge, Lineage, Node, NodeContent};
use sextant_model::record::FlowKind;
use sextant_model::{EntityId, Viewer};
use sextant_store::{Facts, OperationSummary, StoreError};

use super::{Object, entity, json, operation};

/// A walk's answer as the API shows it.
pub fn lineage(facts: &dyn Facts, viewer: &Viewer, walked: &Lineage) -> Result<Object, StoreError> {
    let operations: Vec<EntityId> = walked
        .nodes
        .iter()
        .filter(|node| matches!(node.content, NodeContent::Operation(_)))
        .map(|node| node.id)
        .collect();
    let summaries: HashMap<EntityId, OperationSummary> =
        facts.operations(viewer, &operations)?.into_iter().map(|summary| (summary.operation.id, summary)).collect();
    let nodes: Vec<Value> = walked.nodes.iter().map(|node| Value::Object(shown_node(node, &summaries))).collect();
    let edges: Vec<Value> = walked.edges.iter().map(shown_edge).collect();
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
            "notes": walked.coverage.notes,
        }),
    );
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
