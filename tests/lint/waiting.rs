//! What goes wrong while messages wait: head of line, early, deleted.

use insta::assert_snapshot;

use delayctl::objects::Value;

use super::{found, found_on, found_with, policy};

#[test]
fn head_of_line_without_a_bound() {
    assert_snapshot!(found(
        "
queues: { done: {} }
delays: { d: { target: { queue: done }, per_message_ttl: {} } }
"
    ), @"
    warning[head-of-line] delays.d.per_message_ttl: messages leave `d.wait` in the order they came, since RabbitMQ expires them at the head only: one of 1s right behind one of 1d leaves after 1d, 23h59m59s late; there is no `max`, so nothing bounds the wait but RabbitMQ's longest TTL, 10 years
      mend: use `tiers` or `ladder`, or send only delays that never decrease
    ");
}

#[test]
fn head_of_line_up_to_a_maximum() {
    assert_snapshot!(found(
        "
queues: { done: {} }
delays: { d: { target: { queue: done }, per_message_ttl: { max: 30m } } }
"
    ), @"
    warning[head-of-line] delays.d.per_message_ttl: messages leave `d.wait` in the order they came, since RabbitMQ expires them at the head only: one of 1s right behind one of 30m leaves after 30m, 29m59s late; nothing waits longer than 30m
      mend: use `tiers` or `ladder`, or send only delays that never decrease
    ");
}

#[test]
fn head_of_line_within_a_second() {
    assert_snapshot!(found(
        "
queues: { done: {} }
delays: { d: { target: { queue: done }, per_message_ttl: { max: 800ms } } }
"
    ), @"
    warning[head-of-line] delays.d.per_message_ttl: messages leave `d.wait` in the order they came, since RabbitMQ expires them at the head only: one of 1ms right behind one of 800ms leaves after 800ms, 799ms late; nothing waits longer than 800ms
      mend: use `tiers` or `ladder`, or send only delays that never decrease
    ");
}

#[test]
fn two_delays_in_one_queue() {
    assert_snapshot!(found(
        "
queues: { done: {} }
delays:
  fixed: { target: { queue: done }, tiers: { queue: wait, exchange: a, delays: [1h] } }
  own: { target: { queue: done }, per_message_ttl: { queue: wait, exchange: a, max: 1h } }
"
    ), @"
    warning[head-of-line] delays.own.per_message_ttl: messages leave `wait` (which also holds the messages of `fixed`) in the order they came, since RabbitMQ expires them at the head only: one of 1s right behind one of 1h leaves after 1h, 59m59s late; nothing waits longer than 1h
      mend: use `tiers` or `ladder`, or send only delays that never decrease
    ");
}

#[test]
fn nobody_is_blocked_in_tiers_or_a_ladder() {
    let text = "
queues: { done: {} }
delays:
  t: { target: { queue: done }, tiers: { delays: [5s, 30s] } }
  l: { target: { queue: done }, ladder: { max: 1m } }
";
    assert_eq!(found(text), "nothing");
}

const TIERS: &str = "
queues: { done: {} }
delays: { d: { target: { queue: done }, tiers: { delays: [10s, 30m, 1h] } } }
";

#[test]
fn a_policy_cuts_delays_short() {
    let cut = policy("^d\\.", "queues", [("message-ttl", Value::Int(300_000))]);
    assert_snapshot!(found_with(cut, TIERS), @"
    error[ttl-cut-short] policies.p.definition.message-ttl: messages leave `d.30m` after 5m, instead of after 30m: the policy `p` has the shorter TTL, and of two the smaller counts; the same holds for 1 more: `d.1h`
      mend: keep `p` off the waiting queues, or raise its message-ttl above all of theirs
    ");
}

#[test]
fn a_policy_cuts_messages_own_ttl_short() {
    let text = "
queues: { done: {}, work: { message_ttl: 1h }, mine: { message_ttl: 1h, dead_letter: { exchange: '', routing_key: done } } }
delays: { d: { target: { queue: done }, per_message_ttl: {} } }
";
    let cut = policy("", "all", [("message-ttl", Value::Int(60_000))]);
    assert_snapshot!(found_with(cut, text), @"
    error[ttl-cut-short] policies.p.definition.message-ttl: messages leave `d.wait` after 1m, whatever longer TTL they bring: the policy `p` has the shorter TTL, and of two the smaller counts
      mend: keep `p` off `d.wait`, or give the delay a `max` of 1m
    warning[head-of-line] delays.d.per_message_ttl: messages leave `d.wait` in the order they came, since RabbitMQ expires them at the head only: one of 1s right behind one of 1m leaves after 1m, 59s late; nothing waits longer than 1m
      mend: use `tiers` or `ladder`, or send only delays that never decrease
    warning[ttl-cut-short] policies.p.definition.message-ttl: messages leave `mine` after 1m, instead of after 1h: the policy `p` has the shorter TTL, and of two the smaller counts
      mend: keep `p` off the waiting queues, or raise its message-ttl above all of theirs
    ");
}

#[test]
fn a_longer_or_a_foreign_policy_cuts_nothing() {
    for policy in [
        policy("^d\\.", "queues", [("message-ttl", Value::Int(3_600_000))]),
        policy("^(?!d\\.)", "queues", [("message-ttl", Value::Int(1000))]),
        policy("^d\\.", "exchanges", [("message-ttl", Value::Int(1000))]),
        policy("^d\\.", "classic_queues", [("message-ttl", Value::Int(1000))]),
    ] {
        assert_eq!(found_with(policy, TIERS), "nothing");
    }
}

#[test]
fn full_delay_queues_hand_out_early() {
    assert_snapshot!(found(
        "
queues: { done: {} }
delays:
  full: { target: { queue: done }, tiers: { delays: [30m], max_length: 500000, overflow: drop-head } }
"
    ), @"
    error[overflow-early] delays.full.tiers: when `full.30m` holds 500000 messages, each further message makes it dead-letter its oldest message at once, before its time
      mend: set `overflow: reject-publish`, so that the publisher gets a nack instead
    ");
}

#[test]
fn full_plain_waiting_queues_hand_out_early() {
    // As articles write it: a limit, and no word of what happens beyond it.
    assert_snapshot!(found(
        "
exchanges: { dead: direct }
queues:
  done: {}
  by.count: { message_ttl: 30m, max_length: 500000, dead_letter: { exchange: dead, routing_key: k } }
  by.size: { message_ttl: 30m, max_length_bytes: 1MiB, dead_letter: { exchange: dead, routing_key: k } }
  new.one:
    message_ttl: 30m
    max_length: 9
    overflow: reject-publish-dlx
    dead_letter: { exchange: dead, routing_key: k }
bindings: [ { source: dead, queue: done, routing_key: k } ]
"
    ), @"
    warning[overflow-early] queues.by.count.max_length: when `by.count` holds 500000 messages, each further message makes it dead-letter its oldest message at once, before its time
      mend: set `overflow: reject-publish`, so that the publisher gets a nack instead
    warning[overflow-early] queues.by.size.max_length_bytes: when `by.size` holds 1048576 bytes, each further message makes it dead-letter its oldest message at once, before its time
      mend: set `overflow: reject-publish`, so that the publisher gets a nack instead
    warning[overflow-early] queues.new.one.overflow: when `new.one` holds 9 messages, each further message makes it dead-letter the new message at once, before its time
      mend: set `overflow: reject-publish`, so that the publisher gets a nack instead
    ");
}

#[test]
fn full_queues_that_refuse_or_where_nothing_waits() {
    let text = "
exchanges: { dead: direct }
queues:
  done: { max_length: 5 }
  refuses: { message_ttl: 30m, max_length: 9, overflow: reject-publish, dead_letter: { exchange: dead, routing_key: k } }
  no.ttl: { max_length: 9, dead_letter: { exchange: dead, routing_key: k } }
  cache: { message_ttl: 30m, max_length: 9 }
bindings: [ { source: dead, queue: done, routing_key: k } ]
delays: { d: { target: { queue: done }, tiers: { delays: [30m], max_length: 500000 } } }
";
    assert_eq!(found(text), "nothing");
}

#[test]
fn a_policy_makes_a_quorum_delay_queue_hand_out_early() {
    let text = "
queues: { done: {} }
delays: { d: { target: { queue: done }, tiers: { delays: [30m], max_length: 9 } } }
";
    let drop = policy("d", "queues", [("overflow", Value::from("drop-head"))]);
    assert_snapshot!(found_with(drop.clone(), text), @"
    error[at-least-once-policy] policies.p.definition.overflow: the policy `p` turns at-least-once on `d.30m` off: on a quorum queue its `overflow: drop-head` beats the queue's `reject-publish`, and dead letters can be lost
      mend: take `overflow` out of `p`, or keep it off the waiting queues
    error[overflow-early] policies.p.definition.overflow: when `d.30m` holds 9 messages, each further message makes it dead-letter its oldest message at once, before its time
      mend: take `overflow` out of the policy `p`: on a quorum queue it beats the argument
    ");
    // On a classic queue the argument counts.
    let classic = text.replace("max_length", "queue_type: classic, max_length");
    assert_eq!(found_with(drop, &classic), "nothing");
}

#[test]
fn expiring_quorum_waiting_queues() {
    assert_snapshot!(found(
        "
queues:
  done: {}
  wait: { type: quorum, message_ttl: 10s, expires: 1d, dead_letter: { exchange: '', routing_key: done } }
"
    ), @"
    error[expires-quorum] queues.wait.expires: `wait` is deleted 1d after it was declared, with the messages that wait in it: neither publishing nor, on a quorum queue, declaring it again renews its lease
      mend: leave `expires` out
    ");
}

#[test]
fn expiring_classic_waiting_queues() {
    assert_snapshot!(found(
        "
queues:
  done: {}
  sooner: { message_ttl: 1m, expires: 1m, dead_letter: { exchange: '', routing_key: done } }
  close: { message_ttl: 1m, expires: 90s, dead_letter: { exchange: '', routing_key: done } }
  far: { message_ttl: 1m, expires: 2m, dead_letter: { exchange: '', routing_key: done } }
  nothing.waits: { type: quorum, expires: 1m }
"
    ), @"
    error[expires-short] queues.sooner.expires: `sooner` is deleted 1m after it was last declared, and publishing does not renew that: every message in it is lost
      mend: leave `expires` out, or let it be 2m at least and declare the queue before every message
    warning[expires-short] queues.close.expires: `close` is deleted 1m30s after it was last declared, and publishing does not renew that: what was published later than 30s after that is lost
      mend: leave `expires` out, or let it be 2m at least and declare the queue before every message
    ");
}

#[test]
fn a_policy_expires_delay_queues() {
    let expires = policy(".", "queues", [("expires", Value::Int(3_600_000))]);
    let text = "
queues: { done: {} }
delays:
  own: { target: { queue: done }, per_message_ttl: { queue_type: classic } }
  safe: { target: { queue: done }, tiers: { delays: [5m], queue_type: classic } }
  lost: { target: { queue: done }, tiers: { delays: [5m, 10m] } }
";
    assert_snapshot!(found_with(expires, text), @"
    error[expires-short] policies.p.definition.expires: `own.wait` is deleted 1h after it was last declared, and publishing does not renew that: messages whose delay is longer are lost
      mend: leave `expires` out
    error[expires-quorum] policies.p.definition.expires: `lost.5m` is deleted 1h after it was declared, with the messages that wait in it: neither publishing nor, on a quorum queue, declaring it again renews its lease; the same holds for 1 more: `lost.10m`
      mend: leave `expires` out
    warning[head-of-line] delays.own.per_message_ttl: messages leave `own.wait` in the order they came, since RabbitMQ expires them at the head only: one of 1s right behind one of 1d leaves after 1d, 23h59m59s late; there is no `max`, so nothing bounds the wait but RabbitMQ's longest TTL, 10 years
      mend: use `tiers` or `ladder`, or send only delays that never decrease
    ");
}

#[test]
fn transient_queues() {
    let text = "
queues:
  done: {}
  work: { durable: false }
  wait: { durable: false, message_ttl: 10s, dead_letter: { exchange: '', routing_key: done } }
";
    assert_snapshot!(found_on("4.0.5", text), @"
    warning[transient-queue] queues.work.durable: `work` is transient: it and its messages are lost when the broker restarts, and RabbitMQ 4 deprecates such queues and will refuse them
      mend: leave `durable` out
    warning[transient-queue] queues.wait.durable: `wait` is transient: what waits in it is lost when the broker restarts, and RabbitMQ 4 deprecates such queues and will refuse them
      mend: leave `durable` out
    ");
    assert_snapshot!(found_on("3.13", text), @"
    warning[transient-queue] queues.wait.durable: `wait` is transient: what waits in it is lost when the broker restarts
      mend: leave `durable` out
    ");
}

#[test]
fn auto_delete_queues() {
    assert_snapshot!(found(
        "
queues:
  done: { auto_delete: true }
  wait: { auto_delete: true, message_ttl: 10s, dead_letter: { exchange: '', routing_key: done } }
"
    ), @"
    warning[auto-delete-waiting] queues.wait.auto_delete: `wait` and what waits in it are deleted as soon as a consumer attaches to it and leaves
      mend: leave `auto_delete` out
    ");
}
