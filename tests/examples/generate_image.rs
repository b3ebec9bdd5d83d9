//! Writes a generated image: `generate_image FILE INODES [2.7|3] [first|second]`.

use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};
use sextant_tests::{Edition, GeneratedImage, Layout};

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [path, inodes, rest @ ..] = &arguments[..] else { anyhow::bail!("FILE INODES [2.7|3] [first|second]") };
    let image = GeneratedImage {
        inodes: inodes.parse().context("the number of inodes")?,
        layout: if rest.iter().any(|word| word == "2.7") { Layout::Hadoop27 } else { Layout::Hadoop3 },
        edition: if rest.iter().any(|word| word == "second") { Edition::Second } else { Edition::First },
    };
    let generated = image.write(Path::new(path))?;
    writeln!(std::io::stderr(), "{generated:?}")?;
    Ok(())
}
