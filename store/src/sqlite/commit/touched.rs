//! What a commit has touched: summed up while it works, written once at its end.

use std::collections::{BTreeMap, HashMap};

use rusqlite::{Connection, OptionalExtension, params};

use sextant_model::feed::What;
use sextant_model::operation::SeenSpan;
use sextant_model::{EntityId, Timestamp};

use crate::sqlite::rows;

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::sqlite) enum Counted {
    /// Entities that are not deleted, by type.
    Living,
    /// Deleted entities, by type.
    Deleted,
    /// Operations that are told.
    Operations,
    /// Executions.
    Executions,
    /// Names that operations use and that lead to no entity.
    UnlinkedNames,
    /// Quarantined stretches, by kind.
    Quarantined,
}

impl Counted {
    /// The stored word.
    pub(in crate::sqlite) const fn as_str(self) -> &'static str {
        match self {
            Self::Living => "living",
            Self::Deleted => "deleted",
            Self::Operations => "operations",
            Self::Executions => "executions",
            Self::UnlinkedNames => "unlinked names",
            Self::Quarantined => "quarantined",
        }
    }
}

/// By how much each total changes.
#[derive(Default)]
pub(super) struct Tally(BTreeMap<(Counted, &'static str), i64>);

impl Tally {
    pub(super) fn add(&mut self, subject: Counted, word: &'static str, difference: i64) {
        *self.0.entry((subject, word)).or_default() += difference;
    }

    pub(super) fn write(&self, connection: &Connection) -> rusqlite::Result<()> {
        let mut add = connection.prepare_cached(
            "INSERT INTO counter (subject, word, value) VALUES (?1, ?2, ?3)
             ON CONFLICT DO UPDATE SET value = value + excluded.value",
        )?;
        for ((subject, word), difference) in &self.0 {
            if *difference != 0 {
                add.execute(params![subject.as_str(), word, difference])?;
            }
        }
        Ok(())
    }
}

/// By how many operations more (or less) each name is used, by the name's key.
#[derive(Default)]
pub(super) struct TouchedNames(HashMap<i64, i64>);

impl TouchedNames {
    pub(super) fn add(&mut self, name: i64, difference: i64) {
        *self.0.entry(name).or_default() += difference;
    }

    pub(super) fn write(&self, connection: &Connection, tally: &mut Tally) -> rusqlite::Result<()> {
        // OR FAIL: an error undoes the whole commit, so SQLite need not prepare to undo a statement.
        let mut add = connection.prepare_cached(
            "UPDATE OR FAIL name SET operations = operations + ?2 WHERE key = ?1 RETURNING operations, entity IS NULL",
        )?;
        for (name, difference) in &self.0 {
            if *difference == 0 {
                continue;
            }
            let (now, unlinked): (i64, bool) =
                add.query_row([name, difference], |row| Ok((row.get(0)?, row.get(1)?)))?;
            let before = now - difference;
            if unlinked {
                tally.add(Counted::UnlinkedNames, "", i64::from(now > 0) - i64::from(before > 0));
            }
        }
        Ok(())
    }
}

/// What happened to one operation.
#[derive(Default)]
struct Touched {
    /// It has no row of any kind from before this commit.
    fresh: bool,
    /// What is to be told of it, each once.
    news: Vec<What>,
    new_texts: u64,
    new_executions: u64,
    span: Option<SeenSpan>,
    /// The time of an execution has moved, so that the span has to be looked up.
    moved: bool,
}

/// Operations, by their keys.
#[derive(Default)]
pub(super) struct TouchedOperations {
    by_key: HashMap<i64, Touched>,
    /// Those with news, in the order in which they came.
    told: Vec<(i64, EntityId)>,
}

impl TouchedOperations {
    /// The operation was told for the first time, and nothing has ever referred to it.
    pub(super) fn inserted(&mut self, key: i64, id: EntityId) {
        self.tell(key, id, What::Created);
        self.by_key.entry(key).or_default().fresh = true;
    }

    /// Whether nothing of the operation is stored but what this commit has written.
    pub(super) fn is_fresh(&self, key: i64) -> bool {
        self.by_key.get(&key).is_some_and(|touched| touched.fresh)
    }

    /// Something is to be told of it: that it is there, that it or its flows differ from before,
    /// or that its names lead elsewhere.
    pub(super) fn tell(&mut self, key: i64, id: EntityId, what: What) {
        let touched = self.by_key.entry(key).or_default();
        if touched.news.is_empty() {
            self.told.push((key, id));
        }
        if !touched.news.contains(&what) {
            touched.news.push(what);
        }
    }

    /// Uses of the operation were stored by this commit.
    pub(super) fn replaced_usages(&mut self, key: i64) {
        self.by_key.entry(key).or_default().fresh = false;
    }

    /// It has a true text more.
    pub(super) fn new_text(&mut self, key: i64) {
        self.by_key.entry(key).or_default().new_texts += 1;
    }

    /// It has an execution more.
    pub(super) fn new_execution(&mut self, key: i64, at: Timestamp, execution: EntityId) {
        let touched = self.by_key.entry(key).or_default();
        let once = SeenSpan::once(at, execution);
        touched.new_executions += 1;
        touched.span = Some(touched.span.map_or(once, |span| span.merged(once)));
    }

    /// The time of one of its executions is another one.
    pub(super) fn moved_execution(&mut self, key: i64) {
        self.by_key.entry(key).or_default().moved = true;
    }

    /// What is to be told of operations. A new one is only created; one that is there may have
    /// changed and be linked, each said once.
    pub(super) fn told(&self) -> impl Iterator<Item = (EntityId, What)> {
        self.told.iter().flat_map(|(key, id)| {
            let news = &self.by_key[key].news;
            let is_new = news.contains(&What::Created);
            news.iter().filter(move |what| !is_new || **what == What::Created).map(|what| (*id, *what))
        })
    }

    /// Brings the operations' own rows up to date.
    pub(super) fn write(&self, connection: &Connection) -> rusqlite::Result<()> {
        let mut find = connection.prepare_cached(
            "SELECT first_time, first_execution, last_time, last_execution FROM operation WHERE key = ?1",
        )?;
        let mut update = connection.prepare_cached(
            "UPDATE operation SET texts = texts + ?2, executions = executions + ?3,
             first_time = ?4, first_execution = ?5, last_time = ?6, last_execution = ?7 WHERE key = ?1",
        )?;
        for (key, touched) in &self.by_key {
            if touched.new_texts == 0 && touched.new_executions == 0 && !touched.moved {
                continue;
            }
            let span = if touched.moved {
                span_of_executions(connection, *key)?
            } else if touched.fresh {
                touched.span
            } else {
                merged(find.query_row([key], |row| rows::optional_span(row, 0))?, touched.span)
            };
            update.execute(params![
                key,
                touched.new_texts as i64,
                touched.new_executions as i64,
                span.map(|span| span.first.as_millis()),
                span.map(|span| *span.first_execution.as_bytes()),
                span.map(|span| span.last.as_millis()),
                span.map(|span| *span.last_execution.as_bytes()),
            ])?;
        }
        Ok(())
    }
}

fn merged(one: Option<SeenSpan>, other: Option<SeenSpan>) -> Option<SeenSpan> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.merged(other)),
        (one, other) => one.or(other),
    }
}

fn span_of_executions(connection: &Connection, operation: i64) -> rusqlite::Result<Option<SeenSpan>> {
    let end = |sql: &str| {
        connection
            .prepare_cached(sql)?
            .query_row([operation], |row| Ok(SeenSpan::once(rows::time(row, 0)?, rows::id(row, 1)?)))
            .optional()
    };
    let first = end("SELECT time, id FROM execution WHERE operation = ?1 ORDER BY time, id LIMIT 1")?;
    let last = end("SELECT time, id FROM execution WHERE operation = ?1 ORDER BY time DESC, id DESC LIMIT 1")?;
    Ok(merged(first, last))
}
