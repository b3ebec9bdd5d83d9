//! `ALTER TABLE` and `ALTER VIEW`.

use super::{Effect, Head, Place, create, defined_columns};
use crate::cursor::Cursor;

/// Behind the word `alter`.
pub(super) fn read(cursor: &mut Cursor) -> Option<Head> {
    let is_view = cursor.eat(&["materialized", "view"]) || cursor.eat(&["view"]);
    if !is_view && !cursor.eat(&["table"]) {
        return None;
    }
    let start = cursor.position;
    let table = cursor.table()?;
    if cursor.eat(&["rename", "to"]) {
        let to = cursor.table()?;
        let kind = if is_view { "ALTERVIEW_RENAME" } else { "ALTERTABLE_RENAME" };
        return Some(Head {
            kind: kind.into(),
            inputs: vec![Place::Table(table.clone())],
            outputs: vec![Place::Table(to.clone())],
            moved: Some((table.clone(), to.clone())),
            effects: vec![Effect::Rename { from: table, to }],
            ..Head::default()
        });
    }
    if is_view {
        cursor.position = start;
        return create::view(cursor, "ALTERVIEW_AS");
    }
    let outputs = vec![Place::Table(table.clone())];
    if cursor.eat(&["exchange", "partition"]) {
        cursor.group()?;
        cursor.eat(&["with", "table"]);
        let source = cursor.table()?;
        return Some(Head {
            kind: "ALTERTABLE_EXCHANGEPARTITION".into(),
            inputs: vec![Place::Table(source.clone())],
            outputs,
            moved: Some((source, table)),
            ..Head::default()
        });
    }
    if cursor.eat(&["partition"]) {
        cursor.group()?;
    }
    Some(Head { effects: columns_changed(cursor, table).into_iter().collect(), outputs, ..Head::default() })
}

fn columns_changed(cursor: &mut Cursor, table: super::TableName) -> Option<Effect> {
    if cursor.eat(&["add"]) {
        if !cursor.eat(&["columns"]) && !cursor.eat(&["column"]) {
            return None;
        }
        cursor.eat(&["if", "not", "exists"]);
        let columns = match cursor.group() {
            Some(list) => defined_columns(list),
            None => vec![cursor.word()?],
        };
        return Some(Effect::AddColumns { table, columns });
    }
    if cursor.eat(&["replace", "columns"]) {
        return Some(Effect::ReplaceColumns { table, columns: defined_columns(cursor.group()?) });
    }
    if cursor.eat(&["change"]) {
        cursor.eat_any(&["column"]);
        let from = cursor.word()?;
        return Some(Effect::RenameColumn { table, from, to: cursor.word()? });
    }
    if cursor.eat(&["drop"]) && !cursor.is("partition") && !cursor.is("if") {
        cursor.eat_any(&["column"]);
        return Some(Effect::DropColumn { table, column: cursor.word()? });
    }
    None
}
