//! Running the scripts of `tests/realcluster/`.

use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::project_path;

/// The exit status that says: what is needed is not on this machine, and where it comes from is out of reach.
const OUT_OF_REACH: i32 = 3;

pub(crate) fn script(name: &str) -> Command {
    Command::new(project_path("tests/realcluster").join(name))
}

/// Runs a script to its end; what it says on stderr is the user's to see, what it prints is returned.
pub(crate) fn run(command: &mut Command) -> Result<String> {
    let printed = run_if_in_reach(command)?;
    printed.with_context(|| format!("{command:?} stepped aside; its reason is on stderr"))
}

/// Like [`run`], and nothing when the script stepped aside.
pub(crate) fn run_if_in_reach(command: &mut Command) -> Result<Option<String>> {
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("{command:?} could not be started"))?;
    if output.status.code() == Some(OUT_OF_REACH) {
        return Ok(None);
    }
    ensure!(output.status.success(), "{command:?} failed with {}; its reason is on stderr", output.status);
    String::from_utf8(output.stdout).map(Some).with_context(|| format!("{command:?} printed something else than UTF-8"))
}
