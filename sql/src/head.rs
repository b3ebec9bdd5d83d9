//! The heads of statements: what a statement writes, moves and defines, and which of its tokens are
//! the query that is written. Only queries are given to sqlparser.

mod alter;
mod change;
mod create;
mod insert;

use sqlparser::tokenizer::{Token, TokenWithSpan};

use crate::cursor::{Cursor, TableName};
use crate::kind::statement_kind;
use crate::words::{begins_query, find_outside, is, is_any, name_of, split_commas, symbol_at};

/// A statement, its queries not yet parsed.
#[derive(Debug, Default)]
pub(crate) struct Head {
    /// In Hive's words, as [`statement_kind`] has them, and some more.
    pub(crate) kind: String,
    pub(crate) inputs: Vec<Place>,
    pub(crate) outputs: Vec<Place>,
    pub(crate) writes: Vec<Write>,
    /// A table all of whose columns go to another's columns of the same names.
    pub(crate) moved: Option<(TableName, TableName)>,
    pub(crate) effects: Vec<Effect>,
}

/// Something that data is in.
#[derive(Debug)]
pub(crate) enum Place {
    Table(TableName),
    Path(String),
}

/// A query and where its rows go.
#[derive(Debug)]
pub(crate) struct Write {
    pub(crate) target: Target,
    pub(crate) query: Vec<TokenWithSpan>,
}

/// Where the rows of a query go.
#[derive(Debug)]
pub(crate) enum Target {
    /// To who asked.
    Result,
    Directory(String),
    /// By position: to the columns listed, else to all; then to the partition columns that have no
    /// value.
    Insert {
        table: TableName,
        columns: Option<Vec<String>>,
        dynamic_partitions: Vec<String>,
        fixed: Vec<String>,
    },
    /// To these columns of rows that are there or are made.
    Set {
        table: TableName,
        columns: Option<Vec<String>>,
    },
    /// A table or view that is made of the query.
    Create {
        table: TableName,
        columns: Option<Vec<String>>,
        partition_columns: Vec<String>,
        view: Option<String>,
    },
    /// Nowhere: the query only says which rows are removed.
    Removal,
}

/// What a statement changes of what is known of tables.
#[derive(Debug)]
pub(crate) enum Effect {
    Use(String),
    Define { table: TableName, columns: Vec<String>, partition_columns: Vec<String> },
    Like { table: TableName, model: TableName },
    Drop(TableName),
    Rename { from: TableName, to: TableName },
    AddColumns { table: TableName, columns: Vec<String> },
    ReplaceColumns { table: TableName, columns: Vec<String> },
    RenameColumn { table: TableName, from: String, to: String },
    DropColumn { table: TableName, column: String },
}

/// Reads the head of a statement.
pub(crate) fn read(tokens: &[TokenWithSpan]) -> Head {
    let mut cursor = Cursor::new(tokens);
    let leading: Vec<_> = tokens.iter().take(6).map_while(name_of).collect();
    let kind = statement_kind(&leading.join(" ")).map_or_else(|| leading_words(&leading), str::to_owned);
    let head = Head { kind, ..Head::default() };
    let Some(first) = tokens.first() else { return head };
    if begins_query(tokens, 0) || is_any(first, &["insert", "upsert"]) {
        return Head { kind: "QUERY".into(), ..insert::read(tokens) };
    }
    let Some(word) = cursor.word() else { return head };
    let read = match word.as_str() {
        "create" => create::table_or_view(&mut cursor),
        "alter" => alter::read(&mut cursor),
        "drop" => drop(&mut cursor),
        "truncate" => truncate(&mut cursor),
        "load" => load(&mut cursor),
        "export" => export(&mut cursor),
        "import" => import(&mut cursor),
        "update" => change::update(&mut cursor),
        "delete" => change::delete(&mut cursor),
        "merge" => change::merge(&mut cursor),
        "use" => cursor.word().map(|database| Head { effects: vec![Effect::Use(database)], ..Head::default() }),
        _ => None,
    };
    match read {
        Some(read) if read.kind.is_empty() => Head { kind: head.kind, ..read },
        Some(read) => read,
        None => head,
    }
}

/// A kind that Hive has no word for: the first words.
fn leading_words(words: &[&str]) -> String {
    words.iter().take(2).map(|word| word.to_uppercase()).collect::<Vec<_>>().join("_")
}

fn drop(cursor: &mut Cursor) -> Option<Head> {
    cursor.eat_any(&["materialized"]);
    if !cursor.eat(&["table"]) && !cursor.eat(&["view"]) {
        return None;
    }
    cursor.eat(&["if", "exists"]);
    let table = cursor.table()?;
    Some(Head { outputs: vec![Place::Table(table.clone())], effects: vec![Effect::Drop(table)], ..Head::default() })
}

fn truncate(cursor: &mut Cursor) -> Option<Head> {
    cursor.eat_any(&["table"]);
    cursor.eat(&["if", "exists"]);
    Some(Head { outputs: vec![Place::Table(cursor.table()?)], ..Head::default() })
}

/// `load data [local] inpath '…' [overwrite] into table NAME [partition (…)]`
fn load(cursor: &mut Cursor) -> Option<Head> {
    cursor.skip_behind(&["inpath"]);
    let path = cursor.string()?;
    cursor.skip_behind(&["into"]);
    cursor.eat(&["table"]);
    let table = cursor.table()?;
    Some(Head { inputs: vec![Place::Path(path)], outputs: vec![Place::Table(table)], ..Head::default() })
}

/// `export table NAME [partition (…)] to '…'`
fn export(cursor: &mut Cursor) -> Option<Head> {
    cursor.eat(&["table"]);
    let table = cursor.table()?;
    cursor.skip_behind(&["to"]);
    Some(Head { inputs: vec![Place::Table(table)], outputs: vec![Place::Path(cursor.string()?)], ..Head::default() })
}

/// `import [[external] table NAME [partition (…)]] from '…' [location '…']`
fn import(cursor: &mut Cursor) -> Option<Head> {
    cursor.eat(&["external"]);
    let table = if cursor.eat(&["table"]) { cursor.table() } else { None };
    cursor.skip_behind(&["from"]);
    let path = cursor.string()?;
    let mut outputs: Vec<_> = table.into_iter().map(Place::Table).collect();
    if cursor.skip_behind(&["location"]) {
        outputs.extend(cursor.string().map(Place::Path));
    }
    Some(Head { inputs: vec![Place::Path(path)], outputs, ..Head::default() })
}

/// The names of columns in a list of definitions (`name type …, …`), without constraints.
fn defined_columns(list: &[TokenWithSpan]) -> Vec<String> {
    const CONSTRAINTS: [&str; 5] = ["primary", "constraint", "foreign", "unique", "check"];
    let mut angle_brackets = 0_i32;
    let mut names = Vec::new();
    for part in split_commas(list) {
        if angle_brackets == 0 && !(is_any(&part[0], &CONSTRAINTS) && part.len() > 1 && !is_type(&part[1])) {
            names.extend(name_of(&part[0]).map(str::to_lowercase));
        }
        for token in part {
            match token.token {
                Token::Lt => angle_brackets += 1,
                Token::Gt => angle_brackets -= 1,
                Token::ShiftRight => angle_brackets -= 2,
                _ => {}
            }
        }
    }
    names
}

/// Whether the word is a type, so that the word before it is a column named like a constraint.
fn is_type(token: &TokenWithSpan) -> bool {
    is_any(token, &["int", "bigint", "string", "double", "float", "boolean", "date", "timestamp", "decimal"])
}

/// The names of a list: `a, b`, also with comments behind them.
fn listed_names(list: &[TokenWithSpan]) -> Vec<String> {
    let name = |part: &&[TokenWithSpan]| {
        // A merge may qualify them: `t.a`.
        let is_qualified = symbol_at(part, 1, &Token::Period);
        name_of(part.get(if is_qualified { 2 } else { 0 })?).map(str::to_lowercase)
    };
    split_commas(list).iter().filter_map(name).collect()
}

/// The query behind the first `as` outside of brackets.
fn query_behind_as(tokens: &[TokenWithSpan], start: usize) -> Option<usize> {
    find_outside(tokens, start, |tokens, at| is(&tokens[at], "as") && begins_query(tokens, at + 1)).map(|at| at + 1)
}
