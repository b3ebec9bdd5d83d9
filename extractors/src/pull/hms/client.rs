//! One connection to a metastore: one question at a time.

use std::fmt;
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::time::timeout;

use super::question::{Ask, NO_SUCH_OBJECT, Question};
use super::thrift::Value;
use super::thrift::message::{Reply, decode_reply, encode_call};
use super::thrift::transport::{Framing, ReceiveError, Transport};
use crate::pull::ExtractError;

const DEFAULT_PORT: u16 = 9083;

/// The address of a metastore.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Endpoint {
    /// A name or an address; an IPv6 address without brackets.
    host: String,
    port: u16,
}

impl Endpoint {
    /// Reads `thrift://host`, `thrift://host:port` or `thrift://[v6]:port`.
    pub(super) fn read(uri: &str) -> Result<Self, ExtractError> {
        let bad = |reason| ExtractError::BadUri { uri: uri.to_owned(), reason };
        let Some(authority) = uri.strip_prefix("thrift://") else {
            return Err(bad("it does not begin with `thrift://`"));
        };
        let authority = authority.trim_end_matches('/');
        let (host, port) = match authority.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            Some((host, "")) => (host, None),
            Some((host, port)) => (host, Some(port.strip_prefix(':').ok_or_else(|| bad("`:` expected after `]`"))?)),
            None => match authority.rsplit_once(':') {
                Some((host, port)) => (host, Some(port)),
                None => (authority, None),
            },
        };
        if host.is_empty() {
            return Err(bad("it names no host"));
        }
        if host.contains(['/', '@', '?', ' ']) {
            return Err(bad("its host cannot be read"));
        }
        let port = match port {
            Some(text) => text.parse().map_err(|_| bad("its port is not a number up to 65535"))?,
            None => DEFAULT_PORT,
        };
        Ok(Self { host: host.to_owned(), port })
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.host.contains(':') {
            write!(f, "thrift://[{}]:{}", self.host, self.port)
        } else {
            write!(f, "thrift://{}:{}", self.host, self.port)
        }
    }
}

/// How connections are made.
#[derive(Debug, Clone, Copy)]
pub(super) struct Dial {
    pub(super) framing: Framing,
    pub(super) connect_timeout: Duration,
    pub(super) call_timeout: Duration,
}

/// A connection. After an error for which [`ExtractError::is_transport`] holds it is of no more
/// use: an answer may still be under way.
#[derive(Debug)]
pub(super) struct Client {
    endpoint: Endpoint,
    transport: Transport<TcpStream>,
    call_timeout: Duration,
    sequence: i32,
    /// Methods that this metastore was found not to have.
    lacking: Vec<&'static str>,
}

impl Client {
    pub(super) async fn connect(endpoint: &Endpoint, dial: Dial) -> Result<Self, ExtractError> {
        let failed = |source| ExtractError::Connect { uri: endpoint.to_string(), source };
        let connecting = TcpStream::connect((endpoint.host.as_str(), endpoint.port));
        let stream = match timeout(dial.connect_timeout, connecting).await {
            Ok(connected) => connected.map_err(failed)?,
            Err(_) => return Err(failed(std::io::ErrorKind::TimedOut.into())),
        };
        stream.set_nodelay(true).map_err(failed)?;
        Ok(Self {
            endpoint: endpoint.clone(),
            transport: Transport::new(stream, dial.framing),
            call_timeout: dial.call_timeout,
            sequence: 0,
            lacking: Vec::new(),
        })
    }

    pub(super) fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// Puts the question in the newest form that the metastore understands. The answer is the
    /// method's result, as the question unwraps it.
    pub(super) async fn ask(&mut self, question: &Question) -> Result<Value, ExtractError> {
        for ask in question.forms() {
            if self.lacking.contains(&ask.method) {
                continue;
            }
            match self.call(ask).await {
                Err(ExtractError::UnknownMethod { method, .. }) => self.lacking.push(method),
                answered => return answered,
            }
        }
        Err(ExtractError::UnknownMethod { uri: self.endpoint.to_string(), method: question.method() })
    }

    async fn call(&mut self, ask: &Ask) -> Result<Value, ExtractError> {
        let uri = || self.endpoint.to_string();
        let method = ask.method;
        self.sequence = self.sequence.wrapping_add(1);
        let message = encode_call(method, self.sequence, &ask.arguments);
        let exchange = async {
            self.transport.send(&message).await?;
            self.transport.receive().await
        };
        let received = match timeout(self.call_timeout, exchange).await {
            Ok(Ok(bytes)) => bytes,
            Ok(Err(ReceiveError::Io(source))) => {
                return Err(ExtractError::Broken { uri: uri(), method, source });
            }
            Ok(Err(ReceiveError::Malformed(why))) => {
                return Err(ExtractError::Unreadable { uri: uri(), method, reason: why.to_string() });
            }
            Err(_) => {
                return Err(ExtractError::NoAnswer { uri: uri(), method, waited: self.call_timeout });
            }
        };
        let reply = decode_reply(&received, method, self.sequence).map_err(|why| ExtractError::Unreadable {
            uri: uri(),
            method,
            reason: why.to_string(),
        })?;
        match reply {
            Reply::Success(value) => value.and_then(ask.unwrap).ok_or_else(|| ExtractError::Unreadable {
                uri: uri(),
                method,
                reason: "its result is missing or of another type".to_owned(),
            }),
            Reply::UnknownMethod => Err(ExtractError::UnknownMethod { uri: uri(), method }),
            Reply::Failed { message } => Err(ExtractError::Failed { uri: uri(), method, message }),
            Reply::Declared { number, message } => Err(match ask.exception(number) {
                NO_SUCH_OBJECT => ExtractError::NoSuchObject { uri: uri(), message },
                exception => ExtractError::Refused { uri: uri(), method, exception, message },
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_and_shown() {
        let shown = |uri| Endpoint::read(uri).unwrap().to_string();
        assert_eq!(shown("thrift://metastore-1"), "thrift://metastore-1:9083");
        assert_eq!(shown("thrift://10.0.0.1:19083/"), "thrift://10.0.0.1:19083");
        assert_eq!(shown("thrift://[::1]:1"), "thrift://[::1]:1");
        assert_eq!(shown("thrift://[::1]"), "thrift://[::1]:9083");
        for bad in ["metastore:9083", "thrift://", "thrift://:9083", "thrift://h:99999", "thrift://h:", "thrift://a@b"]
        {
            assert!(Endpoint::read(bad).is_err(), "{bad}");
        }
    }
}
