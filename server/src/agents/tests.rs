use std::time::Duration;

use sextant_model::delivery::{Generation, SpoolState};

use super::*;

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_seconds(1_790_000_000 + seconds)
}

fn state(path: &str, trouble: Option<&str>) -> SpoolState {
    SpoolState {
        path: path.to_owned(),
        format: "hive".to_owned(),
        cluster: "prod".to_owned(),
        files_known: 3,
        bytes_behind: 70,
        seconds_behind: 9,
        trouble: trouble.map(str::to_owned),
    }
}

fn report(agent: &str, spools: Vec<SpoolState>) -> SpoolsReport {
    SpoolsReport { agent: agent.to_owned(), host: "hs2-1".to_owned(), version: "1".to_owned(), spools, stopped: false }
}

fn header(path: &str) -> BatchHeader {
    BatchHeader {
        agent: "a1".to_owned(),
        host: "hs2-1".to_owned(),
        generation: Generation("g".to_owned()),
        path: path.to_owned(),
        format: "hive".to_owned(),
        cluster: "prod".to_owned(),
        start: 0,
        end: 1,
        skipped: None,
        last: false,
    }
}

#[test]
fn records_count_for_the_spool_that_their_file_belongs_to() {
    let agents = Agents::default();
    agents.report(report("a1", vec![state("/one/*.log", None), state("/two", None)]), at(0));
    let problem = Outcome { records: 2, problems: 1, last_problem: Some("no JSON") };
    agents.linked(&header("/two/x.log"), problem, at(1));
    agents.linked(&header("/three/x.log"), Outcome { records: 5, ..Outcome::default() }, at(2));
    let shown = agents.shown("a1", at(3));
    let counted: Vec<_> =
        shown.spools.iter().map(|spool| (spool.state.path.as_str(), spool.records, spool.problems)).collect();
    assert_eq!(counted, [("/one/*.log", 0, 0), ("/two", 2, 1), ("/three", 5, 0)]);
    assert_eq!(shown.spools[1].last_failure, Some(Failure { at: at(1), in_words: "no JSON".to_owned() }));
    assert_eq!(shown.spools[2].reported, None);
    assert_eq!(shown.spools[1].records_last_hour, 2);
}

#[test]
fn what_was_linked_before_the_first_report_counts_for_the_spool() {
    let agents = Agents::default();
    let problem = Outcome { records: 2, problems: 1, last_problem: Some("no JSON") };
    agents.linked(&header("/one/x.log"), problem, at(1));
    agents.linked(&header("/two/x.log"), Outcome { records: 3, ..Outcome::default() }, at(2));
    agents.report(report("a1", vec![state("/*/x.log*", None)]), at(3));
    let shown = agents.shown("a1", at(4));
    let [spool] = &shown.spools[..] else { panic!("{shown:?}") };
    assert_eq!((spool.records_last_hour, spool.problems_last_hour, spool.records, spool.problems), (5, 1, 5, 1));
    assert_eq!(spool.last_failure.as_ref().unwrap().in_words, "no JSON");
}

#[test]
fn a_new_report_keeps_counts_and_drops_what_is_configured_no_more() {
    let agents = Agents::default();
    agents.report(report("a1", vec![state("/one", None), state("/two", Some("denied"))]), at(0));
    agents.linked(&header("/two/x.log"), Outcome { records: 2, ..Outcome::default() }, at(1));
    agents.report(report("a1", vec![state("/two", Some("denied"))]), at(60));
    let shown = agents.shown("a1", at(61));
    assert_eq!(shown.spools.len(), 1);
    assert_eq!((shown.spools[0].records, shown.spools[0].reported), (2, Some(at(60))));
    let since = shown.spools[0].last_failure.as_ref().map(|failure| failure.at);
    assert_eq!(since, Some(at(0)), "the same trouble is as old as when it was first told");
}

#[test]
fn what_agents_say_takes_bounded_memory() {
    let agents = Agents::default();
    for number in 0..(MOST_AGENTS as i64 + 10) {
        agents.report(report(&format!("agent-{number}"), Vec::new()), at(number));
    }
    assert_eq!(agents.locked().len(), MOST_AGENTS);
    assert_eq!(agents.shown("agent-0", at(0)).heard, None, "the one heard longest ago is forgotten");
    for number in 0..100 {
        agents.linked(&header(&format!("/{number}/x")), Outcome { records: 1, ..Outcome::default() }, at(0));
    }
    assert_eq!(agents.shown("a1", at(0)).spools.len(), MOST_UNREPORTED);
    let many = (0..200).map(|number| state(&format!("/{number}"), Some(&"x".repeat(10_000)))).collect();
    agents.report(report("a1", many), at(1));
    let shown = agents.shown("a1", at(1));
    assert_eq!(shown.spools.len(), MAX_REPORTED_SPOOLS);
    assert!(shown.spools[0].state.trouble.as_ref().unwrap().chars().count() <= LONGEST_REASON + 1);
    for agent in 0..=MOST_SPOOLS / MAX_REPORTED_SPOOLS {
        let many = (0..MAX_REPORTED_SPOOLS).map(|number| state(&format!("/{number}"), None)).collect();
        agents.report(report(&format!("wide-{agent}"), many), at(100_000));
    }
    assert!(agents.locked().values().map(|agent| agent.spools.len()).sum::<usize>() <= MOST_SPOOLS);
}

#[test]
fn silence_begins_and_ends() {
    let silence = |id, seconds| Silence::of(id, at(0), None, at(seconds), Duration::from_mins(15));
    assert_eq!(silence("a1", 900), Silence::None);
    assert_eq!(silence("a1", 901), Silence::Silent);
    assert_eq!(silence("a1", -50), Silence::None, "the clock was put back");
    assert_eq!(silence("a1", 31 * 86_400), Silence::GivenUp);
    assert_eq!(silence("import@gw-1", 901), Silence::None);
    let stopped = |seconds| Silence::of("a1", at(0), Some(at(0)), at(seconds), Duration::from_mins(15));
    assert_eq!(
        [stopped(1), stopped(901), stopped(31 * 86_400)],
        [Silence::Stopped, Silence::Stopped, Silence::GivenUp]
    );
}
