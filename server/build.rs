//! Lists the files of the built console, so that they become part of the program. Without a built
//! console the list is empty and the program still builds.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let built = Path::new(env!("CARGO_MANIFEST_DIR")).join("../console/dist");
    println!("cargo::rerun-if-changed={}", built.display());
    let mut files = Vec::new();
    if built.join("index.html").exists() {
        collect(&built, &mut files)?;
    }
    files.sort();
    let mut code = String::from("&[\n");
    for file in &files {
        let path = file.strip_prefix(&built).expect("collected below it").to_string_lossy().replace('\\', "/");
        let plain = included(file);
        let brotli = beside(file, "br");
        let gzip = beside(file, "gz");
        let _ = writeln!(code, "    Asset {{ path: {path:?}, plain: {plain}, brotli: {brotli}, gzip: {gzip} }},");
    }
    code.push_str("]\n");
    let target = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it")).join("console_assets.rs");
    fs::write(target, code)
}

/// The files below a folder, without the compressed forms, which stand beside them, and without
/// hidden ones.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let is_hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        let is_compressed = path.extension().is_some_and(|ending| ending == "br" || ending == "gz");
        if is_hidden || is_compressed {
            continue;
        }
        if path.is_dir() {
            collect(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}

/// Code for the compressed form of a file.
fn beside(file: &Path, ending: &str) -> String {
    let mut name = file.as_os_str().to_owned();
    name.push(".");
    name.push(ending);
    let compressed = PathBuf::from(name);
    if compressed.exists() { format!("Some({})", included(&compressed)) } else { "None".to_owned() }
}

/// Code for the bytes of a file.
fn included(file: &Path) -> String {
    let name = file.to_string_lossy();
    format!("include_bytes!({name:?})")
}
