//! Tables and the directories in which their data lies.

use std::collections::BTreeMap;

use proptest::prelude::*;
use sextant_graph::{Asset, Direction, Lineage, Options, Root};
use sextant_model::{EntityId, EntityType};

use crate::lake::{Lake, at, id_of, insert, path_id, path_key};

fn physical() -> Options {
    Options { physical: true, ..Options::default() }
}

/// Names of the nodes, each with its distance.
fn nodes(lineage: &Lineage) -> Vec<(String, u8)> {
    let mut nodes: Vec<(String, u8)> = lineage
        .nodes
        .iter()
        .map(|node| match &node.content {
            sextant_graph::NodeContent::Entity(entity) => (entity.qualified_name.clone(), node.depth),
            sextant_graph::NodeContent::Unlinked(name) => (format!("unlinked {}", name.qualified), node.depth),
            other => (format!("{other:?}"), node.depth),
        })
        .collect();
    nodes.sort();
    nodes
}

fn pairs(lineage: &Lineage) -> Vec<(EntityId, EntityId, bool)> {
    lineage.placements.iter().map(|pair| (pair.table, pair.path, pair.below)).collect()
}

fn of_path(lake: &Lake, path: &str, options: &Options) -> Lineage {
    lake.walk_from(&Root::Asset(Asset::Entity(path_id(path))), options)
}

/// `a` flows into `b`, which flows into `c`; `b` lies at `/w/b`, where `other` lies as well.
fn warehouse() -> Lake {
    let mut lake = Lake::with(&["a", "b", "c", "other"]);
    lake.add(insert("ab", &["a"], "b", 10));
    lake.add(insert("bc", &["b"], "c", 20));
    for directory in ["/", "/w", "/w/b", "/w/b/dt=1"] {
        lake.path(directory, EntityType::Directory, &[]);
    }
    lake.path("/w/b/dt=1/f", EntityType::File, &[]);
    lake.located(id_of("b"), "/w/b");
    lake.located(id_of("other"), "/w/b");
    lake
}

fn named(names: &[(&str, u8)]) -> Vec<(String, u8)> {
    let mut names: Vec<(String, u8)> = names.iter().map(|(name, depth)| ((*name).to_owned(), *depth)).collect();
    names.sort();
    names
}

#[test]
fn a_table_shows_its_directory_only_when_asked() {
    let lake = warehouse();
    let upstream = Options { direction: Direction::Upstream, ..Options::default() };
    let without = lake.walk("c", &upstream);
    assert_eq!(nodes(&without), named(&[("lake.c", 0), ("lake.b", 1), ("lake.a", 2)]));
    assert!(without.placements.is_empty());

    // The directory, and what else lies there, is as far as the table.
    let with = lake.walk("c", &Options { physical: true, ..upstream });
    let expected = [("lake.c", 0), ("lake.b", 1), ("/w/b", 1), ("lake.other", 1), ("lake.a", 2)];
    assert_eq!(nodes(&with), named(&expected));
    let mut expected = [(id_of("b"), path_id("/w/b"), false), (id_of("other"), path_id("/w/b"), false)];
    expected.sort();
    assert_eq!(pairs(&with), expected);
    let note = "the source tells no location of 2 tables: lake.a, lake.c";
    assert!(with.coverage.notes.iter().any(|said| said == note), "{:?}", with.coverage.notes);
}

#[test]
fn a_directory_always_shows_its_tables_and_goes_on_through_them() {
    let lake = warehouse();
    let walked = of_path(&lake, "/w/b", &Options { depth: 1, ..Options::default() });
    let expected = [("/w/b", 0), ("lake.b", 0), ("lake.other", 0), ("lake.a", 1), ("lake.c", 1)];
    assert_eq!(nodes(&walked), named(&expected));
    assert_eq!(walked.nodes[0].id, path_id("/w/b"));
    assert_eq!(walked.edges.len(), 2);
}

#[test]
fn a_file_belongs_to_the_tables_of_the_nearest_directory() {
    let lake = warehouse();
    let walked = of_path(&lake, "/w/b/dt=1/f", &Options { depth: 1, ..Options::default() });
    let expected = [("/w/b/dt=1/f", 0), ("lake.b", 0), ("lake.other", 0), ("lake.a", 1), ("lake.c", 1)];
    assert_eq!(nodes(&walked), named(&expected));
    assert!(walked.placements.iter().all(|pair| pair.below && pair.location == path_key("/w/b")));
    // Nothing lies at or above.
    assert_eq!(nodes(&of_path(&lake, "/w", &physical())), named(&[("/w", 0)]));
}

#[test]
fn a_file_below_a_renamed_directory_belongs_to_its_tables_and_one_that_was_moved_away_does_not() {
    let mut lake = Lake::with(&["a"]);
    lake.located(id_of("a"), "/w/a");
    lake.path("/renamed", EntityType::Directory, &["/w/a"]);
    lake.path("/renamed/f", EntityType::File, &["/w/a/f"]);
    lake.path("/x", EntityType::Directory, &[]);
    lake.path("/x/g", EntityType::File, &["/w/a/g"]);
    let walked = of_path(&lake, "/renamed/f", &physical());
    assert_eq!(nodes(&walked), named(&[("/renamed", 0), ("/renamed/f", 0), ("lake.a", 0)]));
    assert_eq!(walked.placements[0].location, path_key("/w/a"));
    assert_eq!(nodes(&of_path(&lake, "/x/g", &physical())), named(&[("/x/g", 0)]));
}

#[test]
fn a_partition_elsewhere_leads_to_its_table() {
    let mut lake = warehouse();
    lake.path("/elsewhere/p", EntityType::Directory, &[]);
    let partition = lake.partition("a", "dt=2", "/elsewhere/p");
    let walked = of_path(&lake, "/elsewhere/p", &Options { depth: 1, ..Options::default() });
    assert_eq!(nodes(&walked), named(&[("/elsewhere/p", 0), ("lake.a", 0), ("lake.b", 1)]));
    assert_eq!(walked.placements[0].owner, partition);
}

#[test]
fn a_path_that_no_file_system_shows_is_shown_from_both_sides() {
    let mut lake = Lake::with(&["a"]);
    lake.located(id_of("a"), "hdfs://gone/w/a");
    let walked = lake.walk("a", &physical());
    assert_eq!(nodes(&walked), named(&[("lake.a", 0), ("unlinked hdfs://gone/w/a", 0)]));
    let name = path_key("hdfs://gone/w/a");
    let walked = lake.walk_from(&Root::Asset(Asset::Unlinked(name.clone())), &Options::default());
    assert_eq!(pairs(&walked), [(id_of("a"), name.id(), false)]);
}

#[test]
fn a_renamed_directory_is_found_under_the_old_location() {
    let mut lake = Lake::with(&["a"]);
    lake.path("/new", EntityType::Directory, &["/old"]);
    lake.located(id_of("a"), "/old");
    for walked in [lake.walk("a", &physical()), of_path(&lake, "/new", &Options::default())] {
        assert_eq!(pairs(&walked), [(id_of("a"), path_id("/new"), false)]);
        assert_eq!(walked.placements[0].location, path_key("/old"));
    }
}

#[test]
fn dropped_tables_lie_nowhere_unless_they_are_shown() {
    let mut lake = Lake::with(&["a"]);
    lake.dropped("b");
    for path in ["/w", "/w/b"] {
        lake.path(path, EntityType::Directory, &[]);
    }
    lake.located(id_of("a"), "/w");
    lake.located(id_of("b"), "/w/b");
    assert_eq!(pairs(&of_path(&lake, "/w/b", &Options::default())), [(id_of("a"), path_id("/w/b"), true)]);
    let deleted = Options { deleted: true, ..Options::default() };
    assert_eq!(pairs(&of_path(&lake, "/w/b", &deleted)), [(id_of("b"), path_id("/w/b"), false)]);
}

#[test]
fn the_limit_holds_for_directories_too() {
    let lake = warehouse();
    let walked = of_path(&lake, "/w/b", &Options { limit: 2, ..Options::default() });
    assert_eq!(walked.nodes.len(), 2);
    assert!(walked.cut);
    assert_eq!(walked.placements.len(), 1);
}

#[test]
fn what_directories_cannot_say_is_noted() {
    let lake = warehouse();
    let notes = |lineage: Lineage| lineage.coverage.notes.join("; ");
    let then = Options { as_of: Some(at(100)), ..physical() };
    assert!(notes(lake.walk("b", &then)).contains("known as of now only"));
    let column = Root::Field { table: id_of("b"), column: "x".to_owned() };
    let walked = lake.walk_from(&column, &physical());
    assert!(walked.placements.is_empty());
    assert!(notes(walked).contains("from column to column"));
}

const TABLES: [&str; 4] = ["t0", "t1", "t2", "t3"];
const PATHS: [&str; 5] = ["/a", "/a/b", "/a/b/c", "/a/bb", "/d"];

/// Places of the tables by number, and flows between them.
#[derive(Debug, Clone)]
struct Layout {
    places: Vec<Option<usize>>,
    flows: Vec<(usize, usize)>,
}

impl Layout {
    fn lake(&self) -> Lake {
        let mut lake = Lake::with(&TABLES);
        for path in PATHS {
            lake.path(path, EntityType::Directory, &[]);
        }
        for (table, place) in TABLES.iter().zip(&self.places) {
            if let Some(place) = place {
                lake.located(id_of(table), PATHS[*place]);
            }
        }
        for (number, (from, to)) in self.flows.iter().enumerate() {
            lake.add(insert(&format!("o{number}"), &[TABLES[*from]], TABLES[*to], 10));
        }
        lake
    }

    /// The tables at the longest of the paths that is the path or holds it.
    fn tables_of(&self, path: &str) -> Vec<&'static str> {
        let holds = |place: &str| path == place || path.starts_with(&format!("{place}/"));
        let nearest = self.places.iter().flatten().map(|&place| PATHS[place]).filter(|place| holds(place)).max();
        let at = |place: &Option<usize>| place.map(|place| PATHS[place]) == nearest && nearest.is_some();
        TABLES.into_iter().zip(&self.places).filter(|(_, place)| at(place)).map(|(table, _)| table).collect()
    }

    /// What a walk downstream reaches, by the rules alone.
    fn reached(&self, root: &'static str, depth: u8, physical: bool) -> BTreeMap<EntityId, u8> {
        let mut reached: BTreeMap<&str, u8> = BTreeMap::from([(root, 0)]);
        // Whatever comes nearer is found again; so often that nothing comes nearer any more.
        for _ in 0..TABLES.len() + PATHS.len() {
            for (from, distance) in reached.clone() {
                let mut beside: Vec<(&str, u8)> = Vec::new();
                if let Some(table) = TABLES.iter().position(|table| *table == from) {
                    let flows = self.flows.iter().filter(|(source, _)| *source == table);
                    beside.extend(flows.map(|(_, target)| (TABLES[*target], distance + 1)));
                    beside.extend(self.places[table].filter(|_| physical).map(|place| (PATHS[place], distance)));
                } else {
                    beside.extend(self.tables_of(from).into_iter().map(|table| (table, distance)));
                }
                for (to, distance) in beside.into_iter().filter(|(_, distance)| *distance <= depth) {
                    let known = reached.entry(to).or_insert(distance);
                    *known = distance.min(*known);
                }
            }
        }
        let id = |name: &str| if name.starts_with('/') { path_id(name) } else { id_of(name) };
        reached.into_iter().map(|(name, distance)| (id(name), distance)).collect()
    }
}

fn layouts() -> impl Strategy<Value = Layout> {
    let places = prop::collection::vec(prop::option::of(0..PATHS.len()), TABLES.len());
    let flows = prop::collection::vec((0..TABLES.len(), 0..TABLES.len()), 0..6);
    (places, flows).prop_map(|(places, flows)| Layout { places, flows })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_walk_through_directories_is_what_the_rules_say(
        layout in layouts(),
        root in 0..TABLES.len() + PATHS.len(),
        depth in 1..4_u8,
        physical in any::<bool>(),
    ) {
        let root = TABLES.into_iter().chain(PATHS).nth(root).unwrap();
        let options = Options { direction: Direction::Downstream, depth, physical, ..Options::default() };
        let lake = layout.lake();
        let walked = if root.starts_with('/') { of_path(&lake, root, &options) } else { lake.walk(root, &options) };
        let found: BTreeMap<EntityId, u8> = walked.nodes.iter().map(|node| (node.id, node.depth)).collect();
        prop_assert_eq!(found, layout.reached(root, depth, physical));
        prop_assert!(!walked.cut);
    }
}
