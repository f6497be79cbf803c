//! Late, early, deleted.

use delayctl::lint::Code;
use delayctl::objects::Policy;
use delayctl::topology::Topology;

use crate::rig::{Rig, SLACK, With, ms};

fn policy(pattern: String, key: &str, value: delayctl::objects::Value) -> Policy {
    let definition = [(key.to_owned(), value)].into();
    Policy { pattern, apply_to: "queues".to_owned(), priority: 0, definition }
}

fn with_policy(
    rig: &Rig,
    yaml: &str,
    pattern: &str,
    key: &str,
    value: delayctl::objects::Value,
) -> Topology {
    let mut topology = rig.read(yaml);
    let pattern = format!("^{}", rig.own(pattern).replace('.', "\\."));
    topology.objects.policies.insert("P.policy".to_owned(), policy(pattern, key, value));
    topology
}

#[tokio::test]
async fn a_long_delay_blocks_a_short_one() {
    let Some(mut rig) = Rig::open("a_long_delay_blocks_a_short_one").await else { return };
    let text = "
queues: { P.done: { type: quorum } }
delays:
  d: { target: { queue: P.done }, per_message_ttl: { exchange: '', queue: P.wait, max: 1h } }
";
    rig.hazard(Code::HeadOfLine, text).await;
    for (id, ttl) in [("long", 3000), ("short", 300)] {
        rig.send_with("", "P.wait", id, With { expiration: Some(ttl), ..With::default() }).await;
    }
    let both = rig.arrivals("P.done", 2, ms(3000) + SLACK).await;
    assert_eq!(both.iter().map(|it| it.id.as_str()).collect::<Vec<_>>(), ["long", "short"]);
    assert!(both[1].after > ms(2500), "{both:?}");

    let mend = "
queues: { P.done: { type: quorum } }
delays:
  d: { target: { queue: P.done }, tiers: { exchange: '', queue: 'P.{delay}', delays: [300ms, 3s] } }
";
    rig.mended(Code::HeadOfLine, mend).await;
    rig.send("", "P.3s", "long").await;
    rig.send("", "P.300ms", "short").await;
    let both = rig.arrivals("P.done", 2, ms(3000) + SLACK).await;
    assert_eq!(both.iter().map(|it| it.id.as_str()).collect::<Vec<_>>(), ["short", "long"]);
    assert!(both[0].after < ms(300) + SLACK, "{both:?}");
    rig.close().await;
}

#[tokio::test]
async fn a_policy_cuts_delays_short() {
    let Some(mut rig) = Rig::open("a_policy_cuts_delays_short").await else { return };
    if !rig.needs_management() {
        return;
    }
    for kind in ["classic", "quorum"] {
        let text = format!("
queues: {{ P.done: {{}} }}
delays:
  d: {{ target: {{ queue: P.done }}, tiers: {{ exchange: '', queue: P.wait, delays: [3s], queue_type: {kind} }} }}
");
        let cut = with_policy(&rig, &text, "P.", "message-ttl", 200.into());
        rig.hazard_in(Code::TtlCutShort, cut).await;
        rig.send("", "P.wait", "early").await;
        let early = rig.one("P.done", ms(200) + SLACK).await.expect("it is early");
        assert!(early.after < ms(2500), "{early:?}");

        let longer = with_policy(&rig, &text, "P.", "message-ttl", 60_000.into());
        rig.mended_in(Code::TtlCutShort, longer).await;
        rig.send("", "P.wait", "on time").await;
        let on_time = rig.one("P.done", ms(3000) + SLACK).await.expect("it arrives");
        assert!(on_time.after >= ms(3000), "{on_time:?}");
    }
    rig.close().await;
}

#[tokio::test]
async fn a_full_waiting_queue_hands_out_early() {
    let Some(mut rig) = Rig::open("a_full_waiting_queue_hands_out_early").await else { return };
    for kind in ["classic", "quorum"] {
        let text = format!("
queues: {{ P.done: {{}} }}
delays:
  d:
    target: {{ queue: P.done }}
    tiers: {{ exchange: '', queue: P.wait, delays: [1h], max_length: 2, queue_type: {kind}, overflow: drop-head }}
");
        rig.hazard(Code::OverflowEarly, &text).await;
        for id in ["oldest", "second", "third"] {
            rig.send("", "P.wait", id).await;
        }
        let early = rig.one("P.done", SLACK).await.expect("the oldest is early");
        assert_eq!(
            (early.id.as_str(), early.reasons.as_slice()),
            ("oldest", &["maxlen".to_owned()][..])
        );

        rig.mended(Code::OverflowEarly, &text.replace("drop-head", "reject-publish")).await;
        let mut refused = 0;
        // A quorum queue refuses from the second message beyond its limit on.
        for id in 0..6 {
            refused += rig.send("", "P.wait", &id.to_string()).await.tally.refused;
        }
        assert!(refused >= 2, "{refused} refused");
        assert_eq!(rig.one("P.done", SLACK).await, None);
    }
    rig.close().await;
}

#[tokio::test]
async fn a_full_classic_queue_dead_letters_the_new_message_at_once() {
    let Some(mut rig) =
        Rig::open("a_full_classic_queue_dead_letters_the_new_message_at_once").await
    else {
        return;
    };
    let text = "
queues:
  P.done: {}
  P.wait:
    type: classic
    message_ttl: 1h
    max_length: 1
    overflow: reject-publish-dlx
    dead_letter: { exchange: '', routing_key: P.done }
";
    rig.hazard(Code::OverflowEarly, text).await;
    rig.send("", "P.wait", "first").await;
    assert_eq!(rig.send("", "P.wait", "second").await.tally.refused, 1);
    let early = rig.one("P.done", SLACK).await.expect("the new one is early");
    assert_eq!(early.id, "second");
    rig.mended(Code::OverflowEarly, &text.replace("publish-dlx", "publish")).await;
    rig.send("", "P.wait", "first").await;
    assert_eq!(rig.send("", "P.wait", "second").await.tally.refused, 1);
    assert_eq!(rig.one("P.done", SLACK).await, None);
    rig.close().await;
}

/// Declared before each message, as publishers do that keep their queues alive.
async fn one_by_one(rig: &mut Rig) -> usize {
    for id in 0..4 {
        rig.declare_again().await;
        rig.send("", "P.wait", &id.to_string()).await;
        tokio::time::sleep(ms(2500)).await;
    }
    rig.arrivals("P.done", 4, ms(8000) + SLACK).await.len()
}

#[tokio::test]
async fn a_quorum_waiting_queue_expires_with_its_messages() {
    let Some(mut rig) = Rig::open("a_quorum_waiting_queue_expires_with_its_messages").await else {
        return;
    };
    let text = "
queues:
  P.done: {}
  P.wait: { type: quorum, message_ttl: 8s, expires: 9s, dead_letter: { exchange: '', routing_key: P.done } }
";
    rig.hazard(Code::ExpiresQuorum, text).await;
    assert!(one_by_one(&mut rig).await < 4, "declaring again must not help");
    rig.mended(Code::ExpiresQuorum, &text.replace("expires: 9s, ", "")).await;
    assert_eq!(one_by_one(&mut rig).await, 4);
    // Declared again, a classic queue stays.
    rig.mended(Code::ExpiresQuorum, &text.replace("quorum", "classic")).await;
    assert_eq!(one_by_one(&mut rig).await, 4);
    rig.close().await;
}

#[tokio::test]
async fn a_classic_waiting_queue_expires_with_its_messages() {
    let Some(mut rig) = Rig::open("a_classic_waiting_queue_expires_with_its_messages").await else {
        return;
    };
    let text = "
queues:
  P.done: {}
  P.wait: { type: classic, message_ttl: 2s, expires: 1s, dead_letter: { exchange: '', routing_key: P.done } }
";
    rig.hazard(Code::ExpiresShort, text).await;
    rig.send("", "P.wait", "lost").await;
    assert_eq!(rig.one("P.done", ms(2000) + SLACK).await, None);
    rig.mended(Code::ExpiresShort, &text.replace("expires: 1s", "expires: 62s")).await;
    rig.send("", "P.wait", "kept").await;
    assert!(rig.one("P.done", ms(2000) + SLACK).await.is_some());
    rig.close().await;
}

#[tokio::test]
async fn a_look_into_an_auto_delete_queue_deletes_it() {
    let Some(mut rig) = Rig::open("a_look_into_an_auto_delete_queue_deletes_it").await else {
        return;
    };
    let text = "
queues:
  P.done: {}
  P.wait: { auto_delete: true, message_ttl: 1s, dead_letter: { exchange: '', routing_key: P.done } }
";
    for (mended, expected) in [(false, 0), (true, 1)] {
        if mended {
            rig.mended(Code::AutoDeleteWaiting, &text.replace("auto_delete: true, ", "")).await;
        } else {
            rig.hazard(Code::AutoDeleteWaiting, text).await;
        }
        rig.send("", "P.wait", "looked at").await;
        let mut consumer = rig.consumer("P.wait").await;
        let seen = crate::rig::next(&mut consumer, SLACK).await;
        assert!(seen.is_some(), "it is seen, and not settled");
        consumer.close().await;
        assert_eq!(rig.ids("P.done", ms(1000) + SLACK).await.len(), expected);
    }
    rig.close().await;
}
