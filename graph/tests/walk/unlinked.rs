//! Names that no source has shown.

use sextant_graph::{Asset, Direction, Options, Root};

use crate::drawing::{edges, node, nodes};
use crate::lake::{Lake, insert, key_of, statement};

/// Navigator's own example: of two temporary tables one was seen before it was dropped.
fn samples() -> Lake {
    let mut lake = Lake::with(&["sample_07", "sample_08", "sample_merge"]);
    lake.dropped("temp_sample_07");
    lake.add(insert("create_07", &["sample_07"], "temp_sample_07", 10));
    lake.add(insert("create_08", &["sample_08"], "temp_sample_08", 20));
    lake.add(insert("insert_07", &["temp_sample_07"], "sample_merge", 30));
    lake.add(insert("insert_08", &["temp_sample_08"], "sample_merge", 40));
    lake
}

fn upstream() -> Options {
    Options { direction: Direction::Upstream, ..Options::default() }
}

#[test]
fn unlinked_names_are_counted_and_never_folded_through() {
    let lake = samples();
    let lineage = lake.walk("sample_merge", &upstream());
    assert_eq!(nodes(&lake, &lineage), ["0 sample_merge", "2 sample_07"]);
    assert_eq!(edges(&lake, &lineage), ["sample_07 -> sample_merge via create_07 insert_07 hides temp_sample_07"]);
    assert_eq!(node(&lake, &lineage, "sample_merge").unlinked_inputs, 1);
    assert_eq!(lineage.coverage.notes[0], "1 input of lake.sample_merge is known by name only: lake.temp_sample_08");
}

#[test]
fn the_operation_of_an_unlinked_input_is_shown() {
    let lake = samples();
    let lineage = lake.walk("sample_merge", &Options { operations: true, deleted: true, ..upstream() });
    assert_eq!(
        edges(&lake, &lineage),
        [
            "(create_07) -> temp_sample_07",
            "(insert_07) -> sample_merge",
            "(insert_08) -> sample_merge",
            "sample_07 -> (create_07)",
            "temp_sample_07 -> (insert_07)",
        ]
    );
    assert_eq!(node(&lake, &lineage, "(insert_08)").unlinked_inputs, 1);
    assert_eq!(node(&lake, &lineage, "(insert_07)").unlinked_inputs, 0);
}

#[test]
fn unlinked_names_are_shown_on_request() {
    let lake = samples();
    let lineage = lake.walk("sample_merge", &Options { unlinked: true, ..upstream() });
    assert_eq!(
        edges(&lake, &lineage),
        [
            "?temp_sample_08 -> sample_merge via insert_08",
            "sample_07 -> sample_merge via create_07 insert_07 hides temp_sample_07",
            "sample_08 -> ?temp_sample_08 via create_08",
        ]
    );
    assert!(lineage.coverage.notes.iter().all(|note| !note.contains("name only")));
}

#[test]
fn an_unlinked_name_can_be_the_root_until_it_is_linked() {
    let mut lake = samples();
    let root = Root::Asset(Asset::Unlinked(key_of("temp_sample_08")));
    let lineage = lake.walk_from(&root, &Options::default());
    assert_eq!(nodes(&lake, &lineage), ["0 ?temp_sample_08", "1 sample_08", "1 sample_merge"]);

    lake.table("temp_sample_08");
    let linked = lake.walk_from(&root, &Options::default());
    assert_eq!(nodes(&lake, &linked), ["0 temp_sample_08", "1 sample_08", "1 sample_merge"]);
}

#[test]
fn unlinked_names_behind_a_folded_table_count_for_the_shown_one() {
    let mut lake = Lake::with(&["b"]);
    lake.dropped("d");
    lake.add(insert("ud", &["u"], "d", 1));
    lake.add(insert("db", &["d"], "b", 2));
    let lineage = lake.walk("b", &Options { depth: 1, ..upstream() });
    assert_eq!(node(&lake, &lineage, "b").unlinked_inputs, 1);
}

#[test]
fn operations_whose_records_told_no_flows_are_mentioned() {
    let mut lake = Lake::with(&["b"]);
    lake.add(statement("ctas").writes("b").without_lineage().run(1));
    let lineage = lake.walk("b", &Options { operations: true, ..upstream() });
    assert_eq!(edges(&lake, &lineage), ["(ctas) -> b"]);
    assert_eq!(lineage.coverage.operations_without_lineage, 1);
    assert!(lineage.coverage.notes[0].starts_with("1 operation without recorded lineage"));
}
