//! What every store must do, whatever keeps the rows: each function here takes a store that is
//! empty. Another store passes the same tests by one more [`conformance`] line.

mod catalog;
mod feed;
mod inbox;
mod intake;
mod namespaces;
mod operations;
mod order;
mod quarantine;
mod samples;

use sextant_store::{SqliteStore, Store};

/// A kind of store, made anew for every test.
trait Backend {
    fn empty() -> Self;
    fn store(&self) -> &dyn Store;
}

struct Sqlite {
    store: SqliteStore,
    _directory: tempfile::TempDir,
}

impl Backend for Sqlite {
    fn empty() -> Self {
        let directory = tempfile::tempdir().unwrap();
        Self { store: SqliteStore::open(directory.path()).unwrap(), _directory: directory }
    }

    fn store(&self) -> &dyn Store {
        &self.store
    }
}

macro_rules! conformance {
    ($backend:ident: $($module:ident { $($test:ident),+ $(,)? })+) => {
        $(mod $module {
            use crate::{Backend, $backend};
            $(#[test]
            fn $test() {
                crate::$module::$test($backend::empty().store());
            })+
        })+
    };
}

mod sqlite {
    use super::Sqlite;

    conformance!(Sqlite:
        inbox {
            bytes_are_kept_once_and_in_order,
            a_gap_is_refused_and_nothing_is_kept,
            a_batch_that_overlaps_is_trimmed,
            a_skipped_line_moves_the_position_over_all_of_it,
            that_nothing_follows_is_kept_once,
            damaged_batches_are_refused,
            entries_come_in_bites_and_their_positions_outlive_them,
            new_bytes_are_counted_once,
            what_waits_is_not_dropped_and_comes_back_at_the_end,
            dropped_entries_are_missed_and_asked_for_again,
            what_waits_hides_nothing_that_is_missing,
            agents_stop_and_are_forgotten,
            agents_are_remembered,
        }
        catalog {
            entities_are_replaced_and_keep_their_fingerprint,
            children_come_by_position_and_name,
            relations_are_found_by_their_bare_name,
            lives_are_replaced_by_number,
            names_lead_to_entities_once_bound,
            changes_are_kept_once_and_the_newest_of_them,
        }
        operations {
            an_operation_grows_but_does_not_shrink,
            a_second_copy_of_an_execution_counts_once,
            a_timeless_execution_moves_to_its_earliest_receipt,
            texts_come_earliest_first,
            variants_widen,
            uses_widen_and_are_replaced,
            a_graph_is_built_of_what_was_told,
            executions_come_newest_first,
            the_latest_operations_come_first,
        }
        intake {
            the_inbox_position_only_goes_on,
            carries_are_replaced_and_removed,
            held_names_are_replaced,
            runs_come_newest_first,
            logs_of_the_newest_runs_are_kept,
            totals_follow_what_happens,
        }
        quarantine {
            stretches_are_kept_once,
            a_stretch_is_found_by_its_id,
            filters_restrict_lists_groups_and_drops,
            stretches_come_whole_in_the_order_of_their_places,
            what_is_read_leaves_with_the_facts_it_gives,
        }
        namespaces {
            living_paths_are_known_by_their_fingerprint,
            a_state_changes_alone,
            a_path_has_one_life_unless_told_otherwise,
            an_entity_said_to_be_new_may_be_there,
            locations_are_found_from_both_sides,
            paths_are_referenced_by_operations_too,
            a_path_is_referenced_by_any_of_its_names,
            written_locations_come_one_after_the_other,
            what_a_source_needs_is_replaced,
        }
        feed {
            every_kind_of_change_is_told_in_order,
            a_repeated_commit_tells_nothing_of_operations,
            everything_can_be_scanned,
        }
    );

    #[test]
    fn order_and_repetition_do_not_matter() {
        super::order::order_and_repetition_do_not_matter::<Sqlite>();
    }
}
