//! When the server asks its agents to wait.
//!
//! Agents keep what they cannot deliver where it is, in the files of their hosts, and ask again.
//! So it is better to refuse than to fill the disk that linking needs as well.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::config::ServerSettings;

/// After how many seconds to try again: linking goes on meanwhile.
pub const RETRY_AFTER_SECONDS: u64 = 5;

/// The limits of what is taken in.
#[derive(Debug)]
pub struct Pushback {
    data_dir: PathBuf,
    max_unlinked_bytes: Option<u64>,
    min_free_bytes: Option<u64>,
    max_waiting_bytes: Option<u64>,
    /// Whether the last batch was refused, so that the log says it once.
    pushing_back: AtomicBool,
}

impl Pushback {
    /// The configured limits.
    pub fn of(settings: &ServerSettings) -> Self {
        Self {
            data_dir: settings.data_dir.clone(),
            max_unlinked_bytes: settings.max_unlinked,
            min_free_bytes: settings.min_free_disk,
            max_waiting_bytes: settings.max_waiting,
            pushing_back: AtomicBool::new(false),
        }
    }

    /// Why nothing can be taken in now, if that is so. Says so in the log when it begins and when
    /// it ends.
    pub fn reason(&self, unlinked_bytes: u64) -> Option<String> {
        let reason = self.present_reason(unlinked_bytes);
        let was_pushing_back = self.pushing_back.swap(reason.is_some(), Ordering::Relaxed);
        match &reason {
            Some(reason) if !was_pushing_back => tracing::warn!("agents are asked to wait: {reason}"),
            None if was_pushing_back => tracing::info!("agents are asked to wait no longer"),
            _ => {}
        }
        reason
    }

    /// The same without a word in the log.
    pub fn present_reason(&self, unlinked_bytes: u64) -> Option<String> {
        if let Some(most) = self.max_unlinked_bytes
            && unlinked_bytes > most
        {
            return Some(format!(
                "{unlinked_bytes} bytes wait to be linked, more than the {most} of [server] max_unlinked"
            ));
        }
        let least = self.min_free_bytes?;
        // Where the room cannot be asked for, a full disk is found when it is written to.
        let free = fs4::available_space(&self.data_dir).ok()?;
        (free < least).then(|| {
            format!(
                "the disk of {} has {free} bytes left, less than the {least} of [server] min_free_disk",
                self.data_dir.display()
            )
        })
    }

    /// Whether there is room for more records of a format that this server does not read; the
    /// error is a sentence.
    pub fn check_waiting(&self, format: &str, waiting_bytes: u64) -> Result<(), String> {
        match self.max_waiting_bytes {
            Some(most) if waiting_bytes >= most => Err(format!(
                "this server does not read the format {:?}, and {waiting_bytes} bytes wait for one that does, the most that \
                 [server] max_waiting allows",
                format.chars().take(80).collect::<String>()
            )),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pushback(change: impl FnOnce(&mut ServerSettings)) -> Pushback {
        let mut settings = ServerSettings { data_dir: std::env::temp_dir(), ..ServerSettings::default() };
        settings.min_free_disk = None;
        change(&mut settings);
        Pushback::of(&settings)
    }

    #[test]
    fn each_limit_has_its_sentence() {
        let long_queue = pushback(|settings| settings.max_unlinked = Some(100));
        assert_eq!(long_queue.reason(100), None);
        assert!(long_queue.reason(101).unwrap().contains("max_unlinked"));
        let full_disk = pushback(|settings| settings.min_free_disk = Some(u64::MAX));
        assert!(full_disk.reason(0).unwrap().contains("min_free_disk"));
        let unlimited = pushback(|settings| settings.max_unlinked = None);
        assert_eq!(unlimited.reason(u64::MAX), None);
    }

    #[test]
    fn what_waits_for_a_reader_is_bounded() {
        let bounded = pushback(|settings| settings.max_waiting = Some(10));
        assert_eq!(bounded.check_waiting("spark", 9), Ok(()));
        assert!(bounded.check_waiting("spark", 10).unwrap_err().contains("\"spark\""));
        assert_eq!(pushback(|settings| settings.max_waiting = None).check_waiting("spark", 10), Ok(()));
    }
}
