//! Waiting queues that RabbitMQ deletes while messages wait in them.

use super::code::{Code, Story};
use super::finding::Finding;
use super::scene::{Scene, Waiting};
use super::words::span;
use crate::objects::{TTL_MAX_MS, argument};
use crate::policy::{Effective, Kind};

pub(super) static QUORUM: Story = Story {
    title: "a quorum waiting queue that expires takes its messages with it",
    why: "`expires` deletes a queue that was unused so long: no consumer, no get, no declare. \
          Publishing is no use, and a waiting queue has no consumer. On a classic queue each \
          redeclaration renews the lease; on a quorum queue it does not. A deleted queue dead-letters \
          nothing.",
    timeline: [
        " 0 s   declared with a TTL of 10 s and expires of 12 s; declared again before each message",
        " 8 s   a third message is published, to be due at 18 s",
        "12 s   the queue is deleted, and with it every message in it",
    ],
    mend: "leave `expires` out, or take a classic queue and declare it before every message.",
};

pub(super) static SHORT: Story = Story {
    title: "a waiting queue can expire before the messages in it",
    why: "A queue with `expires` lives that long after it was last declared (publishing does not \
          count). A message that is published later than `expires` minus its TTL after that is still \
          waiting when the queue is deleted, and a deleted queue dead-letters nothing.",
    timeline: [
        " 0 s   the queue is declared: TTL 30 s, expires 40 s",
        "15 s   a message is published, to be due at 45 s",
        "40 s   the queue is deleted, and the message with it",
    ],
    mend: "leave `expires` out. Where names are made up per delay, let `expires` be a minute longer than \
           the TTL and declare the queue before every message.",
};

/// How much longer than the TTL a lease must be, in milliseconds: the time that a publisher may take
/// from declaring the queue to publishing the message.
const MARGIN_MS: u64 = 60_000;

pub(super) fn check(scene: &Scene<'_>) -> Vec<Finding> {
    scene.queues.values().filter_map(|queue| expires(scene, queue)).collect()
}

fn expires(scene: &Scene<'_>, queue: &Effective<'_>) -> Option<Finding> {
    let waiting = scene.waiting(queue)?;
    // A consumer keeps its queue alive.
    if waiting == Waiting::Perhaps && scene.is_consumed(queue.name) {
        return None;
    }
    let lease = queue.number(argument::EXPIRES)?;
    let field = scene.field(queue.name, argument::EXPIRES, &lease);
    let name = queue.name;
    if queue.kind == Some(Kind::Quorum) {
        let what = format!(
            "`{name}` is deleted {} after it was declared, with the messages that wait in it: neither \
             publishing nor, on a quorum queue, declaring it again renews its lease",
            span(lease.value)
        );
        let finding = Finding::error(Code::ExpiresQuorum, name, field);
        return Some(finding.says(what, "leave `expires` out"));
    }
    let wait = scene.longest_wait(queue)?.0;
    let finding = match lease.value.checked_sub(wait) {
        None | Some(0) => Finding::error(Code::ExpiresShort, name, field),
        Some(slack) if slack < MARGIN_MS => Finding::warning(Code::ExpiresShort, name, field),
        Some(_) => return None,
    };
    let (what, mend) = short(name, lease.value, wait);
    Some(finding.says(what, mend))
}

/// The words for a lease that ends too soon.
fn short(name: &str, lease: u64, wait: u64) -> (String, String) {
    let lost = match (wait, lease.saturating_sub(wait)) {
        (TTL_MAX_MS, _) => "messages whose delay is longer are lost".to_owned(),
        (_, 0) => "every message in it is lost".to_owned(),
        (_, slack) => format!("what was published later than {} after that is lost", span(slack)),
    };
    let what = format!(
        "`{name}` is deleted {} after it was last declared, and publishing does not renew that: {lost}",
        span(lease)
    );
    let mend = match wait {
        TTL_MAX_MS => "leave `expires` out".to_owned(),
        wait => format!(
            "leave `expires` out, or let it be {} at least and declare the queue before every message",
            span(wait + MARGIN_MS)
        ),
    };
    (what, mend)
}
