//! From the agents' requests into the inbox. What is answered as kept is kept.

use sextant_model::delivery::{
    BatchHeader, Hello, MAX_HEADER_BYTES, MAX_REPORTED_SPOOLS, MAX_SPOOL_NAME_BYTES, MAX_SPOOL_PATH_BYTES, Positions,
    Receipt, SpoolsReport,
};
use sextant_store::{IncomingBatch, StoreError};

use crate::clock::now;
use crate::server::Server;

/// The longest name of a host, path, format, cluster, agent or generation of a batch.
const MAX_NAME_BYTES: usize = 4_096;

/// Why a batch is not kept.
#[derive(Debug)]
pub enum Refusal {
    /// Bytes before it are missing; the receipt says from where on.
    Ahead(Receipt),
    /// It is no batch.
    Unreadable(String),
    /// Not now: the server has enough to do, or too little room.
    Busy(String),
    /// There is no more room for records of a format that this server does not read.
    NoRoomForFormat(String),
    /// The store refuses.
    Store(StoreError),
}

/// An agent says hello and learns what is kept of its files.
pub fn greet(server: &Server, hello: &Hello) -> Result<Positions, StoreError> {
    server.store.hello(hello, now())?;
    Ok(Positions { positions: server.store.positions(&hello.agent)? })
}

/// An agent stops: it is not missed as one that is silent would be.
pub fn take_leave(server: &Server, agent: &str, host: &str) -> Result<(), StoreError> {
    tracing::info!(agent, host, "an agent stops");
    server.store.goodbye(agent, host, now())
}

/// Reads an agent's report; an error says what is wrong with it.
pub fn spools_report(body: &[u8]) -> Result<SpoolsReport, String> {
    let report: SpoolsReport =
        serde_json::from_slice(body).map_err(|error| format!("the report is not understood: {error}"))?;
    let spools = report.spools.len();
    if spools > MAX_REPORTED_SPOOLS {
        return Err(format!("the report is of {spools} spools, more than {MAX_REPORTED_SPOOLS}"));
    }
    let of_spools = report.spools.iter().flat_map(|spool| [&spool.format, &spool.cluster]);
    let own = [&report.agent, &report.host, &report.version];
    if own.into_iter().chain(of_spools).any(|name| name.len() > MAX_SPOOL_NAME_BYTES) {
        return Err(format!("a name in the report is longer than {MAX_SPOOL_NAME_BYTES} bytes"));
    }
    if report.spools.iter().any(|spool| spool.path.len() > MAX_SPOOL_PATH_BYTES) {
        return Err(format!("the path of a spool in the report is longer than {MAX_SPOOL_PATH_BYTES} bytes"));
    }
    if report.agent.is_empty() {
        return Err("agent must not be empty".to_owned());
    }
    Ok(report)
}

/// Keeps a batch and wakes the linker. A refusal is logged under what the agent logs it under, too.
pub fn receive(server: &Server, body: &[u8]) -> Result<Receipt, Refusal> {
    let (header, payload) = split(body).inspect_err(|refusal| {
        if let Refusal::Unreadable(reason) = refusal {
            tracing::warn!("a batch is refused: {reason}");
        }
    })?;
    if let Some(reason) = server.pushback.reason(server.linker.unlinked_bytes()) {
        return Err(Refusal::Busy(reason));
    }
    if server.formats.find(&header.format).is_none() {
        let waiting = server.linker.waiting_bytes();
        server.pushback.check_waiting(&header.format, waiting).map_err(Refusal::NoRoomForFormat)?;
    }
    let batch = IncomingBatch { header: &header, payload, received: now() };
    match server.store.receive(batch) {
        Ok(received) => {
            server.metrics.batch_received(payload.len() as u64);
            server.linker.arrived(received.new_bytes);
            Ok(Receipt { offset: received.offset })
        }
        Err(StoreError::Ahead { kept, .. }) => Err(Refusal::Ahead(Receipt { offset: kept })),
        Err(error) => {
            tracing::warn!(
                extractor = header.format,
                host = header.host,
                file = header.path,
                generation = header.generation.0,
                start = header.start,
                end = header.end,
                "a batch is not kept: {error}"
            );
            server.agents.refused(&header.agent, &format!("a batch of {}: {error}", header.path), now());
            Err(Refusal::Store(error))
        }
    }
}

fn split(body: &[u8]) -> Result<(BatchHeader, &[u8]), Refusal> {
    let head = &body[..body.len().min(MAX_HEADER_BYTES + 1)];
    let end = head.iter().position(|byte| *byte == b'\n').ok_or_else(|| {
        Refusal::Unreadable(format!("the batch has no header line of at most {MAX_HEADER_BYTES} bytes"))
    })?;
    let header: BatchHeader = serde_json::from_slice(&body[..end])
        .map_err(|error| Refusal::Unreadable(format!("the batch's header is not understood: {error}")))?;
    let names = [&header.agent, &header.host, &header.generation.0, &header.path, &header.format, &header.cluster];
    if names.iter().any(|name| name.len() > MAX_NAME_BYTES) {
        return Err(Refusal::Unreadable(format!("a name in the header is longer than {MAX_NAME_BYTES} bytes")));
    }
    if [&header.agent, &header.host, &header.generation.0, &header.cluster].iter().any(|name| name.is_empty()) {
        return Err(Refusal::Unreadable("agent, host, generation and cluster must not be empty".to_owned()));
    }
    if header.end < header.start {
        return Err(Refusal::Unreadable("the batch ends before it begins".to_owned()));
    }
    Ok((header, &body[end + 1..]))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn no_body_makes_it_fail(body in proptest::collection::vec(any::<u8>(), 0..300), header in "\\{.{0,200}\\}\n") {
            let _ = split(&body);
            let _ = split(header.as_bytes());
            let _ = spools_report(&body);
        }

        #[test]
        fn header_and_payload_are_told_apart(payload in proptest::collection::vec(any::<u8>(), 0..100), end in 0_u64..1000) {
            let header = BatchHeader {
                agent: "a".to_owned(),
                host: "h".to_owned(),
                generation: sextant_model::delivery::Generation("g".to_owned()),
                path: "/a\nb".to_owned(),
                format: "hive".to_owned(),
                cluster: "c".to_owned(),
                start: 0,
                end,
                skipped: None,
                last: false,
            };
            let mut body = serde_json::to_vec(&header).unwrap();
            body.push(b'\n');
            body.extend(&payload);
            let (read, rest) = split(&body).unwrap();
            prop_assert_eq!((read, rest), (header, payload.as_slice()));
        }
    }
}
