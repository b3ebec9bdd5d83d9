//! The graph of all lineage in memory, and walks and paths over it: direction, depth, folding of
//! what is hidden, columns.
//!
//! Guaranteed:
//!
//! - An answer is deterministic, has at most `limit` nodes, and says so when something was cut.
//! - Edges lie between nodes of the answer only. What is hidden because it is deleted is folded
//!   through and named on the edge; what is known by name only is never folded through, and is
//!   counted on the node next to it; what the viewer may not see is neither shown, folded through
//!   nor counted.
//! - What is too much to look at (more than 5,000 operations on one side of a table, more than 2,000
//!   folded assets, more than 10,000 pairs of columns) is left out with `cut` and a note.
//! - Depth counts hops between assets. Operations never count; a folded asset counts as it would
//!   if it were shown. What holds the same data (a table and its directory) is equally far.
//! - A directory or file always leads to the tables whose data it is: those that lie exactly there,
//!   else those of the nearest directory above. A table leads to its directory only with `physical`.
//!
//! - The graph is built of the store's facts in one pass and follows the change feed (`live`); one
//!   that followed answers as one that is built anew. A walk sees one position of the feed; what it
//!   shows of names, properties, locations and columns is read from the store as it is then.
//!
//! Knows no SQL, no HTTP and no JSON, and writes nothing. The graph itself holds everything; what a
//! viewer may see is decided where the store is read, and today there is one viewer, which sees all.
//!
//! The way of a walk: a `Terrain` (`tables`, `columns`) finds the surroundings of vertices in the
//! graph (`memory`, `ground`); `reach` goes breadth first over it and decides which nodes are in the
//! answer; `fold`, `steps` and `surroundings` turn what was crossed into edges and counts; `walk`
//! and `notes` put the answer together. `paths` keeps of what was reached only what lies on a
//! shortest way.

mod above;
mod answer;
mod columns;
mod fold;
mod folded;
mod ground;
mod hyperedges;
mod live;
mod lives;
mod memory;
mod notes;
mod operations;
mod options;
mod pairs;
mod paths;
mod physical;
mod reach;
mod steps;
mod surroundings;
mod tables;
mod terrain;
mod walk;

pub use above::directories_above;
pub use answer::{ColumnPair, Coverage, Edge, Hidden, HiddenReason, Lineage, Mark, Node, NodeContent, Placement};
pub use live::LiveGraph;
pub use memory::{Graph, Size};
pub use options::{Asset, Direction, MAX_DEPTH, Options, Root};
pub use paths::paths;
pub use walk::walk;
