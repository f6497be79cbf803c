//! Circles of dead letters: dropped, kept, and retry loops.

use insta::assert_snapshot;

use super::{found, found_on};

const KEPT: &str = "type: quorum, overflow: reject-publish, message_ttl: 10s";

#[test]
fn expiring_all_the_way_round() {
    assert_snapshot!(found(
        "
queues:
  a: { message_ttl: 10s, dead_letter: { exchange: '', routing_key: b } }
  b: { message_ttl: 10s, dead_letter: { exchange: '', routing_key: c } }
  c: { message_ttl: 10s, dead_letter: { exchange: '', routing_key: a } }
"
    ), @"
    error[cycle-dropped] queues.a.dead_letter.exchange: `a` → `b` → `c` → `a`: messages expire all the way round, and one that would return to a queue where it has been is in a cycle: RabbitMQ drops it
      mend: let the last queue dead-letter to one that a consumer reads, outside the circle
    ");
}

#[test]
fn a_queue_that_dead_letters_to_itself() {
    assert_snapshot!(found("queues: { a: { message_ttl: 10s, dead_letter: { exchange: '', routing_key: a } } }"), @"
    error[cycle-dropped] queues.a.dead_letter.exchange: `a` → `a`: messages expire all the way round, and one that would return to a queue where it has been is in a cycle: RabbitMQ drops it
      mend: let the last queue dead-letter to one that a consumer reads, outside the circle
    ");
}

#[test]
fn kept_by_at_least_once() {
    assert_snapshot!(found(&format!(
        "
queues:
  a: {{ {KEPT}, dead_letter: {{ exchange: '', routing_key: b, strategy: at-least-once }} }}
  b: {{ {KEPT}, dead_letter: {{ exchange: '', routing_key: a, strategy: at-least-once }} }}
"
    )), @"
    error[cycle-kept] queues.a.dead_letter.exchange: `a` → `b` → `a`: messages expire all the way round, and one that would return to a queue where it has been is in a cycle: the queue before keeps it for ever, seen in `messages_dlx` alone, and 32 of them stall it
      mend: let the last queue dead-letter to one that a consumer reads, outside the circle
    ");
}

#[test]
fn a_retry_loop() {
    let text = "
queues:
  work: { dead_letter: { exchange: '', routing_key: wait } }
  wait: { message_ttl: 30s, dead_letter: { exchange: '', routing_key: work } }
";
    assert_snapshot!(found(text), @"
    warning[retry-loop] queues.work.dead_letter.exchange: `work` → `wait` → `work`: what a consumer rejects from `work` comes back after 30s, again and again, and only the consumer can end it
      mend: let the consumer count the rounds in `x-death`, and publish to a parking queue what had its share
    ");
    // RabbitMQ 4 gives quorum queues a delivery limit, which is no reject.
    let quorum = text.replace("work: {", "work: { type: quorum,");
    assert_snapshot!(found_on("4.0", &quorum), @"
    warning[retry-loop] queues.work.dead_letter.exchange: `work` → `wait` → `work`: what a consumer rejects from `work` comes back after 30s, again and again, and only the consumer can end it; one that is requeued until RabbitMQ 4's default delivery limit of 20 is in a cycle instead, and is lost
      mend: let the consumer count the rounds in `x-death`, and publish to a parking queue what had its share
    ");
    assert_snapshot!(found_on("3.13", &quorum), @"
    warning[retry-loop] queues.work.dead_letter.exchange: `work` → `wait` → `work`: what a consumer rejects from `work` comes back after 30s, again and again, and only the consumer can end it
      mend: let the consumer count the rounds in `x-death`, and publish to a parking queue what had its share
    ");
    let unlimited = quorum.replace("quorum,", "quorum, arguments: { x-delivery-limit: -1 },");
    assert_eq!(found_on("4.0", &unlimited), found_on("3.13", &quorum));
}

#[test]
fn a_retry_loop_with_limits() {
    assert_snapshot!(found(&format!(
        "
queues:
  work: {{ type: quorum, delivery_limit: 5, dead_letter: {{ exchange: '', routing_key: wait }} }}
  wait: {{ {KEPT}, dead_letter: {{ exchange: '', routing_key: work, strategy: at-least-once }} }}
  full: {{ max_length: 100, dead_letter: {{ exchange: '', routing_key: pause }} }}
  pause: {{ message_ttl: 30s, dead_letter: {{ exchange: '', routing_key: full }} }}
"
    )), @"
    error[retry-loop-limit] queues.work.delivery_limit: a message that leaves `work` by its delivery limit of 5 and not by a reject cannot return: in `work` → `wait` → `work` that is a cycle, and `wait` keeps it for ever
      mend: take the limit off, and end retries by rejecting and counting `x-death`
    error[retry-loop-limit] queues.full.max_length: a message that leaves `full` by its length limit of 100 and not by a reject cannot return: in `full` → `pause` → `full` that is a cycle, and `pause` drops it
      mend: take the limit off, and end retries by rejecting and counting `x-death`
    warning[retry-loop] queues.work.dead_letter.exchange: `work` → `wait` → `work`: what a consumer rejects from `work` comes back after 10s, again and again, and only the consumer can end it
      mend: let the consumer count the rounds in `x-death`, and publish to a parking queue what had its share
    warning[retry-loop] queues.full.dead_letter.exchange: `full` → `pause` → `full`: what a consumer rejects from `full` comes back after 30s, again and again, and only the consumer can end it
      mend: let the consumer count the rounds in `x-death`, and publish to a parking queue what had its share
    ");
}

#[test]
fn a_retry_loop_through_exchanges_and_a_delay() {
    assert_snapshot!(found(
        "
exchanges: { retry: direct, events: topic }
queues:
  work: { dead_letter: { exchange: retry } }
bindings: [ { source: events, queue: work, routing_key: 'order.new' } ]
delays:
  again:
    target: { exchange: events, routing_key: order.new }
    tiers: { exchange: retry, delays: [ { delay: 30s, queue: order.new } ] }
"
    ), @"
    warning[retry-loop] queues.work.dead_letter.exchange: `work` → `order.new` → `work`: what a consumer rejects from `work` comes back after 30s, again and again, and only the consumer can end it
      mend: let the consumer count the rounds in `x-death`, and publish to a parking queue what had its share
    ");
}

#[test]
fn a_line_is_no_circle() {
    let text = "
queues:
  a: { message_ttl: 10s, dead_letter: { exchange: '', routing_key: b } }
  b: { message_ttl: 10s, dead_letter: { exchange: '', routing_key: c } }
  work: { dead_letter: { exchange: '', routing_key: c } }
  c: {}
";
    assert_eq!(found(text), "nothing");
}

#[test]
fn keys_that_do_not_lead_back() {
    // `retry` leads back to `work` with another key than `work` was bound with.
    let text = "
exchanges: { x: topic }
queues:
  work: { dead_letter: { exchange: x, routing_key: failed.order } }
  failed: { message_ttl: 1h, dead_letter: { exchange: x, routing_key: gone.order } }
  gone: {}
bindings:
  - { source: x, queue: work, routing_key: 'new.#' }
  - { source: x, queue: failed, routing_key: 'failed.#' }
  - { source: x, queue: gone, routing_key: 'gone.#' }
";
    assert_eq!(found(text), "nothing");
}
