//! Consumers: on a waiting queue, refusing, returning.

use delayctl::lint::{Code, Version};

use crate::rig::{Rig, SLACK, ms, next, skip};

#[tokio::test]
async fn a_consumer_on_a_waiting_queue_gets_messages_at_once() {
    let Some(mut rig) = Rig::open("a_consumer_on_a_waiting_queue_gets_messages_at_once").await
    else {
        return;
    };
    let text = "
queues: { P.done: {} }
delays:
  long: { target: { queue: P.done }, tiers: { exchange: '', queue: P.wait, delays: [2s] } }
  short: { target: { queue: P.wait }, tiers: { exchange: '', queue: P.short, delays: [100ms] } }
";
    // Whoever consumes `short` reads `P.wait`.
    rig.hazard(Code::ConsumerOnWaiting, text).await;
    rig.send("", "P.wait", "of long").await;
    let early = rig.one("P.wait", SLACK).await.expect("it is taken");
    assert!(early.after < ms(1900), "{early:?}");
    rig.mended(Code::ConsumerOnWaiting, &text.replace("queue: P.wait }", "queue: P.done }")).await;
    rig.send("", "P.wait", "of long").await;
    rig.send("", "P.short", "of short").await;
    let both = rig.arrivals("P.done", 2, ms(2000) + SLACK).await;
    assert_eq!(both.iter().map(|it| it.id.as_str()).collect::<Vec<_>>(), ["of short", "of long"]);
    assert!(both[1].after >= ms(2000), "{both:?}");
    rig.close().await;
}

#[tokio::test]
async fn a_rejected_message_without_a_chain_is_gone() {
    let Some(mut rig) = Rig::open("a_rejected_message_without_a_chain_is_gone").await else {
        return;
    };
    let text = "
queues:
  P.work: { type: quorum, delivery_limit: 5 }
  P.failed: { type: quorum }
";
    let chain = "
dead_letter_chains: { P.c: { from: P.work, levels: [ { queue: P.failed } ] } }
";
    for (mended, expected) in [(false, 0), (true, 1)] {
        if mended {
            rig.mended(Code::RejectNowhere, &format!("{text}{chain}")).await;
        } else {
            rig.hazard(Code::RejectNowhere, text).await;
        }
        rig.send("", "P.work", "refused").await;
        let mut consumer = rig.consumer("P.work").await;
        let (_, token) = next(&mut consumer, SLACK).await.unwrap();
        consumer.reject(token, false).unwrap();
        consumer.close().await;
        assert_eq!(rig.ids("P.failed", SLACK).await.len(), expected);
    }
    rig.close().await;
}

const SINCE: Version = Version::new(4, 3);

const RETRY: &str = "
queues:
  P.dead: {}
  P.work:
    type: quorum
    delivery_limit: 3
    delayed_retry: { type: all, min: 300ms, max: 1s }
    dead_letter: { exchange: '', routing_key: P.dead }
";

/// Returns a message again and again, and tells how often it came within this time.
async fn returned(rig: &mut Rig, nack: bool, most: usize) -> usize {
    rig.send("", "P.work", "returned").await;
    let mut consumer = rig.consumer("P.work").await;
    let mut count = 0;
    while let Some((_, token)) = next(&mut consumer, ms(1000) + SLACK).await {
        count += 1;
        if nack { consumer.nack(token, true) } else { consumer.reject(token, true) }.unwrap();
        if count == most {
            break;
        }
    }
    consumer.close().await;
    count
}

/// The last queue of a chain keeps whatever is refused. That the disk fills at last is not shown.
#[tokio::test]
async fn a_chain_without_a_limit_grows_with_every_reject() {
    const REFUSED: usize = 60;
    let Some(mut rig) = Rig::open("a_chain_without_a_limit_grows_with_every_reject").await else {
        return;
    };
    for kind in ["classic", "quorum"] {
        let text = format!(
            "
queues: {{ P.work: {{ type: {kind} }} }}
dead_letter_chains:
  P.c: {{ from: P.work, levels: [ {{ queue: P.failed, queue_type: {kind} }} ] }}
"
        );
        let limited = text.replace("queue: P.failed,", "queue: P.failed, max_length: 10,");
        for (mended, kept) in [(false, 0..REFUSED), (true, REFUSED - 10..REFUSED)] {
            if mended {
                rig.mended(Code::ChainUnlimited, &limited).await;
            } else {
                rig.hazard(Code::ChainUnlimited, &text).await;
            }
            let mut consumer = rig.consumer("P.work").await;
            for id in 0..REFUSED {
                rig.send("", "P.work", &id.to_string()).await;
                let (_, token) = next(&mut consumer, SLACK).await.unwrap();
                consumer.reject(token, false).unwrap();
            }
            consumer.close().await;
            let kept: Vec<_> = kept.map(|id| id.to_string()).collect();
            assert_eq!(rig.ids("P.failed", SLACK).await, kept);
        }
    }
    rig.close().await;
}

#[tokio::test]
async fn delayed_retry_does_nothing_on_older_brokers() {
    let test = "delayed_retry_does_nothing_on_older_brokers";
    let Some(mut rig) = Rig::open(test).await else { return };
    if rig.version >= SINCE {
        return skip(test, &format!("RabbitMQ {} has delayed retry", rig.version));
    }
    rig.hazard(Code::DelayedRetryVersion, RETRY).await;
    rig.send("", "P.work", "returned").await;
    let mut consumer = rig.consumer("P.work").await;
    let started = std::time::Instant::now();
    for _ in 0..4 {
        let (_, token) = next(&mut consumer, SLACK).await.expect("it comes at once");
        consumer.reject(token, true).unwrap();
    }
    // Held back as asked, the fourth delivery would have come after 1.8 s.
    assert!(started.elapsed() < ms(1500), "{:?}", started.elapsed());
    consumer.close().await;
    rig.close().await;
}

#[tokio::test]
async fn nacks_are_retried_for_ever_and_rejects_are_not() {
    let test = "nacks_are_retried_for_ever_and_rejects_are_not";
    let Some(mut rig) = Rig::open_on(test, SINCE).await else { return };
    for kind in ["all", "failed", "returned"] {
        let text = RETRY.replace("all", kind);
        rig.hazard(Code::DelayedRetryEndless, &text).await;
        assert_eq!(returned(&mut rig, true, 8).await, 8, "{kind}: nacks do not count");
        rig.hazard(Code::DelayedRetryEndless, &text).await;
        assert_eq!(returned(&mut rig, false, 8).await, 4, "{kind}: rejects count");
        assert!(rig.one("P.dead", SLACK).await.is_some());
    }
    rig.close().await;
}

#[tokio::test]
async fn delayed_retry_without_a_minimum_holds_nothing() {
    let test = "delayed_retry_without_a_minimum_holds_nothing";
    let Some(mut rig) = Rig::open_on(test, SINCE).await else { return };
    let slow = |elapsed: std::time::Duration| elapsed > ms(1500);
    rig.hazard(Code::DelayedRetryIdle, &RETRY.replace("min: 300ms, ", "")).await;
    assert!(!slow(fourth(&mut rig).await));
    rig.mended(Code::DelayedRetryIdle, RETRY).await;
    assert!(slow(fourth(&mut rig).await), "0.3 + 0.6 + 0.9 s");
    rig.close().await;
}

/// Of two kinds of delayed retry the policy's counts, not the argument's, and so says `lint`.
#[tokio::test]
async fn a_policy_turns_delayed_retry_off() {
    let test = "a_policy_turns_delayed_retry_off";
    let Some(mut rig) = Rig::open_on(test, SINCE).await else { return };
    if !rig.needs_management() {
        return;
    }
    let off = format!(
        "{RETRY}
policies:
  P.off: {{ pattern: ^P.work$, apply_to: queues, definition: {{ delayed-retry-type: disabled }} }}
"
    );
    rig.hazard(Code::DelayedRetryEndless, RETRY).await;
    assert!(fourth(&mut rig).await > ms(1500));
    rig.mended(Code::DelayedRetryEndless, &off).await;
    assert!(fourth(&mut rig).await < ms(1500));
    rig.close().await;
}

/// When the fourth delivery came of a message that was rejected three times.
async fn fourth(rig: &mut Rig) -> std::time::Duration {
    rig.send("", "P.work", "returned").await;
    let started = std::time::Instant::now();
    let mut consumer = rig.consumer("P.work").await;
    for _ in 0..4 {
        let (_, token) = next(&mut consumer, ms(1000) + SLACK).await.expect("it comes");
        consumer.reject(token, true).unwrap();
    }
    consumer.close().await;
    started.elapsed()
}
