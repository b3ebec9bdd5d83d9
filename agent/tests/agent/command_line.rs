//! The program as a user starts it: exit codes, messages, signals.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::store::Store;

struct Setup {
    directory: tempfile::TempDir,
    config: PathBuf,
}

impl Setup {
    fn new(url: &str) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().display();
        let config = directory.path().join("agent.toml");
        let text = format!(
            "[server]\nurl = \"{url}\"\n\n[agent]\nstate_dir = \"{root}/state\"\npoll_interval = \"50ms\"\n\n\
             [[spool]]\npath = \"{root}/*.log\"\nformat = \"spark\"\n"
        );
        fs::write(&config, text).unwrap();
        fs::write(directory.path().join("x.log"), "one\n").unwrap();
        Self { directory, config }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sextant-agent"));
        command.arg("--config").arg(&self.config).args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn a_wrong_configuration_is_one_line_and_exit_code_2() {
    let setup = Setup::new("http://127.0.0.1:1");
    let right = fs::read_to_string(&setup.config).unwrap();
    fs::write(&setup.config, right.replace("spark", "sparc")).unwrap();
    for command in [&[][..], &["check"], &["status"]] {
        let output = setup.run(command);
        assert_eq!(output.status.code(), Some(2));
        let expected = format!(
            "sextant-agent: {}:10: [spool] format = \"sparc\" is not allowed; allowed is hive, impala, spark or openlineage\n",
            setup.config.display()
        );
        assert_eq!(text(&output.stderr), expected);
    }
    fs::remove_file(&setup.config).unwrap();
    let output = setup.run(&[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("cannot read the configuration"), "{}", text(&output.stderr));
    assert_eq!(setup.run(&["--nonsense"]).status.code(), Some(2));
}

#[test]
fn help_teaches() {
    let output = Setup::new("http://127.0.0.1:1").run(&["--help"]);
    assert_eq!(output.status.code(), Some(0));
    for word in ["[[spool]]", "poll_interval", "SEXTANT_AGENT_SERVER_<KEY>", "Exit codes", "check", "status"] {
        assert!(text(&output.stdout).contains(word), "{word} is missing");
    }
}

#[test]
fn status_without_a_state_is_a_failure() {
    let output = Setup::new("http://127.0.0.1:1").run(&["status"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("no agent has run with this state_dir yet"));
}

#[test]
fn a_server_that_is_away_is_a_failure_of_once_and_check() {
    let setup = Setup::new("http://127.0.0.1:1");
    let output = setup.run(&["--once"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("cannot reach the server at http://127.0.0.1:1"), "{}", text(&output.stderr));
    let output = setup.run(&["check"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stdout).contains("x.log  readable"), "{}", text(&output.stdout));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_agent_runs_alone_and_stops_when_told() {
    let store = Store::start().await;
    let setup = Setup::new(&store.url);
    let log = setup.directory.path().join("agent-log/agent.txt");
    let mut first = setup.command(&[]).env("SEXTANT_AGENT_LOG_FILE", &log).spawn().unwrap();
    let deadline = Instant::now() + Duration::from_mins(1);
    while store.text() != "one\n" {
        assert!(Instant::now() < deadline, "nothing was delivered");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let second = setup.run(&[]);
    assert_eq!(second.status.code(), Some(1));
    let expected = format!("is in use by another sextant-agent (pid {})", first.id());
    assert!(text(&second.stderr).contains(&expected), "{}", text(&second.stderr));

    let pid = first.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
    assert_eq!(first.wait().unwrap().code(), Some(0));
    let log = fs::read_to_string(log).unwrap();
    assert!(log.contains("delivered") && log.contains("the agent stops"), "{log}");

    let status = setup.run(&["status"]);
    assert_eq!(status.status.code(), Some(0));
    assert!(text(&status.stdout).contains("(not running)"), "{}", text(&status.stdout));
    // A reader that has seen enough, as `| head -1` has.
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let status = setup.command(&["status"]).stdout(writer).output().unwrap();
    assert_eq!((status.status.code(), text(&status.stderr)), (Some(0), String::new()));
    assert_eq!(setup.run(&["--once"]).status.code(), Some(0));
    assert_eq!(store.text(), "one\n");
}
