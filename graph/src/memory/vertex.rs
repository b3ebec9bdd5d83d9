//! What a vertex is, in few bytes: its type, whether it is deleted, and its lives.

use sextant_model::{EntityId, EntityType, Life, Timestamp};
use sextant_store::EntityShape;

use super::record::{Reader, put_signed};
use crate::lives::Existence;

/// What a vertex is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An entity that a source has shown.
    Entity(EntityType),
    /// A name that leads nowhere.
    Unlinked,
    /// An entity that some name leads to and that is not there.
    Absent,
}

const DELETED: i64 = 1;
const DELETE_TIME: i64 = 2;
const CREATED: i64 = 1;
const OVER: i64 = 2;

/// Writes what [`decode`] reads: whether and when it was deleted, and its lives.
pub(super) fn encode(shape: &EntityShape) -> Vec<u8> {
    let mut bytes = Vec::new();
    let times = if shape.delete_time.is_some() { DELETE_TIME } else { 0 };
    put_signed(&mut bytes, times | if shape.deleted { DELETED } else { 0 });
    let put_time = |bytes: &mut Vec<u8>, time: Option<Timestamp>| {
        if let Some(time) = time {
            put_signed(bytes, time.as_millis());
        }
    };
    put_time(&mut bytes, shape.delete_time);
    for life in &shape.lives {
        put_signed(&mut bytes, i64::from(life.number));
        let created = if life.created.is_some() { CREATED } else { 0 };
        let over = if life.over.is_some() { OVER } else { 0 };
        put_signed(&mut bytes, created | over);
        put_time(&mut bytes, life.created);
        put_signed(&mut bytes, life.first_seen.as_millis());
        put_time(&mut bytes, life.over);
    }
    bytes
}

/// What [`encode`] wrote. When lives were last seen is not kept: no walk asks.
pub(super) fn decode(id: EntityId, bytes: &[u8]) -> Existence<PackedLives<'_>> {
    let mut reader = Reader(bytes);
    let flags = reader.signed();
    let delete_time = time(&mut reader, flags & DELETE_TIME != 0);
    Existence { deleted: flags & DELETED != 0, delete_time, lives: PackedLives { id, reader } }
}

/// The lives of an entity, read one by one.
pub(crate) struct PackedLives<'g> {
    id: EntityId,
    reader: Reader<'g>,
}

impl Iterator for PackedLives<'_> {
    type Item = Life;

    fn next(&mut self) -> Option<Life> {
        if self.reader.0.is_empty() {
            return None;
        }
        let number = self.reader.signed() as u32;
        let flags = self.reader.signed();
        let created = time(&mut self.reader, flags & CREATED != 0);
        let first_seen = Timestamp::from_millis(self.reader.signed());
        let over = time(&mut self.reader, flags & OVER != 0);
        Some(Life { entity: self.id, number, created, first_seen, last_seen: None, over })
    }
}

fn time(reader: &mut Reader<'_>, is_there: bool) -> Option<Timestamp> {
    is_there.then(|| Timestamp::from_millis(reader.signed()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn time() -> impl Strategy<Value = Option<Timestamp>> {
        proptest::option::of(any::<i64>().prop_map(Timestamp::from_millis))
    }

    proptest! {
        #[test]
        fn what_was_written_is_read_back(
            deleted: bool,
            delete_time in time(),
            lives in proptest::collection::vec((any::<u32>(), time(), any::<i64>(), time()), 0..4),
        ) {
            let id = EntityId::derive("test", &[]);
            let lives: Vec<Life> = lives
                .into_iter()
                .map(|(number, created, first_seen, over)| {
                    let first_seen = Timestamp::from_millis(first_seen);
                    Life { entity: id, number, created, first_seen, last_seen: None, over }
                })
                .collect();
            let shape = EntityShape { id, entity_type: EntityType::Table, deleted, delete_time, lives: lives.clone() };
            let bytes = encode(&shape);
            let read = decode(id, &bytes);
            prop_assert_eq!((read.deleted, read.delete_time), (deleted, delete_time));
            prop_assert_eq!(read.lives.collect::<Vec<_>>(), lives);
        }
    }
}
