//! Where a walk begins and what it shows.

use sextant_model::operation::Role;
use sextant_model::{EntityId, NameKey, Timestamp};

/// The deepest walk that is answered.
pub const MAX_DEPTH: u8 = 10;

/// Something that holds data: what a source has shown, or what is known by name only.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Asset {
    /// An entity.
    Entity(EntityId),
    /// A name that leads to no entity. One that has been linked meanwhile means its entity.
    Unlinked(NameKey),
}

/// Where a walk begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Root {
    /// At a table, view or path.
    Asset(Asset),
    /// At a column: the whole walk goes from column to column.
    Field {
        /// The table's or view's entity.
        table: EntityId,
        /// The column, in any case.
        column: String,
    },
    /// At an operation: its inputs and outputs are at depth 1.
    Operation(EntityId),
}

impl Root {
    /// The id of the node at which the walk begins.
    pub(crate) fn id(&self) -> EntityId {
        match self {
            Self::Asset(Asset::Entity(id)) | Self::Operation(id) => *id,
            Self::Asset(Asset::Unlinked(name)) => name.id(),
            Self::Field { table, column } => EntityId::of_field(*table, column),
        }
    }
}

/// Which way to walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// To where the root's data comes from.
    Upstream,
    /// To where the root's data goes.
    Downstream,
    /// Both of these from the root; never up and then down again.
    Both,
}

impl Direction {
    pub(crate) const fn sides(self) -> &'static [Side] {
        match self {
            Self::Upstream => &[Side::Upstream],
            Self::Downstream => &[Side::Downstream],
            Self::Both => &[Side::Upstream, Side::Downstream],
        }
    }
}

/// One side of a vertex.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Side {
    Upstream,
    Downstream,
}

impl Side {
    pub(crate) const fn index(self) -> usize {
        match self {
            Self::Upstream => 0,
            Self::Downstream => 1,
        }
    }

    pub(crate) const fn other(self) -> Self {
        match self {
            Self::Upstream => Self::Downstream,
            Self::Downstream => Self::Upstream,
        }
    }

    /// What lies nearer to the root and what farther, of what flows from a source to a target.
    pub(crate) fn ends<T>(self, source: T, target: T) -> (T, T) {
        match self {
            Self::Upstream => (target, source),
            Self::Downstream => (source, target),
        }
    }

    pub(crate) const fn direction(self) -> Direction {
        match self {
            Self::Upstream => Direction::Upstream,
            Self::Downstream => Direction::Downstream,
        }
    }

    /// What the operations on this side of a table do with it.
    pub(crate) const fn near_role(self) -> Role {
        match self {
            Self::Upstream => Role::Output,
            Self::Downstream => Role::Input,
        }
    }
}

/// What a walk shows and how far it goes.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is one switch of the command line and the API")]
pub struct Options {
    /// Which way.
    pub direction: Direction,
    /// Hops between assets: 1 to [`MAX_DEPTH`]; anything else is taken as the nearer end.
    pub depth: u8,
    /// Whether operations are nodes. If not, they are listed on the edges.
    pub operations: bool,
    /// Whether deleted entities are shown. If not, they are folded through.
    pub deleted: bool,
    /// Whether inputs that only decide which rows arrive are walked.
    pub control_flow: bool,
    /// Whether edges between tables carry pairs of columns.
    pub columns: bool,
    /// Whether names that no source has shown are shown (and walked on from).
    pub unlinked: bool,
    /// Whether tables lead to the directories in which their data lies.
    pub physical: bool,
    /// Only what had been seen by this time, with the entities that lived then and their lives of
    /// that time.
    pub as_of: Option<Timestamp>,
    /// Only what was seen at or after this time. Something counts as seen from its first to its
    /// last run.
    pub seen_from: Option<Timestamp>,
    /// Only what was seen at or before this time.
    pub seen_to: Option<Timestamp>,
    /// Only edges of the latest life of both ends.
    pub current_life: bool,
    /// At most this many nodes (assets and operations, the root among them); at least 1.
    pub limit: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            direction: Direction::Both,
            depth: 2,
            operations: false,
            deleted: false,
            control_flow: false,
            columns: false,
            unlinked: false,
            physical: false,
            as_of: None,
            seen_from: None,
            seen_to: None,
            current_life: false,
            limit: 100,
        }
    }
}

impl Options {
    pub(crate) fn hops(&self) -> u8 {
        self.depth.clamp(1, MAX_DEPTH)
    }

    pub(crate) fn node_limit(&self) -> usize {
        self.limit.max(1)
    }

    /// Whether edges of earlier lives are left out.
    pub(crate) fn leaves_former_lives_out(&self) -> bool {
        self.current_life || self.as_of.is_some()
    }

    /// Whether something that was seen from then to then was seen in the time that is asked for.
    pub(crate) fn were_seen(&self, first: Timestamp, last: Timestamp) -> bool {
        self.as_of.is_none_or(|as_of| first <= as_of)
            && self.seen_to.is_none_or(|to| first <= to)
            && self.seen_from.is_none_or(|from| last >= from)
    }

    /// Whether not everything that was ever seen counts.
    pub(crate) fn restrict_time(&self) -> bool {
        self.as_of.is_some() || self.seen_from.is_some() || self.seen_to.is_some()
    }

    /// Whether a flow with these properties is walked.
    pub(crate) fn walks(&self, data: bool, control: bool) -> bool {
        data || (control && self.control_flow)
    }
}
