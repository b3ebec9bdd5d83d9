//! `sextant-agent status`: what the agent has delivered, from its state file.

use std::fs;
use std::io::Write;

use sextant_model::Timestamp;

use crate::config::Config;
use crate::error::Error;
use crate::generation::Inode;
use crate::state::{self, Loaded, SavedFile};

/// Writes the state in words to `output`; an error when there is none.
pub fn status(config: &Config, output: &mut impl Write) -> Result<(), Error> {
    let directory = &config.agent.state_dir;
    let path = state::state_file(directory);
    let saved = match state::load(directory) {
        Loaded::Kept(saved) => saved,
        Loaded::Absent => {
            return Err(Error::NoState { path, problem: "no agent has run with this state_dir yet".to_owned() });
        }
        Loaded::Damaged(problem) => return Err(Error::NoState { path, problem }),
    };
    let running = match state::running_pid(directory) {
        Some(pid) => format!("running, pid {pid}"),
        None => "not running".to_owned(),
    };
    writeln!(output, "agent   {} on {} ({running})", saved.agent, saved.host)?;
    writeln!(output, "server  {}: {}", config.server.url, saved.server)?;
    writeln!(output, "saved   {}", Timestamp::from_millis(saved.time_ms as i64))?;
    let present: Vec<&SavedFile> = saved.files.iter().filter(|file| !file.gone).collect();
    let waiting: u64 = present.iter().map(|file| size_now(file).saturating_sub(file.position)).sum();
    writeln!(output, "files   {}, {waiting} bytes not delivered", present.len())?;
    if saved.lost_bytes > 0 {
        writeln!(output, "lost    {} bytes were removed or replaced before they were delivered", saved.lost_bytes)?;
    }
    writeln!(output)?;
    writeln!(output, "{:>14} {:>14} {:>12}  {:<34}  file", "size", "delivered", "waiting", "generation")?;
    for file in present {
        let size = size_now(file);
        let generation = file.identity.as_ref().map_or("-".to_owned(), |identity| identity.generation().0);
        writeln!(
            output,
            "{size:>14} {:>14} {:>12}  {generation:<34}  {}",
            file.position,
            size.saturating_sub(file.position),
            file.path.display()
        )?;
        if let Some(trouble) = &file.trouble {
            writeln!(output, "{:>14} {trouble}", "trouble:")?;
        }
    }
    Ok(())
}

/// The size on disk, or as the agent saw it last when another file has the name now.
fn size_now(file: &SavedFile) -> u64 {
    if file.packed.is_some() {
        return file.size;
    }
    match fs::metadata(&file.path) {
        Ok(metadata) if Inode::of(&metadata) == file.inode => metadata.len(),
        _ => file.size,
    }
}
