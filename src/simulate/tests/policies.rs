//! Policies, and arguments that do not mean what they say.

use super::*;

/// The same objects with a policy for this queue or exchange.
fn governed(mut objects: Objects, name: &str, priority: i64, pairs: &[(&str, Value)]) -> Objects {
    let definition = pairs.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect();
    let pattern = format!("^{name}$");
    let policy = Policy { pattern, apply_to: "all".to_owned(), priority, definition };
    objects.policies.insert(format!("policy {priority}"), policy);
    objects
}

#[test]
fn a_policy_overflow_beats_the_argument_on_quorum_queues_only() {
    for (kind, early) in [("quorum", 1), ("classic", 0)] {
        let limits = "message_ttl: 60s, max_length: 2, overflow: reject-publish";
        let objects = waiting(&format!("type: {kind}, {limits}"));
        let objects = governed(objects, "wait", 0, &[("overflow", "drop-head".into())]);
        let arrived = expirations(&objects, &[None; 3]);
        assert_eq!(arrived.iter().filter(|at| **at == [0]).count(), early, "{kind}");
    }
}

#[test]
fn a_policy_with_a_foreign_key_is_passed_over_for_the_next() {
    let mixed = [("message-ttl", Value::Int(200)), ("delivery-limit", Value::Int(3))];
    for (kind, ttl) in [("quorum", 200), ("classic", 900)] {
        let objects = governed(waiting(&format!("type: {kind}")), "wait", 9, &mixed);
        let alone = expirations(&objects, &[None]);
        assert_eq!(alone[0].is_empty(), kind == "classic", "{kind}: {alone:?}");
        let objects = governed(objects, "wait", 1, &[("message-ttl", Value::Int(900))]);
        assert_eq!(expirations(&objects, &[None]), [[ttl]], "{kind}");
    }
}

#[test]
fn the_default_type_decides_what_is_foreign() {
    let mixed = [("message-ttl", Value::Int(200)), ("delivery-limit", Value::Int(3))];
    let objects = governed(waiting("message_ttl: 1s"), "wait", 0, &mixed);
    for (default_type, ttl) in [(QueueType::Classic, 1000), (QueueType::Quorum, 200)] {
        let broker = Profile { default_type, ..Profile::default() };
        let sends = vec![Sending::new(0, "", "wait")];
        assert_eq!(arrivals(&objects, broker, sends, vec![], "done"), [[ttl]]);
    }
}

#[test]
fn reject_publish_dlx_is_drop_head_on_a_quorum_queue() {
    let limits = "message_ttl: 60s, max_length: 3, overflow: reject-publish-dlx";
    let arrived = expirations(&waiting(&format!("type: quorum, {limits}")), &[None; 4]);
    assert_eq!(arrived, [[0], [60_000], [60_000], [60_000]]);
}

#[test]
fn an_exchanges_own_alternate_beats_the_policys() {
    for (alternate, expected) in [(", alternate: own", ["own"]), ("", ["policy"])] {
        let objects = objects(&format!(
            "
             exchanges:
               in: {{ type: direct{alternate} }}
               own: fanout
               policy: fanout
             queues: {{ own: {{}}, policy: {{}} }}
             bindings: [ {{ source: own, queue: own }}, {{ source: policy, queue: policy }} ]"
        ));
        let objects = governed(objects, "in", 0, &[("alternate-exchange", "policy".into())]);
        let all = journeys(&objects, Profile::default(), [Sending::new(0, "in", "x")], [], 9);
        let ends = ["own", "policy"].into_iter().filter(|queue| !all[0].arrivals(queue).is_empty());
        assert_eq!(ends.collect::<Vec<_>>(), expected);
    }
}

/// How many deliveries, and when, of a message that is always rejected and requeued.
fn deliveries(objects: &Objects, version: (u16, u16)) -> Vec<u64> {
    let reader = Reader { service_us: 1, ..Reader::new("work").answering([Answer::Requeue]) };
    let sends = [Sending::new(0, "", "work")];
    let all = journeys(objects, profile(version), sends, [reader], 100_000);
    let delivered = |moment: &&Moment<'_>| matches!(moment.what, What::Delivered { .. });
    all[0].moments.iter().filter(delivered).map(|moment| moment.at_us / 1000).collect()
}

#[test]
fn a_delivery_limit_below_zero_is_none_from_4_0_on() {
    let work = || {
        let mut all = objects("queues: { work: { type: quorum } }");
        let arguments = &mut all.queues["work"].arguments;
        arguments.insert("x-delivery-limit".to_owned(), Value::Int(-1));
        all
    };
    let limited = governed(work(), "work", 0, &[("delivery-limit", Value::Int(2))]);
    for (version, none, policys) in [(V3_10, 1, 1), (V4_0, 1000, 3), (V4_3, 1000, 3)] {
        assert_eq!(deliveries(&work(), version).len().min(1000), none, "{version:?}");
        assert_eq!(deliveries(&limited, version).len(), policys, "{version:?}");
    }
}

#[test]
fn the_policys_kind_of_delayed_retry_and_the_shorter_hold_count() {
    let held =
        "type: quorum, delivery_limit: 1, delayed_retry: { type: all, min: 50ms, max: 80ms }";
    let work = || objects(&format!("queues: {{ work: {{ {held} }} }}"));
    for (pairs, second) in [
        (vec![("delayed-retry-min", Value::Int(70))], 50),
        (vec![("delayed-retry-min", Value::Int(20))], 20),
        (vec![("delayed-retry-max", Value::Int(30))], 30),
        (vec![("delayed-retry-type", "disabled".into())], 0),
        (vec![("delayed-retry-type", "returned".into())], 0),
        (vec![("delayed-retry-type", "failed".into())], 50),
    ] {
        let objects = governed(work(), "work", 0, &pairs);
        assert_eq!(deliveries(&objects, V4_3), [0, second], "{pairs:?}");
    }
}
