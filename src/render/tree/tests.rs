use insta::assert_snapshot;

use super::*;
use crate::objects::{Binding, Exchange, Queue};
use crate::topology::parse;

fn drawn(yaml: &str) -> String {
    tree(&parse(yaml).unwrap().objects, &|_| None)
}

#[test]
fn order_timeout() {
    assert_snapshot!(drawn(include_str!("../../../topologies/order-timeout.yaml")), @r"
    order.delay.exchange (direct)
    └─ order.delay.queue — quorum, ttl 30m, max 500000
       └─ after 30m → order.dead.exchange (direct) / order.dead
          └─ order.dead.queue — quorum
             └─ rejected or expired → order.dead2.exchange (direct) / order.dead2
                └─ order.dead2.queue — quorum, max 100000
    ");
}

#[test]
fn tiered_delays() {
    assert_snapshot!(drawn(include_str!("../../../topologies/tiered-delays.yaml")), @"
    delay.5s.q — quorum, ttl 5s
    └─ after 5s → delay.dlx (direct) / order.timeout
       └─ order.timeout.q — quorum
    delay.30s.q — quorum, ttl 30s
    └─ after 30s → delay.dlx / order.timeout ↑ see above
    delay.1h.q — quorum, ttl 1h
    └─ after 1h → delay.dlx / order.timeout ↑ see above
    ");
}

#[test]
fn head_of_line() {
    assert_snapshot!(drawn(include_str!("../../../topologies/head-of-line.yaml")), @r"
    hol.blocked.delay (direct)
    └─ hol.blocked.wait — quorum
       └─ rejected or expired → hol.blocked.done — quorum
    hol.tiers.delay (direct)
    ├─ hol.tiers.5s — quorum, ttl 5s
    │  └─ after 5s → hol.tiers.done — quorum
    ├─ hol.tiers.10s — quorum, ttl 10s
    │  └─ after 10s → hol.tiers.done ↑ see above
    └─ hol.tiers.30s — quorum, ttl 30s
       └─ after 30s → hol.tiers.done ↑ see above
    hol.ladder.level-05 (topic)
    ├─ 1.# → hol.ladder.level-05.1 — quorum, ttl 32s
    │  └─ after 32s → hol.ladder.level-04 (topic)
    │     ├─ *.1.# → hol.ladder.level-04.1 — quorum, ttl 16s
    │     │  └─ after 16s → hol.ladder.level-03 (topic)
    │     │     ├─ *.*.1.# → hol.ladder.level-03.1 — quorum, ttl 8s
    │     │     │  └─ after 8s → hol.ladder.level-02 (topic)
    │     │     │     ├─ *.*.*.1.# → hol.ladder.level-02.1 — quorum, ttl 4s
    │     │     │     │  └─ after 4s → hol.ladder.level-01 (topic)
    │     │     │     │     ├─ *.*.*.*.1.# → hol.ladder.level-01.1 — quorum, ttl 2s
    │     │     │     │     │  └─ after 2s → hol.ladder.level-00 (topic)
    │     │     │     │     │     ├─ *.*.*.*.*.1.# → hol.ladder.level-00.1 — quorum, ttl 1s
    │     │     │     │     │     │  └─ after 1s → hol.ladder.deliver-6 ↓ see below
    │     │     │     │     │     ├─ *.*.*.*.*.0.# → hol.ladder.deliver-6 (topic)
    │     │     │     │     │     │  ├─ *.*.*.*.*.*.hol.ladder.done → hol.ladder.done — quorum
    │     │     │     │     │     │  └─ otherwise → hol.ladder.unrouted ↓ see below
    │     │     │     │     │     └─ otherwise → hol.ladder.unrouted (fanout)
    │     │     │     │     │        └─ hol.ladder.parking — quorum
    │     │     │     │     ├─ *.*.*.*.0.# → hol.ladder.level-00 ↑ see above
    │     │     │     │     └─ otherwise → hol.ladder.unrouted ↑ see above
    │     │     │     ├─ *.*.*.0.# → hol.ladder.level-01 ↑ see above
    │     │     │     └─ otherwise → hol.ladder.unrouted ↑ see above
    │     │     ├─ *.*.0.# → hol.ladder.level-02 ↑ see above
    │     │     └─ otherwise → hol.ladder.unrouted ↑ see above
    │     ├─ *.0.# → hol.ladder.level-03 ↑ see above
    │     └─ otherwise → hol.ladder.unrouted ↑ see above
    ├─ 0.# → hol.ladder.level-04 ↑ see above
    └─ otherwise → hol.ladder.unrouted ↑ see above
    hol.plugin.delay (x-delayed-message, direct)
    └─ hol.plugin.done — quorum
    ");
}

#[test]
fn notes_stand_behind_their_objects() {
    let text = include_str!("../../../topologies/deploy-hold.yaml");
    let note = |named: Named<'_>| match named {
        Named::Queue("deploy.queue") => Some("12 ready,\n1 consumer".to_owned()),
        Named::Queue(_) | Named::Exchange("deploy.exchange") => Some("missing".to_owned()),
        Named::Exchange(_) => None,
    };
    assert_snapshot!(tree(&parse(text).unwrap().objects, &note), @r"
    deploy.hold.exchange (direct)
    └─ deploy.hold.queue — quorum, ttl 5m [missing]
       └─ after 5m → deploy.exchange (direct) / deploy [missing]
          └─ deploy.queue — quorum [12 ready,\n1 consumer]
    ");
}

/// Objects that no file would pass the checks with: what a live broker may hold.
fn wild() -> Objects {
    let mut objects = Objects::default();
    let dead = |exchange: &str, key: Option<&str>| {
        let queue = Queue::default().with("x-dead-letter-exchange", exchange);
        key.map_or(queue.clone(), |key| queue.with("x-dead-letter-routing-key", key))
    };
    let mut queue = |name: &str, queue: Queue| objects.queues.insert(name.to_owned(), queue);
    queue("retry.wait", dead("work", Some("job")).with("x-message-ttl", 5000_u64));
    queue("work.q", dead("retry", None));
    queue("no-exchange", dead("nowhere", Some("k")));
    queue("no-queue", dead("", Some("gone")));
    queue("own-key", dead("", None));
    let safe = dead("work", Some("typo")).with("x-queue-type", "quorum");
    let safe = safe.with("x-overflow", "reject-publish");
    queue("no-binding", safe.with("x-dead-letter-strategy", "at-least-once"));
    queue("\x1b[31mred", Queue::default());
    let exchanges = [
        ("work", Exchange::durable("direct")),
        ("retry", Exchange::durable("fanout")),
        ("events", Exchange::durable("topic").with("alternate-exchange", "unrouted")),
        ("unrouted", Exchange::durable("fanout")),
        ("by-header", Exchange::durable("headers")),
    ];
    objects.exchanges.extend(exchanges.map(|(name, exchange)| (name.to_owned(), exchange)));
    objects.add_binding(Binding::to_queue("work", "work.q", "job"));
    objects.add_binding(Binding::to_queue("work", "absent.q", "other"));
    objects.add_binding(Binding::to_queue("retry", "retry.wait", ""));
    for key in ["order.paid", "order.*", "stock.#", "#.audit", ""] {
        objects.add_binding(Binding::to_queue("events", "audit.q", key));
    }
    objects.add_binding(Binding::to_exchange("events", "work", "job.#"));
    objects.add_binding(Binding::to_queue("amq.topic", "mqtt.q", "#"));
    let mut headers = Binding::to_queue("by-header", "eu.q", "ignored");
    headers.arguments = [("region".to_owned(), "eu".into())].into();
    objects.add_binding(headers);
    objects
}

#[test]
fn cycles_and_holes() {
    assert_snapshot!(tree(&wild(), &|_| None), @r#"
    events (topic)
    ├─ order.paid, order.*, stock.# and 2 more → audit.q — missing
    ├─ job.# → work (direct)
    │  ├─ job → work.q
    │  │  └─ rejected or expired → retry (fanout)
    │  │     └─ retry.wait — ttl 5s
    │  │        └─ after 5s → work / job ↑ see above
    │  └─ other → absent.q — missing
    └─ otherwise → unrouted (fanout)
    by-header (headers)
    └─ region="eu" → eu.q — missing
    amq.topic (topic)
    └─ # → mqtt.q — missing
    no-exchange
    └─ rejected or expired → nowhere (missing: dead letters are lost)
    no-queue
    └─ rejected or expired → gone (missing: dead letters are lost)
    own-key
    └─ rejected or expired → the queue that its routing key names
    no-binding — quorum
    └─ rejected or expired → work (direct) / typo — no binding matches: dead letters are stuck
    \x1b[31mred
    "#);
}

#[test]
fn what_dead_letters_do_not_reach_is_drawn_at_the_end() {
    let text = r#"
exchanges:
  shared: { type: topic, alternate: rest }
  rest: fanout
queues:
  wait: { message_ttl: 5s, dead_letter: { exchange: shared, routing_key: order.late } }
  wait2: { message_ttl: 9s, dead_letter: { exchange: shared, routing_key: order.later } }
  wait3: { message_ttl: 9s, dead_letter: { exchange: shared, routing_key: typo } }
  orders: {}
  stock: {}
  parked: {}
bindings:
  - { source: shared, queue: orders, routing_key: "order.*" }
  - { source: shared, queue: stock, routing_key: stock }
  - { source: rest, queue: parked }
"#;
    assert_snapshot!(drawn(text), @"
    wait — ttl 5s
    └─ after 5s → shared (topic) / order.late
       └─ order.* → orders
    wait2 — ttl 9s
    └─ after 9s → shared / order.later ↑ see above
    wait3 — ttl 9s
    └─ after 9s → shared (topic) / typo
       └─ otherwise → rest (fanout)
          └─ parked
    shared (topic), other bindings
    └─ stock
    ");
    assert_snapshot!(drawn(&text.replace("  wait3", "  # ")), @"
    wait — ttl 5s
    └─ after 5s → shared (topic) / order.late
       └─ order.* → orders
    wait2 — ttl 9s
    └─ after 9s → shared / order.later ↑ see above
    shared (topic), other bindings
    ├─ stock
    └─ otherwise → rest (fanout)
       └─ parked
    ");
}

/// A chain of queues, each of which dead-letters to the next.
fn chain(length: usize) -> Objects {
    let mut objects = Objects::default();
    for index in 0..length {
        let next = format!("q{}", index + 1);
        let queue = Queue::default().with("x-message-ttl", 1000_u64);
        let queue = queue.with("x-dead-letter-exchange", "");
        let queue = queue.with("x-dead-letter-routing-key", next);
        objects.queues.insert(format!("q{index}"), queue);
    }
    objects.queues.insert(format!("q{length}"), Queue::default());
    objects
}

#[test]
fn a_long_chain_is_cut_into_trees() {
    assert_snapshot!(tree(&chain(14), &|_| None), @"
    q0 — ttl 1s
    └─ after 1s → q1 — ttl 1s
       └─ after 1s → q2 — ttl 1s
          └─ after 1s → q3 — ttl 1s
             └─ after 1s → q4 — ttl 1s
                └─ after 1s → q5 — ttl 1s
                   └─ after 1s → q6 — ttl 1s
                      └─ after 1s → q7 — ttl 1s
                         └─ after 1s → q8 — ttl 1s
                            └─ after 1s → q9 — ttl 1s
                               └─ after 1s → q10 — ttl 1s
                                  └─ after 1s → q11 — ttl 1s
                                     └─ after 1s → q12 ↓ see below
    q12 — ttl 1s
    └─ after 1s → q13 — ttl 1s
       └─ after 1s → q14
    ");
}

#[test]
fn ten_thousand_objects_are_no_matter() {
    let mut star = Objects::default();
    for exchange in ["direct", "topic", "fanout"] {
        star.exchanges.insert(exchange.to_owned(), Exchange::durable(exchange));
        for index in 0..5000 {
            let name = format!("{exchange}.{index}");
            let queue = Queue::default().with("x-dead-letter-exchange", exchange);
            let key = format!("k{index}");
            let wait = queue.with("x-dead-letter-routing-key", key.clone());
            star.queues.insert(format!("{name}.wait"), wait);
            star.queues.insert(name.clone(), Queue::default());
            star.add_binding(Binding::to_queue(exchange, &name, &key));
        }
    }
    for objects in [star, chain(10_000)] {
        let text = tree(&objects, &|_| None);
        // Were a step's cost to grow with the number of objects, this would take minutes.
        assert!(text.lines().count() >= 10_000);
    }
}
