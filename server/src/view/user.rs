//! Who ran something.

use serde::Serialize;
use sextant_model::Viewer;
use sextant_model::operation::short_user;
use sextant_store::{Facts, OperationSummary, StoreError};
use utoipa::ToSchema;

/// Who ran something. Of nobody only `principal` is there, null.
#[derive(Debug, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UserAnswer {
    /// The short name.
    #[schema(required)]
    pub(super) principal: Option<String>,
    /// The name as logged.
    #[serde(skip_serializing_if = "Option::is_none")]
    principal_original: Option<String>,
    /// Whether it is a service whose end user nobody knows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) user_is_service: Option<bool>,
    /// What a service means, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    user_note: Option<String>,
}

/// The user of that name as the API shows it.
pub fn user(logged: Option<&str>) -> UserAnswer {
    let Some(logged) = logged.filter(|logged| !logged.is_empty()) else {
        return UserAnswer::default();
    };
    let (short, is_service) = short_user(logged);
    UserAnswer {
        principal: Some(short.to_owned()),
        principal_original: Some(logged.to_owned()),
        user_is_service: Some(is_service),
        user_note: is_service.then(|| "service, end user unknown".to_owned()),
    }
}

/// Who ran an operation, and on what.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunnersAnswer {
    /// Everybody who ran one of the runs that were looked at, the latest first.
    users: Vec<UserAnswer>,
    /// How many of the newest runs were looked at: fewer than `executions` when there may be more users.
    users_of_runs: u64,
    /// The execution engine of the newest run that tells it: `mr`, `tez`, `spark`.
    #[schema(required)]
    engine: Option<String>,
}

/// Who ran an operation, as its newest runs tell, at most `limit` of them.
pub fn runners(
    facts: &dyn Facts,
    viewer: &Viewer,
    operation: &OperationSummary,
    limit: u64,
) -> Result<RunnersAnswer, StoreError> {
    let runs = facts.executions_of(viewer, operation.operation.id, 0, limit)?;
    let mut names: Vec<&str> = Vec::new();
    for name in runs.iter().filter_map(|run| run.user.as_deref()) {
        if !name.is_empty() && !names.contains(&name) {
            names.push(name);
        }
    }
    Ok(RunnersAnswer {
        users: names.into_iter().map(|name| user(Some(name))).collect(),
        users_of_runs: runs.len() as u64,
        engine: runs.iter().find_map(|run| run.engine.clone()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_service_is_no_person() {
        let shown = super::super::json(user(Some("hive/node-1@REALM")));
        assert_eq!(shown["principal"], "hive");
        assert_eq!(shown["userIsService"], true);
        assert_eq!(shown["userNote"], "service, end user unknown");
        assert_eq!(super::super::json(user(None)), serde_json::json!({ "principal": null }));
    }
}
