//! Tables and the directories in which their data lies, whichever is shown first.

use sextant_linker::SourceInstance;
use sextant_linker::location::Rebuild;
use sextant_linker::snapshot::{Pass, PassEnd};
use sextant_model::location::FileSystems;
use sextant_model::snapshot::{ObservedObject, ObservedPartition, PassSummary};
use sextant_model::{EntityId, EntityType, NameKey, ObjectName, Properties, SourceType, Viewer};
use sextant_store::{Facts, Namespaces};

use crate::story::{Story, minute};
use crate::tree::{file_systems, path_name};

/// A pass that shows one table at a location, with one partition.
fn show_table(story: &Story, at: i64, location: Option<&str>, file_systems: FileSystems) {
    let path_of = |below: &str| {
        let mut properties = Properties::new();
        if let Some(location) = location {
            properties.insert("fileSystemPath".to_owned(), format!("{location}{below}").into());
        }
        properties
    };
    let table = ObservedObject {
        name: ObjectName::relation("default", "t"),
        entity_type: EntityType::Table,
        source_type: SourceType::Hive,
        created: None,
        properties: path_of(""),
        fields: Vec::new(),
        partitions: Some(vec![ObservedPartition {
            name: "dt=1".to_owned(),
            created: None,
            properties: path_of("/dt=1"),
        }]),
    };
    let source = SourceInstance { name: "hive".to_owned(), cluster: "default".to_owned() };
    let mut pass = Pass::begin(&story.store, source, minute(at)).unwrap().with_file_systems(file_systems);
    pass.listed(vec![table.name.clone()]);
    story.store.commit(&pass.objects(&story.store, vec![table]).unwrap()).unwrap();
    let end = PassEnd {
        summary: PassSummary::default(),
        problems: Vec::new(),
        confirmed: Vec::new(),
        accept_deletions: false,
        finished: minute(at),
    };
    story.store.commit(&pass.finish(&story.store, &|_| true, end).unwrap()).unwrap();
}

/// What lies at a path: the qualified names of its entities.
fn lying_at(story: &Story, name: NameKey) -> Vec<String> {
    let located = story.store.located_at(&Viewer::all(), &[name]).unwrap();
    let owners: Vec<EntityId> = located.into_iter().map(|(_, owner)| owner).collect();
    story.store.entities(&Viewer::all(), &owners).unwrap().into_iter().map(|entity| entity.qualified_name).collect()
}

/// The paths that the table says, and what leads from there to a directory.
fn directories_of_table(story: &Story) -> Vec<(String, Option<EntityId>)> {
    let table = story.table("t").unwrap();
    let locations = story.store.locations_of(&Viewer::all(), &[table.id]).unwrap();
    let leads_to = |name: NameKey| {
        let state = story.store.name_states(std::slice::from_ref(&name)).unwrap().remove(&name);
        (name.qualified, state.and_then(|state| state.entity))
    };
    locations.into_iter().map(|(_, name)| leads_to(name)).collect()
}

#[test]
fn it_makes_no_difference_whether_table_or_directory_is_shown_first() {
    let tree = [(2, "/w/"), (3, "/w/t/"), (4, "/w/t/dt=1/")];
    let (table_first, directory_first) = (Story::new(), Story::new());
    show_table(&table_first, 10, Some("hdfs://prod:8020/w/t"), file_systems());
    table_first.state(20, &tree);
    directory_first.state(10, &tree);
    show_table(&directory_first, 20, Some("hdfs://prod:8020/w/t"), file_systems());
    for story in [table_first, directory_first] {
        let directory = story.at_path("/w/t").unwrap().id;
        assert_eq!(directories_of_table(&story), [("/w/t".to_owned(), Some(directory))]);
        assert_eq!(lying_at(&story, path_name("/w/t")), ["default.t"]);
        assert_eq!(lying_at(&story, path_name("/w/t/dt=1")), ["default.t/dt=1"]);
    }
}

#[test]
fn a_location_follows_the_table_and_goes_with_it() {
    let story = Story::new();
    show_table(&story, 10, Some("/w/t"), file_systems());
    show_table(&story, 20, Some("hdfs://else/w/u/"), file_systems());
    assert_eq!(directories_of_table(&story), [("hdfs://else/w/u".to_owned(), None)]);
    assert_eq!(lying_at(&story, path_name("/w/t")), [""; 0]);
    show_table(&story, 30, None, file_systems());
    assert_eq!(directories_of_table(&story), []);
}

#[test]
fn other_file_systems_make_other_names_once() {
    let story = Story::new();
    show_table(&story, 10, Some("hdfs://prod/w/t"), FileSystems::default());
    assert_eq!(lying_at(&story, path_name("hdfs://prod/w/t")), ["default.t"]);
    let mut rebuild = Rebuild::needed(&story.store, &file_systems()).unwrap().unwrap();
    while let Some(changes) = rebuild.step(&story.store).unwrap() {
        story.store.commit(&changes).unwrap();
    }
    assert_eq!(lying_at(&story, path_name("/w/t")), ["default.t"]);
    assert_eq!(lying_at(&story, path_name("/w/t/dt=1")), ["default.t/dt=1"]);
    assert_eq!(lying_at(&story, path_name("hdfs://prod/w/t")), [""; 0]);
    assert!(Rebuild::needed(&story.store, &file_systems()).unwrap().is_none());
}

#[test]
fn a_rebuild_that_broke_off_is_needed_again_also_by_the_rules_of_before() {
    let story = Story::new();
    let rebuild = |file_systems: FileSystems, parts: usize| {
        let mut rebuild = Rebuild::needed(&story.store, &file_systems).unwrap().expect("other rules than before");
        for _ in 0..parts {
            if let Some(changes) = rebuild.step(&story.store).unwrap() {
                story.store.commit(&changes).unwrap();
            }
        }
    };
    rebuild(FileSystems::default(), 3);
    rebuild(file_systems(), 1);
    rebuild(FileSystems::default(), 3);
    assert!(Rebuild::needed(&story.store, &FileSystems::default()).unwrap().is_none());
}
