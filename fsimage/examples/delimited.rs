//! Writes an image as text and says how quick it was, the measured path: `delimited IMAGE OUT [delimited|2.7|jsonl|visit] [THREADS]`.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::time::Instant;

use sextant_fsimage::{Compatibility, DelimitedOptions, Image, Zone, write_delimited, write_json_lines};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let started = Instant::now();
    let image = Image::open(Path::new(&arguments[1]))?;
    let tree = image.read_tree(&mut |_| {})?;
    let tree_read = started.elapsed();
    let threads = arguments.get(4).map_or(Ok(1), |threads| threads.parse())?;
    let out = File::create(&arguments[2])?;
    let visited = match arguments.get(3).map(String::as_str) {
        Some("jsonl") => write_json_lines(&tree, threads, out, &mut |_| {})?,
        Some("visit") => tree.visit::<sextant_fsimage::Error>(&mut |_| {}, |_| Ok(()))?,
        mode => {
            let compatibility = if mode == Some("2.7") { Compatibility::Hadoop27 } else { Compatibility::Hadoop3 };
            let options = DelimitedOptions { compatibility, zone: Zone::Local, ..DelimitedOptions::default() };
            write_delimited(&tree, &options, threads, out, &mut |_| {})?
        }
    };
    let elapsed = started.elapsed();
    let status = std::fs::read_to_string("/proc/self/status")?;
    let memory = status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or_default();
    writeln!(
        std::io::stderr(),
        "{} inodes ({} directories, {} only in snapshots), tree {tree_read:?}, all {elapsed:?}, {:.2} M inodes/s, {memory}",
        visited.inodes,
        tree.len(),
        visited.only_in_snapshots,
        visited.inodes as f64 / elapsed.as_secs_f64() / 1e6,
    )?;
    Ok(())
}
