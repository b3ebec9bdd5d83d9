//! Lists a file system through Hadoop's Java client, for a server that has no JVM in it.
//!
//! It connects to the file system of its argument, says `{"ready":1}`, and answers questions from
//! its standard input, a JSON line each: `{"list":"/path"}` with one `{"entry":{…}}` for each entry
//! and `{"end":COUNT}`, `{"entry":"/path"}` with that one, and either with
//! `{"failed":{"kind":"gone"|"denied"|"away"|"other","reason":"…"}}`. It ends when its input does.
//!
//! Exit status: 0 at the end of its input; 2 when it is called wrongly; 3 when there is no Hadoop
//! client; 4 when the file system cannot be reached; 5 when its pipes break. What went wrong stands
//! on the last line of its standard error that begins with `sextant-hdfs-jni: `.

mod answer;
mod call;
mod file_system;

use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::process::ExitCode;

use answer::{Answer, Question};
use call::Call;
use file_system::FileSystem;

/// A question is a path; none is longer than this.
const MAX_QUESTION_BYTES: u64 = 1 << 20;

/// Why the program ends.
#[derive(Debug, thiserror::Error)]
enum Trouble {
    #[error("{0}")]
    Call(String),
    #[error(
        "CLASSPATH names no Hadoop client: set it to what `hadoop classpath --glob` prints (each jar by name, no `*`)"
    )]
    NoHadoop,
    #[error("{address} cannot be reached: {source}; the lines of Java above say why")]
    Unreachable { address: String, source: io::Error },
    #[error("a question of more than {MAX_QUESTION_BYTES} bytes")]
    LongQuestion,
    #[error("`{line}` is no question: {source}")]
    BadQuestion { line: String, source: serde_json::Error },
    #[error("the pipe broke: {0}")]
    Pipe(#[from] io::Error),
}

impl Trouble {
    const fn exit_status(&self) -> u8 {
        match self {
            Self::Call(_) => 2,
            Self::NoHadoop => 3,
            Self::Unreachable { .. } => 4,
            Self::LongQuestion | Self::BadQuestion { .. } | Self::Pipe(_) => 5,
        }
    }
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(trouble) => {
            // Nobody can be told when this fails too.
            let _ = writeln!(io::stderr(), "sextant-hdfs-jni: {trouble}");
            ExitCode::from(trouble.exit_status())
        }
    }
}

fn run() -> Result<(), Trouble> {
    let call = Call::read(std::env::args().skip(1)).map_err(Trouble::Call)?;
    if !call::has_hadoop(std::env::var_os("CLASSPATH").as_deref()) {
        return Err(Trouble::NoHadoop);
    }
    let file_system = FileSystem::connect(&call.address, call.user.as_deref())
        .map_err(|source| Trouble::Unreachable { address: call.address.clone(), source })?;
    let mut output = BufWriter::new(io::stdout().lock());
    say(&mut output, &Answer::Ready(1))?;
    output.flush()?;
    let mut input = BufReader::new(io::stdin().lock());
    while let Some(question) = next_question(&mut input)? {
        let answered = match &question {
            Question::List(path) => file_system.list(path, |entry| say(&mut output, &Answer::Entry(entry))),
            Question::Entry(path) => file_system.entry(path, |entry| say(&mut output, &Answer::Entry(entry))),
        };
        match answered? {
            Ok(entries) => say(&mut output, &Answer::End(entries))?,
            Err(failed) => say(&mut output, &Answer::Failed(failed))?,
        }
        output.flush()?;
    }
    Ok(())
}

fn say(output: &mut impl Write, answer: &Answer) -> io::Result<()> {
    serde_json::to_writer(&mut *output, answer)?;
    output.write_all(b"\n")
}

fn next_question(input: &mut impl BufRead) -> Result<Option<Question>, Trouble> {
    let mut line = Vec::new();
    let length = input.by_ref().take(MAX_QUESTION_BYTES).read_until(b'\n', &mut line)?;
    if length == 0 {
        return Ok(None);
    }
    if length as u64 == MAX_QUESTION_BYTES {
        return Err(Trouble::LongQuestion);
    }
    let question = serde_json::from_slice(&line).map_err(|source| Trouble::BadQuestion {
        line: String::from_utf8_lossy(&line).trim_end().to_owned(),
        source,
    })?;
    Ok(Some(question))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_read_one_by_one() {
        let mut input: &[u8] = b"{\"list\":\"/a\\n\"}\n{\"entry\":\"/\"}\n{\"drop\":\"/\"}\n";
        assert_eq!(next_question(&mut input).unwrap(), Some(Question::List("/a\n".to_owned())));
        assert_eq!(next_question(&mut input).unwrap(), Some(Question::Entry("/".to_owned())));
        let words = next_question(&mut input).unwrap_err().to_string();
        assert!(words.starts_with("`{\"drop\":\"/\"}` is no question"), "{words}");
        assert!(next_question(&mut input).unwrap().is_none());
    }
}
