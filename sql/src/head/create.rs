//! `CREATE TABLE` and `CREATE VIEW`.

use super::{Effect, Head, Place, Target, Write, defined_columns, listed_names, query_behind_as};
use crate::cursor::Cursor;
use crate::render::render;
use crate::words::{find_outside, is};

/// Behind the word `create`.
pub(super) fn table_or_view(cursor: &mut Cursor) -> Option<Head> {
    cursor.eat_any(&["or", "replace", "temporary", "external", "transactional", "managed", "global"]);
    if cursor.eat(&["table"]) {
        cursor.eat(&["if", "not", "exists"]);
        return table(cursor);
    }
    let materialized = cursor.eat(&["materialized"]);
    if !cursor.eat(&["view"]) {
        return None;
    }
    cursor.eat(&["if", "not", "exists"]);
    let kind = if materialized { "CREATE_MATERIALIZED_VIEW" } else { "CREATEVIEW" };
    view(cursor, kind)
}

/// Behind `create view` or `alter view`: `NAME [(columns)] … as QUERY`.
pub(super) fn view(cursor: &mut Cursor, kind: &str) -> Option<Head> {
    let table = cursor.table()?;
    let columns = cursor.group().map(listed_names);
    let start = query_behind_as(cursor.tokens, cursor.position)?;
    let query = cursor.tokens[start..].to_vec();
    let view = Some(render(&query));
    let target = Target::Create { table: table.clone(), columns, partition_columns: Vec::new(), view };
    Some(Head {
        kind: kind.into(),
        outputs: vec![Place::Table(table)],
        writes: vec![Write { target, query }],
        ..Head::default()
    })
}

fn table(cursor: &mut Cursor) -> Option<Head> {
    let table = cursor.table()?;
    let mut head = Head { outputs: vec![Place::Table(table.clone())], ..Head::default() };
    if cursor.eat(&["like", "parquet"]) || cursor.eat(&["like", "orc"]) || cursor.eat(&["like", "file"]) {
        head.inputs.extend(cursor.string().map(Place::Path));
    } else if cursor.eat(&["like"]) {
        let model = cursor.table()?;
        head.inputs.push(Place::Table(model.clone()));
        head.effects.push(Effect::Like { table, model });
        return Some(head);
    }
    let list = cursor.group();
    let behind = cursor.position;
    let query = query_behind_as(cursor.tokens, behind);
    let partition_list = find_outside(cursor.tokens, behind, |tokens, at| {
        query.is_none_or(|query| at < query) && is(&tokens[at], "partitioned")
    })
    .and_then(|at| {
        cursor.position = at + 2;
        cursor.group()
    });
    // Of a partition that is a transform (`bucket(4, a)`) no column is made.
    let mut partition_columns = partition_list.map(defined_columns).unwrap_or_default();
    let Some(start) = query else {
        let columns = list.map(defined_columns).unwrap_or_default();
        partition_columns.retain(|column| !columns.contains(column));
        if list.is_some() {
            head.effects.push(Effect::Define { table, columns, partition_columns });
        }
        return Some(head);
    };
    head.kind = "CREATETABLE_AS_SELECT".into();
    let columns = list.map(defined_columns).filter(|columns| !columns.is_empty());
    let query = cursor.tokens[start..].to_vec();
    head.writes.push(Write { target: Target::Create { table, columns, partition_columns, view: None }, query });
    Some(head)
}
