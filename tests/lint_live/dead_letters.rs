//! Dead letters that go nowhere, and at-least-once.

use delayctl::lint::Code;
use delayctl::objects::{Binding, Exchange, Objects, Policy, Queue};
use delayctl::topology::Topology;

use crate::rig::{Rig, SLACK, ms};

#[tokio::test]
async fn a_missing_exchange_drops_dead_letters() {
    let Some(mut rig) = Rig::open("a_missing_exchange_drops_dead_letters").await else { return };
    for kind in ["classic", "quorum"] {
        let mut objects = Objects::default();
        let (done, dead) = (rig.own("P.done"), rig.own("P.dead"));
        let wait = Queue::default()
            .with("x-queue-type", kind)
            .with("x-message-ttl", 200)
            .with("x-dead-letter-exchange", dead.as_str());
        objects.add_queue(&rig.own("P.wait"), wait).unwrap();
        objects.add_queue(&done, Queue::default()).unwrap();
        let missing = Topology { objects: objects.clone(), ..Topology::default() };
        rig.hazard_in(Code::DlxMissing, missing).await;
        rig.send("", "P.wait", "lost").await;
        assert_eq!(rig.one("P.done", ms(200) + SLACK).await, None);

        objects.add_exchange(&dead, Exchange::durable("fanout")).unwrap();
        objects.add_binding(Binding::to_queue(&dead, &done, ""));
        let declared = Topology { objects, ..Topology::default() };
        rig.mended_in(Code::DlxMissing, declared).await;
        rig.send("", "P.wait", "kept").await;
        assert!(rig.one("P.done", ms(200) + SLACK).await.is_some());
    }
    rig.close().await;
}

#[tokio::test]
async fn a_key_that_nobody_is_bound_to_drops_dead_letters() {
    let Some(mut rig) = Rig::open("a_key_that_nobody_is_bound_to_drops_dead_letters").await else {
        return;
    };
    for kind in ["classic", "quorum"] {
        let text = format!(
            "
exchanges: {{ P.in: topic, P.dead: direct }}
queues:
  P.done: {{}}
  P.wait: {{ type: {kind}, message_ttl: 200ms, dead_letter: {{ exchange: P.dead }} }}
bindings:
  - {{ source: P.in, queue: P.wait, routing_key: order.new }}
  - {{ source: P.dead, queue: P.done, routing_key: order.due }}
"
        );
        rig.hazard(Code::DlxNowhere, &text).await;
        rig.send("P.in", "order.new", "lost").await;
        assert_eq!(rig.one("P.done", ms(200) + SLACK).await, None);
        let mend = text.replace("exchange: P.dead }", "exchange: P.dead, routing_key: order.due }");
        rig.mended(Code::DlxNowhere, &mend).await;
        rig.send("P.in", "order.new", "kept").await;
        assert!(rig.one("P.done", ms(200) + SLACK).await.is_some());
    }
    rig.close().await;
}

#[tokio::test]
async fn unroutable_messages_stall_an_at_least_once_queue() {
    let Some(mut rig) = Rig::open("unroutable_messages_stall_an_at_least_once_queue").await else {
        return;
    };
    let text = "
exchanges: { P.in: topic, P.dead: topic, P.rest: fanout }
queues:
  P.done: {}
  P.parked: {}
  P.wait:
    type: quorum
    message_ttl: 300ms
    overflow: reject-publish
    dead_letter: { exchange: P.dead, strategy: at-least-once }
bindings:
  - { source: P.in, queue: P.wait, routing_key: 'order.#' }
  - { source: P.dead, queue: P.done, routing_key: 'order.*' }
  - { source: P.rest, queue: P.parked }
";
    for (mended, expected) in [(false, 0), (true, 1)] {
        if mended {
            let alternate = "P.dead: { type: topic, alternate: P.rest }";
            rig.mended(Code::AtLeastOnceStall, &text.replace("P.dead: topic", alternate)).await;
        } else {
            rig.hazard(Code::AtLeastOnceStall, text).await;
        }
        for id in 0..40 {
            rig.send("P.in", "order.of.nobody", &id.to_string()).await;
        }
        rig.send("P.in", "order.good", "good").await;
        assert_eq!(rig.ids("P.done", ms(2000) + SLACK).await.len(), expected);
    }
    assert_eq!(rig.ids("P.parked", SLACK).await.len(), 40);
    rig.close().await;
}

const UNROUTABLE: &str = "
exchanges: { P.dead: direct }
queues:
  P.wait:
    type: quorum
    message_ttl: 200ms
    overflow: reject-publish
    dead_letter: { exchange: P.dead, routing_key: nobody, strategy: at-least-once }
";

/// What has nowhere to go is kept by a queue that dead-letters at least once, and dropped by one that
/// only looks so.
#[tokio::test]
async fn at_least_once_without_reject_publish_is_none() {
    let Some(mut rig) = Rig::open("at_least_once_without_reject_publish_is_none").await else {
        return;
    };
    if !rig.needs_management() {
        return;
    }
    let kept = rig.read(UNROUTABLE);
    let mut void = kept.clone();
    let queue = &mut void.objects.queues[rig.own("P.wait").as_str()];
    queue.arguments.remove("x-overflow");
    rig.hazard_in(Code::AtLeastOnceVoid, void).await;
    rig.send("", "P.wait", "dropped").await;
    assert!(!rig.holds("P.wait", 1, ms(12_000)).await, "it is dropped");
    rig.mended_in(Code::AtLeastOnceVoid, kept).await;
    rig.send("", "P.wait", "kept").await;
    assert!(rig.holds("P.wait", 1, ms(30_000)).await, "it is kept");
    rig.close().await;
}

#[tokio::test]
async fn a_policy_turns_at_least_once_off() {
    let Some(mut rig) = Rig::open("a_policy_turns_at_least_once_off").await else { return };
    if !rig.needs_management() {
        return;
    }
    let kept = rig.read(UNROUTABLE);
    let mut off = kept.clone();
    let policy = Policy {
        pattern: format!("^{}", rig.own("P.wait")),
        apply_to: "queues".to_owned(),
        priority: 0,
        definition: [("overflow".to_owned(), "drop-head".into())].into(),
    };
    off.objects.policies.insert("P.policy".to_owned(), policy);
    rig.hazard_in(Code::AtLeastOncePolicy, off).await;
    rig.send("", "P.wait", "dropped").await;
    assert!(!rig.holds("P.wait", 1, ms(12_000)).await, "it is dropped");
    rig.mended_in(Code::AtLeastOncePolicy, kept).await;
    rig.send("", "P.wait", "kept").await;
    assert!(rig.holds("P.wait", 1, ms(30_000)).await, "it is kept");
    rig.close().await;
}
