//! `sextant`: the server and the command line.

use std::process::ExitCode;

/// Intake allocates and frees many small texts on one thread and another; the allocator of the C library spends
/// about a tenth of the processor time of an import on them.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    sextant::cli::run()
}
