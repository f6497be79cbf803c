//! `delete`: what the file declares, and no message with it.

use serde_json::json;

use crate::stage::stage;

const FILE: &str = "
exchanges: { in: direct, dead: direct, aside: fanout }
queues:
  wait: { type: quorum, message_ttl: 1h, dead_letter: { exchange: dead, routing_key: k } }
  done: { type: classic }
  other: {}
bindings:
  - { source: in, queue: wait, routing_key: w }
  - { source: dead, queue: done, routing_key: k }
  - { source: amq.topic, queue: other, routing_key: '#' }
policies:
  limits: { pattern: ^wait$, apply_to: queues, definition: { max-length: 5 } }
";

#[test]
fn all_that_the_file_declares_and_nothing_else() {
    let stage = stage!(FILE);
    stage.run("declare", &[]).expect(0);
    stage.queue("not-mine", json!({}));
    let dry = stage.run("delete", &["--dry-run"]).expect(0);
    let dry = dry.says("7 to delete\n");
    assert_eq!(dry.stdout.matches("to delete").count(), 7, "{dry}");
    assert_eq!(stage.get(&stage.in_vhost("queues", "wait")).0, 200);
    let unasked = stage.run("delete", &[]).expect(2);
    unasked.says("there is no terminal to ask at").says("hint: say `--yes`");
    stage.run("delete", &["--yes"]).expect(0).says("7 deleted\n");
    let (_, queues) = stage.get(&format!("/queues/{}?disable_stats=true", stage.escaped()));
    assert_eq!(queues.as_array().unwrap().len(), 1, "{queues}");
    let (_, policies) = stage.get(&format!("/policies/{}", stage.escaped()));
    assert_eq!(policies, json!([]));
    assert_eq!(stage.get(&stage.in_vhost("exchanges", "amq.topic")).0, 200);
    stage.run("delete", &["--yes"]).expect(0).says("7 not there\n");
}

#[test]
fn what_holds_messages_stays_with_all_that_they_need() {
    let stage = stage!(FILE);
    stage.run("declare", &[]).expect(0);
    stage.send("wait");
    let ended = stage.run("delete", &["--yes", "-o", "json"]).expect(1);
    let rows = ended.json();
    let outcome = |name: &str| {
        let row = rows.as_array().unwrap().iter().find(|row| row["name"] == name).unwrap();
        let text = |field: &str| row[field].as_str().unwrap_or_default().to_owned();
        (text("outcome"), text("detail"))
    };
    let needed = ("KEPT".to_owned(), "what queue `wait` holds will come here".to_owned());
    assert_eq!(outcome("wait"), ("KEPT".to_owned(), "1 ready".to_owned()));
    assert_eq!(
        [outcome("dead"), outcome("done"), outcome("limits")],
        [needed.clone(), needed.clone(), needed]
    );
    for name in ["other", "in", "aside"] {
        assert_eq!(outcome(name), ("deleted".to_owned(), String::new()), "{name}");
    }
    ended.says("3 deleted, 4 kept").says("1 of the queues are not empty, and were kept");
    let forced = stage.run("delete", &["--yes", "--force"]).expect(0);
    forced.shows("with 1 messages").says("4 deleted, 3 not there");
}

#[test]
fn what_another_file_declares_too_is_left() {
    let old = "
exchanges: { in: direct }
queues: { shared: { type: classic }, old: { type: classic } }
bindings:
  - { source: in, queue: shared, routing_key: s }
  - { source: amq.topic, queue: shared, routing_key: old }
  - { source: amq.topic, queue: shared, routing_key: both }";
    let new = "
queues: { shared: { type: classic } }
bindings: [ { source: amq.topic, queue: shared, routing_key: both } ]";
    let stage = stage!(old);
    stage.run("declare", &[]).expect(0);
    stage.send("shared");
    let kept = format!("{}.new", stage.path());
    std::fs::write(&kept, new).unwrap();
    let ended = stage.run("delete", &["--yes", "--keep", &kept]).expect(0);
    std::fs::remove_file(&kept).unwrap();
    ended.shows("amq.topic → queue `shared`").says("3 deleted, 1 spared\n");
    let (_, bindings) = stage.get(&stage.in_vhost("queues", "shared/bindings"));
    let keys: Vec<_> = bindings.as_array().unwrap().iter().map(|it| &it["routing_key"]).collect();
    assert_eq!(keys, ["shared", "both"]);
    assert_eq!(stage.get(&stage.in_vhost("queues", "old")).0, 404);
}

#[test]
fn nothing_goes_before_all_is_empty() {
    let stage = stage!("queues: { full: { type: classic }, empty: { type: classic } }");
    stage.run("declare", &[]).expect(0);
    stage.send("full");
    let ended = stage.run("delete", &["--yes", "--wait-empty", "2s"]).expect(1);
    ended.says("waiting for messages to leave: queue `full`: 1 ready").says("1 to delete, 1 kept");
    assert_eq!(stage.get(&stage.in_vhost("queues", "empty")).0, 200);
    let mut deleting = stage.start("delete", &["--yes", "--wait-empty", "1m"]);
    deleting.wait_for("waiting for messages to leave");
    stage.run("consume", &["--queue", "full", "-n", "1"]).expect(0);
    deleting.end().expect(0).says("2 deleted\n");
}
