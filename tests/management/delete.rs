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
