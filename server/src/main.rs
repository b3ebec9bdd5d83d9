//! `sextant`: the server and the command line.

use std::process::ExitCode;

fn main() -> ExitCode {
    sextant::cli::run()
}
