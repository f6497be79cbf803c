//! Queues with consumers: on the wrong side of a delay, or with no place for what they refuse.

use super::code::{Code, Story};
use super::finding::Finding;
use super::scene::{Scene, Waiting};
use super::words::span;
use crate::objects::argument;
use crate::policy::Kind;
use crate::strategy::Delay;

pub(super) static ON_WAITING: Story = Story {
    title: "consumers are expected on a queue in which messages wait",
    why: "A queue does not hold a message back from a consumer: its TTL only says when an unconsumed \
          message leaves. A consumer on a waiting queue takes every message at once, and one that is \
          slow loses to the TTL what it did not take in time.",
    timeline: [
        " 0 s   a message is published into the waiting queue, to be due in 30 s",
        " 0 s   a consumer on that same queue gets it: no delay at all",
        "30 s   without a consumer there it goes on to the dead-letter exchange, where nobody is",
    ],
    mend: "let consumers read the queue behind the dead-letter exchange, and none the waiting queue.",
};

pub(super) static REJECT_NOWHERE: Story = Story {
    title: "what a consumer refuses is gone",
    why: "A reject without requeueing drops the message, unless its queue has a dead-letter exchange. \
          So does a delivery limit when it is reached: 20 by default on quorum queues of RabbitMQ 4.",
    timeline: [
        "30 min   an unpaid order arrives at the consumer that shall cancel it",
        "30 min   the check fails, and the consumer rejects the message",
        "later    nothing: the order is never cancelled, and nobody knows",
    ],
    mend: "a dead-letter chain from the consumer's queue to one that a person watches.",
};

pub(super) static CHAIN_UNLIMITED: Story = Story {
    title: "the last queue of a dead-letter chain can grow without end",
    why: "What a consumer refuses ends in this queue, and nothing takes it from there but a person. A \
          consumer that refuses everything fills it as fast as messages come, until the broker's disk \
          alarm stops every publisher of every queue.",
    timeline: [
        " Fri   a deployment goes wrong: the consumer rejects every message",
        " Sat   millions of messages lie in the last queue of the chain",
        " Sun   the disk alarm: nothing can be published on this broker any more",
    ],
    mend: "a limit that no working day reaches (`max_length: 100000`); what is beyond it is dropped, the \
           oldest first. Or a TTL.",
};

pub(super) fn check(scene: &Scene<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (delay, ends) in &scene.arrivals {
        findings.extend(ends.iter().filter_map(|queue| on_waiting(scene, delay, queue)));
    }
    let elsewhere = place_for_rejects(scene);
    let queues = scene.queues.keys();
    findings.extend(queues.filter_map(|queue| reject_nowhere(scene, queue, elsewhere)));
    findings.extend(
        scene.topology.chains.iter().filter_map(|(name, queues)| unlimited(scene, name, queues)),
    );
    findings
}

fn on_waiting(scene: &Scene<'_>, delay: &Delay, name: &str) -> Option<Finding> {
    let queue = scene.queues.get(name)?;
    let field = format!("delays.{}.target", delay.name);
    let (finding, what) = match scene.waiting(queue)? {
        Waiting::ForDelay(other) => {
            let what = format!(
                "`{}` arrives in `{name}`, where messages of `{other}` wait: a consumer there takes them \
                 before their time, and without one these wait once more",
                delay.name
            );
            (Finding::error(Code::ConsumerOnWaiting, name, field), what)
        }
        Waiting::Perhaps => {
            let what = format!(
                "`{}` arrives in `{name}`, which dead-letters what was not consumed within {}: if \
                 messages are to wait there, its consumer gets them at once",
                delay.name,
                span(queue.ttl()?.value)
            );
            (Finding::warning(Code::ConsumerOnWaiting, name, field), what)
        }
    };
    let mend = "let the target be the queue that consumers read, behind the dead-letter exchange; or take \
                the TTL off";
    Some(finding.says(what, mend))
}

/// A consumer's queue whose rejects do go somewhere.
fn place_for_rejects<'a>(scene: &Scene<'a>) -> Option<&'a str> {
    let mut consumed = scene.queues.values().filter(|queue| scene.is_consumed(queue.name));
    let found = consumed.find(|queue| queue.ttl().is_none() && queue.dead_letters().is_some());
    found.map(|queue| queue.name)
}

/// A file that says nothing of refusals is not told to: it is when it gives a limit on deliveries,
/// or has a place for the refusals of another delay's consumer.
fn reject_nowhere(scene: &Scene<'_>, name: &str, elsewhere: Option<&str>) -> Option<Finding> {
    let queue = scene.queues.get(name)?;
    if queue.dead_letters().is_some() {
        return None;
    }
    // Other types refuse the limit: see the arguments.
    let limit = queue.delivery_limit();
    if let Some(limit) = limit.filter(|_| queue.kind == Some(Kind::Quorum)) {
        let field = scene.field(name, argument::DELIVERY_LIMIT, &limit);
        let what = format!(
            "a message that `{name}` delivered {} times, or that its consumer rejects, is dropped: the \
             queue has no dead-letter exchange",
            limit.value.saturating_add(1)
        );
        return Some(Finding::warning(Code::RejectNowhere, name, field).says(what, mend(name)));
    }
    let (delay, _) = scene.arrivals.iter().find(|(_, ends)| ends.contains(&name))?;
    let elsewhere = elsewhere?;
    let what = format!(
        "what the consumer of `{name}`, where `{}` arrives, rejects is dropped: the queue has no \
         dead-letter exchange, as `{}` has",
        delay.name, elsewhere
    );
    let field = scene.topology.fields.queue(name);
    Some(Finding::warning(Code::RejectNowhere, name, field).says(what, mend(name)))
}

fn mend(name: &str) -> String {
    format!("start a chain in `dead_letter_chains` from `{name}`, or give it a `dead_letter`")
}

fn unlimited(scene: &Scene<'_>, chain: &str, queues: &[String]) -> Option<Finding> {
    let queue = scene.queues.get(queues.last()?.as_str())?;
    let ends = queue.limit().is_some() || queue.ttl().is_some() || queue.dead_letters().is_some();
    if ends {
        return None;
    }
    let what = format!(
        "`{}`, the last queue of the chain, has no limit: a consumer that rejects everything fills it \
         until the broker's disk alarm stops all publishers",
        queue.name
    );
    let field = match queues.len() {
        0 | 1 => format!("dead_letter_chains.{chain}.from"),
        more => format!("dead_letter_chains.{chain}.levels[{}]", more - 2),
    };
    let mend = "give it a `max_length` that no working day reaches, or a `message_ttl`";
    Some(Finding::warning(Code::ChainUnlimited, queue.name, field).says(what, mend))
}
