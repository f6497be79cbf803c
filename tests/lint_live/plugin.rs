//! The delayed-message plugin.

use delayctl::lint::{Code, Version};
use delayctl::topology::Topology;

use crate::rig::{Rig, SLACK, With, ms, skip};

/// A broker with the plugin.
async fn open(test: &'static str) -> Option<Rig> {
    let mut rig = Rig::open(test).await?;
    let probe = rig.read("exchanges: { P.probe: { type: x-delayed-message, arguments: { x-delayed-type: direct } } }");
    if declares(&mut rig, probe).await {
        return Some(rig);
    }
    skip(test, "the broker has no delayed-message plugin");
    None
}

async fn declares(rig: &mut Rig, topology: Topology) -> bool {
    let objects = topology.objects;
    let Ok(observed) = rig.broker.observe(&objects).await else { return false };
    let plan = delayctl::plan::plan(&objects, &observed);
    let good = rig.broker.apply(&plan, |_, _| {}).await.is_good();
    rig.broker.remove(&objects, delayctl::broker::Removal::default()).await;
    good
}

const PLAIN: &str = "
exchanges:
  P.rest: fanout
  P.checked: { type: direct, alternate: P.rest }
  P.ex: { type: x-delayed-message, arguments: { x-delayed-type: direct } }
queues: { P.done: {}, P.rest.q: {} }
bindings:
  - { source: P.ex, queue: P.done, routing_key: k }
  - { source: P.rest, queue: P.rest.q }
";

fn delayed(ms: u64) -> With {
    With { plugin_delay: Some(ms), ..With::default() }
}

#[tokio::test]
async fn the_plugin_is_gone_with_4_3() {
    let test = "the_plugin_is_gone_with_4_3";
    let Some(mut rig) = Rig::open_on(test, Version::new(4, 3)).await else { return };
    let topology = rig.read(PLAIN);
    assert!(rig.codes(&topology).contains(&Code::PluginVersion));
    assert!(!declares(&mut rig, topology).await);
    rig.close().await;
}

#[tokio::test]
async fn an_alternate_exchange_gets_every_delayed_message_at_once() {
    let Some(mut rig) = open("an_alternate_exchange_gets_every_delayed_message_at_once").await
    else {
        return;
    };
    let text = PLAIN.replace("x-delayed-message,", "x-delayed-message, alternate: P.rest,");
    rig.hazard(Code::PluginAlternate, &text).await;
    rig.send_with("P.ex", "k", "twice", delayed(1500)).await;
    let copy = rig.one("P.rest.q", SLACK).await.expect("a copy comes at once");
    assert!(copy.after < ms(1400), "{copy:?}");
    assert!(rig.one("P.done", ms(1500) + SLACK).await.is_some());

    // The alternate exchange is behind the delayed one.
    let mend = PLAIN.replace(
        "queue: P.done, routing_key: k }",
        "exchange: P.checked, routing_key: k }
  - { source: P.ex, exchange: P.checked, routing_key: lost }
  - { source: P.checked, queue: P.done, routing_key: k }",
    );
    rig.mended(Code::PluginAlternate, &mend).await;
    rig.send_with("P.ex", "k", "once", delayed(500)).await;
    rig.send_with("P.ex", "lost", "caught", delayed(500)).await;
    assert_eq!(rig.ids("P.done", ms(500) + SLACK).await, ["once"]);
    assert_eq!(rig.ids("P.rest.q", SLACK).await, ["caught"]);
    rig.close().await;
}

#[tokio::test]
async fn a_delay_beyond_the_plugins_range_is_none() {
    let Some(mut rig) = open("a_delay_beyond_the_plugins_range_is_none").await else { return };
    rig.hazard(Code::PluginDelayRange, PLAIN).await;
    rig.send_with("P.ex", "k", "60 days", delayed(60 * 86_400_000)).await;
    assert!(rig.one("P.done", SLACK).await.is_some(), "delivered at once");
    // The mend, a ladder, has 60 days.
    let mend = "
queues: { P.done: {} }
delays:
  d: { target: { queue: P.done }, tiers: { exchange: '', queue: P.wait, delays: [60d] } }
";
    rig.mended(Code::PluginDelayRange, mend).await;
    rig.send("", "P.wait", "60 days").await;
    assert_eq!(rig.one("P.done", SLACK).await, None);
    rig.close().await;
}

#[tokio::test]
async fn a_mandatory_message_is_returned_and_delivered() {
    let Some(mut rig) = open("a_mandatory_message_is_returned_and_delivered").await else { return };
    rig.hazard(Code::PluginMandatory, PLAIN).await;
    let mandatory = With { mandatory: true, ..delayed(500) };
    let finished = rig.send_with("P.ex", "k", "both", mandatory).await;
    assert_eq!((finished.tally.returned, finished.tally.confirmed), (1, 0));
    assert!(rig.one("P.done", ms(500) + SLACK).await.is_some());
    // The mend is the publisher's.
    let finished = rig.send_with("P.ex", "k", "one", delayed(500)).await;
    assert_eq!((finished.tally.returned, finished.tally.confirmed), (0, 1));
    assert!(rig.one("P.done", ms(500) + SLACK).await.is_some());
    rig.close().await;
}
