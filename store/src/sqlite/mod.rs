//! stub
/// stub
pub struct SqliteStore;
