//! Every strategy delivers a mixed batch: each message once, none early, and soon.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::scene::{Scene, needs_plugin, scene};

/// What a delivery shows in `consume -o json`, as far as the tests ask.
pub fn number(delivery: &Value, field: &str) -> f64 {
    delivery[field].as_f64().unwrap_or_else(|| panic!("no {field} in {delivery}"))
}

/// Consumes while publishing, and gives what was delivered.
///
/// The consumer is there first, so that its start is in nobody's lateness.
#[track_caller]
pub fn deliver(scene: &Scene, delays: &str, repeat: usize) -> Vec<Value> {
    let total = (delays.split(',').count() * repeat).to_string();
    let expect = ["-n", &total, "--expect-count", &total, "--max-early", "0", "--timeout", "40s"];
    let mut consumer = scene.start("consume", &[&expect[..], &["-o", "json"]].concat());
    consumer.wait_for("consuming from");
    let repeat = repeat.to_string();
    let sent = scene.run("publish", &["--delay", delays, "--count", &repeat]).expect(0);
    let all = format!("{total} sent: {total} confirmed, 0 returned, 0 refused, 0 unknown\n");
    assert_eq!(sent.stdout, all);
    let mut lines = scene.check(consumer.end()).expect(0).json_lines();
    let summary = lines.pop().unwrap();
    assert_eq!(summary["summary"]["early"], 0, "{summary}");
    assert_eq!(summary["summary"]["measured"], summary["summary"]["count"], "{summary}");
    lines
}

/// A mixed batch of 40.
#[track_caller]
fn mixed(scene: Scene) {
    let scene = scene.declared();
    let deliveries = deliver(&scene, "800ms,100ms,300ms,200ms", 10);
    let ids: BTreeSet<_> = deliveries.iter().map(|d| d["message_id"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), 40, "each arrives once");
    let mut late: Vec<_> = deliveries.iter().map(|d| number(d, "lateness_ms")).collect();
    late.sort_by(f64::total_cmp);
    assert!(late[0] >= 0.0, "early by {} ms", late[0]);
    assert!(late[20] < 250.0, "p50 of {late:?}");
    assert!(late[39] < 2_000.0, "the worst of {late:?}");
    let asked: Vec<_> = deliveries.iter().map(|d| number(d, "delay_asked_ms") as u64).collect();
    for delay in [100, 200, 300, 800] {
        assert_eq!(asked.iter().filter(|asked| **asked == delay).count(), 10, "{delay}");
    }
}

fn tiers(queue_type: &str) -> String {
    format!(
        "queues: {{ T.done: {{ type: {queue_type} }} }}
delays:
  d:
    target: {{ queue: T.done }}
    tiers:
      exchange: T.in
      queue: 'T.{{delay}}'
      queue_type: {queue_type}
      delays: [100ms, 200ms, 300ms, 800ms]"
    )
}

fn ladder(queue_type: &str, radix: u64) -> String {
    format!(
        "queues: {{ T.done: {{ type: {queue_type} }} }}
delays:
  d:
    target: {{ queue: T.done }}
    ladder: {{ prefix: T.l, queue_type: {queue_type}, resolution: 50ms, max: 1s, radix: {radix} }}"
    )
}

fn one_queue(queue_type: &str) -> String {
    format!(
        "queues: {{ T.done: {{ type: {queue_type} }} }}
delays:
  d:
    target: {{ queue: T.done }}
    per_message_ttl: {{ exchange: T.in, queue: T.wait, queue_type: {queue_type} }}"
    )
}

const PLUGIN: &str = "
    queues: { T.done: {} }
    delays: { d: { target: { queue: T.done }, delayed_exchange: { exchange: T.in } } }";

#[test]
fn tiers_of_classic_queues() {
    mixed(scene!(tiers("classic")));
}

#[test]
fn tiers_of_quorum_queues() {
    mixed(scene!(tiers("quorum")));
}

#[test]
fn a_ladder_of_classic_queues() {
    mixed(scene!(ladder("classic", 2)));
}

#[test]
fn a_ladder_of_quorum_queues() {
    mixed(scene!(ladder("quorum", 5)));
}

#[test]
fn the_plugin() {
    let scene = scene!(PLUGIN);
    needs_plugin!(scene);
    mixed(scene);
}

/// A mixed batch would be blocked (see `facts`); delays that never decrease are on time.
#[test]
fn one_queue_with_delays_that_never_decrease() {
    for queue_type in ["classic", "quorum"] {
        let scene = scene!(one_queue(queue_type)).declared();
        let deliveries = deliver(&scene, "100ms,300ms,300ms,900ms,1500ms", 1);
        let asked: Vec<_> = deliveries.iter().map(|d| number(d, "delay_asked_ms")).collect();
        assert_eq!(asked, [100.0, 300.0, 300.0, 900.0, 1500.0]);
        let mut late: Vec<_> = deliveries.iter().map(|d| number(d, "lateness_ms")).collect();
        late.sort_by(f64::total_cmp);
        assert!(late[2] < 250.0, "p50 of {late:?}");
    }
}

/// Nothing waits anywhere.
#[track_caller]
fn straight(scene: Scene) {
    let scene = scene.declared();
    scene.run("publish", &[]).expect(0);
    let lines = scene.run("consume", &["-n", "1", "--timeout", "20s", "-o", "json"]).expect(0);
    let delivery = &lines.json_lines()[0];
    assert_eq!(delivery["path"], serde_json::json!([]), "{delivery}");
    assert_eq!(delivery["delay_asked_ms"], 0);
}

#[test]
fn no_delay_goes_straight_to_the_target() {
    straight(scene!(tiers("quorum")));
    straight(scene!(ladder("classic", 2)));
    straight(scene!(one_queue("quorum")));
}

#[test]
fn no_delay_goes_straight_through_the_plugin() {
    let scene = scene!(PLUGIN);
    needs_plugin!(scene);
    straight(scene);
}

#[test]
fn two_hundred_messages_with_mixed_delays() {
    let scene = scene!(tiers("quorum")).declared();
    scene
        .run("publish", &["--delay", "800ms,100ms,300ms,200ms", "--count", "50"])
        .expect(0)
        .shows("200 sent: 200 confirmed, 0 returned, 0 refused, 0 unknown");
    let expect = ["-n", "200", "--expect-count", "200", "--max-early", "0", "--timeout", "40s"];
    let ended = scene.run("consume", &expect).expect(0);
    let ended = ended.shows("200 deliveries, 0 early, ").shows("\nlateness: p50 ");
    assert_eq!(ended.stdout.lines().count(), 1 + 200 + 2, "{ended}");
}
