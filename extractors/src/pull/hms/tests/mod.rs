//! Passes over a metastore: a real one where there is one, and stand-ins for what no real one can
//! be made to do.

mod failures;
mod passes;
mod real;
mod stand_in;
mod workbench;

use std::time::Duration;

use sextant_model::ObjectName;
use sextant_model::snapshot::{ObservedObject, PassProblem, PassStep, PassSummary};
use tokio::sync::mpsc;

use super::{HmsConfig, HmsExtractor};
use crate::pull::{ExtractError, PullExtractor};

/// Everything that a pass sent.
#[derive(Debug, Default)]
struct Shown {
    listed: Vec<ObjectName>,
    objects: Vec<ObservedObject>,
    problems: Vec<PassProblem>,
}

impl Shown {
    fn object(&self, name: &str) -> &ObservedObject {
        let found = self.objects.iter().find(|object| object.name.qualified() == name);
        found.unwrap_or_else(|| panic!("{name} is not shown"))
    }

    fn names(&self) -> Vec<String> {
        let mut names: Vec<_> = self.objects.iter().map(|object| object.name.qualified()).collect();
        names.sort_unstable();
        names
    }
}

async fn pass(extractor: &HmsExtractor) -> (Shown, Result<PassSummary, ExtractError>) {
    let (sender, mut steps) = mpsc::channel(4);
    let mut shown = Shown::default();
    let taking = async {
        while let Some(step) = steps.recv().await {
            match step {
                PassStep::Listed(names) => shown.listed.extend(names),
                PassStep::Objects(objects) => {
                    for object in objects {
                        assert!(shown.listed.contains(&object.name), "{} was not listed before", object.name);
                        shown.objects.push(object);
                    }
                }
                PassStep::Problem(problem) => shown.problems.push(problem),
            }
        }
    };
    let (summary, ()) = tokio::join!(extractor.pass(sender), taking);
    (shown, summary)
}

/// Does not wait long for what does not come.
fn impatient(uri: &str) -> HmsConfig {
    HmsConfig {
        uris: vec![uri.to_owned()],
        connect_timeout: Duration::from_secs(2),
        call_timeout: Duration::from_millis(300),
        retries: 1,
        ..HmsConfig::default()
    }
}
