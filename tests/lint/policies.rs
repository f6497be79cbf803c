//! Policies that do not do what they look like.

use insta::assert_snapshot;

use delayctl::lint::lint;

use super::{found, found_on, found_with, policy, show, topology};

const QUEUES: &str = "queues: { c: { type: classic }, q: { type: quorum } }";

#[test]
fn passed_over_for_one_key() {
    let mixed = [("message-ttl", 1000.into()), ("dead-letter-strategy", "at-most-once".into())];
    assert_snapshot!(found_with(policy("", "queues", mixed.clone()), QUEUES), @"
    warning[policy-not-applied] policies.p.definition.dead-letter-strategy: the policy `p` is passed over for the classic queue `c`, with all its keys: classic queues do not have `dead-letter-strategy`
      mend: move `dead-letter-strategy` to a policy of its own, for the queues that have it
    ");
    assert_eq!(found_with(policy("", "quorum_queues", mixed.clone()), QUEUES), "nothing");
    assert_eq!(found_with(policy("^q$", "queues", mixed), QUEUES), "nothing");
}

#[test]
fn a_policy_that_is_passed_over_cuts_nothing_short() {
    let text = "
queues:
  done: {}
  wait: { type: classic, message_ttl: 1h, dead_letter: { exchange: '', routing_key: done } }
";
    let mixed = [("message-ttl", 1000.into()), ("dead-letter-strategy", "at-most-once".into())];
    assert_snapshot!(found_with(policy("wait", "queues", mixed), text), @"
    warning[policy-not-applied] policies.p.definition.dead-letter-strategy: the policy `p` is passed over for the classic queue `wait`, with all its keys: classic queues do not have `dead-letter-strategy`
      mend: move `dead-letter-strategy` to a policy of its own, for the queues that have it
    ");
}

#[test]
fn keys_and_patterns_that_are_refused() {
    let keys = [("x-message-ttl", 1000.into()), ("max-priority", 5.into())];
    assert_snapshot!(found_with(policy("(", "queues", keys), QUEUES), @"
    error[policy-refused] policies.p.pattern: `(` is no regular expression: RabbitMQ refuses the policy
      mend: correct the pattern
    error[policy-refused] policies.p.definition.max-priority: RabbitMQ refuses the policy for its key `max-priority`
      mend: leave it out, unless a plugin reads it
    error[policy-refused] policies.p.definition.x-message-ttl: RabbitMQ refuses the policy for its key `x-message-ttl`
      mend: did you mean `message-ttl`?
    ");
}

#[test]
fn keys_of_other_versions() {
    let mut topology = topology(QUEUES);
    let keys = [("ha-mode", "all".into()), ("delayed-retry-min", 5.into())];
    let (name, policy) = policy("^nothing", "queues", keys);
    topology.objects.policies.insert(name.to_owned(), policy);
    let on = |version: &str| show(&lint(&topology, Some(version.parse().unwrap())));
    assert_snapshot!(on("3.13"), @"
    error[policy-refused] policies.p.definition.delayed-retry-min: RabbitMQ 3.13 refuses the policy for its key `delayed-retry-min`, which came with 4.3
      mend: leave it out
    ");
    assert_snapshot!(on("4.3"), @"
    error[policy-refused] policies.p.definition.ha-mode: RabbitMQ 4.3 refuses the policy for its key `ha-mode`, which went with 4.0
      mend: leave it out
    ");
    assert_eq!(show(&lint(&topology, None)), "nothing");
}

#[test]
fn a_tie() {
    let mut topology = topology(QUEUES);
    for (name, ttl, priority) in [("a", 1000, 1), ("b", 2000, 1), ("low", 3000, 0)] {
        let (_, mut policy) = policy("q", "all", [("message-ttl", ttl.into())]);
        policy.priority = priority;
        topology.objects.policies.insert(name.to_owned(), policy);
    }
    assert_snapshot!(show(&lint(&topology, None)), @"
    warning[policy-tie] policies.b.priority: `a` and `b` match the queue `q` with the same priority, 1: which of them applies is not defined
      mend: give one of them a higher priority
    ");
    topology.objects.policies["b"].priority = 2;
    assert_eq!(show(&lint(&topology, None)), "nothing");
}

#[test]
fn types_of_queues_before_they_were_told_apart() {
    let text = "
policies: { p: { pattern: x, apply_to: quorum_queues, definition: { max-length: 5 } } }
";
    assert_snapshot!(found_on("3.10.8", text), @"
    error[policy-refused] policies.p.apply_to: RabbitMQ 3.10.8 refuses the policy: `quorum_queues` came with 3.12
      mend: take `queues`, with a pattern for these queues alone
    ");
    assert_eq!(found_on("3.12", text), "nothing");
    assert_eq!(found(text), "nothing");
}

/// The vhost's default type is that of every queue that can be of it.
#[test]
fn the_vhosts_default_type() {
    let text = "
vhost: { name: shop, default_queue_type: quorum }
queues:
  a: { arguments: { x-max-priority: 5 } }
  b: { auto_delete: true, arguments: { x-max-priority: 5 } }
";
    assert_snapshot!(found(text), @"
    error[argument-refused] queues.a.arguments.x-max-priority: RabbitMQ refuses the quorum queue `a` for `x-max-priority`: it is for classic queues
      mend: leave it out, or change the queue's type
    ");
    assert_eq!(found_on("3.10.8", text), found(text));
}
