//! What is seen: counts that AMQP does not have, default queue types, many objects, few rights.

use delayctl::broker::Broker;
use delayctl::objects::{Objects, Queue};
use delayctl::plan::{self, Action, Seen};
use serde_json::json;

use crate::stage::{Stage, here, skip, stage};

#[test]
fn messages_that_amqp_does_not_count() {
    // Dead letters that are routed nowhere stay where they are, and only the API tells.
    let stage = stage!(
        "
exchanges: { nowhere: direct }
queues:
  stuck: { type: quorum, message_ttl: 100ms, overflow: reject-publish, dead_letter: { exchange: nowhere, strategy: at-least-once } }
  plain: { type: classic }"
    );
    stage.run("declare", &[]).expect(0);
    stage.send("stuck");
    stage.send("plain");
    let ended =
        stage.run_until("inspect", &["-o", "json"], |ended| ended.json()[1]["dead_lettering"] == 1);
    let rows = ended.json();
    assert_eq!(rows[1]["ready"], 0);
    assert_eq!((&rows[2]["name"], &rows[2]["ready"]), (&json!("plain"), &json!(1)));
    let table = stage.run("inspect", &[]).expect(0).stdout;
    assert!(table.lines().next().unwrap().contains("dead-lettering"), "{table}");
    // AMQP alone would call it empty.
    let ended = stage.run("delete", &["--yes"]).expect(1);
    let ended = ended.shows("1 being dead-lettered");
    ended.says("2 of the queues are not empty, and were kept");
}

#[test]
fn messages_that_wait_in_the_plugin() {
    let stage = stage!(
        "
queues: { done: { type: classic } }
delays: { plugin: { target: { queue: done }, delayed_exchange: { exchange: later } } }"
    );
    let (_, overview) = stage.get("/overview");
    let types = overview["exchange_types"].as_array().unwrap();
    if !types.iter().any(|it| it["name"] == "x-delayed-message") {
        return skip(here!(), "this broker has no x-delayed-message");
    }
    stage.run("declare", &[]).expect(0);
    stage.run("publish", &["--delay", "1h", "--count", "3"]).expect(0);
    let ended =
        stage.run_until("inspect", &["-o", "json"], |ended| ended.json()[0]["delayed"] == 3);
    assert_eq!(ended.json()[0]["name"], "later");
}

#[test]
fn a_default_queue_type_is_no_difference() {
    let text = "queues: { untyped: {}, typed: { type: classic } }";
    let Some(stage) = Stage::bare(here!(), text) else { return };
    let body = json!({ "default_queue_type": "quorum", "defaultqueuetype": "quorum" });
    stage.put(&format!("/vhosts/{}", stage.escaped()), &body);
    stage.run("declare", &[]).expect(0).says("2 created");
    let (_, untyped) = stage.get(&stage.in_vhost("queues", "untyped"));
    assert_eq!(untyped["type"], "quorum");
    stage.run("declare", &[]).expect(0).says("nothing changed");
    stage.run("inspect", &["--check", "--strict"]).expect(0);
    stage.rewrite("queues: { untyped: { type: classic }, typed: {} }");
    let ended = stage.run("inspect", &["--check"]).expect(1);
    let mut lines: Vec<_> = ended.stdout.lines().collect();
    lines.sort_unstable();
    assert_eq!(
        lines,
        [
            "differs: queue `typed`: x-queue-type: wanted none, found \"classic\" (string)",
            "differs: queue `untyped`: x-queue-type: wanted \"classic\" (string), found \"quorum\" (string)",
        ]
    );
}

#[test]
fn a_user_who_is_no_administrator_sees_enough() {
    let stage = stage!(
        "queues: { q: { max_length: 5 } }\npolicies: { p: { pattern: q, definition: { max-length: 3 } } }"
    );
    stage.run("declare", &[]).expect(0);
    let users = [("mgmt", "management"), ("none", "")];
    let user = |name: &str| format!("delayctl-{}-{name}", std::process::id());
    for (name, tags) in users {
        let path = format!("/users/{}", user(name));
        stage.put(&path, &json!({ "password": "s3cret", "tags": tags }));
        let all = json!({ "configure": ".*", "write": ".*", "read": ".*" });
        stage.put(&stage.in_vhost("permissions", &user(name)), &all);
    }
    let as_user = |name: &str| {
        let mut uri = url::Url::parse(&stage.uri).unwrap();
        uri.set_username(&user(name)).unwrap();
        uri.set_password(Some("s3cret")).unwrap();
        uri.to_string()
    };
    // No tag: AMQP carries on. The API's URL has its own user, so it is taken out.
    let mut api = url::Url::parse(&stage.api).unwrap();
    api.set_username("").unwrap();
    api.set_password(None).unwrap();
    let run = |name: &str, command: &str, more: &[&str]| {
        let uri = as_user(name);
        let arguments = ["--uri", &uri, "--management-url", api.as_str()];
        stage.run(command, &[&arguments[..], more].concat()).keeps("s3cret")
    };
    let ended = run("none", "inspect", &["--check"]).expect(0);
    let name = user("none");
    let words = format!(
        "warning: saw names only, not arguments or bindings: the management API does not let user \
         `{name}` see the overview: `Not management user`"
    );
    ended.says(&words);
    assert_eq!(run("mgmt", "inspect", &["--check", "--strict"]).expect(0).stderr, "");
    run("mgmt", "declare", &["--dry-run"]).expect(0).shows("2 as wanted");
    stage.rewrite("queues: { q: { max_length: 5 } }\npolicies: { p: { pattern: q, definition: { max-length: 4 } } }");
    run("mgmt", "declare", &[]).expect(77).says("does not let user");
    let _ = users.map(|(name, _)| stage.drop_it(&format!("/users/{}", user(name))));
}

#[tokio::test(flavor = "multi_thread")]
async fn more_queues_than_one_page() {
    let stage =
        tokio::task::spawn_blocking(|| Stage::new("more_queues_than_one_page", "queues: {}"));
    let Some(stage) = stage.await.unwrap() else { return };
    let settings = stage.settings();
    let mut objects = Objects::default();
    for number in 0..620 {
        let queue = Queue::default().with("x-queue-type", "classic").with("x-number", number);
        objects.add_queue(&format!("q{number}"), queue).unwrap();
    }
    objects.add_queue("..", Queue::default().with("x-queue-type", "classic")).unwrap();
    let mut broker = Broker::connect(&settings).await.unwrap();
    let before = broker.observe(&objects).await.unwrap();
    assert!(before.gaps.is_empty(), "{:?}", before.gaps);
    let plan = plan::plan(&objects, &before);
    assert_eq!(plan.count(|it| *it == Action::Create), 621);
    assert!(broker.apply(&plan, |_, _| {}).await.is_good());
    let after = broker.observe_live(&objects).await.unwrap();
    assert!(after.gaps.is_empty(), "{:?}", after.gaps);
    assert_eq!(plan::plan(&objects, &after).count(|it| *it == Action::Keep), 621);
    assert!(matches!(after.queues[".."], Seen::Known(_)));
    assert_eq!(after.live.len(), 621);
    assert!(after.live.values().all(|live| live.ready == Some(0) && live.consumers == Some(0)));
    broker.close().await;
    tokio::task::spawn_blocking(move || drop(stage)).await.unwrap();
}
