//! Walks over lineage: direction, depth, folding of what is hidden, columns.
//!
//! Works on the store's coarse reads; knows no SQL, no HTTP and no JSON. An answer that is cut
//! says so.
