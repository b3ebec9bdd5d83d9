//! The web console as a browser is given it, whether or not it was built.

use reqwest::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE};

use crate::support::House;

#[tokio::test(flavor = "multi_thread")]
async fn every_address_but_the_apis_gives_the_console_under_a_strict_policy() {
    let house = House::with_metastore(&[]).await;
    for path in ["/", "/search?query=type:table", "/entity/db.t/lineage", "/no/such/page"] {
        let page = reqwest::get(house.url(path)).await.unwrap();
        assert_eq!(page.status().as_u16(), 200, "{path}");
        assert!(page.headers()[CONTENT_TYPE].to_str().unwrap().starts_with("text/html"), "{path}");
        assert_eq!(page.headers()[CACHE_CONTROL], "no-cache", "{path}");
        let policy = page.headers()[CONTENT_SECURITY_POLICY].to_str().unwrap().to_owned();
        assert!(policy.starts_with("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
        let text = page.text().await.unwrap();
        assert!(text.contains("Sextant"), "{path}: {text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_missing_below_the_api_or_the_assets_is_missing() {
    let house = House::with_metastore(&[]).await;
    for path in ["/api", "/api/v1/no-such-thing", "/assets/no-such-file.js"] {
        let answer = reqwest::get(house.url(path)).await.unwrap();
        assert_eq!(answer.status().as_u16(), 404, "{path}");
        assert!(answer.text().await.unwrap().contains("there is nothing at this address"), "{path}");
    }
    let answer = reqwest::Client::new().post(house.url("/search")).send().await.unwrap();
    assert_eq!(answer.status().as_u16(), 404);
}
