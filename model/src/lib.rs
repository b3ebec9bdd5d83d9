//! What Sextant talks about: entities, names, incarnations, operations, flows, problems,
//! and the protocol between agent and server.
//!
//! This crate holds values and pure functions. It does no input or output, knows no foreign
//! format, and never reads the clock: time is an argument.

pub mod delivery;
pub mod entity;
pub mod feed;
pub mod history;
pub mod id;
pub mod incarnation;
pub mod location;
pub mod name;
pub mod namespace;
pub mod operation;
pub mod problem;
pub mod record;
pub mod snapshot;
pub mod time;
pub mod viewer;

pub use entity::{Entity, EntityState, EntityType, Properties, SourceType};
pub use id::EntityId;
pub use incarnation::Life;
pub use name::{NameKey, NameKind, ObjectName};
pub use time::Timestamp;
pub use viewer::Viewer;
