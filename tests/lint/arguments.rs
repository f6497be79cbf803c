//! Arguments, delayed retry, names.

use insta::assert_snapshot;

use super::{found, found_on};

#[test]
fn unknown_arguments() {
    assert_snapshot!(found(
        "
exchanges:
  a: { type: topic, arguments: { alternate_exchange: b } }
  b: { type: fanout, arguments: { x-foo: 1 } }
  plugins: { type: x-consistent-hash, arguments: { hash-header: id } }
queues:
  slip: { arguments: { x-mesage-ttl: 5, message-ttl: 5, x-deadletter-exchange: a } }
  own: { arguments: { x-our-team: shop, x-message-deduplication: true } }
"
    ), @"
    error[argument-unknown] queues.slip.arguments.message-ttl: RabbitMQ does not know `message-ttl`: it is accepted, and `slip` does without
      mend: did you mean `x-message-ttl`?
    error[argument-unknown] queues.slip.arguments.x-deadletter-exchange: RabbitMQ does not know `x-deadletter-exchange`: it is accepted, and `slip` does without
      mend: did you mean `x-dead-letter-exchange`?
    error[argument-unknown] queues.slip.arguments.x-mesage-ttl: RabbitMQ does not know `x-mesage-ttl`: it is accepted, and `slip` does without
      mend: did you mean `x-message-ttl`?
    error[argument-unknown] exchanges.a.arguments.alternate_exchange: RabbitMQ does not know `alternate_exchange`: it is accepted, and `a` does without
      mend: did you mean `alternate-exchange`?
    warning[argument-unknown] queues.own.arguments.x-our-team: RabbitMQ does not know `x-our-team`: it is accepted, and `own` does without
      mend: leave it out, unless a plugin reads it
    warning[argument-unknown] exchanges.b.arguments.x-foo: RabbitMQ does not know `x-foo`: it is accepted, and `b` does without
      mend: leave it out, unless a plugin reads it
    ");
}

#[test]
fn arguments_of_another_type() {
    assert_snapshot!(found(
        "
queues:
  prio: { type: quorum, arguments: { x-max-priority: 5 } }
  stream: { message_ttl: 1h, arguments: { x-queue-type: stream } }
  gone: { type: quorum, durable: false, auto_delete: true }
  group: { type: classic, arguments: { x-quorum-target-group-size: 3 } }
  fine: { type: classic, arguments: { x-max-priority: 5 } }
  default: { arguments: { x-max-priority: 5 } }
"
    ), @"
    error[argument-refused] queues.prio.arguments.x-max-priority: RabbitMQ refuses the quorum queue `prio` for `x-max-priority`: it is for classic queues
      mend: leave it out, or change the queue's type
    error[argument-refused] queues.stream.message_ttl: RabbitMQ refuses the stream queue `stream` for `x-message-ttl`: it is for classic and quorum queues
      mend: leave it out, or change the queue's type
    error[argument-refused] queues.gone.durable: RabbitMQ refuses the quorum queue `gone` with `durable: false`
      mend: leave `durable` out, or take a classic queue
    error[argument-refused] queues.gone.auto_delete: RabbitMQ refuses the quorum queue `gone` with `auto_delete: true`
      mend: leave `auto_delete` out, or take a classic queue
    warning[argument-ignored] queues.group.arguments.x-quorum-target-group-size: `x-quorum-target-group-size` on `group` is accepted and does nothing: it is for quorum queues
      mend: leave it out
    ");
}

#[test]
fn arguments_of_other_versions() {
    let text = "
queues:
  lazy: { type: classic, arguments: { x-queue-mode: lazy } }
  timeout: { type: quorum, arguments: { x-consumer-timeout: 60000 } }
  memory: { type: quorum, arguments: { x-max-in-memory-length: 5 } }
  leader: { type: classic, arguments: { x-queue-leader-locator: balanced } }
  master: { type: classic, arguments: { x-queue-master-locator: min-masters } }
";
    assert_snapshot!(found_on("3.10.8", text), @"
    error[argument-refused] queues.leader.arguments.x-queue-leader-locator: RabbitMQ refuses the classic queue `leader` for `x-queue-leader-locator`: before RabbitMQ 4.0 classic queues have `x-queue-master-locator`
      mend: leave it out, or change the queue's type
    warning[argument-ignored] queues.timeout.arguments.x-consumer-timeout: `x-consumer-timeout` on `timeout` is accepted and does nothing: RabbitMQ 3.10.8 does not know it: it came with 3.12
      mend: leave it out
    warning[argument-ignored] queues.memory.arguments.x-max-in-memory-length: `x-max-in-memory-length` on `memory` is accepted and does nothing: quorum queues keep no messages in memory since RabbitMQ 3.10
      mend: leave it out
    ");
    assert_snapshot!(found_on("4.0.5", text), @"
    warning[argument-ignored] queues.lazy.arguments.x-queue-mode: `x-queue-mode` on `lazy` is accepted and does nothing: classic queues have one mode since RabbitMQ 3.12
      mend: leave it out
    warning[argument-ignored] queues.memory.arguments.x-max-in-memory-length: `x-max-in-memory-length` on `memory` is accepted and does nothing: quorum queues keep no messages in memory since RabbitMQ 3.10
      mend: leave it out
    ");
    assert_snapshot!(found_on("4.3.6", text), @"
    error[argument-refused] queues.master.arguments.x-queue-master-locator: RabbitMQ refuses the classic queue `master` for `x-queue-master-locator`: RabbitMQ 4.3 permits `x-queue-leader-locator` only
      mend: leave it out, or change the queue's type
    warning[argument-ignored] queues.lazy.arguments.x-queue-mode: `x-queue-mode` on `lazy` is accepted and does nothing: classic queues have one mode since RabbitMQ 3.12
      mend: leave it out
    warning[argument-ignored] queues.memory.arguments.x-max-in-memory-length: `x-max-in-memory-length` on `memory` is accepted and does nothing: quorum queues keep no messages in memory since RabbitMQ 3.10
      mend: leave it out
    ");
}

#[test]
fn reject_publish_dlx_on_a_quorum_queue() {
    let text = "queues: { q: { type: quorum, max_length: 5, overflow: reject-publish-dlx } }";
    assert_snapshot!(found(text), @"
    error[argument-ignored] queues.q.overflow: `reject-publish-dlx` is for classic queues: `q` is a quorum queue, where it silently means `drop-head`
      mend: take `reject-publish`
    ");
    assert_eq!(found(&text.replace("quorum", "classic")), "nothing");
}

const RETRY: &str = "
queues: { q: { type: quorum, delayed_retry: { type: all, min: 1s, max: 1m } } }
";

#[test]
fn delayed_retry() {
    assert_snapshot!(found(RETRY), @"
    warning[delayed-retry-version] queues.q.delayed_retry.type: delayed retry on `q`: before RabbitMQ 4.3 it is accepted and does nothing, and returned messages come back at once
      mend: take RabbitMQ 4.3, or a retry loop by reject through a waiting queue
    warning[delayed-retry-endless] queues.q.delayed_retry.type: a message of `q` that a consumer nacks (requeue) comes back after 1s, for ever: on RabbitMQ 4.3 a nack does not count towards the delivery limit
      mend: let consumers return messages with `basic.reject` and requeue, which counts
    ");
    assert_snapshot!(found_on("4.2", RETRY), @"
    error[delayed-retry-version] queues.q.delayed_retry.type: delayed retry on `q`: RabbitMQ 4.2 accepts it and does nothing with it, and returned messages come back at once
      mend: take RabbitMQ 4.3, or a retry loop by reject through a waiting queue
    ");
    assert_snapshot!(found_on("4.3", &RETRY.replace("type: all, min: 1s", "type: failed, min: 1s")), @"
    warning[delayed-retry-endless] queues.q.delayed_retry.type: a message of `q` that a consumer nacks (requeue) comes back at once, for ever: on RabbitMQ 4.3 a nack does not count towards the delivery limit
      mend: let consumers return messages with `basic.reject` and requeue, which counts
    ");
    assert_snapshot!(found_on("4.3", &RETRY.replace("min: 1s, ", "")), @"
    error[delayed-retry-idle] queues.q.delayed_retry.type: without a `min` the hold is zero: `q` gives returned messages back at once
      mend: set `min`
    warning[delayed-retry-endless] queues.q.delayed_retry.type: a message of `q` that a consumer nacks (requeue) comes back at once, for ever: on RabbitMQ 4.3 a nack does not count towards the delivery limit
      mend: let consumers return messages with `basic.reject` and requeue, which counts
    ");
    assert_eq!(found_on("4.2", &RETRY.replace("type: all", "type: disabled")), "nothing");
}

#[test]
fn wildcards_that_are_none() {
    assert_snapshot!(found(
        "
exchanges: { d: direct, t: topic }
queues:
  q: {}
  wait: { message_ttl: 1s, dead_letter: { exchange: t, routing_key: 'order.*' } }
bindings:
  - { source: d, queue: q, routing_key: 'order.#' }
  - { source: t, queue: q, routing_key: 'order*' }
  - { source: t, queue: q, routing_key: 'order.*' }
  - { source: d, queue: q, routing_key: order.paid }
delays:
  d: { target: { exchange: t, routing_key: 'order.*' }, tiers: { delays: [1s] } }
"
    ), @"
    warning[wildcard-literal] bindings[0].routing_key: the binding matches the key `order.#` literally, and no other: exchange `d` is a direct exchange, where `*` and `#` are ordinary characters
      mend: take a topic exchange, with whole words in the pattern
    warning[wildcard-literal] bindings[1].routing_key: the binding matches the key `order*` literally, and no other: `*` and `#` stand for whole words only
      mend: take a topic exchange, with whole words in the pattern
    warning[wildcard-literal] queues.wait.dead_letter.routing_key: `order.*` is a dead-letter routing key, no pattern: messages carry it as it stands, literally
      mend: write the very key that messages shall have
    warning[wildcard-literal] delays.d.target.routing_key: `order.*` is a target's routing key, no pattern: messages carry it as it stands, literally
      mend: write the very key that messages shall have
    ");
}

#[test]
fn blanks_that_nobody_sees() {
    assert_snapshot!(found(
        "
exchanges: { 'x ': fanout, 'a b': fanout }
queues: { \"q\\n\": {}, ' r': {} }
bindings: [ { source: 'a b', queue: ' r', routing_key: 'k ' } ]
"
    ), @r#"
    warning[name-whitespace] bindings[0].routing_key: the routing key "k " has a blank at its end or a control character in it: it matches none without
      mend: take it away
    warning[name-whitespace] queues.q
    : the queue name "q\n" has a blank at its end or a control character in it: it matches none without
      mend: take it away
    warning[name-whitespace] queues. r: the queue name " r" has a blank at its end or a control character in it: it matches none without
      mend: take it away
    warning[name-whitespace] exchanges.x : the exchange name "x " has a blank at its end or a control character in it: it matches none without
      mend: take it away
    "#);
}
