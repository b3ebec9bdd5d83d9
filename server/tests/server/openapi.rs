//! The committed description of the API, `docs/openapi.json`.

use std::path::PathBuf;

use crate::support::House;

/// After a change of the API: `SEXTANT_WRITE_OPENAPI=1 cargo test -p sextant openapi`.
#[test]
fn the_committed_description_is_the_real_one() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../docs/openapi.json");
    let real = serde_json::to_string_pretty(&sextant::api::description()).unwrap() + "\n";
    if std::env::var_os("SEXTANT_WRITE_OPENAPI").is_some() {
        std::fs::write(&path, &real).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == real, "docs/openapi.json is old: SEXTANT_WRITE_OPENAPI=1 cargo test -p sextant openapi");
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_that_is_described_is_there() {
    let house = House::with_metastore(&[]).await;
    let described = house.answer("/api/openapi.json").await;
    let mut operation_ids = std::collections::HashSet::new();
    for (path, methods) in described["paths"].as_object().unwrap() {
        let concrete = path.replace("{name}", "nothing").replace("{id}", "00000000000000000000000000000000");
        for (method, operation) in methods.as_object().unwrap() {
            assert!(operation_ids.insert(operation["operationId"].to_string()), "{method} {path} has another's id");
            let method = reqwest::Method::from_bytes(method.to_uppercase().as_bytes()).unwrap();
            let request = reqwest::Client::new().request(method.clone(), house.url(&concrete));
            let response = request.send().await.unwrap();
            let status = response.status();
            let text = response.text().await.unwrap();
            assert!(!status.is_server_error(), "{method} {path}: {status} {text}");
            assert!(!text.contains("there is nothing at this address"), "{method} {path}: {text}");
        }
    }
}
