//! Policies that do not do what they look like.

use std::fmt::Write as _;

use delayctl::lint::{Code, Version};

use crate::rig::{Rig, SLACK, ms};

#[tokio::test]
async fn a_policy_with_a_foreign_key_does_not_apply() {
    let Some(mut rig) = Rig::open("a_policy_with_a_foreign_key_does_not_apply").await else {
        return;
    };
    if !rig.needs_management() {
        return;
    }
    let text = "
queues:
  P.done: {}
  P.wait: { type: classic, dead_letter: { exchange: '', routing_key: P.done } }
policies:
  P.policy: { pattern: ^P.wait$, apply_to: queues, priority: 5, definition: { message-ttl: 200, delivery-limit: 3 } }
";
    rig.hazard(Code::PolicyNotApplied, text).await;
    rig.send("", "P.wait", "stays").await;
    assert_eq!(rig.one("P.done", ms(200) + SLACK).await, None);
    // The one of the next lower priority applies in its place.
    let lower =
        "  P.lower: { pattern: ^P.wait$, apply_to: queues, definition: { message-ttl: 900 } }";
    rig.hazard(Code::PolicyNotApplied, &format!("{text}{lower}")).await;
    rig.send("", "P.wait", "late").await;
    let late = rig.one("P.done", ms(900) + SLACK).await.expect("the other policy applies");
    assert!(late.after >= ms(900), "{late:?}");
    rig.mended(Code::PolicyNotApplied, &text.replace(", delivery-limit: 3", "")).await;
    rig.send("", "P.wait", "leaves").await;
    assert!(rig.one("P.done", ms(200) + SLACK).await.is_some());
    rig.close().await;
}

/// Which keys a type of queue supports depends on the version: a policy with one that it does not
/// support does not apply, and one of another key does.
#[tokio::test]
async fn keys_that_some_versions_pass_over_a_policy_for() {
    let Some(mut rig) = Rig::open("keys_that_some_versions_pass_over_a_policy_for").await else {
        return;
    };
    if !rig.needs_management() {
        return;
    }
    let text = |key: &str, value: &str| {
        format!(
            "
queues:
  P.done: {{}}
  P.wait: {{ type: classic, dead_letter: {{ exchange: '', routing_key: P.done }} }}
policies:
  P.policy: {{ pattern: ^P.wait$, apply_to: queues, definition: {{ message-ttl: 200, {key}: {value} }} }}
"
        )
    };
    let is_old = rig.version < Version::new(4, 0);
    let (foreign, own) = match is_old {
        true => (("queue-leader-locator", "client-local"), ("max-in-memory-length", "10")),
        false => (("max-in-memory-length", "10"), ("queue-leader-locator", "client-local")),
    };
    rig.hazard(Code::PolicyNotApplied, &text(foreign.0, foreign.1)).await;
    rig.send("", "P.wait", "stays").await;
    assert_eq!(rig.one("P.done", ms(200) + SLACK).await, None);
    rig.mended(Code::PolicyNotApplied, &text(own.0, own.1)).await;
    rig.send("", "P.wait", "leaves").await;
    assert!(rig.one("P.done", ms(200) + SLACK).await.is_some());
    rig.close().await;
}

/// So many pairs of policies that, were each decided by the toss of a coin, all would end alike
/// once in half a million times.
const PAIRS: usize = 20;

/// Queues that two policies match, each: one with a short TTL, and one with a long.
fn pairs(priority_of_short: u8) -> String {
    let mut text = "queues:\n  P.done: {}\n".to_owned();
    for n in 0..PAIRS {
        let dead_letter = "dead_letter: { exchange: '', routing_key: P.done }";
        writeln!(text, "  P.wait{n}: {{ type: classic, {dead_letter} }}").unwrap();
    }
    text.push_str("policies:\n");
    for n in 0..PAIRS {
        for (name, ttl, priority) in [("short", 200, priority_of_short), ("long", 600_000, 0)] {
            let what = format!("pattern: ^P.wait{n}$, apply_to: queues, priority: {priority}");
            let definition = format!("definition: {{ message-ttl: {ttl} }}");
            writeln!(text, "  P.{name}{n}: {{ {what}, {definition} }}").unwrap();
        }
    }
    text
}

/// How many of the queues have the short TTL.
async fn short_ones(rig: &mut Rig) -> usize {
    for n in 0..PAIRS {
        rig.send("", &format!("P.wait{n}"), &n.to_string()).await;
    }
    rig.ids("P.done", ms(200) + SLACK).await.len()
}

/// Between two policies of one priority neither the file's order nor the names' decides: the first
/// applies to some queues and the second to others.
#[tokio::test]
async fn two_policies_of_one_priority_end_either_way() {
    let Some(mut rig) = Rig::open("two_policies_of_one_priority_end_either_way").await else {
        return;
    };
    if !rig.needs_management() {
        return;
    }
    rig.hazard(Code::PolicyTie, &pairs(0)).await;
    let short = short_ones(&mut rig).await;
    assert!((1..PAIRS).contains(&short), "{short} of {PAIRS} have the short TTL");
    rig.mended(Code::PolicyTie, &pairs(1)).await;
    assert_eq!(short_ones(&mut rig).await, PAIRS);
    rig.close().await;
}
