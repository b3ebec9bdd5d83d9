//! The harness that the other tests rest on: its guards let nothing live on, its readings are right.

use std::path::PathBuf;
use std::process::Command;

use sextant_tests::{Finished, Program, independent_reading, project_path};

#[test]
fn a_program_goes_with_its_guard() {
    let mut program = Program::start("sh", Command::new("sh").args(["-c", "echo ready >&2; exec sleep 600"])).unwrap();
    assert_eq!(program.ended().unwrap(), None);
    let process = PathBuf::from(format!("/proc/{}", program.id()));
    assert!(process.exists());
    drop(program);
    assert!(!process.exists());
}

#[test]
fn what_a_killed_program_said_is_kept() {
    let mut program = Program::start("sh", Command::new("sh").args(["-c", "echo last words >&2; kill -9 $$"])).unwrap();
    while program.ended().unwrap().is_none() {
        std::thread::yield_now();
    }
    program.kill();
    assert_eq!(program.stderr(), "last words\n");
}

#[test]
fn what_a_command_says_is_kept_apart() {
    let script = "echo '{\"total\": 1}'; echo note >&2; exit 3";
    let finished = Finished::run(Command::new("sh").args(["-c", script])).unwrap();
    assert_eq!((finished.code, finished.stderr.as_str()), (Some(3), "note\n"));
    let error = finished.json().unwrap_err().to_string();
    assert_eq!(error, "exit code Some(3): {\"total\": 1}\nnote\n");
}

#[test]
fn the_walk_through_is_read() {
    let log = project_path("samples/walkthrough/lineage/hive-lineage.log.1");
    let readings = independent_reading(&[&log]).unwrap();
    let tables: Vec<_> = readings.iter().flat_map(|reading| &reading.tables).collect();
    let edge =
        |source: &str, target: &str| (format!("default.{source}"), format!("default.{target}"), "DATA_FLOW".to_owned());
    assert_eq!(
        tables,
        [
            &edge("sample_07", "temp_sample_07"),
            &edge("sample_08", "temp_sample_08"),
            &edge("temp_sample_07", "sample_merge"),
            &edge("temp_sample_08", "sample_merge"),
        ]
    );
}
