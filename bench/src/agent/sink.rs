//! A server that keeps nothing: what the sender costs is measured, not the receiver.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use serde_json::{Value, json};

/// It ends with the process.
pub(super) struct Sink {
    pub(super) port: u16,
    received: Arc<AtomicU64>,
}

impl Sink {
    /// Answers the agent's protocol and counts the bytes of the files.
    pub(super) fn of_batches() -> Result<Self> {
        Self::listen(answer_batches)
    }

    /// Takes lines as they come and counts them with their line feeds.
    pub(super) fn of_lines() -> Result<Self> {
        Self::listen(swallow)
    }

    fn listen(serve: fn(TcpStream, &AtomicU64)) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let port = listener.local_addr()?.port();
        let received = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&received);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let counted = Arc::clone(&counted);
                thread::spawn(move || serve(stream, &counted));
            }
        });
        Ok(Self { port, received })
    }

    /// Waits until so many bytes have arrived.
    pub(super) fn wait_for(&self, bytes: u64) -> Result<()> {
        let deadline = Instant::now() + Duration::from_mins(30);
        while self.received.load(Ordering::Relaxed) < bytes {
            if Instant::now() > deadline {
                bail!("only {} of {bytes} bytes arrived in time", self.received.load(Ordering::Relaxed));
            }
            thread::sleep(Duration::from_millis(5));
        }
        Ok(())
    }
}

fn swallow(mut stream: TcpStream, received: &AtomicU64) {
    let mut buffer = vec![0; 1 << 16];
    while let Ok(length) = stream.read(&mut buffer) {
        if length == 0 {
            return;
        }
        received.fetch_add(length as u64, Ordering::Relaxed);
    }
}

fn answer_batches(stream: TcpStream, received: &AtomicU64) {
    let Ok(mut answers) = stream.try_clone() else { return };
    let mut requests = BufReader::with_capacity(1 << 16, stream);
    while let Some((path, body)) = read_request(&mut requests) {
        let answer = if path.ends_with("/batches") {
            let end = body.iter().position(|byte| *byte == b'\n').unwrap_or(body.len());
            let header: Value = serde_json::from_slice(&body[..end]).unwrap_or_default();
            let (from, to) = (header["start"].as_u64().unwrap_or(0), header["end"].as_u64().unwrap_or(0));
            received.fetch_add(to - from, Ordering::Relaxed);
            json!({ "offset": to })
        } else {
            json!({ "positions": [] })
        };
        let answer = answer.to_string();
        let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length:";
        // In one piece: the second of two small ones would wait for the acknowledgement of the first.
        let answer = format!("{head} {}\r\n\r\n{answer}", answer.len());
        if answers.write_all(answer.as_bytes()).is_err() {
            return;
        }
    }
}

/// Path and body of the next request of a connection; nothing at its end.
fn read_request(requests: &mut impl BufRead) -> Option<(String, Vec<u8>)> {
    let mut line = String::new();
    requests.read_line(&mut line).ok().filter(|length| *length > 0)?;
    let path = line.split_whitespace().nth(1)?.to_owned();
    let mut length = 0;
    loop {
        line.clear();
        requests.read_line(&mut line).ok()?;
        let header = line.trim_end().to_ascii_lowercase();
        if header.is_empty() {
            break;
        }
        if let Some(value) = header.strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    requests.read_exact(&mut body).ok()?;
    Some((path, body))
}
