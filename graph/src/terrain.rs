//! What a walk needs to know of the ground: vertices, and what lies on each side of them.

use rustc_hash::FxHashSet;
use sextant_model::{EntityId, Timestamp};
use sextant_store::StoreError;

use crate::answer::NodeContent;
use crate::ground::Ground;
use crate::options::{Options, Side};
use crate::physical::Physical;

/// Whether a vertex is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing {
    /// A source shows it (or has lost sight of it, and nobody knows whether it is gone).
    Living,
    /// It is gone.
    Deleted,
    /// Only its name is known.
    Unlinked,
}

/// One vertex flowing into another by one operation, as far as the options let it be walked.
#[derive(Debug, Clone, Copy, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "independent properties of one flow")]
pub(crate) struct Link {
    pub(crate) source: EntityId,
    pub(crate) target: EntityId,
    pub(crate) operation: EntityId,
    /// How the end stands that is farther from the root.
    pub(crate) far: Standing,
    pub(crate) data: bool,
    /// Never set when control flow is not walked.
    pub(crate) control: bool,
    pub(crate) first: Timestamp,
    pub(crate) last: Timestamp,
    /// Whether some run met the present life of both ends.
    pub(crate) current: bool,
    /// Whether some run met the source's present life.
    pub(crate) source_current: bool,
    /// Whether some run met the target's present life.
    pub(crate) target_current: bool,
}

impl Link {
    pub(crate) fn far_end(&self, side: Side) -> EntityId {
        match side {
            Side::Upstream => self.source,
            Side::Downstream => self.target,
        }
    }

    fn absorb(&mut self, other: &Self) {
        self.data |= other.data;
        self.control |= other.control;
        self.first = self.first.min(other.first);
        self.last = self.last.max(other.last);
        self.current |= other.current;
        self.source_current |= other.source_current;
        self.target_current |= other.target_current;
    }
}

/// An operation that writes a vertex (upstream) or hands it on (downstream), whatever is known of
/// its other end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Touch {
    pub(crate) operation: EntityId,
    pub(crate) data: bool,
    pub(crate) control: bool,
    pub(crate) first: Timestamp,
    pub(crate) last: Timestamp,
    /// Whether some run met the vertex's present life.
    pub(crate) current: bool,
}

impl Touch {
    pub(crate) fn absorb(&mut self, other: &Self) {
        self.data |= other.data;
        self.control |= other.control;
        self.first = self.first.min(other.first);
        self.last = self.last.max(other.last);
        self.current |= other.current;
    }
}

/// What lies on one side of a vertex.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Expansion {
    /// One per far end and operation.
    pub(crate) links: Vec<Link>,
    /// One per operation.
    pub(crate) touches: Vec<Touch>,
}

impl Expansion {
    /// The far ends of its links, each once, and how they stand.
    pub(crate) fn far_ends(&self, side: Side) -> Vec<(EntityId, Standing)> {
        let mut ends: Vec<(EntityId, Standing)> =
            self.links.iter().map(|link| (link.far_end(side), link.far)).collect();
        ends.sort_unstable_by_key(|(end, _)| *end);
        ends.dedup_by_key(|(end, _)| *end);
        ends
    }
}

/// Collects an expansion, merging what belongs together.
#[derive(Debug, Default)]
pub(crate) struct ExpansionBuilder {
    links: Vec<Link>,
    touches: Vec<Touch>,
}

impl ExpansionBuilder {
    pub(crate) fn add_link(&mut self, link: Link) {
        self.links.push(link);
    }

    pub(crate) fn add_touch(&mut self, touch: Touch) {
        self.touches.push(touch);
    }

    pub(crate) fn finish(mut self) -> Expansion {
        let hop = |link: &Link| (link.source, link.target, link.operation);
        self.links.sort_unstable_by_key(hop);
        self.links.dedup_by(|next, known| {
            let same = hop(next) == hop(known);
            if same {
                known.absorb(next);
            }
            same
        });
        self.touches.sort_unstable_by_key(|touch| touch.operation);
        self.touches.dedup_by(|next, known| {
            let same = next.operation == known.operation;
            if same {
                known.absorb(next);
            }
            same
        });
        Expansion { links: self.links, touches: self.touches }
    }
}

/// Vertices and their surroundings, loaded as the walk asks for them. Every vertex and operation
/// has an id of its own. Ends that the viewer may not see, or that were not there yet at the time
/// that is asked for, have no links.
pub(crate) trait Terrain {
    /// Loads one side of these vertices.
    fn expand(&mut self, vertices: &[EntityId], side: Side) -> Result<(), StoreError>;
    /// The same where only links to these far ends are wanted, and the far ends of the vertices were
    /// asked for before.
    fn expand_to(&mut self, vertices: &[EntityId], side: Side, far: &FxHashSet<EntityId>) -> Result<(), StoreError>;
    /// One side of a vertex, if it was loaded.
    fn expansion(&self, vertex: EntityId, side: Side) -> Option<&Expansion>;
    /// Reads at once what the far ends of these vertices need.
    fn look_around(&mut self, vertices: &[EntityId], side: Side) -> Result<(), StoreError>;
    /// What lies next to a vertex on one side, each once, and how it stands: the far ends of the
    /// links that the vertex would have there.
    fn far_ends(&mut self, vertex: EntityId, side: Side) -> Result<Vec<(EntityId, Standing)>, StoreError>;
    /// The same where so few operations are on that side, and whether there may be more.
    fn glance(&mut self, vertex: EntityId, side: Side, operations: usize) -> (Vec<(EntityId, Standing)>, bool);
    /// Finds out what holds the same data as these vertices.
    fn load_beside(&mut self, vertices: &[EntityId]) -> Result<(), StoreError>;
    /// What holds the same data as a vertex, and may be shown.
    fn beside(&self, vertex: EntityId) -> Vec<EntityId>;
    /// Where the data of the tables lies that were asked for.
    fn physical(&self) -> &Physical;
    /// The tables that it lies on.
    fn ground(&self) -> &Ground<'_>;
    /// Finds out what these vertices are called, and what else is shown of them.
    fn tell(&mut self, vertices: &[EntityId]) -> Result<(), StoreError>;
    /// How a vertex that was met stands.
    fn standing(&self, vertex: EntityId) -> Standing;
    /// What a vertex is that was told; an operation where it is one.
    fn content(&self, vertex: EntityId) -> Option<NodeContent>;
    /// What a vertex is called that was told.
    fn qualified_name(&self, vertex: EntityId) -> String;
}

/// Which vertices are shown, and which are folded through.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Visibility {
    pub(crate) root: EntityId,
    /// Where a path is to end: it is shown as the root is.
    goal: Option<EntityId>,
    deleted: bool,
    unlinked: bool,
}

impl Visibility {
    pub(crate) fn new(root: EntityId, goal: Option<EntityId>, options: &Options) -> Self {
        Self { root, goal, deleted: options.deleted, unlinked: options.unlinked }
    }

    /// Whether a vertex that stands so is shown, if there is room.
    pub(crate) fn shows(&self, vertex: EntityId, standing: Standing) -> bool {
        vertex == self.root
            || Some(vertex) == self.goal
            || match standing {
                Standing::Living => true,
                Standing::Deleted => self.deleted,
                Standing::Unlinked => self.unlinked,
            }
    }

    /// Whether the walk goes through the vertex without showing it.
    pub(crate) fn folds(&self, vertex: EntityId, standing: Standing) -> bool {
        standing == Standing::Deleted && !self.shows(vertex, standing)
    }
}
