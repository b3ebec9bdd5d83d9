//! Which NameNode is asked, and what comes of its answers.

use sextant_model::Timestamp;
use sextant_model::namespace::IdentityMode;

use super::stand_in::{Said, StandIn};
use super::*;

fn applied(transaction: u64) -> NamespaceStamp {
    NamespaceStamp {
        namespace_id: None,
        transaction: Some(transaction),
        taken: Timestamp::from_seconds(1),
        identity: IdentityMode::Inode,
        origin: String::new(),
    }
}

async fn visit(
    config: ImageConfig,
    before: Option<NamespaceStamp>,
) -> (Shown, Result<NamespaceSummary, NamespaceError>) {
    let kept_as = config.kept_as.clone();
    let ended = pass(config, before, WantedFiles::None).await;
    assert!(!kept_as.exists(), "the image is gone after the pass");
    ended
}

#[tokio::test]
async fn the_image_of_a_single_namenode_is_fetched_and_shown() {
    let directory = tempfile::tempdir().unwrap();
    let namenode = StandIn::saying(Said::default()).await;
    let (shown, ended) = visit(config(&namenode.uri, directory.path()), Some(applied(37))).await;
    ended.unwrap();
    assert_eq!((shown.paths.len(), shown.problems.len()), (9, 0));
    let stamp = shown.stamp.unwrap();
    assert_eq!(stamp.taken, Timestamp::from_millis(1_796_071_868_994));
    assert_eq!(stamp.origin, namenode.uri);
}

#[tokio::test]
async fn an_image_that_was_applied_before_is_not_asked_for() {
    let directory = tempfile::tempdir().unwrap();
    let namenode = StandIn::saying(Said::default()).await;
    let (shown, ended) = visit(config(&namenode.uri, directory.path()), Some(applied(38))).await;
    assert!(ended.unwrap().unchanged && shown.stamp.is_none());
    assert_eq!(namenode.times_asked(), 0);
    let (_, ended) = visit(config(&namenode.uri, directory.path()), Some(applied(39))).await;
    assert!(matches!(ended, Err(NamespaceError::Older { found: 38, applied: 39, .. })));
    // A NameNode that does not tell is asked, and the name of its image looked at before the bytes.
    let silent = StandIn::saying(Said { checkpoint: 40, ..Said::default() }).await;
    let (_, ended) = visit(config(&silent.uri, directory.path()), Some(applied(38))).await;
    assert!(ended.unwrap().unchanged);
    assert_eq!(silent.times_asked(), 1);
}

#[tokio::test]
async fn a_standby_is_asked_and_the_active_namenode_only_when_that_is_allowed() {
    let directory = tempfile::tempdir().unwrap();
    let active = StandIn::saying(Said::default()).await;
    let standby = StandIn::saying(Said { state: "standby", ..Said::default() }).await;
    let both = format!("{},{}", active.uri, standby.uri);
    let (shown, ended) = visit(config(&both, directory.path()), None).await;
    ended.unwrap();
    assert_eq!(shown.stamp.unwrap().origin, standby.uri);
    assert_eq!(active.times_asked(), 0);

    let failing = StandIn::saying(Said { state: "standby", status: 403, ..Said::default() }).await;
    let both = format!("{},{}", failing.uri, active.uri);
    let (_, ended) = visit(config(&both, directory.path()), None).await;
    let words = ended.unwrap_err().in_words();
    assert!(words.contains("`allow_active = true`") && words.contains("`dfs.cluster.administrators`"), "{words}");
    let allowed = ImageConfig { allow_active: true, ..config(&both, directory.path()) };
    let (shown, ended) = visit(allowed, None).await;
    ended.unwrap();
    assert_eq!(shown.stamp.unwrap().origin, active.uri);
}

#[tokio::test]
async fn a_transfer_that_broke_off_is_repeated_from_the_start() {
    let directory = tempfile::tempdir().unwrap();
    let namenode = StandIn::saying(Said { lengths: vec![500, IMAGE.len()], ..Said::default() }).await;
    let once = config(&namenode.uri, directory.path());
    let (shown, ended) = visit(ImageConfig { retries: 1, ..once.clone() }, None).await;
    ended.unwrap();
    assert_eq!((shown.paths.len(), namenode.times_asked()), (9, 2));
    let cut = StandIn::saying(Said { lengths: vec![500], ..Said::default() }).await;
    let (shown, ended) = visit(config(&cut.uri, directory.path()), None).await;
    assert!(ended.is_err() && shown.stamp.is_none());
}

#[tokio::test]
async fn bytes_that_do_not_fit_their_md5_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let digest = "0".repeat(32);
    let namenode = StandIn::saying(Said { digest, ..Said::default() }).await;
    let (shown, ended) = visit(config(&namenode.uri, directory.path()), None).await;
    assert!(matches!(ended, Err(NamespaceError::WrongDigest { .. })) && shown.stamp.is_none());
}

#[tokio::test]
async fn an_image_that_cannot_be_used_is_not_fetched_again_by_itself() {
    let directory = tempfile::tempdir().unwrap();
    let namenode = StandIn::saying(Said { digest: "0".repeat(32), ..Said::default() }).await;
    let config = config(&namenode.uri, directory.path());
    let (_, ended) = visit(config.clone(), None).await;
    let first = ended.unwrap_err().in_words();
    config.refused.pass_ended(Some(&first));
    for _ in 0..2 {
        let (_, ended) = visit(config.clone(), None).await;
        let again = ended.unwrap_err().in_words();
        assert!(again.starts_with(&format!("{first} (")), "{again}");
        config.refused.pass_ended(Some(&again));
    }
    assert_eq!(namenode.times_asked(), 1);
    config.refused.check(&namenode.uri, Some(IMAGE_TRANSACTION + 1)).unwrap();
    config.refused.forget();
    let (_, ended) = visit(config, None).await;
    assert!(matches!(ended, Err(NamespaceError::WrongDigest { .. })));
    assert_eq!(namenode.times_asked(), 2);
}

#[tokio::test]
async fn refusals_are_said_in_words() {
    let directory = tempfile::tempdir().unwrap();
    for (status, words) in [(401, "Kerberos"), (403, "`dfs.cluster.administrators`"), (410, "something"), (404, "HTTP")]
    {
        let namenode = StandIn::saying(Said { status, ..Said::default() }).await;
        let (_, ended) = visit(config(&namenode.uri, directory.path()), None).await;
        let said = ended.unwrap_err().in_words();
        assert!(said.contains(words), "{status}: {said}");
    }
    // As Hadoop 3.5.0 says it.
    for (phrase, words) in [
        ("GetImage failed. java.io.IOException: no room?\tat org.apache", "java.io.IOException: no room"),
        (
            "GetImage failed. java.lang.NullPointerException: Cannot invoke \"java.security.Principal.getName()\" \
             because it is null?\tat org.apache.hadoop.hdfs.server.namenode.ImageServlet.validateRequest(Image",
            "demands a login by Kerberos",
        ),
    ] {
        let namenode = StandIn::saying(Said { status: 410, phrase: Some(phrase), ..Said::default() }).await;
        let (_, ended) = visit(config(&namenode.uri, directory.path()), None).await;
        let said = ended.unwrap_err().in_words();
        assert!(said.contains(words), "{said}");
    }
    let (_, ended) = visit(config("http://127.0.0.1:1", directory.path()), None).await;
    assert!(ended.unwrap_err().in_words().contains("cannot be reached"));
}
