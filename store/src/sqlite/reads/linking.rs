//! What the linker asks before it decides.

use std::borrow::Cow;
use std::collections::HashMap;

use rusqlite::{CachedStatement, Connection, OptionalExtension, Row};

use sextant_model::name::split_qualified;
use sextant_model::{EntityId, EntityType, Life, NameKey, ObjectName};

use crate::sqlite::codec::{entity_state, entity_type, unpack};
use crate::sqlite::rows;
use crate::{Carry, CatalogEntry, ContentHash, NameState};

pub(in crate::sqlite) fn inbox_position(connection: &Connection) -> rusqlite::Result<u64> {
    connection.query_row("SELECT inbox_position FROM progress", [], |row| Ok(row.get::<_, i64>(0)? as u64))
}

pub(in crate::sqlite) fn carry(
    connection: &Connection,
    host: &str,
    generation: &str,
) -> rusqlite::Result<Option<Carry>> {
    connection
        .prepare_cached("SELECT offset, bytes FROM carry WHERE host = ?1 AND generation = ?2")?
        .query_row([host, generation], |row| {
            Ok(Carry {
                host: host.to_owned(),
                generation: generation.to_owned(),
                offset: row.get::<_, i64>(0)? as u64,
                bytes: rows::decoded(row, 1, |packed| unpack(packed).map(Cow::into_owned))?,
            })
        })
        .optional()
}

pub(in crate::sqlite) fn name_states(
    connection: &Connection,
    names: &[NameKey],
) -> rusqlite::Result<HashMap<NameKey, NameState>> {
    let mut find = connection.prepare_cached("SELECT entity FROM name WHERE id = ?1")?;
    let mut find_lives = FindLives::prepare(connection)?;
    let mut states = HashMap::with_capacity(names.len());
    for name in names {
        let found = find.query_row([name.id().as_bytes()], |row| rows::optional_id(row, 0)).optional()?;
        if let Some(entity) = found {
            let lives = entity.map_or_else(|| Ok(Vec::new()), |entity| find_lives.of(entity))?;
            states.insert(name.clone(), NameState { entity, lives });
        }
    }
    Ok(states)
}

pub(in crate::sqlite) fn lives(
    connection: &Connection,
    entities: &[EntityId],
) -> rusqlite::Result<HashMap<EntityId, Vec<Life>>> {
    let mut find = FindLives::prepare(connection)?;
    let mut lives = HashMap::with_capacity(entities.len());
    for entity in entities {
        let of_entity = find.of(*entity)?;
        if !of_entity.is_empty() {
            lives.insert(*entity, of_entity);
        }
    }
    Ok(lives)
}

/// Lives, by their entity.
pub(super) struct FindLives<'a> {
    stored: CachedStatement<'a>,
    entity: CachedStatement<'a>,
}

impl<'a> FindLives<'a> {
    pub(super) fn prepare(connection: &'a Connection) -> rusqlite::Result<Self> {
        Ok(Self {
            stored: connection.prepare_cached(
                "SELECT number, created, first_seen, last_seen, over FROM life WHERE entity = ?1 ORDER BY number",
            )?,
            entity: connection
                .prepare_cached("SELECT type, first_seen, last_seen, delete_time FROM entity WHERE id = ?1")?,
        })
    }

    /// The lives of an entity whose row is at hand: its type, first and last sight, and delete time
    /// are in these columns, in this order, from `first` on.
    pub(super) fn of_row(&mut self, entity: EntityId, row: &Row<'_>, first: usize) -> rusqlite::Result<Vec<Life>> {
        let mut lives = self.stored(entity)?;
        if lives.is_empty() {
            lives.extend(derived_life(entity, row, first)?);
        }
        Ok(lives)
    }

    fn stored(&mut self, entity: EntityId) -> rusqlite::Result<Vec<Life>> {
        self.stored.query_map([entity.as_bytes()], |row| rows::life(row, entity))?.collect()
    }

    fn of(&mut self, entity: EntityId) -> rusqlite::Result<Vec<Life>> {
        let stored = self.stored(entity)?;
        if !stored.is_empty() {
            return Ok(stored);
        }
        let derived = self.entity.query_row([entity.as_bytes()], |row| derived_life(entity, row, 0)).optional()?;
        Ok(derived.flatten().into_iter().collect())
    }
}

/// The only life of nearly all directories and files is as long as they are there, and is not stored.
fn derived_life(entity: EntityId, row: &Row<'_>, first: usize) -> rusqlite::Result<Option<Life>> {
    let entity_type = rows::coded(row, first, entity_type)?;
    if !matches!(entity_type, EntityType::Directory | EntityType::File) {
        return Ok(None);
    }
    Ok(Some(Life {
        entity,
        number: 1,
        created: None,
        first_seen: rows::time(row, first + 1)?,
        last_seen: rows::optional_time(row, first + 2)?,
        over: rows::optional_time(row, first + 3)?,
    }))
}

pub(in crate::sqlite) fn catalog(connection: &Connection, source: &str) -> rusqlite::Result<Vec<CatalogEntry>> {
    connection
        .prepare_cached(
            "SELECT id, qualified_name, state, content FROM entity
             WHERE source = (SELECT key FROM word WHERE text = ?1) AND type IN (1, 2, 3)",
        )?
        .query_map([source], |row| {
            Ok(CatalogEntry {
                id: rows::id(row, 0)?,
                name: object_name(row.get_ref(1)?.as_str()?),
                state: rows::coded(row, 2, entity_state)?,
                content: row.get::<_, Option<ContentHash>>(3)?.unwrap_or_default(),
            })
        })?
        .collect()
}

/// The name behind [`ObjectName::qualified`].
fn object_name(qualified: &str) -> ObjectName {
    let mut parts = split_qualified(qualified).into_iter();
    ObjectName { database: parts.next().unwrap_or_default(), relation: parts.next() }
}

pub(in crate::sqlite) fn held(connection: &Connection, source: &str) -> rusqlite::Result<Vec<ObjectName>> {
    let names = connection
        .prepare_cached("SELECT names FROM held WHERE source = ?1")?
        .query_row([source], |row| rows::json(row, 0))
        .optional()?;
    Ok(names.unwrap_or_default())
}
