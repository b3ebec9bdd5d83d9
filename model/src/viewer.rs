//! Who is looking. Every read of store, search and graph takes a viewer, so that no path without
//! one compiles.

use crate::Entity;

/// Someone who reads. Until there is authentication the only viewer sees everything.
#[derive(Debug, Clone)]
pub struct Viewer(());

impl Viewer {
    /// The viewer that sees all: the local operator, and the server's own followers.
    pub const fn all() -> Self {
        Self(())
    }

    /// Whether an entity exists for this viewer. Hidden, absent and foreign look the same.
    pub fn may_see(&self, _entity: &Entity) -> bool {
        true
    }
}
