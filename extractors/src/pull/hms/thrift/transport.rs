//! Whole messages over a byte stream.
//!
//! A SASL session would be one more [`Framing`]: it too wraps each message in frames with a
//! length in front, after a negotiation on the bare stream.

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use super::boundary::Boundary;
use super::{MAX_MESSAGE_BYTES, Malformed};

/// How messages are told apart on the stream. Both ends must agree; nothing on the wire says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Framing {
    /// Messages follow each other bare (the metastore's default).
    Buffered,
    /// Each message has its length in front (`hive.metastore.thrift.framed.transport.enabled`).
    Framed,
}

/// Why no message came.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReceiveError {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error(transparent)]
    Malformed(#[from] Malformed),
}

/// Sends and receives messages. After an error the stream is of no more use.
#[derive(Debug)]
pub(crate) struct Transport<S> {
    stream: S,
    framing: Framing,
    /// Bytes that have arrived and are not yet part of a message that was handed out.
    arrived: Vec<u8>,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Transport<S> {
    pub(crate) fn new(stream: S, framing: Framing) -> Self {
        Self { stream, framing, arrived: Vec::new() }
    }

    /// Sends one message.
    pub(crate) async fn send(&mut self, message: &[u8]) -> io::Result<()> {
        match self.framing {
            Framing::Buffered => self.stream.write_all(message).await?,
            Framing::Framed => {
                // In one write: two small packets would wait for each other.
                let mut frame = Vec::with_capacity(4 + message.len());
                frame.extend((message.len() as u32).to_be_bytes());
                frame.extend(message);
                self.stream.write_all(&frame).await?;
            }
        }
        self.stream.flush().await
    }

    /// Receives one message.
    pub(crate) async fn receive(&mut self) -> Result<Vec<u8>, ReceiveError> {
        match self.framing {
            Framing::Buffered => self.receive_bare().await,
            Framing::Framed => self.receive_frame().await,
        }
    }

    async fn receive_bare(&mut self) -> Result<Vec<u8>, ReceiveError> {
        let mut boundary = Boundary::new();
        loop {
            if let Some(length) = boundary.find(&self.arrived)? {
                let behind = self.arrived.split_off(length);
                return Ok(std::mem::replace(&mut self.arrived, behind));
            }
            self.read_more().await?;
        }
    }

    async fn receive_frame(&mut self) -> Result<Vec<u8>, ReceiveError> {
        while self.arrived.len() < 4 {
            self.read_more().await?;
        }
        let head = self.arrived.first_chunk::<4>().expect("the loop above waits for four bytes");
        let length = u32::from_be_bytes(*head) as usize;
        if length > MAX_MESSAGE_BYTES {
            return Err(Malformed::Length(length as i64).into());
        }
        // The buffer grows with what arrives, not with what the length promises.
        while self.arrived.len() < 4 + length {
            self.read_more().await?;
        }
        let behind = self.arrived.split_off(4 + length);
        let mut frame = std::mem::replace(&mut self.arrived, behind);
        frame.drain(..4);
        Ok(frame)
    }

    async fn read_more(&mut self) -> io::Result<()> {
        self.arrived.reserve(64 << 10);
        if self.stream.read_buf(&mut self.arrived).await? == 0 {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the connection was closed"));
        }
        Ok(())
    }
}
