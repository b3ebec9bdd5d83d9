use super::*;

const GOOD: &str = r#"
[server]
url = "http://127.0.0.1:7187/"
token_file = "/etc/sextant/agent.token"

[agent]
state_dir = "/var/lib/sextant-agent"
poll_interval = "5s"

[[spool]]
path = "/var/log/impalad/lineage/impala_lineage_log_1.0-*"
format = "impala"
cluster = "prod"

[[spool]]
path = "/var/log/hive/lineage"
format = "hive"
"#;

fn parse(text: &str) -> Result<Config, Error> {
    Config::parse(Path::new("agent.toml"), text, [])
}

/// The one line a user sees.
fn complaint(text: &str) -> String {
    let message = parse(text).expect_err("a wrong configuration is refused").to_string();
    assert!(!message.contains('\n'), "more than one line: {message}");
    message
}

#[test]
fn the_contract_is_read() {
    let config = parse(GOOD).unwrap();
    assert_eq!(config.server.url, "http://127.0.0.1:7187");
    assert_eq!(config.server.token_file.as_deref(), Some(Path::new("/etc/sextant/agent.token")));
    assert_eq!(config.agent.poll_interval, Duration::from_secs(5));
    assert_eq!(config.agent.batch_bytes, 1 << 20);
    assert_eq!(config.agent.parallel_files, 4);
    assert!(!config.agent.host.is_empty());
    assert_eq!(config.spools.len(), 2);
    assert_eq!(config.spools[0].cluster, "prod");
    assert_eq!(config.spools[1].cluster, "default");
    assert_eq!(config.log.level, "info");
}

#[test]
fn mistakes_are_said_with_line_and_key() {
    let cases = [
        (
            "poll_interval = \"5s\"",
            "poll_intervall = \"5s\"",
            "agent.toml:8: [agent] has no key poll_intervall; there are state_dir, poll_interval, host, batch_bytes, parallel_files, hold_deleted",
        ),
        (
            "poll_interval = \"5s\"",
            "poll_interval = 5",
            "agent.toml:8: [agent] poll_interval = \"5\" is not allowed; allowed is a duration such as \"500ms\", \"5s\", \"2m\" or \"1h\"",
        ),
        (
            "poll_interval = \"5s\"",
            "poll_interval = \"2h\"",
            "agent.toml:8: [agent] poll_interval = \"2h\" is out of range; allowed is from 10ms to 1h",
        ),
        (
            "poll_interval = \"5s\"",
            "poll_interval = true",
            "agent.toml:8: [agent] poll_interval is a boolean; allowed is a duration such as \"500ms\", \"5s\", \"2m\" or \"1h\"",
        ),
        ("poll_interval = \"5s\"", "url = \"x\"", "agent.toml:8: [agent] has no key url; it belongs into [server]"),
        (
            "format = \"impala\"",
            "format = \"Impala\"",
            "agent.toml:12: [spool] format = \"Impala\" is not allowed; allowed is hive, impala, spark or openlineage",
        ),
        (
            "format = \"impala\"",
            "",
            "agent.toml:10: [spool] format is missing; write hive, impala, spark or openlineage",
        ),
        (
            "http://127",
            "ftp://127",
            "agent.toml:3: [server] url is neither http nor https; allowed is an http:// or https:// address without user or password",
        ),
        (
            "http://127",
            "http://joe:secret@127",
            "agent.toml:3: [server] url holds a user or password (use token_file); allowed is an http:// or https:// address without user or password",
        ),
        (
            "[server]",
            "[sever]",
            "agent.toml:2: [sever] is not a section; there are [server], [agent], [[spool]] and [log]",
        ),
        (
            "url = \"http://127.0.0.1:7187/\"",
            "",
            "agent.toml: [server] url is missing; write an http:// or https:// address without user or password",
        ),
        (
            "log_1.0-*",
            "log_1.0-[",
            "agent.toml:11: [[spool]] path = \"/var/log/impalad/lineage/impala_lineage_log_1.0-[\" is not a pattern: invalid range pattern",
        ),
        (
            "format = \"impala\"",
            "format = \"impala\"\nretention_action = \"delete\"",
            "agent.toml:13: [spool] retention_action does nothing without retention; write how long files stay",
        ),
        (
            "format = \"impala\"",
            "format = \"impala\"\nretention = \"off\"\nretention_action = \"move\"\nretention_directory = \"/x\"",
            "agent.toml:14: [spool] retention_action does nothing without retention; write how long files stay",
        ),
        (
            "format = \"impala\"",
            "format = \"impala\"\nretention = \"1d\"\nretention_action = \"move\"",
            "agent.toml:14: [spool] retention_action = \"move\" needs retention_directory",
        ),
        (
            "/var/log/impalad",
            &format!("/{}", "x".repeat(1_024)),
            "agent.toml:11: [spool] path is longer than the 1024 bytes that the server takes",
        ),
    ];
    for (good, bad, expected) in cases {
        assert_eq!(complaint(&GOOD.replace(good, bad)), expected);
    }
    assert_eq!(
        complaint("[server]\nurl = \"http://h\"\n"),
        "agent.toml: there is no [[spool]]; write at least one with path and format"
    );
    assert!(complaint("[server\nurl = 1").starts_with("agent.toml:1: this is not TOML: "));
    assert!(complaint("[spool]\npath = \"/x\"").starts_with("agent.toml:1: spool must be written [[spool]]"));
}

#[test]
fn a_password_in_the_url_is_not_repeated() {
    assert!(!complaint(&GOOD.replace("http://127", "http://joe:secret@127")).contains("secret"));
}

#[test]
fn the_environment_wins() {
    let variables = [
        ("SEXTANT_AGENT_SERVER_URL", "https://other"),
        ("SEXTANT_AGENT_STATE_DIR", "/elsewhere"),
        ("SEXTANT_AGENT_PARALLEL_FILES", "2"),
        ("SEXTANT_AGENT_CONFIG", "/etc/agent.toml"),
        ("SEXTANT_AGENT_SERVICE_PORT", "tcp://10.0.0.1"),
        ("PATH", "/bin"),
    ];
    let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let config = Config::parse(Path::new("agent.toml"), GOOD, variables).unwrap();
    assert_eq!(config.server.url, "https://other");
    assert_eq!(config.agent.state_dir, Path::new("/elsewhere"));
    assert_eq!(config.agent.parallel_files, 2);
    assert_eq!(config.unknown_variables, ["SEXTANT_AGENT_SERVICE_PORT"]);

    let wrong = [("SEXTANT_AGENT_LOG_LEVEL".to_owned(), "loud".to_owned())];
    let message = Config::parse(Path::new("agent.toml"), GOOD, wrong).unwrap_err().to_string();
    assert_eq!(
        message,
        "environment variable SEXTANT_AGENT_LOG_LEVEL: [log] level = \"loud\" is not allowed; allowed is error, warn, info, debug or trace"
    );
}

#[test]
fn units_are_read() {
    assert_eq!(parse_duration("250ms"), Some(Duration::from_millis(250)));
    assert_eq!(parse_duration("2m"), Some(Duration::from_mins(2)));
    for wrong in ["", "5", "s", "-5s", "5 days", "99999999999999999999s", "18446744073709551615h"] {
        assert_eq!(parse_duration(wrong), None, "{wrong}");
    }
    assert_eq!(parse_size("64KiB"), Some(65_536));
    assert_eq!(parse_size("1000"), Some(1_000));
    assert_eq!(parse_size("1 MB"), Some(1_000_000));
    for wrong in ["", "1mib", "x", "18446744073709551615GiB"] {
        assert_eq!(parse_size(wrong), None, "{wrong}");
    }
}

proptest::proptest! {
    #[test]
    fn no_text_is_answered_with_more_than_a_line(text in "(?s).{0,200}", key in "[a-z_\"]{0,12}", value in "[a-z0-9\"'\\[\\]{}.:-]{0,12}") {
        for text in [text.clone(), format!("[agent]\n{key} = {value}"), GOOD.replace("impala", &text)] {
            if let Err(error) = parse(&text) {
                proptest::prop_assert!(!error.to_string().contains('\n'));
            }
        }
    }
}
