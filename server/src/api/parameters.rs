//! Query parameters, refused with a reason.

use std::fmt;
use std::ops::RangeInclusive;

use axum::extract::rejection::QueryRejection;
use axum::extract::{FromRequestParts, Query};
use axum::http::request::Parts;
use serde::de::{DeserializeOwned, Deserializer, Visitor};

use sextant_model::Timestamp;

use super::ApiError;

/// The query parameters of a request.
pub(crate) struct Parameters<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Parameters<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        match Query::<T>::from_request_parts(parts, state).await {
            Ok(Query(parameters)) => Ok(Self(parameters)),
            Err(QueryRejection::FailedToDeserializeQueryString(reason)) => {
                Err(ApiError::bad_request(format!("the parameters are wrong: {}", deepest(&reason))))
            }
            Err(reason) => Err(ApiError::bad_request(format!("the parameters are wrong: {reason}"))),
        }
    }
}

/// The number of a parameter, if it is allowed.
pub(super) fn number_within(parameter: &str, number: u64, allowed: RangeInclusive<u64>) -> Result<u64, ApiError> {
    if allowed.contains(&number) {
        return Ok(number);
    }
    let (least, most) = (allowed.start(), allowed.end());
    Err(ApiError::bad_request(format!("{parameter} is a number from {least} to {most} (found {number})")))
}

/// The time of a parameter.
pub(super) fn time(parameter: &str, text: Option<&str>) -> Result<Option<Timestamp>, ApiError> {
    let Some(text) = text else {
        return Ok(None);
    };
    let time = Timestamp::parse(text).ok_or_else(|| {
        ApiError::bad_request(format!("{parameter} is a time such as 2026-11-30T12:00:00Z or 2026-11-30"))
    })?;
    Ok(Some(time))
}

/// The innermost reason says which parameter it is.
fn deepest(error: &dyn std::error::Error) -> String {
    let mut error = error;
    while let Some(source) = error.source() {
        error = source;
    }
    error.to_string()
}

/// A switch: `true`, `false`, `1`, `0`, or nothing, which means true (`?deleted`).
pub(crate) fn switch<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    struct Switch;
    impl Visitor<'_> for Switch {
        type Value = bool;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("true or false")
        }

        fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<bool, E> {
            match text {
                "" | "true" | "1" => Ok(true),
                "false" | "0" => Ok(false),
                _ => Err(E::invalid_value(serde::de::Unexpected::Str(text), &self)),
            }
        }
    }
    deserializer.deserialize_str(Switch)
}
