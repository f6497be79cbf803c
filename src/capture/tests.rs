use insta::assert_snapshot;

use super::*;
use crate::topology::parse;

fn capture_file(text: &str) -> String {
    let objects = parse(text).unwrap().objects;
    let captured = capture(&objects, None, &HashSet::new()).unwrap();
    assert!(claim::same_objects(&captured.topology.objects, &objects), "{}", captured.text);
    captured.text
}

#[test]
fn every_example_comes_back() {
    for entry in std::fs::read_dir("topologies").unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|ending| ending != "yaml") {
            continue;
        }
        capture_file(&std::fs::read_to_string(&path).unwrap());
    }
}

#[test]
fn tiers_under_any_names() {
    assert_snapshot!(capture_file(include_str!("../../topologies/tiered-delays.yaml")), @r#"
    exchanges:
      delay.dlx: direct

    queues:
      order.timeout.q: { type: quorum }

    bindings:
      - { source: delay.dlx, queue: order.timeout.q, routing_key: order.timeout }

    delays:
      order.timeout:
        target: { exchange: delay.dlx, routing_key: order.timeout }
        tiers: { delays: [5s, 30s, 1h], exchange: "", queue: "delay.{delay}.q" }
    "#);
    assert_snapshot!(capture_file(include_str!("../../topologies/order-timeout.yaml")), @r"
    exchanges:
      order.dead.exchange: direct
      order.dead2.exchange: direct

    queues:
      order.dead.queue:
        type: quorum
        dead_letter: { exchange: order.dead2.exchange, routing_key: order.dead2 }
      order.dead2.queue: { type: quorum, max_length: 100000 }

    bindings:
      - { source: order.dead.exchange, queue: order.dead.queue, routing_key: order.dead }
      - { source: order.dead2.exchange, queue: order.dead2.queue, routing_key: order.dead2 }

    delays:
      order.dead:
        target: { exchange: order.dead.exchange, routing_key: order.dead }
        tiers:
          delays: [{ delay: 30m, queue: order.delay.queue }]
          exchange: order.delay.exchange
          max_length: 500000
    ");
    let foreign = r#"
queues:
  done: {}
  hold-b: { message_ttl: 90s, dead_letter: { exchange: "", routing_key: done } }
  hold-a: { type: classic, message_ttl: 5s, dead_letter: { exchange: "", routing_key: done } }
  again: { message_ttl: 5s, dead_letter: { exchange: "", routing_key: done } }
  two-ways: { message_ttl: 7s, dead_letter: { exchange: "", routing_key: done } }
  no-key: { message_ttl: 7s, dead_letter: { exchange: amq.fanout } }
  more: { message_ttl: 7s, expires: 1h, dead_letter: { exchange: "", routing_key: done } }
exchanges: { in: topic }
bindings:
  - { source: in, queue: hold-a, routing_key: "hold.#" }
  - { source: in, queue: two-ways, routing_key: a }
  - { source: in, queue: two-ways, routing_key: b }
"#;
    assert_snapshot!(capture_file(foreign), @r#"
    exchanges:
      in: topic

    queues:
      done: {}
      more: { message_ttl: 7s, expires: 1h, dead_letter: { exchange: "", routing_key: done } }
      no-key: { message_ttl: 7s, dead_letter: { exchange: amq.fanout } }
      two-ways: { message_ttl: 7s, dead_letter: { exchange: "", routing_key: done } }

    bindings:
      - { source: in, queue: two-ways, routing_key: a }
      - { source: in, queue: two-ways, routing_key: b }
      - { source: in, queue: hold-a, routing_key: "hold.#" }

    delays:
      done:
        target: { queue: done }
        tiers:
          delays: [{ delay: 5s, queue: again }, { delay: 1m30s, queue: hold-b }]
          exchange: ""
          queue_type: classic
      done-2:
        target: { queue: done }
        tiers: { delays: [{ delay: 5s, queue: hold-a }], exchange: "", queue_type: classic }
    "#);
}

#[test]
fn consumed_queues_hold_nothing_back() {
    let text = "
queues:
  done: {}
  work: { message_ttl: 90s, dead_letter: { exchange: '', routing_key: done } }";
    let objects = parse(text).unwrap().objects;
    let consumed = HashSet::from(["work".to_owned()]);
    let plain = capture(&objects, Some("/"), &consumed).unwrap();
    assert!(plain.topology.delays.is_empty());
    assert_eq!(plain.topology.vhost.as_deref(), Some("/"));
    assert_eq!(capture(&objects, None, &HashSet::new()).unwrap().topology.delays.len(), 1);
}

#[test]
fn ladders() {
    assert_snapshot!(capture_file(include_str!("../../topologies/ladder.yaml")), @r#"
    exchanges:
      order.events: topic

    queues:
      order.mail.q: { type: quorum }
      order.retry.q: { type: quorum }

    bindings:
      - { source: order.events, queue: order.mail.q, routing_key: "order.reminder.#" }

    delays:
      order.retry.q:
        target: { queue: order.retry.q }
        ladder: { resolution: 1s, max: 1d4h47m59s, radix: 12, prefix: shop.ladder }
      reminder:
        target: { exchange: order.events, routing_key: order.reminder.mail }
        ladder: { resolution: 1s, max: 1d4h47m59s, radix: 12, prefix: shop.ladder }
    "#);
    let single = "
queues: { q: {} }
delays:
  d: { target: { queue: q }, ladder: { radix: 16, resolution: 10ms, max: 4s, queue_type: classic } }";
    assert_snapshot!(capture_file(single), @r"
    queues:
      q: {}

    delays:
      d:
        target: { queue: q }
        ladder: { resolution: 10ms, max: 5s110ms, radix: 16, queue_type: classic }
    ");
    let foreign = "
exchanges: { Sales: fanout, tasks: topic }
queues: { Sales: {}, celery: {} }
bindings:
  - { source: Sales, queue: Sales }
  - { source: tasks, queue: celery, routing_key: '#.celery' }
delays:
  nsb: { target: { exchange: Sales }, ladder: { names: nservicebus } }
  celery:
    target: { exchange: tasks, routing_key: celery }
    ladder: { names: celery, queue_type: classic, prefix: app }";
    assert_snapshot!(capture_file(foreign), @r##"
    exchanges:
      Sales: fanout
      tasks: topic

    queues:
      Sales: {}
      celery: {}

    bindings:
      - { source: Sales, queue: Sales }
      - { source: tasks, queue: celery, routing_key: "#.celery" }

    delays:
      Sales: { target: { exchange: Sales }, ladder: { names: nservicebus } }
      celery:
        target: { exchange: tasks, routing_key: celery }
        ladder: { prefix: app, names: celery, queue_type: classic }
    "##);
}

#[test]
fn a_ladder_with_a_queue_missing_is_plain() {
    let text = "
queues: { q: {} }
delays: { d: { target: { queue: q }, ladder: { max: 7s } } }";
    let mut objects = parse(text).unwrap().objects;
    objects.queues.shift_remove("d.ladder.level-01.1");
    objects.bindings.retain(|b| b.destination.name() != "d.ladder.level-01.1");
    let captured = capture(&objects, None, &HashSet::new()).unwrap();
    assert!(captured.topology.delays.is_empty());
    assert_eq!(captured.topology.objects, objects);
}

#[test]
fn the_plugin_and_per_message_ttl() {
    assert_snapshot!(capture_file(include_str!("../../topologies/delayed-exchange.yaml")), @r"
    queues:
      order.timeout.q: { type: quorum }

    delays:
      order.timeout.q:
        target: { queue: order.timeout.q }
        delayed_exchange: { exchange: delay.ex, type: direct, routing_key: order.timeout }
    ");
    assert_snapshot!(capture_file(include_str!("../../topologies/head-of-line.yaml")), @r"
    queues:
      hol.blocked.done: { type: quorum }
      hol.ladder.done: { type: quorum }
      hol.plugin.done: { type: quorum }
      hol.tiers.done: { type: quorum }

    delays:
      hol: { target: { queue: hol.ladder.done }, ladder: { resolution: 1s, max: 1m3s, radix: 2 } }
      hol.blocked: { target: { queue: hol.blocked.done }, per_message_ttl: {} }
      hol.plugin: { target: { queue: hol.plugin.done }, delayed_exchange: { type: direct } }
      hol.tiers: { target: { queue: hol.tiers.done }, tiers: { delays: [5s, 10s, 30s] } }
    ");
    let text = "
exchanges:
  later: { type: x-delayed-message, arguments: { x-delayed-type: topic } }
  mail.delay: { type: x-delayed-message, arguments: { x-delayed-type: direct } }
  other: { type: x-delayed-message, internal: true, arguments: { x-delayed-type: direct } }
  events: topic
queues: { a: {}, b: {}, d.wait: { dead_letter: { exchange: '', routing_key: a } } }
bindings:
  - { source: later, queue: a, routing_key: 'order.*' }
  - { source: later, queue: a, routing_key: order.paid }
  - { source: later, queue: b, routing_key: order.paid }
  - { source: later, exchange: events, routing_key: order.lost }
  - { source: mail.delay, queue: b, routing_key: b }
  - { source: other, queue: b, routing_key: b }";
    assert_snapshot!(capture_file(text), @r#"
    exchanges:
      events: topic
      other: { type: x-delayed-message, internal: true, arguments: { x-delayed-type: direct } }

    queues:
      a: {}
      b: {}

    bindings:
      - { source: later, queue: a, routing_key: "order.*" }
      - { source: later, exchange: events, routing_key: order.lost }
      - { source: later, queue: b, routing_key: order.paid }
      - { source: other, queue: b, routing_key: b }

    delays:
      d: { target: { queue: a }, per_message_ttl: { exchange: "", queue_type: classic } }
      mail: { target: { queue: b }, delayed_exchange: { type: direct } }
      order.paid:
        target: { queue: a }
        delayed_exchange: { exchange: later, type: topic, routing_key: order.paid }
    "#);
}

#[test]
fn what_the_format_cannot_say_is_in_arguments() {
    let text = r##"
exchanges:
  x: { type: headers, durable: false, auto_delete: true, internal: true,
       arguments: { alternate-exchange: gone, x-list: [1, 1.0, "1", true, { a: [] }] } }
queues:
  q: { type: quorum, durable: false, auto_delete: true, expires: 1h, max_length_bytes: 1GiB,
       overflow: reject-publish-dlx, delivery_limit: 3, single_active_consumer: true,
       arguments: { x-dead-letter-exchange: gone, x-dead-letter-strategy: at-least-once } }
  stream: { arguments: { x-queue-type: stream, x-max-age: 7D } }
  retry: { type: quorum, delayed_retry: { type: failed, min: 1s } }
  "No": { arguments: { x-delivery-limit: -1 } }
  classic: { type: classic, arguments: { x-delayed-retry-type: all } }
policies:
  limits: { pattern: "^q", apply_to: quorum_queues, priority: 2, definition: { max-length: 5 } }
  ttl: { pattern: ".*", definition: { message-ttl: 5, federation-upstream-set: all } }
bindings:
  - { source: x, queue: q, arguments: { x-match: any, "a b": "#" } }
  - { source: amq.topic, exchange: x, routing_key: "a.#" }
"##;
    assert_snapshot!(capture_file(text), @r##"
    exchanges:
      x:
        type: headers
        durable: false
        auto_delete: true
        internal: true
        arguments: { alternate-exchange: gone, x-list: [1, 1.0, "1", true, { a: [] }] }

    queues:
      "No": { arguments: { x-delivery-limit: -1 } }
      classic: { type: classic, arguments: { x-delayed-retry-type: all } }
      q:
        type: quorum
        durable: false
        auto_delete: true
        expires: 1h
        max_length_bytes: 1073741824
        overflow: reject-publish-dlx
        delivery_limit: 3
        single_active_consumer: true
        arguments: { x-dead-letter-exchange: gone, x-dead-letter-strategy: at-least-once }
      retry: { type: quorum, delayed_retry: { type: failed, min: 1s } }
      stream: { arguments: { x-max-age: "7D", x-queue-type: stream } }

    bindings:
      - { source: amq.topic, exchange: x, routing_key: "a.#" }
      - { source: x, queue: q, arguments: { "a b": "#", x-match: any } }

    policies:
      limits: { pattern: "^q", apply_to: quorum_queues, priority: 2, definition: { max-length: 5 } }
      ttl: { pattern: ".*", definition: { federation-upstream-set: all, message-ttl: 5 } }
    "##);
    assert_eq!(capture_file("exchanges: {}"), "exchanges: {}\n");
}
