//! Full waiting queues whose messages leave before their time.

use super::code::{Code, Story};
use super::finding::Finding;
use super::scene::{Scene, Waiting};
use crate::objects::argument;
use crate::policy::{Effective, Full, Kind};

pub(super) static EARLY: Story = Story {
    title: "a full waiting queue hands out messages before their time",
    why: "A queue with a length limit and no `overflow` setting makes room by dropping its oldest \
          message, and a queue with a dead-letter exchange dead-letters what it drops: at once, with \
          the reason `maxlen`. Who consumes it further on cannot tell it from one whose time is up, \
          unless it reads `x-death`. (`reject-publish-dlx` on a classic queue does the same to the new \
          message.)",
    timeline: [
        " 0 min   500,000 unpaid orders wait for 30 min each, the limit of the queue",
        " 1 min   one more arrives: the oldest order is dead-lettered",
        " 1 min   it is cancelled, 29 min early",
    ],
    mend: "`overflow: reject-publish`: a full queue refuses the new message, and its publisher learns of \
           it by a nack.",
};

pub(super) fn check(scene: &Scene<'_>) -> Vec<Finding> {
    scene.queues.values().filter_map(|queue| early(scene, queue)).collect()
}

fn early(scene: &Scene<'_>, queue: &Effective<'_>) -> Option<Finding> {
    let waiting = scene.waiting(queue)?;
    // A work queue with a TTL may well prefer newer messages.
    if waiting == Waiting::Perhaps && scene.is_consumed(queue.name) {
        return None;
    }
    let (argument, limit) = queue.limit()?;
    if queue.full() == Full::Reject {
        return None;
    }
    let field = match queue.overflow() {
        Some(overflow) => scene.field(queue.name, argument::OVERFLOW, &overflow),
        None => scene.field(queue.name, argument, &limit),
    };
    let finding = match waiting {
        Waiting::ForDelay(_) => Finding::error(Code::OverflowEarly, queue.name, field),
        Waiting::Perhaps => Finding::warning(Code::OverflowEarly, queue.name, field),
    };
    let unit = if argument == argument::MAX_LENGTH { "messages" } else { "bytes" };
    let which = match queue.full() {
        Full::RejectAndDeadLetter => "the new message",
        _ => "its oldest message",
    };
    let what = format!(
        "when `{}` holds {} {unit}, each further message makes it dead-letter {which} at once, before \
         its time",
        queue.name, limit.value
    );
    let policy = queue.overflow().and_then(|overflow| overflow.policy);
    let mend = match (policy, queue.kind) {
        (Some(policy), Some(Kind::Quorum)) => {
            format!(
                "take `overflow` out of the policy `{policy}`: on a quorum queue it beats the argument"
            )
        }
        _ => "set `overflow: reject-publish`, so that the publisher gets a nack instead".to_owned(),
    };
    Some(finding.says(what, mend))
}
