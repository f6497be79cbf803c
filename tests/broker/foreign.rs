//! Messages that other publishers sent: measured from what they carry, or said to be beyond
//! measure.

use std::time::{SystemTime, UNIX_EPOCH};

use lapin::BasicProperties;
use lapin::types::AMQPValue;
use serde_json::Value;

use crate::raw::{on_channel, publish, with_headers};
use crate::scene::{Scene, needs_plugin, scene};
use crate::strategies::number;

/// A queue behind a tier of 1 s, and one whose TTL the file does not tell.
const TIER: &str = "
    queues:
      T.q: {}
      T.own: { dead_letter: { exchange: '', routing_key: T.q } }
    delays: { d: { target: { queue: T.q }, tiers: { exchange: T.in, queue: T.wait, delays: [1s] } } }";

fn now_ms() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    u64::try_from(now.as_millis()).unwrap()
}

/// Publishes to a queue as somebody else, and tells what `consume` makes of it.
#[track_caller]
fn measured(scene: &Scene, queue: &str, properties: BasicProperties) -> Value {
    let queue = scene.name(queue);
    let mut consumer = scene.start("consume", &["-n", "1", "--timeout", "20s", "-o", "json"]);
    consumer.wait_for("consuming from");
    on_channel(scene, async |channel| publish(channel, "", &queue, properties).await);
    let mut lines = scene.check(consumer.end()).expect(0).json_lines();
    let summary = lines.pop().unwrap();
    let delivery = lines.pop().unwrap();
    let unmeasured = u64::from(delivery["lateness_ms"].is_null());
    assert_eq!(summary["summary"]["unmeasured"], unmeasured, "{summary}");
    assert_eq!(summary["summary"]["unmeasured_because"], delivery["unmeasurable"], "{summary}");
    delivery
}

#[test]
fn a_timestamp_and_the_history_give_it_to_the_second() {
    let scene = scene!(TIER).declared();
    let properties = BasicProperties::default().with_timestamp(now_ms() / 1000);
    let delivery = measured(&scene, "wait", properties);
    assert_eq!(delivery["delay_asked_from"], "x-death");
    assert_eq!(number(&delivery, "delay_asked_ms"), 1000.0);
    assert_eq!(
        (&delivery["sent_at_from"], &delivery["precision"]),
        (&"timestamp".into(), &"s".into())
    );
    assert!(number(&delivery, "lateness_ms") >= 0.0, "{delivery}");
}

#[test]
fn an_expiration_of_ones_own() {
    let scene = scene!(TIER).declared();
    let sent = AMQPValue::LongLongInt(i64::try_from(now_ms()).unwrap());
    let properties = with_headers([("timestamp_in_ms", sent)]).with_expiration("400".into());
    let delivery = measured(&scene, "own", properties);
    assert_eq!(number(&delivery, "delay_asked_ms"), 400.0);
    assert_eq!(delivery["sent_at_from"], "timestamp_in_ms");
    assert_eq!(delivery["precision"], "ms");
    let late = number(&delivery, "lateness_ms");
    assert!((0.0..2000.0).contains(&late), "{delivery}");
}

#[test]
fn the_plugins_header() {
    let scene = scene!(
        "
        queues: { T.q: {} }
        delays: { d: { target: { queue: T.q }, delayed_exchange: { exchange: T.x } } }"
    );
    needs_plugin!(scene);
    let scene = scene.declared();
    let exchange = scene.name("x");
    let mut consumer = scene.start("consume", &["-n", "2", "--timeout", "20s", "-o", "json"]);
    consumer.wait_for("consuming from");
    on_channel(&scene, async |channel| {
        for delay in [AMQPValue::LongInt(300), AMQPValue::LongString("500".into())] {
            let sent = AMQPValue::LongLongInt(i64::try_from(now_ms()).unwrap());
            let properties = with_headers([("timestamp_in_ms", sent), ("x-delay", delay)]);
            publish(channel, &exchange, &scene.name("q"), properties).await;
        }
    });
    let lines = scene.check(consumer.end()).expect(0).json_lines();
    for (delivery, asked) in lines.iter().zip([300.0, 500.0]) {
        assert_eq!(number(delivery, "delay_asked_ms"), asked, "{delivery}");
        assert_eq!(delivery["delay_asked_from"], "x-delay");
        let late = number(delivery, "lateness_ms");
        assert!((0.0..2000.0).contains(&late), "{delivery}");
    }
}

#[test]
fn what_does_not_say_when_it_was_sent() {
    let scene = scene!(TIER).declared();
    let delivery = measured(&scene, "wait", BasicProperties::default());
    let why = delivery["unmeasurable"].as_str().unwrap();
    assert!(why.starts_with("no sent time: the publisher set neither `timestamp` nor "), "{why}");
    assert_eq!(number(&delivery, "delay_asked_ms"), 1000.0);
    assert!(delivery["delay_seen_ms"].is_null() && delivery["lateness_ms"].is_null());
    // Milliseconds where seconds belong lie in the far future.
    let delivery = measured(&scene, "wait", BasicProperties::default().with_timestamp(now_ms()));
    let why = delivery["unmeasurable"].as_str().unwrap();
    assert!(why.contains("which lies in the future"), "{why}");
}

#[test]
fn what_does_not_say_how_long_it_was_to_wait() {
    let scene = scene!(TIER).declared();
    let sent = BasicProperties::default().with_timestamp(now_ms() / 1000);
    let delivery = measured(&scene, "q", sent);
    let why = delivery["unmeasurable"].as_str().unwrap();
    assert!(why.starts_with("delay unknown: neither `x-delayctl-delay` nor `x-delay` "), "{why}");
    assert!(!delivery["delay_seen_ms"].is_null());
}

#[test]
fn people_are_told_and_expectations_about_time_are_not_met() {
    let scene = scene!(TIER).declared();
    let queue = scene.name("q");
    let none = BasicProperties::default();
    on_channel(&scene, async |channel| publish(channel, "", &queue, none).await);
    let once = ["-n", "1", "--requeue", "--timeout", "20s"];
    let ended = scene.run("consume", &once).expect(0);
    let row = ended.stdout.lines().nth(1).unwrap().split_whitespace().collect::<Vec<_>>();
    assert_eq!(row[..4], ["foreign", "?", "?", "?"]);
    let ended = ended.shows("\n1 not measured: ");
    assert!(!ended.stdout.contains("p50"), "{ended}");
    for bound in ["--max-early", "--max-late"] {
        let ended = scene.run("consume", &[&once[..], &[bound, "1h"]].concat()).expect(1);
        ended.says("1 messages could not be measured");
    }
    scene.run("consume", &[&once[..], &["--expect-count", "1"]].concat()).expect(0);
}
