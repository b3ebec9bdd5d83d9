//! The text form of a query, which parses to the same query again.

use std::fmt;

use sextant_model::Timestamp;

use super::{Leaf, Node, Place, Query, Test};
use crate::fields::Kind;

impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_node(f, &self.root, Binding::Or)
    }
}

/// What the surroundings bind more loosely than.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Binding {
    Or,
    And,
    Not,
}

fn write_node(f: &mut fmt::Formatter<'_>, node: &Node, surroundings: Binding) -> fmt::Result {
    let own = match node {
        Node::Or(_) => Binding::Or,
        // A list with signs is not taken apart by the operators around it.
        Node::And { optional, .. } => {
            if optional.is_empty() {
                Binding::And
            } else {
                Binding::Or
            }
        }
        Node::Not(_) | Node::Leaf(_) | Node::All => Binding::Not,
    };
    let parenthesised = own < surroundings;
    if parenthesised {
        f.write_str("(")?;
    }
    match node {
        Node::All => f.write_str("*")?,
        Node::Leaf(leaf) => write_leaf(f, leaf)?,
        Node::Not(inner) => {
            f.write_str("NOT ")?;
            write_node(f, inner, Binding::Not)?;
        }
        Node::Or(alternatives) => write_joined(f, alternatives, " OR ", Binding::And)?,
        Node::And { required, optional } if optional.is_empty() => write_joined(f, required, " AND ", Binding::Not)?,
        Node::And { required, optional } => {
            for clause in required {
                f.write_str("+")?;
                write_node(f, clause, Binding::Not)?;
                f.write_str(" ")?;
            }
            write_joined(f, optional, " ", Binding::Not)?;
        }
    }
    if parenthesised { f.write_str(")") } else { Ok(()) }
}

fn write_joined(f: &mut fmt::Formatter<'_>, nodes: &[Node], joint: &str, binding: Binding) -> fmt::Result {
    for (index, node) in nodes.iter().enumerate() {
        if index > 0 {
            f.write_str(joint)?;
        }
        write_node(f, node, binding)?;
    }
    Ok(())
}

fn write_leaf(f: &mut fmt::Formatter<'_>, leaf: &Leaf) -> fmt::Result {
    let kind = match &leaf.place {
        Place::Default => Kind::Keyword,
        Place::Field(field) => {
            write!(f, "{}:", field.name())?;
            field.kind()
        }
        Place::Parameter(key) => {
            write!(f, "tp_{key}:")?;
            Kind::Keyword
        }
    };
    match &leaf.test {
        Test::Exists => f.write_str("*"),
        Test::Word(word) => f.write_str(&escaped(word)),
        Test::Quoted(text) => write!(f, "\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")),
        Test::Pattern(pattern) => write!(f, "{pattern}"),
        Test::Range { low, high } => {
            let bound = |value: &Option<i64>| match (value, kind) {
                (None, _) => "*".to_owned(),
                (Some(millis), Kind::Date) => Timestamp::from_millis(*millis).to_string(),
                (Some(number), _) => number.to_string(),
            };
            write!(f, "[{} TO {}}}", bound(low), bound(high))
        }
    }
}

/// `text` as a value without quotes. A word that would read as an operator is escaped, too.
pub(crate) fn escaped(text: &str) -> String {
    let is_operator = ["and", "or", "not"].iter().any(|operator| operator.eq_ignore_ascii_case(text));
    let mut escaped = String::with_capacity(text.len());
    for (index, character) in text.char_indices() {
        if (is_operator && index == 0) || !(character.is_alphanumeric() || character == '_') {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    escaped
}
