//! What is told of entities that change.

use serde_json::json;
use sextant_model::history::Difference;
use sextant_model::snapshot::{Existence, ObservedField, ObservedObject, ObservedPartition, PassSummary};
use sextant_model::{EntityId, Properties, Viewer};
use sextant_store::{Changes, Facts, KEPT_ENTITY_CHANGES, Location};

use crate::story::{Story, minute, table_at};
use crate::tree::{Visit, path_name};

/// The changes of an entity, the newest first, each with its differences on one line.
fn told(story: &Story, entity: EntityId) -> Vec<String> {
    let kept = story.store.entity_changes(&Viewer::all(), entity).unwrap();
    let line = |difference: &Difference| {
        let Difference { kind, column, property, before, after, .. } = difference;
        let parts = [Some(format!("{kind:?}")), column.clone(), property.clone()];
        let mut words: Vec<String> = parts.into_iter().flatten().collect();
        if before.is_some() || after.is_some() {
            words.push(format!("{} -> {}", before.as_deref().unwrap_or("none"), after.as_deref().unwrap_or("none")));
        }
        words.join(" ")
    };
    kept.changes.iter().map(|change| change.differences.told.iter().map(line).collect::<Vec<_>>().join("; ")).collect()
}

fn told_of_table(story: &Story, name: &str) -> Vec<String> {
    told(story, story.table(name).unwrap().id)
}

fn field(name: &str, data_type: &str) -> ObservedField {
    ObservedField { name: name.to_owned(), data_type: data_type.to_owned(), comment: None, partition_key: false }
}

fn with(properties: serde_json::Value) -> ObservedObject {
    let properties: Properties = serde_json::from_value(properties).unwrap();
    ObservedObject { properties, ..table_at("a", 1) }
}

#[test]
fn what_somebody_decided_is_told_with_its_run() {
    let story = Story::new();
    let before = ObservedObject {
        fields: vec![field("code", "string"), field("amount", "int"), field("old", "date")],
        ..with(json!({"owner": "etl", "params": {"retention": "30", "numRows": "1"}, "queryText": "SELECT 1"}))
    };
    let mut commented = field("code", "string");
    commented.comment = Some("as sold".to_owned());
    let after = ObservedObject {
        fields: vec![commented, field("amount", "bigint"), field("new", "date")],
        ..with(json!({"owner": "joe", "params": {"numRows": "2", "quality": "high"}, "fileSystemPath": "/w/a"}))
    };
    story.pass_seeing(10, vec![before]);
    assert_eq!(told_of_table(&story, "a"), [""; 0], "what is seen for the first time is no change");
    story.pass_seeing(20, vec![after]);
    assert_eq!(
        told_of_table(&story, "a"),
        ["Property owner etl -> joe; Property fileSystemPath none -> /w/a; \
          Property queryText SELECT 1 -> none; Property params.quality none -> high; \
          Property params.retention 30 -> none; Column code originalDescription none -> as sold; \
          Column amount dataType int -> bigint; ColumnAdded new none -> date; ColumnRemoved old date -> none"]
    );
    let kept = story.store.entity_changes(&Viewer::all(), story.table("a").unwrap().id).unwrap();
    let change = &kept.changes[0];
    assert_eq!((change.source.as_str(), change.run, change.at), ("hive", minute(20), minute(20)));
}

#[test]
fn what_follows_the_data_is_not_told() {
    let story = Story::new();
    let state = |rows: &str, day: u32| ObservedObject {
        partitions: Some(vec![ObservedPartition {
            name: format!("day={day}"),
            created: None,
            properties: Properties::new(),
        }]),
        ..with(json!({
            "lastModified": format!("2026-01-0{day}T00:00:00.000Z"),
            "lastAccessed": format!("2026-01-0{day}T00:00:00.000Z"),
            "params": {
                "numRows": rows, "totalSize": rows, "transient_lastDdlTime": rows,
                "COLUMN_STATS_ACCURATE": rows, "impala.lastComputeStatsTime": rows, "current-snapshot-id": rows,
            },
        }))
    };
    story.pass_seeing(10, vec![state("1", 1)]);
    let seq = story.store.newest_change().unwrap();
    story.pass_seeing(20, vec![state("2", 2)]);
    assert!(story.store.newest_change().unwrap() > seq, "it is stored as it is now");
    assert_eq!(told_of_table(&story, "a"), [""; 0]);
}

#[test]
fn going_and_coming_is_told_without_its_columns() {
    let story = Story::new();
    story.pass(10, &[("a", 1), ("b", 1)]);
    story.pass(20, &[]);
    story.pass(30, &[("a", 1), ("b", 25)]);
    assert_eq!(told_of_table(&story, "a"), ["SeenAgain", "Deleted"]);
    assert_eq!(told_of_table(&story, "b"), ["CreatedAgain", "Deleted"]);
    story.pass(40, &[("a", 1), ("b", 35)]);
    assert_eq!(told_of_table(&story, "b")[0], "CreatedAgain", "also between two passes");
    let only_a = |name: &sextant_model::ObjectName| name.last_part() != "b";
    story.pass_with(50, &[("a", 1)], PassSummary::default(), &|_| Existence::Gone, &only_a, false);
    assert_eq!(told_of_table(&story, "b")[0], "OutOfScope");
    story.pass(60, &[("a", 1), ("b", 35)]);
    assert_eq!(told_of_table(&story, "b")[0], "SeenAgain");
}

#[test]
fn the_newest_changes_are_kept_and_the_others_counted() {
    let story = Story::new();
    for step in 0..=KEPT_ENTITY_CHANGES + 5 {
        story.pass_seeing(10 + step as i64, vec![with(json!({"owner": format!("user{step}")}))]);
    }
    let kept = story.store.entity_changes(&Viewer::all(), story.table("a").unwrap().id).unwrap();
    assert_eq!((kept.changes.len() as u64, kept.forgotten), (KEPT_ENTITY_CHANGES, 5));
    assert_eq!(told_of_table(&story, "a")[0], "Property owner user104 -> user105");
}

/// Says that the data of a table lies at a path.
fn locate(story: &Story, path: &str) {
    let owner = EntityId::derive("owner of", &[path.as_bytes()]);
    let locations = vec![Location { owner, place: Some(path_name(path)) }];
    story.store.commit(&Changes { locations, ..Changes::default() }).unwrap();
}

#[test]
fn a_path_that_somebody_names_has_a_history() {
    let story = Story::new();
    locate(&story, "/w/t");
    story.state(10, &[(2, "/w/"), (3, "/w/t/"), (4, "/w/u/"), (5, "/w/t/part-0")]);
    let ids = ["/w/t", "/w/u", "/w/t/part-0"].map(|path| story.at_path(path).unwrap().id);
    story.state(20, &[(2, "/v/"), (3, "/v/t/"), (4, "/v/u/"), (5, "/v/t/part-0")]);
    assert_eq!(told(&story, ids[0]), ["Moved /w/t -> /v/t"]);
    story.state(30, &[(2, "/v/")]);
    assert_eq!(told(&story, ids[0])[0], "Deleted");
    story.state(40, &[(2, "/v/"), (3, "/v/t/")]);
    assert_eq!(told(&story, ids[0])[0], "SeenAgain");
    assert_eq!(told(&story, ids[1]), [""; 0], "nobody names it");
    assert_eq!(told(&story, ids[2]), [""; 0], "nobody names it");
}

#[test]
fn what_moves_to_a_named_place_has_a_history_too() {
    let story = Story::new();
    locate(&story, "/w/t");
    story.state(10, &[(2, "/w/"), (3, "/w/staging/")]);
    story.state(20, &[(2, "/w/"), (3, "/w/t/")]);
    assert_eq!(told(&story, story.at_path("/w/t").unwrap().id), ["Moved /w/staging -> /w/t"]);
}

#[test]
fn reading_in_another_way_changes_nothing() {
    let story = Story::new();
    locate(&story, "/w/t");
    story.listing(10, &[(2, "/w/"), (3, "/w/t/")]);
    let id = story.at_path("/w/t").unwrap().id;
    story.state(20, &[(2, "/w/"), (3, "/w/t/")]);
    assert_eq!(told(&story, id), [""; 0], "an image shows the storage policy, a listing does not");
    story.visit(30, &[(2, "/w/"), (3, "/w/t/")], Visit { owner: "etl", ..Visit::default() });
    assert_eq!(told(&story, id), ["Property owner joe -> etl"]);
}
