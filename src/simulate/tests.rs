//! One test for each broker fact that the model encodes.

use super::*;
use crate::objects::{Objects, Policy, Value};
use crate::routing::Headers;
use crate::strategy::QueueType;
use crate::topology;

mod policies;

const V3_10: (u16, u16) = (3, 10);
const V4_0: (u16, u16) = (4, 0);
const V4_3: (u16, u16) = (4, 3);

fn objects(yaml: &str) -> Objects {
    topology::parse(yaml).unwrap_or_else(|error| panic!("{error}")).objects
}

fn profile((major, minor): (u16, u16)) -> Profile {
    Profile::version(major, minor)
}

fn seconds(s: u64) -> u64 {
    s * 1_000_000
}

/// A queue `wait` of this kind whose dead letters come to `done`.
fn waiting(fields: &str) -> Objects {
    let dead_letter = "dead_letter: { exchange: '', routing_key: done }";
    objects(&format!("queues: {{ done: {{}}, wait: {{ {dead_letter}, {fields} }} }}"))
}

/// Sends to queue `wait` with these TTLs, at once; returns when each is at `done`, in ms.
fn expirations(objects: &Objects, ttls: &[Option<u64>]) -> Vec<Vec<u64>> {
    let sends =
        ttls.iter().map(|ttl| Sending { expiration_ms: *ttl, ..Sending::new(0, "", "wait") });
    arrivals(objects, profile(V4_3), sends.collect(), vec![], "done")
}

fn arrivals(
    objects: &Objects,
    profile: Profile,
    sends: Vec<Sending>,
    readers: Vec<Reader>,
    queue: &str,
) -> Vec<Vec<u64>> {
    let all = journeys(objects, profile, sends, readers, seconds(100_000));
    all.iter().map(|j| j.arrivals(queue).iter().map(|us| us / 1000).collect()).collect()
}

fn losses<'a>(journey: &Journey<'a>) -> Vec<(&'a str, Loss)> {
    let lost = |moment: &Moment<'a>| match moment.what {
        What::Lost { place, why } => Some((place, why)),
        _ => None,
    };
    journey.moments.iter().filter_map(lost).collect()
}

#[test]
fn only_the_head_expires() {
    for kind in ["classic", "quorum"] {
        let objects = waiting(&format!("type: {kind}"));
        let arrived = expirations(&objects, &[Some(3000), Some(500), Some(1000)]);
        assert_eq!(arrived, [[3000], [3000], [3000]], "{kind}");
        let arrived = expirations(&objects, &[Some(500), Some(1000), Some(3000)]);
        assert_eq!(arrived, [[500], [1000], [3000]], "{kind}");
    }
}

#[test]
fn of_two_ttls_the_smaller_counts_and_expiration_is_removed() {
    let arrived = expirations(&waiting("message_ttl: 500ms"), &[Some(3000)]);
    assert_eq!(arrived, [[500]]);
    let objects = waiting("message_ttl: 3s");
    let sends = [Sending { expiration_ms: Some(500), ..Sending::new(0, "", "wait") }];
    let all = journeys(&objects, Profile::default(), sends, [], seconds(10));
    let last = all[0].last.as_ref().unwrap();
    assert_eq!((last.expiration_ms(), all[0].arrivals("done")), (None, vec![500_000]));
    let death = &last.deaths()[0];
    assert_eq!((&*death.queue, &*death.reason, death.count), ("wait", "expired", 1));
    assert_eq!(death.original_expiration_ms, Some(500));
    assert_eq!((&*death.exchange, &*death.routing_keys[0]), ("", "wait"));
}

#[test]
fn drop_head_dead_letters_the_oldest_before_its_time() {
    let objects = waiting("message_ttl: 60s, max_length: 3");
    let arrived = expirations(&objects, &[None; 5]);
    assert_eq!(arrived, [[0], [0], [60_000], [60_000], [60_000]]);
    let objects = waiting("message_ttl: 60s, max_length_bytes: 10");
    let sends = (0..3).map(|_| Sending { bytes: 4, ..Sending::new(0, "", "wait") }).collect();
    let arrived = arrivals(&objects, Profile::default(), sends, vec![], "done");
    assert_eq!(arrived, [[0], [60_000], [60_000]]);
}

#[test]
fn reject_publish_refuses_the_new_message() {
    let objects =
        waiting("type: classic, message_ttl: 60s, max_length: 3, overflow: reject-publish");
    let sends = (0..5).map(|_| Sending::new(0, "", "wait"));
    let all = journeys(&objects, Profile::default(), sends, [], seconds(100));
    assert_eq!(losses(&all[2]), []);
    assert_eq!(losses(&all[3]), [("wait", Loss::Refused)]);
    assert_eq!(all[3].arrivals("done"), [0; 0]);
    let objects =
        waiting("type: classic, message_ttl: 60s, max_length: 3, overflow: reject-publish-dlx");
    let arrived = expirations(&objects, &[None; 4]);
    assert_eq!(arrived, [[60_000], [60_000], [60_000], [0]]);
}

#[test]
fn a_full_quorum_queue_refuses_until_it_is_well_below_its_limit() {
    let objects =
        waiting("type: quorum, message_ttl: 60s, max_length: 10, overflow: reject-publish");
    // One message over the limit is taken; it is refused from then on, down to 8.
    let early = (0..13).map(|i| Sending::new(seconds(i), "", "wait"));
    let late = [Sending::new(seconds(61), "", "wait"), Sending::new(seconds(62), "", "wait")];
    let all = journeys(&objects, Profile::default(), early.chain(late), [], seconds(200));
    let refused: Vec<_> = (0..15).filter(|i| !losses(&all[*i]).is_empty()).collect();
    assert_eq!(refused, [11, 12, 13]);
}

#[test]
fn at_most_once_drops_what_is_unroutable() {
    for target in ["{ exchange: amq.direct }", "{ exchange: '', routing_key: nobody }"] {
        let objects =
            objects(&format!("queues: {{ wait: {{ message_ttl: 1s, dead_letter: {target} }} }}"));
        let all =
            journeys(&objects, Profile::default(), [Sending::new(0, "", "wait")], [], seconds(9));
        assert_eq!(losses(&all[0]), [("wait", Loss::Unroutable)]);
    }
    let objects = objects("queues: { wait: { message_ttl: 1s } }");
    let all = journeys(&objects, Profile::default(), [Sending::new(0, "", "wait")], [], seconds(9));
    assert_eq!(losses(&all[0]), [("wait", Loss::NoDeadLetterExchange)]);
    let all = journeys(&objects, Profile::default(), [Sending::new(0, "missing", "wait")], [], 9);
    assert_eq!(losses(&all[0]), [("", Loss::NoExchange)]);
}

/// Two queues that dead-letter to each other.
fn circle(fields: &str) -> Objects {
    objects(&format!(
        "queues:
           a: {{ message_ttl: 1s, dead_letter: {{ exchange: '', routing_key: b {0} }} {1} }}
           b: {{ message_ttl: 1s, dead_letter: {{ exchange: '', routing_key: a {0} }} {1} }}",
        if fields.is_empty() { "" } else { ", strategy: at-least-once" },
        fields,
    ))
}

#[test]
fn a_cycle_is_dropped_or_kept() {
    let objects = circle("");
    let all = journeys(&objects, Profile::default(), [Sending::new(0, "", "a")], [], seconds(10));
    assert_eq!(
        (all[0].arrivals("b"), losses(&all[0])),
        (vec![seconds(1)], vec![("b", Loss::Cycle)])
    );
    let objects = circle(", type: quorum, overflow: reject-publish");
    let mut simulation = Simulation::new(&objects, Profile::default());
    simulation.run([Sending::new(0, "", "a")], seconds(1000), |step| {
        assert!(!matches!(step.what, What::Lost { .. }), "{step:?}");
    });
    let kept = Depth { dead_lettering: 1, ..Depth::default() };
    assert_eq!(simulation.depth("b"), Some(kept));
}

#[test]
fn a_rejection_in_between_makes_it_no_cycle() {
    let objects = objects(
        "queues:
           wait: { message_ttl: 1s, dead_letter: { exchange: '', routing_key: work } }
           work: { dead_letter: { exchange: '', routing_key: wait } }",
    );
    let reader = Reader::new("work").answering([Answer::Reject, Answer::Reject, Answer::Ack]);
    let all = journeys(
        &objects,
        Profile::default(),
        [Sending::new(0, "", "wait")],
        [reader],
        seconds(60),
    );
    assert_eq!(all[0].arrivals("work"), [1_000_000, 2_001_000, 3_002_000]);
    let deaths = all[0].last.as_ref().unwrap().deaths();
    let seen: Vec<_> = deaths.iter().map(|d| (&*d.queue, &*d.reason, d.count)).collect();
    assert_eq!(seen, [("wait", "expired", 3), ("work", "rejected", 2)]);
}

#[test]
fn thirty_two_unroutable_ones_stall_an_at_least_once_queue() {
    // One level of a ladder without an alternate exchange, and with one.
    for (alternate, expected) in [("", 0), (", alternate: rest", 1)] {
        let objects = objects(&format!(
            "
             exchanges: {{ last: {{ type: topic{alternate} }}, rest: fanout }}
             queues:
               parked: {{}}
               done: {{}}
               level:
                 type: quorum
                 message_ttl: 1s
                 overflow: reject-publish
                 dead_letter: {{ exchange: last, strategy: at-least-once }}
             bindings:
               - {{ source: last, queue: done, routing_key: '*.here' }}
               - {{ source: rest, queue: parked }}
               - {{ source: amq.topic, queue: level, routing_key: '#' }}"
        ));
        let nobody = (0..32).map(|i| Sending::new(i, "amq.topic", "1.nobody"));
        let good = [Sending::new(32, "amq.topic", "1.here")];
        let mut simulation = Simulation::new(&objects, Profile::default());
        let mut arrived = 0;
        simulation.run(nobody.chain(good), seconds(3600), |step| {
            arrived += usize::from(step.what == What::Entered { queue: "done" });
        });
        assert_eq!(arrived, expected, "{alternate}");
        let stalled = if alternate.is_empty() { 33 } else { 0 };
        assert_eq!(simulation.depth("level").unwrap().dead_lettering, stalled);
    }
}

#[test]
fn thirty_one_do_not_and_what_was_refused_is_tried_again() {
    let objects = objects(
        "queues:
           full: { type: classic, max_length: 1, overflow: reject-publish }
           wait:
             type: quorum
             message_ttl: 1s
             overflow: reject-publish
             dead_letter: { exchange: '', routing_key: full, strategy: at-least-once }",
    );
    let reader = Reader { from_us: seconds(60), ..Reader::new("full") };
    let sends = [Sending::new(0, "", "wait"), Sending::new(0, "", "wait")];
    let all = journeys(&objects, Profile::default(), sends, [reader], seconds(600));
    assert_eq!(all[0].arrivals("full"), [seconds(1)]);
    assert_eq!(all[1].arrivals("full"), [seconds(181)]);
}

#[test]
fn an_idle_quorum_queue_is_deleted_although_it_is_declared_again() {
    for (kind, lost) in [("quorum", 2), ("classic", 0)] {
        let objects = waiting(&format!("type: {kind}, message_ttl: 10s, expires: 12s"));
        let mut simulation = Simulation::new(&objects, Profile::default());
        for i in 0..6 {
            simulation.redeclare("wait", seconds(4 * i));
        }
        let sends = (0..6).map(|i| Sending::new(seconds(4 * i), "", "wait"));
        let mut gone = 0;
        simulation.run(sends, seconds(100), |step| {
            let expired = What::Lost { place: "wait", why: Loss::QueueExpired };
            gone += usize::from(step.what == expired);
        });
        assert_eq!(gone, lost, "{kind}");
    }
}

fn plugin() -> Objects {
    objects(
        "
         exchanges: { late: { type: x-delayed-message, arguments: { x-delayed-type: direct } } }
         queues: { done: {} }
         bindings: [ { source: late, queue: done, routing_key: k } ]",
    )
}

fn delayed(value: Value) -> Sending {
    let headers = Headers::from([("x-delay".to_owned(), value)]);
    Sending { headers: Some(headers.into()), ..Sending::new(0, "late", "k") }
}

#[test]
fn the_plugin_sorts_and_delays_only_within_its_range() {
    let objects = plugin();
    let values: [Value; 8] = [
        30_000u64.into(),
        5_000u64.into(),
        "700".into(),
        4_294_967_295u64.into(),
        4_294_967_296u64.into(),
        Value::Int(-1),
        true.into(),
        0u64.into(),
    ];
    let broker = profile(V4_0).with_plugin();
    let sends = values.map(delayed);
    let all = journeys(&objects, broker, sends.clone(), [], u64::MAX);
    let arrived: Vec<_> = all.iter().map(|j| j.arrivals("done")[0] / 1000).collect();
    assert_eq!(arrived, [30_000, 5_000, 700, 4_294_967_295, 0, 0, 0, 0]);
    let all = journeys(&objects, profile(V4_3).with_plugin(), sends, [], u64::MAX);
    assert!(all.iter().all(|journey| losses(journey) == [("", Loss::NoExchange)]));
}

#[test]
fn delayed_retry_counts_rejects_and_not_nacks() {
    let yaml = "queues:
           dead: {}
           work:
             type: quorum
             delivery_limit: 4
             delayed_retry: { type: all, min: 300ms, max: 1s }
             dead_letter: { exchange: '', routing_key: dead }";
    let objects = objects(yaml);
    let deliveries = |answer, version| {
        let reader = Reader { service_us: 1, ..Reader::new("work").answering([answer]) };
        let sends = [Sending::new(0, "", "work")];
        let all = journeys(&objects, profile(version), sends, [reader], seconds(4));
        let delivered = |m: &&Moment<'_>| matches!(m.what, What::Delivered { .. });
        let at = all[0].moments.iter().filter(delivered).map(|m| m.at_us / 1000);
        (at.collect::<Vec<_>>(), all[0].arrivals("dead").len())
    };
    assert_eq!(deliveries(Answer::Requeue, V4_3), (vec![0, 300, 900, 1800, 2800], 1));
    let (nacked, dead) = deliveries(Answer::NackRequeue, V4_3);
    assert_eq!((nacked.len(), &nacked[..3], dead), (14, &[0, 300, 600][..], 0));
    // Before 4.3 there is no hold, and both count.
    for answer in [Answer::Requeue, Answer::NackRequeue] {
        assert_eq!(deliveries(answer, V4_0), (vec![0; 5], 1));
    }
}

#[test]
fn delivery_limits_by_version() {
    let objects = objects("queues: { work: { type: quorum } }");
    let reader = || Reader { service_us: 1, ..Reader::new("work").answering([Answer::Requeue]) };
    for (version, expected) in [(V3_10, 1000), (V4_0, 21), (V4_3, 21)] {
        let mut deliveries = 0;
        let mut simulation = Simulation::new(&objects, profile(version));
        simulation.add_reader(reader());
        simulation.run([Sending::new(0, "", "work")], 999, |step| {
            deliveries += usize::from(matches!(step.what, What::Delivered { .. }));
        });
        assert_eq!(deliveries, expected, "{version:?}");
    }
}

#[test]
fn consumers_prefetch_and_take_turns() {
    let objects = objects("queues: { work: { type: classic } }");
    let sends = (0..6).map(|_| Sending::new(0, "", "work"));
    let readers = [
        Reader { prefetch: 1, service_us: 10, ..Reader::new("work") },
        Reader { prefetch: 2, service_us: 30, ..Reader::new("work") },
    ];
    let all = journeys(&objects, Profile::default(), sends, readers, seconds(1));
    let delivered = |journey: &Journey<'_>| {
        journey.moments.iter().find_map(|m| match m.what {
            What::Delivered { reader, .. } => Some((reader, m.at_us)),
            _ => None,
        })
    };
    let seen: Vec<_> = all.iter().filter_map(delivered).collect();
    assert_eq!(seen, [(0, 0), (1, 0), (1, 0), (0, 10), (0, 20), (1, 30)]);
}

#[test]
fn a_ttl_of_zero_expires_unless_a_consumer_is_there() {
    let objects = waiting("message_ttl: 0");
    assert_eq!(expirations(&objects, &[None]), [[0]]);
    let sends = vec![Sending::new(5, "", "wait")];
    let arrived = arrivals(&objects, Profile::default(), sends, vec![Reader::new("wait")], "done");
    assert_eq!(arrived, [[0; 0]]);
}

#[test]
fn requeued_messages_return_to_the_front() {
    for kind in ["classic", "quorum"] {
        let objects = objects(&format!("queues: {{ work: {{ type: {kind} }} }}"));
        let reader = Reader::new("work").answering([Answer::Requeue, Answer::Ack]);
        let sends = (0..2).map(|_| Sending::new(0, "", "work"));
        let mut order = Vec::new();
        let mut simulation = Simulation::new(&objects, profile(V4_0));
        simulation.add_reader(reader);
        simulation.run(sends, seconds(1), |step| {
            if matches!(step.what, What::Delivered { .. }) {
                order.push((step.message.id(), step.message.redelivered()));
            }
        });
        assert_eq!(order[..2], [(0, false), (0, true)], "{kind}");
    }
}

#[test]
fn steps_come_in_order_and_time_can_go_on() {
    let objects = waiting("message_ttl: 1s");
    let mut simulation = Simulation::new(&objects, Profile::default());
    let mut last = 0;
    let sends = || (0..10).map(|i| Sending::new(i * 300_000, "", "wait"));
    simulation.run(sends(), 1_500_000, |step| {
        assert!(step.at_us >= last);
        last = step.at_us;
    });
    // What was sent by then is 6; of these 2 are over their time.
    assert_eq!((simulation.depth("wait").unwrap().ready, simulation.now_us()), (4, 1_500_000));
    simulation.run([], seconds(10), |_| {});
    assert_eq!(simulation.depth("done").unwrap().ready, 6);
}

#[test]
fn whether_a_dead_letter_counts_as_redelivered() {
    let table = [
        (V3_10, [false, false, false, false]),
        (V4_0, [false, false, false, true]),
        (V4_3, [true, true, true, true]),
    ];
    for (version, expected) in table {
        let pairs = [
            ("classic", "classic"),
            ("classic", "quorum"),
            ("quorum", "classic"),
            ("quorum", "quorum"),
        ];
        let seen = pairs.map(|(from, to)| {
            let objects = objects(&format!(
                "queues:
                   from: {{ type: {from}, dead_letter: {{ exchange: '', routing_key: to }} }}
                   to: {{ type: {to} }}"
            ));
            let late = Reader { from_us: 500_000, ..Reader::new("to") };
            let readers = [Reader::new("from").answering([Answer::Reject]), late];
            let sends = [Sending::new(0, "", "from")];
            let all = journeys(&objects, profile(version), sends, readers, seconds(1));
            all[0].last.as_ref().unwrap().redelivered()
        });
        assert_eq!(seen, expected, "{version:?}");
    }
}

#[test]
fn what_expires_at_one_moment_leaves_before_anything_arrives() {
    let objects = objects(
        "
         queues:
           from: { dead_letter: { exchange: '', routing_key: full } }
           full: { type: classic, max_length: 1, overflow: reject-publish }
         bindings:
           - { source: amq.fanout, queue: from }
           - { source: amq.fanout, queue: full }",
    );
    let sends = [Sending { expiration_ms: Some(190), ..Sending::new(0, "amq.fanout", "") }];
    let all = journeys(&objects, Profile::default(), sends, [], seconds(1));
    assert_eq!(all[0].arrivals("full"), [0, 190_000]);
}
