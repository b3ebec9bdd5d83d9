//! Tells the server how the spools stand, for the people who watch it.
//!
//! Delivery does not depend on it: a server that does not know the request loses nothing.

use sextant_model::delivery::{MAX_REPORTED_SPOOLS, MAX_TROUBLE_BYTES, SpoolState, SpoolsReport};

use crate::config::SpoolConfig;
use crate::followed::Followed;

/// How every spool stands.
pub(crate) fn spool_states(spools: &[SpoolConfig], followed: &Followed) -> Vec<SpoolState> {
    let mut states: Vec<SpoolState> = spools
        .iter()
        .take(MAX_REPORTED_SPOOLS)
        .map(|spool| SpoolState {
            path: spool.pattern.as_str().to_owned(),
            format: spool.format.clone(),
            cluster: spool.cluster.clone(),
            files_known: 0,
            bytes_behind: 0,
            seconds_behind: 0,
            trouble: None,
        })
        .collect();
    for file in followed.files.values() {
        let Some(state) = states.get_mut(file.spool) else {
            continue;
        };
        if file.gone_since.is_none() {
            state.files_known += 1;
        }
        if file.is_readable() && !file.yields {
            state.bytes_behind = state.bytes_behind.saturating_add(file.unread());
            state.seconds_behind = state.seconds_behind.max(file.time_behind().as_secs());
        }
        if state.trouble.is_none() {
            state.trouble = file.trouble.as_ref().map(|trouble| cut(format!("{}: {trouble}", file.path.display())));
        }
    }
    states
}

/// The server takes no longer text.
fn cut(mut trouble: String) -> String {
    if trouble.len() > MAX_TROUBLE_BYTES {
        let end = trouble.floor_char_boundary(MAX_TROUBLE_BYTES - '…'.len_utf8());
        trouble.truncate(end);
        trouble.push('…');
    }
    trouble
}

/// The whole report.
pub(crate) fn report(
    agent: &str,
    host: &str,
    spools: &[SpoolConfig],
    followed: &Followed,
    stopped: bool,
) -> SpoolsReport {
    SpoolsReport {
        agent: agent.to_owned(),
        host: host.to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        spools: spool_states(spools, followed),
        stopped,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trouble_is_cut_to_what_the_server_takes() {
        assert_eq!(cut("denied".to_owned()), "denied");
        let long = cut("ü".repeat(MAX_TROUBLE_BYTES));
        assert!(long.len() <= MAX_TROUBLE_BYTES && long.ends_with("ü…"), "{long}");
    }
}
