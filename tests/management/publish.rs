//! `publish`: what policies of the broker do to its messages is said before they are sent.

use serde_json::json;

use crate::stage::stage;

const FILE: &str = "
exchanges: { out: direct }
queues: { done: {} }
bindings: [ { source: out, queue: done, routing_key: k } ]
delays:
  fixed: { target: { exchange: out, routing_key: k }, tiers: { queue_type: classic, delays: [1s, 30m] } }
  free: { target: { queue: done }, per_message_ttl: { queue_type: classic } }
";

#[test]
fn policies_that_hasten_messages_are_warned_of() {
    let stage = stage!(FILE);
    stage.run("declare", &[]).expect(0);
    let quiet = stage.run("publish", &["fixed", "--delay", "30m"]).expect(0);
    assert_eq!(quiet.stderr, "");
    let tidy = json!({ "pattern": "^f", "apply-to": "queues",
        "definition": { "message-ttl": 1000, "max-length": 5 } });
    stage.put(&stage.in_vhost("policies", "tidy"), &tidy);
    stage.policy_is_on("fixed.30m", "tidy");
    stage.policy_is_on("free.wait", "tidy");
    let full = "max-length 5: with more messages, the oldest leave before their time";
    let ttl = |wait: &str| format!("message-ttl 1000: messages leave after 1s instead of {wait}; ");
    let table = [
        ("fixed", "30m", format!("fixed.30m`: {}{full}", ttl("30m"))),
        ("fixed", "1s", format!("fixed.1s`: {full}")),
        ("free", "300ms,2s", format!("free.wait`: {}{full}", ttl("2s"))),
    ];
    for (delay, times, warning) in table {
        let ended = stage.run("publish", &[delay, "--delay", times, "-q"]).expect(0);
        assert_eq!(ended.stderr, format!("warning: policy `tidy` on queue `{warning}\n"));
    }
    let straight = stage.run("publish", &["fixed", "--delay", "0"]).expect(0);
    assert_eq!(straight.stderr, "", "it waits nowhere");
}

/// What is unrouted is not lost where a policy gives the exchange an alternate, and goes astray.
#[test]
fn an_alternate_exchange_by_policy_is_not_the_target() {
    let stage = stage!(FILE);
    stage.run("declare", &[]).expect(0);
    stage.drop_it(&stage.in_vhost("bindings", "e/out/q/done/k"));
    let missing = "binding from exchange `out` to queue `done` with key `k` is missing: ";
    let ended = stage.run("publish", &["fixed", "--delay", "1s"]).expect(1);
    ended.says(&format!("{missing}the messages would be lost"));
    let rest = json!({ "pattern": "^out$", "apply-to": "exchanges",
        "definition": { "alternate-exchange": "amq.fanout" } });
    stage.put(&stage.in_vhost("policies", "rest"), &rest);
    let astray =
        format!("{missing}the messages would go to exchange `amq.fanout` by policy `rest`");
    stage.run_until("publish", &["fixed", "--delay", "1s"], |ended| ended.stderr.contains(&astray));
}
