//! Names, lives and order: what operations met, whenever snapshots came.

use crate::story::{Story, TableAt, naming_create_time, run};
use proptest::prelude::*;
use sextant_linker::operations::SourcedRecord;
use sextant_model::incarnation::UNSEEN_LIFE;

#[test]
fn a_name_that_no_source_has_shown_is_unlinked_and_no_entity() {
    let story = Story::new();
    story.pass(10, &[("target", 1)]);
    story.log(&[run("insert into target select * from ghost", &["ghost"], "target", 12)]);
    assert!(story.table("ghost").is_none());
    assert_eq!(story.lives_used("ghost"), [UNSEEN_LIFE]);
    assert_eq!(story.lives_used("target"), [1]);
}

#[test]
fn it_is_linked_when_a_pass_shows_it() {
    let story = Story::new();
    story.log(&[run("insert into target select * from late", &["late"], "target", 12)]);
    story.pass(20, &[("target", 1), ("late", 5)]);
    assert_eq!(story.lives_used("late"), [1]);
}

#[test]
fn executions_stay_with_the_life_they_met() {
    let story = Story::new();
    story.pass(10, &[("target", 1), ("temp", 2)]);
    story.log(&[run("insert into target select * from temp", &["temp"], "target", 11)]);
    story.pass(20, &[("target", 1)]);
    story.pass(40, &[("target", 1), ("temp", 30)]);
    assert_eq!(story.lives_used("temp"), [1]);
    story.log(&[run("insert into target select * from temp", &["temp"], "target", 50)]);
    assert_eq!(story.lives_used("temp"), [1, 2]);
    assert_eq!(story.lives_used("target"), [1]);
}

#[test]
fn the_records_own_create_time_wins_over_the_clock() {
    let story = Story::new();
    story.pass(10, &[("target", 1), ("temp", 2)]);
    story.pass(40, &[("target", 1), ("temp", 30)]);
    let late = run("insert into target select * from temp", &["temp"], "target", 50);
    story.log(&[naming_create_time(late, "temp", 2)]);
    assert_eq!(story.lives_used("temp"), [1]);
}

#[test]
fn literals_make_no_new_operation() {
    let story = Story::new();
    story.log(&[
        run("insert into target select * from s where day = '2026-01-01'", &["s"], "target", 1),
        run("INSERT INTO target  SELECT * FROM s WHERE day = '2026-01-02'", &["s"], "target", 2),
        run("insert into target select * from s where month = 'x'", &["s"], "target", 3),
    ]);
    let mut operations: Vec<_> = story.usages("target").into_iter().map(|usage| usage.operation).collect();
    operations.sort_unstable();
    operations.dedup();
    assert_eq!(operations.len(), 2);
}

/// Everything that a reader can see of the uses of names, without what depends on the number of passes.
fn graph(story: &Story) -> Vec<String> {
    let names = ["t0", "t1", "t2", "t3"];
    let mut seen = Vec::new();
    for name in names {
        seen.push(format!(
            "{name}: {:?} {:?}",
            story.table(name).map(|table| (table.id, table.state)),
            story.lives(name)
        ));
        seen.extend(story.usages(name).iter().map(|usage| format!("{name}: {usage:?}")));
    }
    seen
}

#[derive(Debug, Clone)]
enum Step {
    Pass(usize),
    Log(Vec<usize>),
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Passes come in their own order, records whenever they like, in any batches, some twice.
    #[test]
    fn the_order_of_arrival_makes_no_difference(
        lives in prop::collection::vec(prop::collection::vec((0usize..4, prop::bool::ANY), 0..4), 1..4),
        runs in prop::collection::vec((0usize..4, 0usize..4, 0i64..60, prop::option::of(0usize..3)), 1..12),
        placement in prop::collection::vec((0usize..4, 0usize..3), 12),
    ) {
        let names = ["t0", "t1", "t2", "t3"];
        let passes: Vec<Vec<TableAt>> = lives.iter().enumerate().map(|(index, present)| {
            let mut tables: Vec<TableAt> = Vec::new();
            for (table, created_anew) in present {
                if !tables.iter().any(|(name, _)| *name == names[*table]) {
                    tables.push((names[*table], if *created_anew { index as i64 * 20 - 7 } else { 0 }));
                }
            }
            tables
        }).collect();
        let records: Vec<SourcedRecord> = runs.iter().enumerate().map(|(number, (input, output, at, named))| {
            let text = format!("insert into {} select * from {}", names[*output], names[*input]);
            let mut record = run(&text, &[names[*input]], names[*output], *at);
            record.record.execution_key.push(number.to_string());
            match named { Some(pass) => naming_create_time(record, names[*input], *pass as i64 * 20 - 7), None => record }
        }).collect();

        let reference = Story::new();
        for (index, tables) in passes.iter().enumerate() {
            reference.pass(index as i64 * 20, tables);
        }
        reference.log(&records);

        // Every record is told before some pass, and up to twice more.
        let mut steps: Vec<Step> = Vec::new();
        for pass in 0..=passes.len() {
            let due: Vec<usize> = (0..records.len())
                .filter(|record| {
                    let (before, again) = placement[*record % placement.len()];
                    before.min(passes.len()) == pass || before + again == pass
                })
                .rev()
                .collect();
            steps.push(Step::Log(due));
            if pass < passes.len() {
                steps.push(Step::Pass(pass));
            }
        }
        let shuffled = Story::new();
        for step in &steps {
            match step {
                Step::Pass(index) => { shuffled.pass(*index as i64 * 20, &passes[*index]); }
                Step::Log(due) => for record in due { shuffled.log(&records[*record..=*record]); },
            }
        }
        prop_assert_eq!(graph(&reference), graph(&shuffled), "steps: {:?}", steps);
    }
}
