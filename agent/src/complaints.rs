//! Says what is wrong once, not at every look.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use crate::spool::Survey;

/// What is wrong with the spools at present.
#[derive(Debug, Default)]
pub(crate) struct Complaints {
    /// Per spool and path.
    standing: BTreeMap<(usize, PathBuf), String>,
    /// Spools whose compressed files were mentioned.
    mentioned: BTreeSet<usize>,
}

impl Complaints {
    /// Logs what a look found wrong that was not wrong at the look before, and what is right again.
    /// Gives back how many lines were logged.
    pub(crate) fn update(&mut self, spool: usize, survey: &Survey) -> usize {
        let mut found: BTreeMap<(usize, PathBuf), String> = BTreeMap::new();
        for trouble in &survey.troubles {
            found.insert((spool, trouble.path.clone()), trouble.what.clone());
        }
        for link in &survey.foreign_links {
            let what = "the link leads out of the spool directory and is not followed";
            found.insert((spool, link.clone()), what.to_owned());
        }
        let mut logged = 0;
        for (key, what) in &found {
            if self.standing.get(key) != Some(what) {
                tracing::warn!(path = %key.1.display(), "{what}");
                logged += 1;
            }
        }
        for key in self.standing.keys().filter(|key| key.0 == spool && !found.contains_key(*key)) {
            tracing::info!(path = %key.1.display(), "it can be looked at again");
            logged += 1;
        }
        self.standing.retain(|key, _| key.0 != spool);
        self.standing.extend(found);

        if let Some(first) = survey.compressed.first() {
            let is_first_mention = self.mentioned.insert(spool);
            if is_first_mention {
                tracing::warn!(first = %first.display(), files = survey.compressed.len(), "compressed copies are left alone");
                logged += 1;
            }
        }
        logged
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spool::Trouble;

    #[test]
    fn trouble_is_said_once_per_change() {
        let trouble = |what: &str| Survey {
            troubles: vec![Trouble { path: "/spool".into(), what: what.to_owned() }],
            compressed: vec!["/spool/x.gz".into()],
            ..Survey::default()
        };
        let mut complaints = Complaints::default();
        assert_eq!(complaints.update(0, &trouble("denied")), 2);
        assert_eq!(complaints.update(0, &trouble("denied")), 0);
        assert_eq!(complaints.update(1, &Survey::default()), 0);
        assert_eq!(complaints.update(0, &trouble("broken")), 1);
        assert_eq!(complaints.update(0, &Survey::default()), 1);
        assert_eq!(complaints.update(0, &Survey::default()), 0);
    }
}
