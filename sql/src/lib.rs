//! Hive and Impala statements as text: one shape for all statements that differ only in their
//! literals, the kind of a statement from its leading words, and what a statement reads, writes and
//! computes.
//!
//! Guaranteed: nothing here fails or panics on any text, and the answers depend on nothing but the
//! text and the catalog that is handed in. A shape takes time linear in the text's length, nothing
//! recurses for it, and a shape is its own shape. Lineage ([`Reader`]) takes bounded time and depth,
//! and says in a statement's problems what it could not read.
//!
//! Two scanners: the normaliser has its own, because folding needs to tell apart only words, literals,
//! comments and quoted names on a path that every record takes, and sqlparser's tokenizer refuses
//! unfinished strings and odd bytes, which logs hold. Lineage is read with sqlparser: its tokens are
//! rewritten to what its grammar knows, and only queries are parsed; the heads of statements are read
//! here.

mod catalog;
mod cursor;
mod dialect;
mod head;
mod kind;
mod lineage;
mod parse;
mod problem;
mod render;
mod rewrite;
mod scan;
mod schema;
mod script;
mod shape;
mod tokens;
mod words;

pub use catalog::{Catalog, MemoryCatalog, Table, View};
pub use kind::statement_kind;
pub use lineage::{ColumnKind, ColumnLineage, ColumnName, Control, ControlUse, Dialect, Reader, Statement, Views};
pub use problem::{Problem, ProblemKind};
pub use schema::{SchemaError, read_schema};
pub use shape::{NORMALISER_VERSION, fold_literals, normalise};
