//! What RabbitMQ does with delays, seen through the binary: the facts that the simulator and the
//! lints rest on.

use lapin::types::AMQPValue;
use serde_json::Value;

use crate::raw;
use crate::scene::{Scene, scene};
use crate::strategies::number;

/// Publishes, while a consumer of the delay's target waits for so many, and gives what it got.
#[track_caller]
fn watch(scene: &Scene, count: usize, publish: &[&str]) -> Vec<Value> {
    let count = count.to_string();
    let arguments = ["-n", &count, "--timeout", "30s", "-o", "json"];
    let mut consumer = scene.start("consume", &arguments);
    consumer.wait_for("consuming from");
    scene.run("publish", publish).expect(0);
    let mut lines = scene.check(consumer.end()).expect(0).json_lines();
    let summary = lines.pop().unwrap();
    assert_eq!(summary["stopped"], "the count is reached", "{summary}");
    lines
}

/// The queues that a message died in, with the reasons, the last one last.
fn path(delivery: &Value) -> Vec<String> {
    let hops = delivery["path"].as_array().unwrap().iter();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    hops.map(|hop| format!("{} {}", text(&hop["queue"]), text(&hop["reason"]))).collect()
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

/// 3 s, 0.5 s and 1 s, in this order, into one queue: only the head is looked at, so all three
/// leave when the first may.
#[test]
fn the_head_blocks_those_behind_it() {
    for queue_type in ["classic", "quorum"] {
        let scene = scene!(one_queue(queue_type)).declared();
        let deliveries = watch(&scene, 3, &["--delay", "3s,500ms,1s"]);
        let asked: Vec<_> = deliveries.iter().map(|d| number(d, "delay_asked_ms")).collect();
        assert_eq!(asked, [3000.0, 500.0, 1000.0], "first in, first out");
        let first_sent = number(&deliveries[0], "sent_at_ms");
        let moment = |d: &Value| number(d, "sent_at_ms") + number(d, "delay_seen_ms") - first_sent;
        let left: Vec<_> = deliveries.iter().map(moment).collect();
        assert!(left.iter().all(|ms| *ms >= 3000.0), "{left:?}");
        assert!(left.iter().all(|ms| *ms < 3750.0), "{left:?}");
        for delivery in &deliveries {
            assert_eq!(path(delivery), ["wait expired"]);
        }
    }
}

#[test]
fn of_two_ttls_the_smaller_counts() {
    let scene = scene!("
        queues: { T.done: {} }
        delays:
          d: { target: { queue: T.done }, tiers: { exchange: T.in, queue: 'T.{delay}', delays: [600ms, 4s] } }
    ").declared();
    for (delay, expiration, queue) in [("4s", "600ms", "4s"), ("600ms", "4s", "600ms")] {
        let arguments = ["--delay", delay, "--expiration", expiration];
        let delivery = &watch(&scene, 1, &arguments)[0];
        assert_eq!(number(delivery, "delay_asked_ms"), 600.0);
        let seen = number(delivery, "delay_seen_ms");
        assert!((600.0..1500.0).contains(&seen), "{seen} ms with {arguments:?}");
        assert_eq!(path(delivery), [format!("{queue} expired")]);
    }
}

/// Dead-lettering takes the `expiration` away: it must not count a second time.
#[test]
fn an_expiration_is_kept_in_the_history_alone() {
    let scene = scene!(one_queue("quorum")).declared();
    let mut inspection = scene.start("consume", &["-n", "1", "--requeue", "--timeout", "20s"]);
    inspection.wait_for("consuming from");
    scene.run("publish", &["--delay", "150ms"]).expect(0);
    scene.check(inspection.end()).expect(0);
    let message = raw::look(&scene, "done");
    let properties = &message.delivery.properties;
    assert_eq!(properties.expiration(), &None);
    let headers = properties.headers().as_ref().unwrap();
    let deaths = headers.inner()["x-death"].as_array().unwrap().as_slice();
    let [AMQPValue::FieldTable(death)] = deaths else { panic!("{deaths:?}") };
    assert_eq!(death.inner()["original-expiration"], AMQPValue::LongString("150".into()));
}

/// A refused order check goes to the second level, where a person looks.
#[test]
fn a_rejected_message_reaches_the_second_level() {
    let replace = [("[30m]", "[400ms]")];
    let Some(scene) = Scene::of_file(crate::scene::here!(), "order-timeout.yaml", &replace) else {
        return;
    };
    let scene = scene.declared();
    let order = ["--delay", "400ms", "--body", r#"{"order": 4711}"#];
    scene.run("publish", &order).expect(0);
    let checked = scene.run("consume", &["-n", "1", "--reject", "--timeout", "20s"]).expect(0);
    checked.shows("  order.delay.queue (expired) > order.dead.queue\n");
    let second = scene.name("order.dead2.queue");
    let person = scene.run("consume", &["--queue", &second, "-n", "1", "--timeout", "20s"]);
    // RabbitMQ 4.3 marks it as redelivered as well.
    person
        .expect(0)
        .shows(r#"{"order": 4711} "#)
        .shows("  order.delay.queue (expired) > order.dead.queue (rejected) > order.dead2.queue");
    assert_eq!(scene.ready("order.dead.queue"), 0);
}

/// A full queue refuses, says so, and keeps what it took.
#[test]
fn overflow_with_reject_publish_is_refused_and_not_lost() {
    for (queue_type, rate) in [("classic", "100000/s"), ("quorum", "100/s")] {
        let scene = scene!(format!(
            "queues: {{ T.done: {{}} }}
delays:
  d:
    target: {{ queue: T.done }}
    tiers: {{ exchange: T.in, queue: T.wait, delays: [2s], max_length: 5, queue_type: {queue_type} }}"
        ))
        .declared();
        let many = ["--delay", "2s", "--count", "60", "--rate", rate, "-o", "json"];
        let sent = scene.run("publish", &many).expect(1).json();
        let count = |field: &str| sent[field].as_u64().unwrap();
        assert_eq!((count("sent"), count("returned"), count("unknown")), (60, 0, 0), "{sent}");
        assert_eq!(count("confirmed") + count("refused"), 60, "{sent}");
        assert!(count("confirmed") >= 5 && count("refused") > 0, "{sent}");
        let confirmed = count("confirmed").to_string();
        let expect = ["--expect-count", &confirmed, "--idle", "4s", "--max-early", "0"];
        scene.run("consume", &expect).expect(0).says("nothing came for the idle time");
    }
}

/// Dropping the head of a queue of waiting messages delivers the oldest before its time.
#[test]
fn overflow_with_drop_head_delivers_early() {
    let scene = scene!(
        "
        queues: { T.done: {} }
        delays:
          d:
            target: { queue: T.done }
            tiers: { exchange: T.in, queue: T.wait, delays: [60s], queue_type: classic,
                     max_length: 3, overflow: drop-head }
    "
    )
    .declared();
    scene.run("publish", &["--delay", "1m", "--count", "5"]).expect(0);
    let ended = scene.run("consume", &["-n", "2", "--timeout", "20s", "--max-early", "0"]);
    let ended = ended
        .expect(1)
        .shows("message 1, delay 1m ")
        .shows("message 2, delay 1m ")
        .shows(" early  wait (maxlen) > done\n")
        .shows("2 deliveries, 2 early (the worst by ")
        .says("not met: expected none more than 0s early, and one was by ");
    assert!(!ended.stdout.contains("message 3"), "{ended}");
}

#[test]
fn every_reason_of_dying_is_visible() {
    let scene = scene!("
        queues:
          T.expires: { message_ttl: 100ms, dead_letter: { exchange: '', routing_key: T.done } }
          T.short: { type: classic, max_length: 1, dead_letter: { exchange: '', routing_key: T.done } }
          T.work: { type: quorum, delivery_limit: 2, dead_letter: { exchange: '', routing_key: T.done } }
          T.done: {}
        delays:
          expires: { target: { queue: T.expires }, per_message_ttl: { exchange: T.i1, queue: T.w1 } }
          short: { target: { queue: T.short }, per_message_ttl: { exchange: T.i2, queue: T.w2 } }
          work: { target: { queue: T.work }, per_message_ttl: { exchange: T.i3, queue: T.w3 } }
    ").declared();
    let done = scene.name("done");
    let arrives = |from: &str, reason: &str| {
        let arguments = ["--queue", &done, "-n", "1", "--timeout", "20s", "-o", "json"];
        let lines = scene.run("consume", &arguments).expect(0).json_lines();
        assert_eq!(path(&lines[0]).last().unwrap(), &format!("{from} {reason}"));
    };
    scene.run("publish", &["expires"]).expect(0);
    arrives("expires", "expired");

    scene.run("publish", &["short", "--count", "2"]).expect(0);
    arrives("short", "maxlen");

    scene.run("publish", &["work"]).expect(0);
    let work = scene.name("work");
    let once = ["--queue", &work, "-n", "1", "--timeout", "20s"];
    scene.run("consume", &[&once[..], &["--reject"]].concat()).expect(0);
    arrives("work", "rejected");

    // Three deliveries: the first, and two more that the limit allows.
    scene.run("publish", &["work"]).expect(0);
    let again = ["--queue", &work, "--requeue", "--idle", "1s", "--expect-count", "3"];
    scene
        .run("consume", &again)
        .expect(0)
        .shows(", redelivered")
        .shows("2 duplicate, 2 redelivered");
    arrives("work", "delivery_limit");
}
