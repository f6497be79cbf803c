//! Arguments, policies and keys that do not do what they look like.

use delayctl::lint::{Code, lint};
use delayctl::objects::{Policy, Queue, Value};
use delayctl::plan::plan;
use delayctl::topology::Topology;

use crate::rig::{Rig, SLACK, With, ms, set_policy};

#[tokio::test]
async fn a_slip_in_an_argument_is_accepted_and_does_nothing() {
    let Some(mut rig) = Rig::open("a_slip_in_an_argument_is_accepted_and_does_nothing").await
    else {
        return;
    };
    let text = "
queues:
  P.done: {}
  P.wait:
    arguments: { x-mesage-ttl: 200 }
    dead_letter: { exchange: '', routing_key: P.done }
";
    rig.hazard(Code::ArgumentUnknown, text).await;
    rig.send("", "P.wait", "stays").await;
    assert_eq!(rig.one("P.done", ms(200) + SLACK).await, None);
    rig.mended(Code::ArgumentUnknown, &text.replace("x-mesage-ttl", "x-message-ttl")).await;
    rig.send("", "P.wait", "leaves").await;
    assert!(rig.one("P.done", ms(200) + SLACK).await.is_some());
    rig.close().await;
}

#[tokio::test]
async fn reject_publish_dlx_means_drop_head_on_a_quorum_queue() {
    let Some(mut rig) = Rig::open("reject_publish_dlx_means_drop_head_on_a_quorum_queue").await
    else {
        return;
    };
    let text = "
queues: { P.q: { type: quorum, max_length: 2, overflow: reject-publish-dlx } }
";
    for (mended, expected) in [(false, ["4", "5"]), (true, ["0", "1"])] {
        if mended {
            rig.mended(Code::ArgumentIgnored, &text.replace("publish-dlx", "publish")).await;
        } else {
            rig.hazard(Code::ArgumentIgnored, text).await;
        }
        for id in 0..6 {
            rig.send("", "P.q", &id.to_string()).await;
        }
        let kept = rig.ids("P.q", SLACK).await;
        // With `reject-publish` a quorum queue may take one message more than its limit.
        assert_eq!(kept[..2], expected, "{kept:?}");
    }
    rig.close().await;
}

#[tokio::test]
async fn what_is_refused_is_refused() {
    let Some(mut rig) = Rig::open("what_is_refused_is_refused").await else { return };
    let quorum = Queue::default().with("x-queue-type", "quorum");
    let classic = Queue::default().with("x-queue-type", "classic");
    let stream = Queue::default().with("x-queue-type", "stream");
    for queue in [
        quorum.clone().with("x-max-priority", 5),
        classic.with("x-delivery-limit", 5),
        stream.with("x-message-ttl", 5),
        Queue { durable: false, ..quorum.clone() },
        Queue { auto_delete: true, ..quorum },
    ] {
        let topology = one_queue(&rig.own("P.q"), queue.clone());
        assert!(rig.codes(&topology).contains(&Code::ArgumentRefused), "{queue}");
        let observed = rig.broker.observe(&topology.objects).await.unwrap();
        let report = rig.broker.apply(&plan(&topology.objects, &observed), |_, _| {}).await;
        assert!(!report.is_good(), "{queue}");
    }
    rig.close().await;
}

/// Without a file, whose own check refuses some of these.
fn one_queue(name: &str, queue: Queue) -> Topology {
    let mut topology = Topology::default();
    topology.objects.add_queue(name, queue).unwrap();
    topology
}

fn value_of(text: &str) -> Value {
    match (text.parse::<u64>(), text.parse::<bool>()) {
        (Ok(number), _) => number.into(),
        (_, Ok(flag)) => flag.into(),
        _ => text.trim_matches('\'').into(),
    }
}

/// Every argument in each type of queue: `lint` says refused where the broker refuses, and nowhere
/// else.
#[tokio::test]
async fn the_table_of_arguments_is_the_brokers() {
    let Some(mut rig) = Rig::open("the_table_of_arguments_is_the_brokers").await else { return };
    let arguments = "
x-message-ttl: 1000|x-expires: 60000|x-max-length: 5|x-max-length-bytes: 100|x-overflow: drop-head
x-dead-letter-exchange: ''|x-dead-letter-strategy: at-most-once|x-delivery-limit: 5
x-single-active-consumer: true|x-max-priority: 5|x-queue-mode: lazy|x-queue-version: 2
x-queue-master-locator: min-masters|x-queue-leader-locator: balanced
x-quorum-initial-group-size: 1|x-quorum-target-group-size: 1|x-max-in-memory-length: 5
x-max-in-memory-bytes: 5|x-max-age: 1h|x-stream-max-segment-size-bytes: 100000
x-stream-filter-size-bytes: 16|x-initial-cluster-size: 1|x-consumer-timeout: 60000
x-consumer-disconnected-timeout: 60000|x-delayed-retry-min: 100|x-delayed-retry-max: 1000
x-unknown: 1|message-ttl: 5";
    for kind in ["classic", "quorum", "stream"] {
        for argument in arguments.split(['|', '\n']).filter(|text| !text.is_empty()) {
            let (name, value) = argument.split_once(": ").unwrap();
            let queue = Queue::default().with("x-queue-type", kind).with(name, value_of(value));
            let topology = one_queue(&rig.own(&format!("P.{kind}.{name}")), queue);
            let refused = rig.codes(&topology).contains(&Code::ArgumentRefused);
            let observed = rig.broker.observe(&topology.objects).await.unwrap();
            let report = rig.broker.apply(&plan(&topology.objects, &observed), |_, _| {}).await;
            assert_eq!(report.is_good(), !refused, "{kind} {argument}: {report:?}");
            rig.broker.remove(&topology.objects, Default::default()).await;
        }
    }
    rig.close().await;
}

/// Every policy key: the broker takes it or not, as `lint` says.
#[tokio::test]
async fn the_table_of_policy_keys_is_the_brokers() {
    let Some(rig) = Rig::open("the_table_of_policy_keys_is_the_brokers").await else { return };
    if !rig.needs_management() {
        return;
    }
    let keys: [(&str, Value); 19] = [
        ("message-ttl", 5.into()),
        ("expires", 5000.into()),
        ("max-length", 5.into()),
        ("max-length-bytes", 5.into()),
        ("overflow", "drop-head".into()),
        ("dead-letter-exchange", "x".into()),
        ("dead-letter-routing-key", "x".into()),
        ("dead-letter-strategy", "at-most-once".into()),
        ("delivery-limit", 5.into()),
        ("alternate-exchange", "x".into()),
        ("queue-mode", "lazy".into()),
        ("queue-version", 2.into()),
        ("max-age", "1h".into()),
        ("max-in-memory-length", 5.into()),
        ("consumer-timeout", 60_000.into()),
        ("delayed-retry-min", 5.into()),
        ("ha-mode", "all".into()),
        ("x-message-ttl", 5.into()),
        ("max-priority", 5.into()),
    ];
    let name = rig.own("P.policy");
    for (key, value) in keys {
        let policy = Policy {
            pattern: "^matches nothing at all$".to_owned(),
            apply_to: "all".to_owned(),
            priority: 0,
            definition: [(key.to_owned(), value)].into(),
        };
        let mut topology = rig.read("queues: {}");
        topology.objects.policies.insert(name.clone(), policy.clone());
        let refused = !lint(&topology, Some(rig.version)).is_empty();
        let answer = set_policy(&name, &policy).await;
        assert_eq!(answer.is_err(), refused, "{key}: {answer:?}");
    }
    rig.close().await;
}

#[tokio::test]
async fn wildcards_are_literal_on_a_direct_exchange() {
    let Some(mut rig) = Rig::open("wildcards_are_literal_on_a_direct_exchange").await else {
        return;
    };
    let text = "
exchanges: { P.x: direct }
queues: { P.q: {} }
bindings: [ { source: P.x, queue: P.q, routing_key: 'order.#' } ]
";
    let mandatory = With { mandatory: true, ..With::default() };
    rig.hazard(Code::WildcardLiteral, text).await;
    assert_eq!(rig.send_with("P.x", "order.paid", "a", mandatory).await.tally.returned, 1);
    rig.mended(Code::WildcardLiteral, &text.replace("P.x: direct", "P.x: topic")).await;
    assert_eq!(rig.send_with("P.x", "order.paid", "b", mandatory).await.tally.returned, 0);
    assert!(rig.one("P.q", SLACK).await.is_some());
    rig.close().await;
}

#[tokio::test]
async fn a_blank_at_the_end_is_another_name() {
    let Some(mut rig) = Rig::open("a_blank_at_the_end_is_another_name").await else { return };
    let mandatory = With { mandatory: true, ..With::default() };
    rig.hazard(Code::NameWhitespace, "queues: { 'P.q ': {} }").await;
    assert_eq!(rig.send_with("", "P.q", "a", mandatory).await.tally.returned, 1);
    rig.mended(Code::NameWhitespace, "queues: { P.q: {} }").await;
    assert_eq!(rig.send_with("", "P.q", "b", mandatory).await.tally.returned, 0);
    rig.close().await;
}
