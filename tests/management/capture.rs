//! `export` and `capture`: what a file declares becomes definitions that a broker imports, and what
//! a vhost holds becomes a file that declares it again.

use serde_json::{Value as Json, json};

use crate::stage::stage;

const FILE: &str = r##"
exchanges:
  in: direct
  events: { type: topic, internal: true, alternate: in }
  headers: { type: headers, arguments: { x-own: [1, 1.5, "1", true, { deep: [] }] } }
queues:
  done: { type: quorum, delivery_limit: 5, dead_letter: { exchange: in, routing_key: dead } }
  dead: { type: classic, max_length: 1000, expires: 1d, arguments: { x-own: "10000" } }
  "odd name: #%&?/ 注": { type: classic }
bindings:
  - { source: in, queue: done, routing_key: due }
  - { source: in, queue: dead, routing_key: dead }
  - { source: events, exchange: in, routing_key: "order.#" }
  - { source: headers, queue: done, arguments: { x-match: any, region: eu, size: 3 } }
  - { source: amq.topic, queue: "odd name: #%&?/ 注", routing_key: "" }
policies:
  limits: { pattern: "^dead$", apply_to: queues, priority: 3, definition: { max-length: 500 } }
delays:
  wait: { target: { exchange: in, routing_key: due }, tiers: { delays: [5s, 1h], max_length: 9 } }
  any: { target: { queue: done }, ladder: { max: 9s, radix: 4, queue_type: classic } }
"##;

#[test]
fn definitions_are_imported_and_nothing_drifts() {
    let stage = stage!(FILE);
    let definitions = stage.run("export", &[]).expect(0).json();
    for path in [format!("/definitions/{}", stage.escaped()), "/definitions".to_owned()] {
        // The second time everything is there already.
        stage.post(&path, &definitions);
        let ended = stage.run("inspect", &["--check", "--strict"]).expect(0);
        assert_eq!(ended.stdout, "");
    }
}

#[test]
fn what_is_captured_changes_nothing() {
    let stage = stage!(FILE);
    stage.run("declare", &[]).expect(0);
    let captured = stage.run_alone("capture", &[]).expect(0).says("`any` (ladder), `wait` (tiers)");
    stage.rewrite(&captured.stdout);
    let ended = stage.run("inspect", &["--check", "--strict"]).expect(0);
    assert_eq!(ended.stdout, "", "{}", captured.stdout);
    let plan = stage.run("declare", &["--dry-run"]).expect(0).stdout;
    let changes = ['+', '.', '~', '*', '!'];
    let changed: Vec<_> = plan.lines().filter(|line| line.starts_with(changes)).collect();
    assert!(plan.contains("\n= ") && changed.is_empty(), "{plan}");
    // A second look says the very same.
    assert_eq!(stage.run_alone("capture", &[]).expect(0).stdout, captured.stdout);
}

#[test]
fn an_export_of_a_whole_cluster_is_captured() {
    // RabbitMQ 4.3 leaves internal exchanges out of its exports.
    let stage = stage!(&FILE.replace("internal: true, ", ""));
    stage.run("declare", &[]).expect(0);
    let live = stage.run_alone("capture", &[]).expect(0);
    let (status, all): (u16, Json) = stage.get("/definitions");
    assert_eq!(status, 200);
    stage.rewrite(&all.to_string());
    let from_file = stage.run_alone("capture", &["--from", stage.path()]).expect(0);
    assert_eq!(from_file.stdout, live.stdout);
    assert!(!from_file.stdout.contains("password") && !from_file.stdout.contains("hash"));
}

#[test]
fn a_vhost_that_is_not_there() {
    let Some(stage) = crate::stage::Stage::bare("a_vhost_that_is_not_there", "") else { return };
    let ended = stage.run_alone("capture", &[]).expect(77);
    assert_eq!(ended.stdout, "");
    stage.put(&format!("/vhosts/{}", stage.escaped()), &json!({}));
    let empty = stage.run_alone("capture", &[]).expect(0);
    assert!(empty.stdout.starts_with("vhost: "), "{empty}");
}
