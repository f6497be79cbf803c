//! Circles of dead letters.

use delayctl::lint::Code;

use crate::rig::{Rig, SLACK, ms, next};

#[tokio::test]
async fn a_circle_of_waiting_queues_drops() {
    let Some(mut rig) = Rig::open("a_circle_of_waiting_queues_drops").await else { return };
    for kind in ["classic", "quorum"] {
        let text = format!(
            "
queues:
  P.a: {{ type: {kind}, message_ttl: 200ms, dead_letter: {{ exchange: '', routing_key: P.b }} }}
  P.b: {{ type: {kind}, message_ttl: 200ms, dead_letter: {{ exchange: '', routing_key: P.a }} }}
  P.done: {{}}
"
        );
        rig.hazard(Code::CycleDropped, &text).await;
        rig.send("", "P.a", "dropped").await;
        tokio::time::sleep(ms(400) + SLACK).await;
        for queue in ["P.a", "P.b"] {
            let depth = rig.broker.queue_depth(&rig.own(queue)).await.unwrap();
            assert_eq!(depth.ready, Some(0), "{queue}");
        }
        rig.mended(Code::CycleDropped, &text.replace("routing_key: P.a", "routing_key: P.done"))
            .await;
        rig.send("", "P.a", "arrives").await;
        assert!(rig.one("P.done", ms(400) + SLACK).await.is_some());
    }
    rig.close().await;
}

#[tokio::test]
async fn a_circle_of_at_least_once_queues_keeps() {
    let Some(mut rig) = Rig::open("a_circle_of_at_least_once_queues_keeps").await else { return };
    if !rig.needs_management() {
        return;
    }
    let text = "
queues:
  P.a:
    type: quorum
    message_ttl: 200ms
    overflow: reject-publish
    dead_letter: { exchange: '', routing_key: P.b, strategy: at-least-once }
  P.b:
    type: quorum
    message_ttl: 200ms
    overflow: reject-publish
    dead_letter: { exchange: '', routing_key: P.a, strategy: at-least-once }
  P.done: {}
";
    rig.hazard(Code::CycleKept, text).await;
    rig.send("", "P.a", "kept").await;
    assert!(rig.holds("P.b", 1, ms(30_000)).await, "the last one before the start keeps it");
    let depth = rig.broker.queue_depth(&rig.own("P.b")).await.unwrap();
    assert_eq!(depth.ready, Some(0), "where nobody sees it");
    rig.mended(Code::CycleKept, &text.replace("routing_key: P.a", "routing_key: P.done")).await;
    rig.send("", "P.a", "arrives").await;
    assert!(rig.one("P.done", ms(400) + SLACK).await.is_some());
    rig.close().await;
}

const LOOP: &str = "
queues:
  P.work: { type: quorum, delivery_limit: 1, dead_letter: { exchange: '', routing_key: P.wait } }
  P.wait: { type: classic, message_ttl: 200ms, dead_letter: { exchange: '', routing_key: P.work } }
  P.parked: {}
";

#[tokio::test]
async fn a_retry_loop_ends_only_by_its_consumer() {
    let Some(mut rig) = Rig::open("a_retry_loop_ends_only_by_its_consumer").await else { return };
    rig.hazard(Code::RetryLoop, LOOP).await;
    rig.send("", "P.work", "again").await;
    let mut consumer = rig.consumer("P.work").await;
    for round in 0..6 {
        let (_, token) = next(&mut consumer, ms(200) + SLACK).await.expect("it comes back");
        consumer.reject(token, false).unwrap_or_else(|error| panic!("round {round}: {error}"));
    }
    // The mend is the consumer's: `x-death` counts the rounds.
    let (delivered, token) = next(&mut consumer, ms(200) + SLACK).await.expect("it comes back");
    let own = rig.own("P.work");
    let rounds = delivered.deaths.iter().find(|death| death.queue == own).map(|death| death.count);
    assert_eq!(rounds, Some(6));
    rig.send("", "P.parked", "again").await;
    consumer.ack(token).unwrap();
    assert!(next(&mut consumer, ms(200) + SLACK).await.is_none());
    consumer.close().await;
    assert!(rig.one("P.parked", SLACK).await.is_some());
    rig.close().await;
}

#[tokio::test]
async fn a_delivery_limit_in_a_retry_loop_loses() {
    let Some(mut rig) = Rig::open("a_delivery_limit_in_a_retry_loop_loses").await else { return };
    rig.hazard(Code::RetryLoopLimit, LOOP).await;
    rig.send("", "P.work", "lost").await;
    let mut consumer = rig.consumer("P.work").await;
    for _ in 0..2 {
        let (_, token) = next(&mut consumer, SLACK).await.expect("it is delivered twice");
        consumer.reject(token, true).unwrap();
    }
    assert!(next(&mut consumer, ms(200) + SLACK).await.is_none(), "it does not come back");
    consumer.close().await;
    rig.mended(Code::RetryLoopLimit, &LOOP.replace("delivery_limit: 1, ", "")).await;
    rig.send("", "P.work", "retried").await;
    let mut consumer = rig.consumer("P.work").await;
    for _ in 0..3 {
        let (_, token) = next(&mut consumer, ms(200) + SLACK).await.expect("it comes back");
        consumer.reject(token, false).unwrap();
    }
    consumer.close().await;
    rig.close().await;
}

#[tokio::test]
async fn a_length_limit_in_a_retry_loop_loses() {
    let Some(mut rig) = Rig::open("a_length_limit_in_a_retry_loop_loses").await else { return };
    let text = "
queues:
  P.work: { type: classic, max_length: 1, dead_letter: { exchange: '', routing_key: P.wait } }
  P.wait: { type: classic, message_ttl: 200ms, dead_letter: { exchange: '', routing_key: P.work } }
";
    rig.hazard(Code::RetryLoopLimit, text).await;
    rig.send("", "P.work", "pushed out").await;
    rig.send("", "P.work", "stays").await;
    assert_eq!(rig.ids("P.work", ms(200) + SLACK).await, ["stays"]);
    rig.mended(Code::RetryLoopLimit, &text.replace("max_length: 1, ", "")).await;
    rig.send("", "P.work", "first").await;
    rig.send("", "P.work", "second").await;
    assert_eq!(rig.ids("P.work", SLACK).await, ["first", "second"]);
    rig.close().await;
}
