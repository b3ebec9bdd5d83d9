//! What a reader must know about what is not in the answer, in words.

use crate::answer::Coverage;
use crate::fold::EDGES_LIMIT;
use crate::ground::USERS_LIMIT;
use crate::options::{Options, Side};
use crate::pairs::PAIRS_LIMIT;
use crate::reach::{FOLDED_LIMIT, Reached};
use crate::surroundings::Surroundings;
use crate::terrain::Terrain;

/// At most this many nodes are named in the notes, and this many names for each.
const NOTED_NODES: usize = 20;
const NOTED_NAMES: usize = 5;

/// What was left out of an answer because there was too much of it.
#[expect(clippy::struct_excessive_bools, reason = "each is a limit of its own")]
pub(crate) struct Cuts {
    /// Nodes.
    pub(crate) nodes: bool,
    /// Ways through deleted assets.
    pub(crate) folded: bool,
    /// Edges.
    pub(crate) edges: bool,
    /// Pairs of columns.
    pub(crate) pairs: bool,
    /// Operations that use a table.
    pub(crate) users: bool,
    /// What lies behind what the walk had the time for.
    pub(crate) effort: bool,
}

impl Cuts {
    /// Whether there was any.
    pub(crate) fn any(&self) -> bool {
        self.nodes || self.folded || self.edges || self.pairs || self.users || self.effort
    }

    fn words(&self, reached: &Reached) -> Vec<String> {
        let mut words = Vec::new();
        if self.nodes {
            words.push(format!(
                "cut at {} nodes: the nodes count how many neighbours are not shown; a higher limit or a smaller depth \
                 gives a whole answer",
                reached.nodes.len()
            ));
        }
        if self.folded {
            words.push(format!(
                "more than {FOLDED_LIMIT} deleted assets lie on the way: what is behind the rest is left out; with \
                 deleted entities shown, the limit of nodes counts instead"
            ));
        }
        if self.edges {
            words.push(format!("more than {EDGES_LIMIT} edges: the rest is left out"));
        }
        if self.pairs {
            words.push(format!("more than {PAIRS_LIMIT} pairs of columns: the rest is left out"));
        }
        if self.users {
            words.push(format!(
                "a table is used by more than {USERS_LIMIT} operations: only those that ran last are looked at, and \
                 counts of what is not shown are too small"
            ));
        }
        if self.effort {
            words.push(
                "the walk ended before it had looked at everything within its depth: what it did not come to is left \
                 out, and counts of what is not shown are too small"
                    .to_owned(),
            );
        }
        words
    }
}

/// The words for an answer.
pub(crate) fn coverage(
    terrain: &impl Terrain,
    reached: &Reached,
    surroundings: &Surroundings,
    cuts: &Cuts,
) -> Coverage {
    let mut notes = cuts.words(reached);
    if surroundings.cut || terrain.ground().counted_some {
        notes.push("very much lies around the answer: counts of what is not shown are too small".to_owned());
    }
    notes.extend(names_only(terrain, reached, surroundings));
    let operations_without_lineage = terrain.ground().operations_without_lineage();
    if operations_without_lineage > 0 {
        notes.push(format!(
            "{} next to these assets: what flowed there is unknown",
            counted(
                operations_without_lineage,
                "operation without recorded lineage",
                "operations without recorded lineage"
            )
        ));
    }
    let options = terrain.ground().options;
    if let Some(as_of) = options.as_of {
        notes.push(format!(
            "as of {as_of}: what was first seen later, and flows of lives before that one, are left out; when an edge \
             was last seen is told as of now"
        ));
    } else if options.current_life {
        notes.push("flows of former lives are left out".to_owned());
    }
    notes.extend(between(options));
    notes.extend(physical(terrain, reached));
    notes.push("lineage parsed from SQL text: not computed by this version".to_owned());
    notes.push("declared lineage: not computed by this version".to_owned());
    Coverage { operations_without_lineage, notes }
}

/// Of which time flows are shown.
fn between(options: &Options) -> Option<String> {
    let time = match (options.seen_from, options.seen_to) {
        (Some(from), Some(to)) => format!("between {from} and {to}"),
        (Some(from), None) => format!("since {from}"),
        (None, Some(to)) => format!("until {to}"),
        (None, None) => return None,
    };
    Some(format!(
        "only flows that were seen {time}: a flow counts as seen from its first to its last run; what is deleted, and \
         which life is the present one, is as of now"
    ))
}

/// What is not told of where data lies.
fn physical(terrain: &impl Terrain, reached: &Reached) -> Vec<String> {
    let mut notes = Vec::new();
    let options = terrain.ground().options;
    if options.physical && terrain.content(reached.visibility.root).is_some_and(|root| root.is_column()) {
        notes.push("the walk goes from column to column: directories are shown in the lineage of the table".to_owned());
    }
    if options.as_of.is_some() && terrain.physical().placements().next().is_some() {
        notes.push("where data lies is known as of now only, whatever time is asked for".to_owned());
    }
    let mut unplaced: Vec<String> = terrain
        .physical()
        .unplaced()
        .filter(|&table| reached.shows(table))
        .map(|table| terrain.qualified_name(table))
        .collect();
    if !unplaced.is_empty() {
        unplaced.sort_unstable();
        let count = counted(unplaced.len() as u64, "table", "tables");
        let more = unplaced.len().saturating_sub(NOTED_NAMES);
        unplaced.truncate(NOTED_NAMES);
        let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
        notes.push(format!("the source tells no location of {count}: {}{rest}", unplaced.join(", ")));
    }
    notes
}

/// What is known by name only, next to which node.
fn names_only(terrain: &impl Terrain, reached: &Reached, surroundings: &Surroundings) -> Vec<String> {
    let mut notes = Vec::new();
    let mut unnoted = 0_u64;
    for placed in &reached.nodes {
        for (side, one, several) in [(Side::Upstream, "input", "inputs"), (Side::Downstream, "output", "outputs")] {
            let Some(neighbours) = surroundings.of(placed.id, side) else {
                continue;
            };
            let mut names: Vec<String> = neighbours
                .unlinked
                .iter()
                .filter(|&&id| !reached.shows(id))
                .map(|&id| terrain.qualified_name(id))
                .collect();
            if names.is_empty() {
                continue;
            }
            if notes.len() >= NOTED_NODES {
                unnoted += 1;
                continue;
            }
            names.sort_unstable();
            let verb = if names.len() == 1 { "is" } else { "are" };
            let count = counted(names.len() as u64, one, several);
            let of = terrain.qualified_name(placed.id);
            let more = names.len().saturating_sub(NOTED_NAMES);
            names.truncate(NOTED_NAMES);
            let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
            notes.push(format!("{count} of {of} {verb} known by name only: {}{rest}", names.join(", ")));
        }
    }
    if unnoted > 0 {
        notes.push(format!("the same holds for {}", counted(unnoted, "more node", "more nodes")));
    }
    notes
}

fn counted(count: u64, one: &str, several: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { several })
}
