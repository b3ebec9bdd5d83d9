//! Column flows as one value, linear in vertices and edge ids.
//!
//! Layout (all numbers as [`super::varint`]s): the version; the pool of texts (databases, tables,
//! columns, labels, expressions), each once; tables and vertices, which name texts by their place
//! in the pool; the pool of index sets, each once, as differences; edges, which name two sets. So
//! a predicate over 200 columns that decides 200 targets costs 400 ids once, however many edges
//! share a side. The whole is then [packed](super::pack).

use std::collections::HashMap;
use std::hash::Hash;

use sextant_model::record::{FlowEdge, FlowKind, Flows, TableMention, Vertex};
use sextant_model::{ObjectName, Timestamp};

use super::varint::{Reader, put_number, put_signed, put_text};
use super::{Unreadable, pack, unpack};

const VERSION: u8 = 1;

/// What decoding may write out of pooled texts and sets, bytes: far more than any record that is
/// accepted (64 MiB of JSON) can hold.
const MAX_EXPANDED_BYTES: usize = 1 << 29;

const EDGE_CONTROL: u64 = 1;
const EDGE_HAS_EXPRESSION: u64 = 2;

const VERTEX_RESULT: u64 = 0;

/// The value to store.
pub(in crate::sqlite) fn encode_flows(flows: &Flows) -> Vec<u8> {
    let mut texts = Pool::default();
    let mut sets = Pool::default();
    let mut tables = Vec::new();
    put_number(&mut tables, flows.tables.len() as u64);
    for table in &flows.tables {
        put_number(&mut tables, texts.place(table.name.database.as_str()));
        let relation = table.name.relation.as_deref();
        put_number(&mut tables, relation.map_or(0, |relation| 1 + texts.place(relation)));
        put_number(&mut tables, u64::from(table.created.is_some()));
        if let Some(created) = table.created {
            put_signed(&mut tables, created.as_millis());
        }
    }
    let mut vertices = Vec::new();
    put_number(&mut vertices, flows.vertices.len() as u64);
    for vertex in &flows.vertices {
        match vertex {
            Vertex::Result { label } => {
                put_number(&mut vertices, VERTEX_RESULT);
                put_number(&mut vertices, texts.place(label));
            }
            Vertex::Table { table } => put_number(&mut vertices, 1 + (u64::from(*table) << 1)),
            Vertex::Column { table, column } => {
                put_number(&mut vertices, 2 + (u64::from(*table) << 1));
                put_number(&mut vertices, texts.place(column));
            }
        }
    }
    let mut edges = Vec::new();
    put_number(&mut edges, flows.edges.len() as u64);
    for edge in &flows.edges {
        let control = if edge.kind == FlowKind::Control { EDGE_CONTROL } else { 0 };
        let has_expression = if edge.expression.is_some() { EDGE_HAS_EXPRESSION } else { 0 };
        put_number(&mut edges, control | has_expression);
        put_number(&mut edges, sets.place(edge.sources.as_slice()));
        put_number(&mut edges, sets.place(edge.targets.as_slice()));
        if let Some(expression) = &edge.expression {
            put_number(&mut edges, texts.place(expression));
        }
    }

    let mut bytes = vec![VERSION];
    put_number(&mut bytes, texts.items.len() as u64);
    texts.items.iter().for_each(|text| put_text(&mut bytes, text));
    bytes.extend_from_slice(&tables);
    bytes.extend_from_slice(&vertices);
    put_number(&mut bytes, sets.items.len() as u64);
    for set in &sets.items {
        put_number(&mut bytes, set.len() as u64);
        let mut previous = 0;
        for index in *set {
            put_signed(&mut bytes, i64::from(*index) - previous);
            previous = i64::from(*index);
        }
    }
    bytes.extend_from_slice(&edges);
    pack(&bytes)
}

/// What [`encode_flows`] wrote.
pub(in crate::sqlite) fn decode_flows(packed: &[u8]) -> Result<Flows, Unreadable> {
    let bytes = unpack(packed)?;
    let mut reader = Reader::new(&bytes);
    if reader.byte()? != VERSION {
        return Err(Unreadable("flows of an unknown version"));
    }
    let mut budget = Budget(MAX_EXPANDED_BYTES);
    let texts = read_list(&mut reader, Reader::text)?;
    let tables = read_list(&mut reader, |reader| read_table(reader, &texts, &mut budget))?;
    let vertices = read_list(&mut reader, |reader| read_vertex(reader, &texts, &mut budget))?;
    let sets = read_list(&mut reader, read_set)?;
    let edges = read_list(&mut reader, |reader| read_edge(reader, &texts, &sets, &mut budget))?;
    reader.end()?;
    Ok(Flows { tables, vertices, edges })
}

/// Items in the order in which they were first asked for.
struct Pool<'a, T: ?Sized> {
    items: Vec<&'a T>,
    places: HashMap<&'a T, u64>,
}

impl<T: ?Sized> Default for Pool<'_, T> {
    fn default() -> Self {
        Self { items: Vec::new(), places: HashMap::new() }
    }
}

impl<'a, T: ?Sized + Hash + Eq> Pool<'a, T> {
    fn place(&mut self, item: &'a T) -> u64 {
        *self.places.entry(item).or_insert_with(|| {
            self.items.push(item);
            self.items.len() as u64 - 1
        })
    }
}

/// How many bytes decoding may still write.
struct Budget(usize);

impl Budget {
    fn spend(&mut self, bytes: usize) -> Result<(), Unreadable> {
        self.0 = self.0.checked_sub(bytes).ok_or(Unreadable("flows are too large"))?;
        Ok(())
    }
}

fn read_list<'a, T>(
    reader: &mut Reader<'a>,
    mut read_item: impl FnMut(&mut Reader<'a>) -> Result<T, Unreadable>,
) -> Result<Vec<T>, Unreadable> {
    let count = reader.count()?;
    let mut items = Vec::with_capacity(count.min(1 << 16));
    for _ in 0..count {
        items.push(read_item(reader)?);
    }
    Ok(items)
}

fn pooled_text(texts: &[&str], place: u64, budget: &mut Budget) -> Result<String, Unreadable> {
    let text = usize::try_from(place).ok().and_then(|place| texts.get(place)).ok_or(Unreadable("no such text"))?;
    budget.spend(text.len())?;
    Ok((*text).to_owned())
}

fn read_table(reader: &mut Reader<'_>, texts: &[&str], budget: &mut Budget) -> Result<TableMention, Unreadable> {
    let database = pooled_text(texts, reader.number()?, budget)?;
    let relation = match reader.number()? {
        0 => None,
        place => Some(pooled_text(texts, place - 1, budget)?),
    };
    let created = match reader.number()? {
        0 => None,
        _ => Some(Timestamp::from_millis(reader.signed()?)),
    };
    Ok(TableMention { name: ObjectName { database, relation }, created })
}

fn read_vertex(reader: &mut Reader<'_>, texts: &[&str], budget: &mut Budget) -> Result<Vertex, Unreadable> {
    let mark = reader.number()?;
    if mark == VERTEX_RESULT {
        return Ok(Vertex::Result { label: pooled_text(texts, reader.number()?, budget)? });
    }
    let table = u32::try_from((mark - 1) >> 1).map_err(|_| Unreadable("an index is too large"))?;
    if (mark - 1) & 1 == 0 {
        Ok(Vertex::Table { table })
    } else {
        Ok(Vertex::Column { table, column: pooled_text(texts, reader.number()?, budget)? })
    }
}

fn read_set(reader: &mut Reader<'_>) -> Result<Vec<u32>, Unreadable> {
    let mut previous = 0i64;
    read_list(reader, |reader| {
        previous = previous.checked_add(reader.signed()?).ok_or(Unreadable("an index is too large"))?;
        u32::try_from(previous).map_err(|_| Unreadable("an index is too large"))
    })
}

fn read_edge(
    reader: &mut Reader<'_>,
    texts: &[&str],
    sets: &[Vec<u32>],
    budget: &mut Budget,
) -> Result<FlowEdge, Unreadable> {
    let flags = reader.number()?;
    let kind = if flags & EDGE_CONTROL == 0 { FlowKind::Data } else { FlowKind::Control };
    let mut set = || {
        let place = reader.number_u32()? as usize;
        let set = sets.get(place).ok_or(Unreadable("no such set"))?;
        budget.spend(size_of_val(set.as_slice()))?;
        Ok(set.clone())
    };
    let (sources, targets) = (set()?, set()?);
    let expression = match flags & EDGE_HAS_EXPRESSION {
        0 => None,
        _ => Some(pooled_text(texts, reader.number()?, budget)?),
    };
    Ok(FlowEdge { kind, sources, targets, expression })
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::option;
    use proptest::prelude::*;

    use super::*;

    fn flows() -> impl Strategy<Value = Flows> {
        let table =
            (".{0,3}", option::of(".{0,3}"), option::of(any::<i64>())).prop_map(|(database, relation, created)| {
                TableMention { name: ObjectName { database, relation }, created: created.map(Timestamp::from_millis) }
            });
        let vertex = prop_oneof![
            (any::<u32>(), ".{0,3}").prop_map(|(table, column)| Vertex::Column { table, column }),
            any::<u32>().prop_map(|table| Vertex::Table { table }),
            ".{0,3}".prop_map(|label| Vertex::Result { label }),
        ];
        let set = || prop_oneof![vec(0u32..9, 0..5), vec(any::<u32>(), 0..5)];
        let edge =
            (any::<bool>(), set(), set(), option::of(".{0,3}")).prop_map(|(data, sources, targets, expression)| {
                FlowEdge { kind: if data { FlowKind::Data } else { FlowKind::Control }, sources, targets, expression }
            });
        (vec(table, 0..5), vec(vertex, 0..9), vec(edge, 0..9)).prop_map(|(tables, vertices, edges)| Flows {
            tables,
            vertices,
            edges,
        })
    }

    proptest! {
        #[test]
        fn flows_are_read_back(flows in flows()) {
            prop_assert_eq!(decode_flows(&encode_flows(&flows)).unwrap(), flows);
        }

        #[test]
        fn arbitrary_bytes_do_not_panic(bytes in vec(any::<u8>(), 0..80)) {
            let _ = decode_flows(&bytes);
            let _ = decode_flows(&[&[0, VERSION], &bytes[..]].concat());
        }

        #[test]
        fn damaged_flows_do_not_panic(flows in flows(), place: prop::sample::Index, byte: u8, cut: prop::sample::Index) {
            let mut bytes = encode_flows(&flows);
            let place = place.index(bytes.len());
            bytes[place] = byte;
            let _ = decode_flows(&bytes);
            bytes.truncate(cut.index(bytes.len()));
            let _ = decode_flows(&bytes);
        }
    }

    /// Every target from one source, and a predicate over `columns` columns that decides each of
    /// them, as Hive logs it: one edge for each target.
    fn wide(columns: u32) -> Flows {
        let column =
            |number: u32| Vertex::Column { table: number / columns, column: format!("column_{}", number % columns) };
        let edge = |kind, sources, target| FlowEdge { kind, sources, targets: vec![target], expression: None };
        let targets = columns..2 * columns;
        Flows {
            tables: vec![],
            vertices: (0..2 * columns).map(column).collect(),
            edges: targets
                .flat_map(|target| {
                    let predicate = edge(FlowKind::Control, (0..columns).collect(), target);
                    [edge(FlowKind::Data, vec![target - columns], target), predicate]
                })
                .collect(),
        }
    }

    #[test]
    fn the_size_is_linear_though_every_predicate_reaches_every_target() {
        let (narrow, four_times) = (encode_flows(&wide(200)), encode_flows(&wide(800)));
        assert_eq!(decode_flows(&narrow).unwrap(), wide(200));
        assert!(narrow.len() < 200 * 40, "{} bytes", narrow.len());
        assert!(four_times.len() < narrow.len() * 5, "{} bytes against {}", four_times.len(), narrow.len());
    }

    #[test]
    fn a_small_value_that_would_unfold_to_a_huge_one_is_refused() {
        let set: Vec<u32> = (0..100_000).collect();
        let edge = FlowEdge { kind: FlowKind::Data, sources: set.clone(), targets: set, expression: None };
        let flows = Flows { tables: vec![], vertices: vec![], edges: vec![edge; 2_000] };
        assert!(decode_flows(&encode_flows(&flows)).is_err());
    }
}
