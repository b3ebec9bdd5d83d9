//! Answers as short lines of text, to be compared with what is expected.

use std::collections::HashMap;

use sextant_graph::{Edge, Lineage, Node, NodeContent};
use sextant_model::EntityId;
use sextant_model::record::FlowKind;

use crate::lake::Lake;

/// `a`, `a.x`, `?a` for what is known by name only, `(label)` for an operation.
fn name_of(lake: &Lake, node: &Node) -> String {
    let short = |qualified: &str| qualified.strip_prefix("lake.").unwrap_or(qualified).to_owned();
    match &node.content {
        NodeContent::Entity(entity) => short(&entity.qualified_name),
        NodeContent::Unlinked(name) => format!("?{}", short(&name.qualified)),
        NodeContent::Column { qualified_name, .. } => format!("?{}", short(qualified_name)),
        NodeContent::Operation => format!("({})", lake.label(node.id)),
    }
}

/// The nodes with their depths, by name.
pub(crate) fn nodes(lake: &Lake, lineage: &Lineage) -> Vec<String> {
    let mut drawn: Vec<String> =
        lineage.nodes.iter().map(|node| format!("{} {}", node.depth, name_of(lake, node))).collect();
    drawn.sort_unstable();
    drawn
}

/// `a -> b`, dashed for control, with `via` and `hides` and `former` where there is something to say.
pub(crate) fn edges(lake: &Lake, lineage: &Lineage) -> Vec<String> {
    let names: HashMap<EntityId, String> = lineage.nodes.iter().map(|node| (node.id, name_of(lake, node))).collect();
    let mut drawn: Vec<String> = lineage
        .edges
        .iter()
        .map(|edge| {
            let arrow = if edge.kind == FlowKind::Data { "->" } else { "-->" };
            let mut line = format!("{} {arrow} {}", names[&edge.source], names[&edge.target]);
            if !edge.via.is_empty() {
                let mut via: Vec<&str> = edge.via.iter().map(|operation| lake.label(*operation)).collect();
                via.sort_unstable();
                line += &[" via ", &via.join(" ")].concat();
            }
            if !edge.hides.is_empty() {
                let mut hides: Vec<&str> = edge.hides.iter().map(|hidden| hidden.qualified_name.as_str()).collect();
                hides.sort_unstable();
                line += &[" hides ", &hides.join(" ").replace("lake.", "")].concat();
            }
            if edge.former_incarnation {
                line.push_str(" former");
            }
            line
        })
        .collect();
    drawn.sort_unstable();
    drawn
}

/// The column pairs of all edges: `a.x -> b.y`, with the expression where there is one.
pub(crate) fn pairs(edges: &[Edge]) -> Vec<String> {
    let mut drawn: Vec<String> = edges
        .iter()
        .flat_map(|edge| &edge.columns)
        .map(|pair| {
            let arrow = if pair.kind == FlowKind::Data { "->" } else { "-->" };
            let expression = pair.expression.as_ref().map(|text| format!(" = {text}")).unwrap_or_default();
            format!("{} {arrow} {}{expression}", pair.source, pair.target).replace("lake.", "")
        })
        .collect();
    drawn.sort_unstable();
    drawn
}

/// The node of a drawn name.
pub(crate) fn node<'a>(lake: &Lake, lineage: &'a Lineage, name: &str) -> &'a Node {
    lineage.nodes.iter().find(|node| name_of(lake, node) == name).unwrap()
}
