//! What states of a namespace do to directories and files.

use std::collections::BTreeMap;

use proptest::prelude::*;
use sextant_model::namespace::{IdentityMode, NamespaceSummary};
use sextant_model::{Entity, EntityState, EntityType, Viewer};
use sextant_store::{ExtractorRun, Facts, Namespaces, RunOutcome};

use crate::story::{Story, minute};
use crate::tree::{InodeAt, Visit};

fn former_paths(entity: &Entity) -> Vec<&str> {
    let former = entity.properties.get("formerPaths").and_then(|paths| paths.as_array());
    former.into_iter().flatten().filter_map(|path| path.as_str()).collect()
}

fn counted(run: &ExtractorRun) -> [u64; 6] {
    let counts = run.counts;
    [counts.seen, counts.created, counts.changed, counts.revived, counts.deleted, counts.out_of_scope]
}

#[test]
fn a_state_shows_directories_and_files_as_navigator_named_them() {
    let story = Story::new();
    let run = story.state(10, &[(2, "/w/"), (3, "/w/t/"), (4, "/w/t/part-0")]);
    assert_eq!((run.outcome, counted(&run)), (RunOutcome::Complete, [4, 4, 0, 0, 0, 0]));
    let file = story.at_path("/w/t/part-0").unwrap();
    assert_eq!((file.entity_type, file.original_name.as_str()), (EntityType::File, "part-0"));
    assert_eq!(file.parent_path.as_deref(), Some("/w/t"));
    assert_eq!(file.properties["permissions"], "rwxr-x---");
    assert_eq!(file.first_seen, minute(10), "the time of the state, not of the pass");
    let directory = story.at_path("/w/t").unwrap();
    assert_eq!(file.parent, Some(directory.id));
    let root = story.at_path("/").unwrap();
    assert_eq!((root.parent, root.parent_path.as_deref(), root.original_name.as_str()), (None, None, "/"));
    let children = story.store.children(&Viewer::all(), root.id, 0, 10).unwrap();
    assert_eq!(children.into_iter().map(|child| child.qualified_name).collect::<Vec<_>>(), ["/w"]);
}

#[test]
fn the_same_state_again_changes_nothing() {
    let story = Story::new();
    let tree = [(2, "/w/"), (3, "/w/a")];
    story.state(10, &tree);
    let seq = story.store.newest_change().unwrap();
    let run = story.state(20, &tree);
    assert_eq!(counted(&run), [3, 0, 0, 0, 0, 0]);
    assert_eq!(story.store.newest_change().unwrap(), seq);
    assert_eq!(story.store.last_stamp("hdfs").unwrap().unwrap().transaction, Some(20));
}

#[test]
fn an_unchanged_state_is_said_and_deletes_nothing() {
    let story = Story::new();
    story.state(10, &[(2, "/w/")]);
    let summary = NamespaceSummary { unchanged: true, unread: Vec::new() };
    let run = story.visit(20, &[], Visit { summary, ..Visit::default() });
    assert_eq!(run.outcome, RunOutcome::Complete);
    assert!(run.message.unwrap().contains("transaction 10"));
    assert_eq!(story.state_at("/w"), Some(EntityState::Living));
    assert_eq!(story.store.last_stamp("hdfs").unwrap().unwrap().taken, minute(10));
}

#[test]
fn a_renamed_directory_takes_its_content_along() {
    let story = Story::new();
    story.state(10, &[(2, "/a/"), (3, "/a/t/"), (4, "/a/t/part-0")]);
    let before = ["/a", "/a/t", "/a/t/part-0"].map(|path| story.at_path(path).unwrap().id);
    let run = story.state(20, &[(2, "/b/"), (3, "/b/t/"), (4, "/b/t/part-0")]);
    assert_eq!(counted(&run), [4, 0, 3, 0, 0, 0]);
    let after = ["/b", "/b/t", "/b/t/part-0"].map(|path| story.at_path(path).unwrap().id);
    assert_eq!(after, before);
    let file = story.at_path("/b/t/part-0").unwrap();
    assert_eq!((file.first_seen, file.parent, former_paths(&file)), (minute(10), Some(before[1]), vec!["/a/t/part-0"]));
    assert_eq!(story.at_path("/a/t").unwrap().id, before[1], "the old name goes on leading to it");
}

#[test]
fn former_paths_are_kept_newest_first_and_not_the_present_one() {
    let story = Story::new();
    for (at, path) in [(10, "/a/"), (20, "/b/"), (30, "/c/"), (40, "/b/")] {
        story.state(at, &[(2, path)]);
    }
    assert_eq!(former_paths(&story.at_path("/b").unwrap()), ["/c", "/a"]);
    for step in 0..40 {
        story.state(100 + step, &[(2, &format!("/d{step}/"))]);
    }
    let last = story.at_path("/d39").unwrap();
    assert_eq!(former_paths(&last).len(), 20);
    assert_eq!(former_paths(&last)[0], "/d38");
}

#[test]
fn two_directories_may_swap_their_paths() {
    let story = Story::new();
    story.state(10, &[(2, "/a/"), (3, "/b/")]);
    let (a, b) = (story.at_path("/a").unwrap().id, story.at_path("/b").unwrap().id);
    story.state(20, &[(3, "/a/"), (2, "/b/")]);
    assert_eq!((story.at_path("/a").unwrap().id, story.at_path("/b").unwrap().id), (b, a));
}

#[test]
fn what_a_whole_state_no_longer_holds_is_deleted_at_its_time() {
    let story = Story::new();
    story.state(10, &[(2, "/w/"), (3, "/w/t/"), (4, "/w/t/part-0")]);
    let run = story.state(20, &[(2, "/w/")]);
    assert_eq!(counted(&run), [2, 0, 0, 0, 2, 0]);
    let gone = story.at_path("/w/t/part-0").unwrap();
    assert_eq!(
        (gone.state, gone.last_seen, gone.delete_time),
        (EntityState::Deleted, Some(minute(10)), Some(minute(20)))
    );
    let lives = story.lives_at("/w/t");
    assert_eq!((lives.len(), lives[0].number, lives[0].over), (1, 1, Some(minute(20))));
}

#[test]
fn an_image_that_holds_nearly_nothing_is_believed_and_a_listing_is_not() {
    let paths: Vec<String> = (0..60).map(|number| format!("/d{number}/")).collect();
    let tree: Vec<InodeAt<'_>> = (10..).zip(paths.iter().map(String::as_str)).collect();
    let image = Story::new();
    image.state(10, &tree);
    assert_eq!(image.state(20, &[]).counts.deleted, 60);

    let listed = Story::new();
    listed.listing(10, &tree);
    let held = listed.listing(20, &[]);
    assert_eq!((held.outcome, held.counts.held, held.counts.deleted), (RunOutcome::Held, 60, 0));
    assert!(held.message.unwrap().contains("sextant extract hdfs --accept-deletions"));
    assert_eq!(listed.state_at("/d7"), Some(EntityState::Living));
    let agreed = listed.listing(30, &tree[..1]);
    assert_eq!((agreed.outcome, agreed.counts.deleted), (RunOutcome::Complete, 59));
    assert_eq!(listed.state_at("/d7"), Some(EntityState::Deleted));
    assert_eq!(listed.state_at("/d0"), Some(EntityState::Living));

    let accepted = Story::new();
    accepted.listing(10, &tree);
    let visit = Visit { identity: IdentityMode::Path, accept_deletions: true, ..Visit::default() };
    assert_eq!(accepted.visit(20, &[], visit).counts.deleted, 60);
}

#[test]
fn below_an_unread_path_nothing_is_deleted() {
    let story = Story::new();
    story.state(10, &[(2, "/a/"), (3, "/a/x/"), (4, "/a/x/f"), (5, "/ab/"), (6, "/old/"), (7, "/old/f")]);
    let summary = NamespaceSummary { unchanged: false, unread: vec!["/a".to_owned(), "/new/".to_owned()] };
    let run = story.visit(20, &[(2, "/a/"), (6, "/new/")], Visit { summary, ..Visit::default() });
    assert_eq!((run.outcome, run.counts.deleted), (RunOutcome::Incomplete, 1));
    assert!(run.message.unwrap().contains("/a, /new/"));
    for path in ["/a/x", "/a/x/f", "/old/f"] {
        assert_eq!(story.state_at(path), Some(EntityState::Living), "{path}");
    }
    assert_eq!(story.state_at("/ab"), Some(EntityState::Deleted));
    assert_eq!(story.store.last_stamp("hdfs").unwrap().unwrap().taken, minute(10), "only a complete run applies one");
}

#[test]
fn a_file_that_is_no_longer_wanted_is_out_of_scope() {
    let story = Story::new();
    story.state(10, &[(2, "/a/"), (3, "/a/f"), (4, "/b/"), (5, "/b/f"), (6, "/a/g")]);
    let narrowed = Visit { is_wanted: &|path| path != "/a/f" && path != "/b/f", ..Visit::default() };
    let run = story.visit(20, &[(2, "/a/")], narrowed);
    assert_eq!(story.state_at("/a/f"), Some(EntityState::OutOfScope));
    assert_eq!(story.at_path("/a/f").unwrap().delete_time, None);
    assert_eq!(story.state_at("/a/g"), Some(EntityState::Deleted));
    assert_eq!(story.state_at("/b/f"), Some(EntityState::Deleted), "its directory is gone, and it with it");
    assert_eq!(counted(&run), [2, 0, 0, 0, 3, 1]);

    let id = story.at_path("/a/f").unwrap().id;
    let run = story.state(30, &[(2, "/a/"), (3, "/a/f")]);
    assert_eq!(run.counts.revived, 1);
    let again = story.at_path("/a/f").unwrap();
    assert_eq!((again.id, again.state, story.lives_at("/a/f").len()), (id, EntityState::Living, 1));
}

#[test]
fn a_file_whose_directory_moved_to_where_none_is_wanted_is_out_of_scope() {
    let story = Story::new();
    let trash = [(5, "/user/"), (6, "/user/joe/"), (7, "/user/joe/.Trash/")];
    story.state(10, &[&trash[..], &[(2, "/t/"), (3, "/t/f"), (4, "/t/g")]].concat());
    let wanted_at = |place: &'static str| move |path: &str| path.starts_with(place);
    let moved = [&trash[..], &[(2, "/user/joe/.Trash/t/")]].concat();
    let run = story.visit(20, &moved, Visit { is_wanted: &wanted_at("/t/"), ..Visit::default() });
    assert_eq!((run.counts.deleted, run.counts.out_of_scope), (0, 2));
    assert_eq!(story.state_at("/t/f"), Some(EntityState::OutOfScope));

    story.state(30, &[(8, "/w/"), (2, "/w/t/"), (3, "/w/t/f"), (4, "/w/t/g")]);
    let run =
        story.visit(40, &[(8, "/v/"), (2, "/v/t/")], Visit { is_wanted: &wanted_at("/v/t/"), ..Visit::default() });
    assert_eq!(run.counts.deleted, 2, "they would have been shown at the new place");
}

#[test]
fn a_path_that_comes_back_is_another_entity_in_a_later_life() {
    let story = Story::new();
    story.write_path("before it was ever seen", "/w/t", 5);
    story.state(10, &[(2, "/w/"), (3, "/w/t/")]);
    assert_eq!(story.lives_used_at("/w/t"), [1]);
    story.state(20, &[(2, "/w/")]);
    story.state(60, &[(2, "/w/"), (4, "/w/t/")]);
    let first = story.lives_at("/w/t");
    assert_eq!(first.len(), 1);
    assert_eq!((first[0].number, first[0].created, first[0].over), (2, Some(minute(20)), None));
    assert_eq!(story.lives_used_at("/w/t"), [0], "what ran before it met a former holder of the name");
    story.write_path("after it came back", "/w/t", 70);
    assert_eq!(story.lives_used_at("/w/t"), [0, 2]);

    story.state(80, &[(2, "/w/")]);
    let over = story.lives_at("/w/t");
    assert_eq!((over[0].number, over[0].over, over[0].last_seen), (2, Some(minute(80)), Some(minute(60))));
    story.state(90, &[(2, "/w/"), (5, "/w/t/")]);
    assert_eq!(story.lives_at("/w/t")[0].number, 3);
}

#[test]
fn a_directory_made_anew_where_one_was_renamed_away_takes_the_name() {
    let story = Story::new();
    story.state(10, &[(2, "/t/")]);
    let old = story.at_path("/t").unwrap().id;
    story.state(20, &[(2, "/t_old/"), (3, "/t/")]);
    assert_eq!(story.at_path("/t_old").unwrap().id, old);
    assert_ne!(story.at_path("/t").unwrap().id, old);
    assert_eq!(story.lives_at("/t")[0].number, 2);
    assert_eq!(story.lives_at("/t_old")[0].number, 1);
}

#[test]
fn a_directory_renamed_onto_a_held_name_is_there_in_a_later_life() {
    let story = Story::new();
    story.write_path("before the rename", "/t", 0);
    story.state(10, &[(2, "/t/"), (3, "/stage/")]);
    story.state(20, &[(2, "/old/"), (3, "/t/")]);
    let numbered =
        || story.lives_at("/t").iter().map(|life| (life.number, life.created, life.over)).collect::<Vec<_>>();
    assert_eq!(numbered(), [(1, None, Some(minute(20))), (2, Some(minute(10)), None)]);
    story.write_path("after the rename", "/t", 30);
    assert_eq!(story.lives_used_at("/t"), [1, 2]);
    assert_eq!(story.lives_at("/old").len(), 1, "nobody held that name");

    story.state(40, &[(3, "/t/")]);
    story.state(50, &[(2, "/t/")]);
    assert_eq!(
        numbered(),
        [(1, None, Some(minute(40))), (3, Some(minute(40)), None)],
        "it comes back onto a held name"
    );
}

#[test]
fn names_that_another_source_holds_are_taken_and_its_entities_are_not() {
    for identity in [IdentityMode::Inode, IdentityMode::Path] {
        let story = Story::new();
        story.visit(10, &[(2, "/t/")], Visit { identity, ..Visit::default() });
        story.write_path("when the other source showed it", "/t", 15);
        let former = story.at_path("/t").unwrap();
        let run = story.visit(60, &[(2, "/t/")], Visit { identity, source: "renamed", ..Visit::default() });
        assert_eq!(counted(&run), [2, 2, 0, 0, 0, 0]);
        assert_eq!(story.at_path("/t").unwrap().source, "renamed");
        assert_eq!(story.store.entities(&Viewer::all(), &[former.id]).unwrap(), [former]);
        let lives = story.lives_at("/t");
        assert_eq!((lives.len(), lives[0].number, lives[0].created), (1, 2, Some(minute(60))));
        assert_eq!(story.lives_used_at("/t"), [0]);
    }
}

#[test]
fn a_listed_path_that_comes_back_is_the_same_entity_in_another_life() {
    let story = Story::new();
    story.listing(10, &[(0, "/t/")]);
    let id = story.at_path("/t").unwrap().id;
    story.listing(20, &[]);
    story.listing(30, &[(0, "/t/")]);
    assert_eq!(story.at_path("/t").unwrap().id, id);
    let lives = story.lives_at("/t");
    assert_eq!(
        lives.iter().map(|life| (life.number, life.over)).collect::<Vec<_>>(),
        [(1, Some(minute(20))), (2, None)]
    );
}

#[test]
fn a_move_into_a_trash_is_said() {
    let story = Story::new();
    let trash = [(5, "/user/"), (6, "/user/joe/"), (7, "/user/joe/.Trash/"), (8, "/user/joe/.Trash/Current/")];
    story.state(10, &[&trash[..], &[(2, "/t/"), (3, "/t/f")]].concat());
    let moved = [(2, "/user/joe/.Trash/Current/t/"), (3, "/user/joe/.Trash/Current/t/f")];
    for at in [20, 30] {
        story.state(at, &[&trash[..], &moved].concat());
        let file = story.at_path("/t/f").unwrap();
        assert_eq!(file.state, EntityState::Living);
        assert_eq!((&file.properties["trash"], &file.properties["movedToTrash"]), (&true.into(), &true.into()));
    }
    assert!(!story.at_path("/user/joe/.Trash/Current").unwrap().properties.contains_key("movedToTrash"));
    story.state(40, &[&trash[..], &[(2, "/t/"), (3, "/t/f")]].concat());
    assert!(!story.at_path("/t/f").unwrap().properties.contains_key("trash"), "it was taken back");
}

#[test]
fn another_way_of_identifying_keeps_every_entity_and_deletes_nothing() {
    let story = Story::new();
    let ids = || ["/", "/w", "/w/t"].map(|path| story.at_path(path).unwrap().id);
    story.listing(10, &[(0, "/w/"), (0, "/w/t/"), (0, "/gone/")]);
    let before = ids();
    let run = story.state(20, &[(2, "/w/"), (3, "/w/t/"), (4, "/w/new")]);
    assert_eq!((ids(), run.counts.deleted, run.counts.created), (before, 0, 1));
    assert!(run.message.unwrap().contains("every path kept its entity"));
    assert_eq!(story.state_at("/gone"), Some(EntityState::Living));
    assert_eq!(story.at_path("/w/new").unwrap().parent, Some(before[1]));

    let run = story.state(30, &[(2, "/v/"), (3, "/v/t/"), (4, "/v/new")]);
    assert_eq!(run.counts.deleted, 1, "the next state of the same kind decides again");
    assert_eq!(story.at_path("/v/t").unwrap().id, before[2], "now a rename keeps the entity");

    let run = story.listing(40, &[(0, "/v/"), (0, "/v/t/"), (0, "/w/")]);
    assert_eq!((run.counts.deleted, run.counts.created), (0, 1));
    assert_eq!(story.at_path("/v").unwrap().id, before[1]);
    assert_ne!(story.at_path("/w").unwrap().id, before[1], "the id made of /w belongs to what is /v now");
    let new = story.at_path("/v/new").unwrap().id;
    let run = story.listing(50, &[(0, "/v/"), (0, "/v/t/"), (0, "/w/"), (0, "/v/new")]);
    assert_eq!((run.counts.deleted, run.counts.created), (0, 0));
    assert_eq!(story.at_path("/v/new").unwrap().id, new, "it was not shown the last time");
}

#[test]
fn a_pass_that_failed_deletes_nothing_and_the_next_one_goes_on() {
    let story = Story::new();
    story.state(10, &[(2, "/a/"), (3, "/b/")]);
    let source = sextant_linker::SourceInstance { name: "hdfs".to_owned(), cluster: "default".to_owned() };
    let pass =
        sextant_linker::namespace::NamespacePass::begin(&story.store, source, &crate::tree::file_systems(), minute(20));
    let changes = pass.unwrap().fail("the image ends early".to_owned(), minute(21));
    story.store.commit(&changes).unwrap();
    assert_eq!(story.state_at("/b"), Some(EntityState::Living));
    assert_eq!(story.state(30, &[(2, "/a/")]).counts.deleted, 1);
    assert_eq!(story.at_path("/b").unwrap().last_seen, Some(minute(10)));
}

#[test]
fn paths_that_are_called_otherwise_are_shown_again_and_keep_their_way() {
    let story = Story::new();
    story.state(10, &[(2, "/w/")]);
    let source = sextant_linker::SourceInstance { name: "hdfs".to_owned(), cluster: "default".to_owned() };
    let applied = |file_systems| {
        let pass =
            sextant_linker::namespace::NamespacePass::begin(&story.store, source.clone(), &file_systems, minute(20));
        let pass = pass.unwrap();
        (pass.applied().cloned().unwrap().transaction, pass.shows_again())
    };
    assert_eq!(applied(crate::tree::file_systems()), (Some(10), false));
    let mut second = crate::tree::file_systems();
    second.0.insert(0, sextant_model::location::FileSystem { source: "first".to_owned(), ..second.0[0].clone() });
    assert_eq!(applied(second), (Some(10), true), "the paths are called hdfs://prod/... now");
}

#[test]
fn the_last_access_counts_by_day() {
    let mut path = crate::tree::observed_file("/f");
    path.accessed = Some(sextant_model::Timestamp::from_seconds(1_796_083_200));
    let fingerprint = path.fingerprint("");
    path.accessed = path.accessed.map(|time| time.plus_millis(3_600_000));
    assert_eq!(path.fingerprint(""), fingerprint);
    path.accessed = path.accessed.map(|time| time.plus_millis(24 * 3_600_000));
    assert_ne!(path.fingerprint(""), fingerprint);
}

#[test]
fn fingerprints_are_the_same_everywhere_and_tell_fields_apart() {
    let path = crate::tree::observed_file("/f");
    let expected = [165, 232, 86, 73, 232, 77, 58, 77, 212, 194, 78, 128, 239, 85, 31, 58];
    assert_eq!(path.fingerprint("prod"), expected, "another one writes all paths again: is that meant?");
    let (mut named, mut spaced, mut coded) = (path.clone(), path.clone(), path.clone());
    named.name_quota = Some(7);
    spaced.space_quota = Some(7);
    coded.erasure_coding = Some(String::new());
    let all = [path, named, spaced, coded].map(|path| path.fingerprint("prod"));
    assert_eq!(all.iter().collect::<std::collections::BTreeSet<_>>().len(), all.len());
}

/// Where each of a few inodes is, or that it is gone: in the root or in one of two directories.
fn placements() -> impl Strategy<Value = Vec<Option<u8>>> {
    proptest::collection::vec(proptest::option::of(0u8..3), 6)
}

/// The tree of placements. Inodes 2 and 3 are the directories; an inode's name is the one of its
/// number by two, so that several want the same path: the first gets it.
fn tree_of(placements: &[Option<u8>]) -> BTreeMap<String, u64> {
    let mut tree: BTreeMap<String, u64> = [("/d2/".to_owned(), 2), ("/d3/".to_owned(), 3)].into();
    for (inode, place) in (10..).zip(placements) {
        let directory = match place {
            None => continue,
            Some(0) => "",
            Some(1) => "/d2",
            Some(_) => "/d3",
        };
        tree.entry(format!("{directory}/n{}", inode / 2)).or_insert(inode);
    }
    tree
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn after_any_states_what_lives_is_what_the_last_one_shows(states in proptest::collection::vec(placements(), 1..6)) {
        let story = Story::new();
        let mut identities: BTreeMap<u64, sextant_model::EntityId> = BTreeMap::new();
        for (number, placements) in states.iter().enumerate() {
            let tree = tree_of(placements);
            let shown: Vec<InodeAt<'_>> = tree.iter().map(|(path, inode)| (*inode, path.as_str())).collect();
            story.state(10 * number as i64 + 10, &shown);
            for (path, inode) in &tree {
                let path = path.trim_end_matches('/');
                let entity = story.at_path(path).unwrap();
                prop_assert_eq!((&entity.qualified_name[..], entity.state), (path, EntityState::Living));
                let id = *identities.entry(*inode).or_insert(entity.id);
                prop_assert_eq!(id, entity.id, "an inode keeps its entity");
            }
            prop_assert_eq!(story.store.known_paths("hdfs").unwrap().len(), tree.len() + 1);
            let seq = story.store.newest_change().unwrap();
            story.state(10 * number as i64 + 15, &shown);
            prop_assert_eq!(story.store.newest_change().unwrap(), seq);
        }
    }
}
