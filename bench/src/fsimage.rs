//! The NameNode's image as text, beside Hadoop's Offline Image Viewer.

use std::fmt::Write;
use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use sextant_tests::{Edition, GeneratedImage, Layout, project_path};

use crate::intake::program;
use crate::report::{Report, memory_mib};

/// Millions of inodes, apart by commas, that are measured instead of 1 and 10.
const SIZES: &str = "SEXTANT_BENCH_MILLIONS";

/// Writes images and has both programs print them.
pub(crate) fn run(report: &mut Report) -> Result<()> {
    let sizes = std::env::var(SIZES).unwrap_or_else(|_| "1,10".to_owned());
    for size in sizes.split(',') {
        let millions: u32 = size.trim().parse().with_context(|| format!("{SIZES}={sizes}"))?;
        measure(report, millions)?;
    }
    Ok(())
}

/// Above so many millions the text of one program is all that the disk should have to hold.
const MOST_STORED_MILLIONS: u32 = 10;

fn measure(report: &mut Report, millions: u32) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let image = folder.path().join("fsimage");
    let inodes = millions * 1_000_000;
    let generated = GeneratedImage { inodes, layout: Layout::Hadoop3, edition: Edition::First }.write(&image)?;
    let what = format!(
        "{millions} million inodes, {} million of them directories, {} MiB",
        (generated.directories as f64 / 1e5).round() / 10.0,
        generated.bytes >> 20
    );

    let streamed = watch(sextant(&image)?.stdout(Stdio::null()))?;
    report.row(format!("{what}: sextant, streamed"), streamed.figures(generated.inodes, None));
    let mut ours = vec![("streamed", streamed)];
    let text = folder.path().join("sextant.tsv");
    if millions <= MOST_STORED_MILLIONS {
        let stored = watch(sextant(&image)?.stdout(File::create(&text)?))?;
        report.row(format!("{what}: sextant, into a file"), stored.figures(generated.inodes, None));
        ours.push(("into a file", stored));
    }

    for threads in ["1", "4"] {
        let theirs = folder.path().join("oiv.tsv");
        let mut viewer = Command::new(project_path("tests/realcluster/hdfs.sh"));
        viewer
            .arg("oiv")
            .arg(folder.path())
            .args(["-p", "Delimited", "-m", threads, "-i"])
            .arg(&image)
            .arg("-o")
            .arg(&theirs);
        viewer.env("HDFS_VERSION", "3.5.0").env("HDFS_HEAP", if millions > 10 { "18g" } else { "8g" });
        let viewer = watch(&mut viewer)?;
        let is_same =
            if text.exists() { same_content(&text, &theirs)? } else { same_stream(sextant(&image)?, &theirs)? };
        ensure!(is_same, "the two programs print different texts of {}", image.display());
        report.row(
            format!("{what}: `hdfs oiv -p Delimited` into a file, threads: {threads}"),
            viewer.figures(generated.inodes, Some(&ours)),
        );
    }
    Ok(())
}

fn sextant(image: &Path) -> Result<Command> {
    let mut command = Command::new(program("sextant")?);
    command.arg("fsimage").arg(image).args(["--format", "delimited", "--utc"]);
    Ok(command)
}

/// What a program took.
struct Taken {
    elapsed: Duration,
    processor: Duration,
    peak_mib: u64,
}

impl Taken {
    fn figures(&self, inodes: u64, quicker: Option<&[(&str, Self)]>) -> String {
        let mut times = String::new();
        for (how, quicker) in quicker.unwrap_or_default() {
            let elapsed = self.elapsed.as_secs_f64() / quicker.elapsed.as_secs_f64();
            let processor = self.processor.as_secs_f64() / quicker.processor.as_secs_f64();
            let _written = write!(
                times,
                "; sextant, {how}, takes 1/{elapsed:.0} of its time, 1/{processor:.0} of its processor time"
            );
        }
        format!(
            "{:.2} s, {:.2} million inodes/s, {:.2} million per second of one core; peak memory {} MiB{times}",
            self.elapsed.as_secs_f64(),
            inodes as f64 / self.elapsed.as_secs_f64() / 1e6,
            inodes as f64 / self.processor.as_secs_f64() / 1e6,
            self.peak_mib,
        )
    }
}

/// Runs a program to its end.
fn watch(command: &mut Command) -> Result<Taken> {
    let processor_before = processor_of_children()?;
    let begin = Instant::now();
    let mut child =
        command.stdin(Stdio::null()).stderr(Stdio::null()).spawn().with_context(|| format!("{command:?}"))?;
    let mut peak_mib = 0;
    let status = loop {
        // The kernel keeps the peak itself, as long as the process is there to be asked.
        peak_mib = peak_mib.max(memory_mib(child.id()).1);
        if let Some(status) = child.try_wait()? {
            break status;
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let elapsed = begin.elapsed();
    ensure!(status.success(), "{command:?} failed with {status}");
    Ok(Taken { elapsed, processor: processor_of_children()?.saturating_sub(processor_before), peak_mib })
}

/// Processor time of all children that have ended, in the kernel's steps of 10 ms.
fn processor_of_children() -> Result<Duration> {
    const STEPS_A_SECOND: u64 = 100;
    let stat = fs::read_to_string("/proc/self/stat")?;
    let (_, fields) = stat.rsplit_once(')').context("/proc/self/stat has no name")?;
    let fields: Vec<&str> = fields.split_whitespace().collect();
    // Fields 16 and 17 of the whole line: user and system time of children that were waited for.
    let steps: u64 = fields[13].parse::<u64>()? + fields[14].parse::<u64>()?;
    Ok(Duration::from_millis(steps * 1000 / STEPS_A_SECOND))
}

fn same_content(one: &Path, other: &Path) -> Result<bool> {
    Ok(Command::new("cmp").arg("--quiet").arg(one).arg(other).status()?.success())
}

/// Whether what a program prints is what a file holds.
fn same_stream(mut program: Command, file: &Path) -> Result<bool> {
    let mut program = program.stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
    let printed = program.stdout.take().context("the program has no output")?;
    let is_same = Command::new("cmp").arg("--quiet").arg("-").arg(file).stdin(printed).status()?.success();
    program.wait()?;
    Ok(is_same)
}
