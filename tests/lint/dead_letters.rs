//! Dead letters that go nowhere, and at-least-once.

use insta::assert_snapshot;

use delayctl::lint::{Code, Severity, lint};
use delayctl::objects::{Objects, Queue, Value};
use delayctl::topology::Topology;

use super::{codes, found, found_with, policy, show};

/// A waiting queue, `dead` with this type and bindings, and `done`.
fn to_dead(kind: &str, dead_letter: &str, bindings: &str) -> String {
    found(&format!(
        "
exchanges: {{ in: topic, dead: {kind}, other: fanout, spare: fanout }}
queues:
  done: {{}}
  spared: {{}}
  wait: {{ message_ttl: 30s, dead_letter: {{ {dead_letter} }} }}
bindings: [ {bindings} ]
"
    ))
}

#[test]
fn nothing_is_bound() {
    assert_snapshot!(to_dead("direct", "exchange: dead, routing_key: k", ""), @"
    error[dlx-nowhere] queues.wait.dead_letter.routing_key: dead letters of `wait` go to exchange `dead` with key `k`, and from there to no queue: they are dropped without a trace
      mend: bind a queue to `dead`
    ");
}

#[test]
fn another_key_is_bound() {
    let bound = "{ source: dead, queue: done, routing_key: order.dead }";
    assert_snapshot!(to_dead("direct", "exchange: dead, routing_key: orderdead", bound), @"
    error[dlx-nowhere] queues.wait.dead_letter.routing_key: dead letters of `wait` go to exchange `dead` with key `orderdead`, and from there to no queue: they are dropped without a trace
      mend: take the routing key `order.dead`, which is bound there
    ");
    assert_snapshot!(to_dead("topic", "exchange: dead, routing_key: stock.x.y", &bound.replace("dead }", "* }")), @"
    error[dlx-nowhere] queues.wait.dead_letter.routing_key: dead letters of `wait` go to exchange `dead` with key `stock.x.y`, and from there to no queue: they are dropped without a trace
      mend: bind a queue to `dead` with `stock.x.y`, or set a dead-letter routing key that is bound there: `order.*`
    ");
    assert_eq!(
        to_dead("topic", "exchange: dead, routing_key: order.x", &bound.replace("dead }", "* }")),
        "nothing"
    );
}

#[test]
fn messages_keep_their_own_keys() {
    // What is published with `new` is dead-lettered with `new`, and `late` is fine.
    assert_snapshot!(to_dead(
        "direct",
        "exchange: dead",
        "{ source: in, queue: wait, routing_key: new }, { source: in, queue: wait, routing_key: late },
         { source: dead, queue: done, routing_key: late }",
    ), @"
    error[dlx-nowhere] queues.wait.dead_letter.exchange: dead letters of `wait` go to exchange `dead` with the key they were published with (`new`), and from there to no queue: they are dropped without a trace
      mend: bind a queue to `dead` with `new`, or set a dead-letter routing key that is bound there: `late`
    ");
}

#[test]
fn patterns_of_keys() {
    let with = |published: &str, bound: &str| {
        to_dead(
            "topic",
            "exchange: dead",
            &format!(
                "{{ source: in, queue: wait, routing_key: '{published}' }},
                 {{ source: dead, queue: done, routing_key: '{bound}' }}"
            ),
        )
    };
    assert_snapshot!(with("order.*", "stock.#"), @"
    error[dlx-nowhere] queues.wait.dead_letter.exchange: dead letters of `wait` go to exchange `dead` with the key they were published with (`order.*`), and from there to no queue: they are dropped without a trace
      mend: bind a queue to `dead` with `order.*`, or set a dead-letter routing key that is bound there: `stock.#`
    ");
    assert_eq!(with("order.*", "order.#"), "nothing");
    assert_eq!(with("order.#", "order.paid"), "nothing", "some arrive, and no more is known");
}

#[test]
fn nobody_is_bound_to_the_queues_own_name() {
    // Only the default exchange leads to `wait`, so that its name is the key.
    assert_snapshot!(to_dead("direct", "exchange: dead", "{ source: dead, queue: done, routing_key: done }"), @"
    error[dlx-nowhere] queues.wait.dead_letter.exchange: dead letters of `wait` go to exchange `dead` with the key they were published with (`wait`), and from there to no queue: they are dropped without a trace
      mend: bind a queue to `dead` with `wait`, or set a dead-letter routing key that is bound there: `done`
    ");
    assert_eq!(
        to_dead("direct", "exchange: dead", "{ source: dead, queue: done, routing_key: wait }"),
        "nothing"
    );
}

#[test]
fn fanout_and_headers() {
    for (kind, bindings, expected) in [
        ("fanout", "{ source: dead, queue: done }", true),
        ("fanout", "", false),
        ("headers", "{ source: dead, queue: done, arguments: { kind: order } }", true),
        ("headers", "{ source: dead, queue: done, arguments: { x-match: any } }", false),
        ("headers", "", false),
        // What a plugin's exchange does is not known.
        ("x-consistent-hash", "{ source: dead, queue: done, routing_key: '1' }", true),
    ] {
        let found = to_dead(kind, "exchange: dead, routing_key: k", bindings);
        assert_eq!(found == "nothing", expected, "{kind} {bindings}: {found}");
    }
}

#[test]
fn through_other_exchanges() {
    for (dead, bindings, expected) in [
        (
            "direct",
            "{ source: dead, exchange: other, routing_key: k }, { source: other, queue: done }",
            true,
        ),
        ("direct", "{ source: dead, exchange: other, routing_key: k }", false),
        ("{ type: direct, alternate: spare }", "{ source: spare, queue: spared }", true),
        ("{ type: direct, alternate: spare }", "", false),
        // A binding that leads nowhere is a match: the alternate exchange gets nothing.
        (
            "{ type: direct, alternate: spare }",
            "{ source: dead, exchange: other, routing_key: k }, { source: spare, queue: spared }",
            false,
        ),
    ] {
        let found = to_dead(dead, "exchange: dead, routing_key: k", bindings);
        assert_eq!(found == "nothing", expected, "{dead} {bindings}: {found}");
    }
}

#[test]
fn through_the_default_exchange() {
    assert_eq!(to_dead("direct", "exchange: '', routing_key: done", ""), "nothing");
    assert_snapshot!(to_dead("direct", "exchange: '', routing_key: gone", ""), @"
    error[dlx-nowhere] queues.wait.dead_letter.routing_key: dead letters of `wait` go to the default exchange with key `gone`, and from there to no queue: they are dropped without a trace
      mend: take the name of a queue as the dead-letter routing key
    ");
}

#[test]
fn an_at_least_once_queue_keeps_them() {
    assert_snapshot!(found(
        "
exchanges: { dead: direct }
queues:
  wait:
    type: quorum
    message_ttl: 30s
    overflow: reject-publish
    dead_letter: { exchange: dead, routing_key: k, strategy: at-least-once }
"
    ), @"
    error[dlx-nowhere] queues.wait.dead_letter.routing_key: dead letters of `wait` go to exchange `dead` with key `k`, and from there to no queue: it keeps them, seen in `messages_dlx` alone, and 32 of them stall every later message
      mend: bind a queue to `dead`
    ");
}

#[test]
fn a_delays_target_is_followed() {
    // The target binds `retry`, but what its consumer rejects keeps the key `done`.
    assert_snapshot!(found(
        "
exchanges: { dead: direct }
queues:
  parked: { max_length: 9 }
  done: { dead_letter: { exchange: dead } }
bindings: [ { source: dead, queue: parked, routing_key: parked } ]
delays: { d: { target: { queue: done }, tiers: { delays: [5s] } } }
"
    ), @"
    error[dlx-nowhere] queues.done.dead_letter.exchange: dead letters of `done` go to exchange `dead` with the key they were published with (`done`), and from there to no queue: they are dropped without a trace
      mend: bind a queue to `dead` with `done`, or set a dead-letter routing key that is bound there: `parked`
    ");
}

#[test]
fn keys_are_followed_from_queue_to_queue() {
    // `a` gives its messages the key `k`; they keep it in `b`.
    assert_snapshot!(found(
        "
exchanges: { dead: fanout, last: direct }
queues:
  a: { message_ttl: 1s, dead_letter: { exchange: '', routing_key: b } }
  b: { message_ttl: 1s, dead_letter: { exchange: last } }
  done: {}
bindings: [ { source: last, queue: done, routing_key: a } ]
"
    ), @"
    error[dlx-nowhere] queues.b.dead_letter.exchange: dead letters of `b` go to exchange `last` with the key they were published with (`b`), and from there to no queue: they are dropped without a trace
      mend: bind a queue to `last` with `b`, or set a dead-letter routing key that is bound there: `a`
    ");
}

#[test]
fn a_missing_exchange() {
    // A file cannot refer to an exchange that it does not declare. A policy can, and what is read
    // from a broker can.
    let text = "
exchanges: { order.dead: direct }
queues: { wait: { message_ttl: 30s } }
";
    let dead = [("dead-letter-exchange", Value::from("oder.dead"))];
    assert_snapshot!(found_with(policy("^wait", "queues", dead), text), @"
    error[dlx-missing] policies.p.definition.dead-letter-exchange: no exchange `oder.dead` is declared; where it is missing, the dead letters of `wait` go nowhere: they are dropped without a trace
      mend: declare `oder.dead`; or did you mean `order.dead`?
    ");
    let mut objects = Objects::default();
    let queue = Queue::default().with("x-dead-letter-exchange", "elsewhere");
    objects.add_queue("wait", queue).unwrap();
    let topology = Topology { objects, ..Topology::default() };
    assert_snapshot!(show(&lint(&topology, None)), @"
    error[dlx-missing] queues.wait.arguments.x-dead-letter-exchange: no exchange `elsewhere` is declared; where it is missing, the dead letters of `wait` go nowhere: they are dropped without a trace
      mend: declare `elsewhere`, with a binding to the queue that shall get them
    ");
}

#[test]
fn a_policy_supplies_the_dead_letter_exchange() {
    let text = "
exchanges: { dead: direct }
queues: { done: {}, wait: { message_ttl: 30s } }
bindings: [ { source: dead, queue: done, routing_key: k } ]
";
    let to = |key: &str| {
        let to = [("dead-letter-exchange", "dead".into()), ("dead-letter-routing-key", key.into())];
        found_with(policy("^wait", "queues", to), text)
    };
    assert_eq!(to("k"), "nothing");
    assert_snapshot!(to("other"), @"
    error[dlx-nowhere] policies.p.definition.dead-letter-routing-key: dead letters of `wait` go to exchange `dead` with key `other`, and from there to no queue: they are dropped without a trace
      mend: bind a queue to `dead` with `other`, or set a dead-letter routing key that is bound there: `k`
    ");
}

/// An at-least-once queue whose messages keep their keys.
fn stalls(dead: &str, bindings: &str) -> String {
    found(&format!(
        "
exchanges: {{ in: topic, dead: {dead}, rest: fanout }}
queues:
  done: {{}}
  parked: {{ max_length: 9 }}
  wait:
    type: quorum
    message_ttl: 30s
    overflow: reject-publish
    dead_letter: {{ exchange: dead, strategy: at-least-once }}
bindings: [ {{ source: in, queue: wait, routing_key: 'order.#' }}, {bindings} ]
"
    ))
}

#[test]
fn unroutable_messages_stall_an_at_least_once_queue() {
    assert_snapshot!(stalls("topic", "{ source: dead, queue: done, routing_key: 'order.*' }"), @"
    warning[at-least-once-stall] queues.wait.dead_letter.exchange: messages reach `wait` with keys like `order.#`, and some may find no queue behind exchange `dead`: an at-least-once queue keeps these, and 32 of them stall every later message
      mend: give `dead` an alternate exchange with a queue that catches the rest
    ");
    assert_snapshot!(stalls("headers", "{ source: dead, queue: done, arguments: { kind: order } }"), @"
    warning[at-least-once-stall] queues.wait.dead_letter.exchange: messages reach `wait` with keys like `order.#`, and some may find no queue behind exchange `dead`: an at-least-once queue keeps these, and 32 of them stall every later message
      mend: give `dead` an alternate exchange with a queue that catches the rest
    ");
}

#[test]
fn what_every_message_finds_stalls_nothing() {
    for (dead, bindings) in [
        ("topic", "{ source: dead, queue: done, routing_key: 'order.#' }"),
        ("fanout", "{ source: dead, queue: done }"),
        (
            "{ type: topic, alternate: rest }",
            "{ source: dead, queue: done, routing_key: 'order.*' }, { source: rest, queue: parked }",
        ),
    ] {
        assert_eq!(stalls(dead, bindings), "nothing", "{dead} {bindings}");
    }
}

#[test]
fn at_least_once_without_its_conditions() {
    // A file's own check refuses these; what is read from a broker can have them.
    let base = Queue::default()
        .with("x-message-ttl", 1000)
        .with("x-dead-letter-exchange", "amq.fanout")
        .with("x-dead-letter-strategy", "at-least-once");
    let mut objects = Objects::default();
    objects.add_queue("done", Queue::default()).unwrap();
    objects.add_binding(delayctl::objects::Binding::to_queue("amq.fanout", "done", ""));
    objects.add_queue("drops", base.clone().with("x-queue-type", "quorum")).unwrap();
    objects.add_queue("is.classic", base.with("x-queue-type", "classic")).unwrap();
    let alone = Queue::default()
        .with("x-queue-type", "quorum")
        .with("x-overflow", "reject-publish")
        .with("x-dead-letter-strategy", "at-least-once");
    objects.add_queue("no.exchange", alone).unwrap();
    let topology = Topology { objects, ..Topology::default() };
    assert_snapshot!(show(&lint(&topology, None)), @"
    error[at-least-once-void] queues.drops.arguments.x-dead-letter-strategy: at-least-once on `drops` needs `overflow: reject-publish`: without it RabbitMQ silently falls back to at-most-once, and dead letters can be lost
      mend: add `overflow: reject-publish`
    error[at-least-once-void] queues.no.exchange.arguments.x-dead-letter-strategy: at-least-once on `no.exchange` needs a dead-letter exchange: without it the setting has no effect, and what expires or is rejected is dropped
      mend: add a dead-letter exchange
    error[argument-refused] queues.is.classic.arguments.x-dead-letter-strategy: RabbitMQ refuses the classic queue `is.classic` for `x-dead-letter-strategy`: it is for quorum queues
      mend: leave it out, or change the queue's type
    ");
}

#[test]
fn a_policy_turns_at_least_once_off() {
    let text = "
queues: { done: {} }
delays: { d: { target: { queue: done }, tiers: { delays: [5s, 10s, 30s, 1m, 5m] } } }
";
    let drop = policy("^d", "all", [("overflow", "drop-head".into())]);
    assert_snapshot!(found_with(drop, text), @"
    error[at-least-once-policy] policies.p.definition.overflow: the policy `p` turns at-least-once on `d.5s` off: on a quorum queue its `overflow: drop-head` beats the queue's `reject-publish`, and dead letters can be lost; the same holds for 4 more: `d.10s`, `d.30s`, `d.1m`, …
      mend: take `overflow` out of `p`, or keep it off the waiting queues
    ");
    for harmless in [
        policy("^d", "all", [("overflow", "reject-publish".into())]),
        policy("^d", "all", [("dead-letter-strategy", "at-most-once".into())]),
    ] {
        let mut topology = super::topology(text);
        topology.objects.policies.insert("p".to_owned(), harmless.1);
        let off = (Severity::Error, Code::AtLeastOncePolicy);
        assert!(!codes(&lint(&topology, None)).contains(&off));
    }
}
