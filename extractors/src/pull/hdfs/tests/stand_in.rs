//! A NameNode that answers as a test says.

use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

use super::{IMAGE, IMAGE_DIGEST, IMAGE_NAME};

/// What it says.
#[derive(Clone)]
pub(super) struct Said {
    /// `active`, `standby`.
    pub(super) state: &'static str,
    /// The status of its image service.
    pub(super) status: u16,
    /// Why, in its status line; nothing follows then.
    pub(super) phrase: Option<&'static str>,
    /// What `/jmx` says is the transaction of the newest image.
    pub(super) checkpoint: u64,
    /// The image's name.
    pub(super) name: String,
    /// Its MD5, as announced.
    pub(super) digest: String,
    /// How many of the image's bytes come, one number for each time it is asked for; the last for all later ones.
    pub(super) lengths: Vec<usize>,
}

impl Default for Said {
    fn default() -> Self {
        Self {
            state: "active",
            status: 200,
            phrase: None,
            checkpoint: 38,
            name: IMAGE_NAME.to_owned(),
            digest: IMAGE_DIGEST.to_owned(),
            lengths: vec![IMAGE.len()],
        }
    }
}

/// Stops when it is dropped.
pub(super) struct StandIn {
    pub(super) uri: String,
    asked: Arc<Mutex<Vec<String>>>,
    serving: JoinHandle<()>,
}

impl Drop for StandIn {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl StandIn {
    pub(super) async fn saying(said: Said) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let uri = format!("http://{}", listener.local_addr().unwrap());
        let asked: Arc<Mutex<Vec<String>>> = Arc::default();
        let noted = Arc::clone(&asked);
        let serving = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                answer(stream, &said, &noted).await;
            }
        });
        Self { uri, asked, serving }
    }

    /// How often it was asked for the image.
    pub(super) fn times_asked(&self) -> usize {
        self.asked.lock().unwrap().iter().filter(|path| path.starts_with("/imagetransfer")).count()
    }
}

async fn answer(mut stream: TcpStream, said: &Said, asked: &Mutex<Vec<String>>) {
    let mut request = vec![0; 4096];
    let Ok(length) = stream.read(&mut request).await else {
        return;
    };
    let request = String::from_utf8_lossy(&request[..length]).into_owned();
    let path = request.split(' ').nth(1).unwrap_or_default().to_owned();
    asked.lock().unwrap().push(path.clone());
    let reply = if path.ends_with("NameNodeStatus::State") {
        bean("State", &format!("\"{}\"", said.state))
    } else if path.ends_with("JournalTransactionInfo") {
        let text = format!("{{\\\"MostRecentCheckpointTxId\\\":\\\"{}\\\"}}", said.checkpoint);
        bean("JournalTransactionInfo", &format!("\"{text}\""))
    } else if path.ends_with("LastCheckpointTime") {
        bean("LastCheckpointTime", "1796071868994")
    } else if said.status == 200 {
        let times = asked.lock().unwrap().iter().filter(|path| path.starts_with("/imagetransfer")).count();
        let sent = said.lengths.get(times - 1).or(said.lengths.last()).copied().unwrap_or_default();
        let mut reply = format!(
            "HTTP/1.1 200 OK\r\nContent-Length: {}\r\nX-MD5-Digest: {}\r\nX-Image-Edits-Name: {}\r\nConnection: close\r\n\r\n",
            IMAGE.len(),
            said.digest,
            said.name
        )
        .into_bytes();
        reply.extend_from_slice(&IMAGE[..sent]);
        reply
    } else if let Some(phrase) = said.phrase {
        format!("HTTP/1.1 {} {phrase}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", said.status).into_bytes()
    } else {
        let text = "GetImage failed. java.io.IOException: something\n\tat org.apache";
        format!("HTTP/1.1 {} No\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{text}", said.status, text.len())
            .into_bytes()
    };
    // A client that went away is no failure of the stand-in.
    let _ = stream.write_all(&reply).await;
    let _ = stream.shutdown().await;
}

fn bean(name: &str, value: &str) -> Vec<u8> {
    let json = format!("{{\"beans\":[{{\"{name}\":{value}}}]}}");
    format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{json}", json.len()).into_bytes()
}
