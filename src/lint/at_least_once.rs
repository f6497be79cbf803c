//! At-least-once dead-lettering that is asked for and not done.

use super::code::{Code, Story};
use super::finding::Finding;
use super::scene::Scene;
use crate::objects::{argument, overflow};
use crate::policy::{Effective, Full, Kind};

pub(super) static VOID: Story = Story {
    title: "at-least-once dead-lettering is asked for, and its conditions are not met",
    why: "RabbitMQ does it for quorum queues with `overflow: reject-publish` and a dead-letter \
          exchange. Without `reject-publish` it silently falls back to at-most-once; on another type \
          of queue it refuses the argument (and silently passes over a policy that has it).",
    timeline: [
        " 0 s   a message waits in a queue with at-least-once and, by default, `drop-head`",
        "30 s   its time is up, and the queue that it should go to is just now unavailable",
        "30 s   it is gone, as on any at-most-once queue",
    ],
    mend: "`type: quorum`, `overflow: reject-publish` and a dead-letter exchange, all three.",
};

pub(super) static POLICY: Story = Story {
    title: "a policy silently turns at-least-once dead-lettering off",
    why: "On a quorum queue a policy's `overflow` beats the queue's own argument, the other way round \
          than on a classic queue. `drop-head` and at-least-once exclude each other, and RabbitMQ \
          decides for `drop-head`, without a word.",
    timeline: [
        " Mon   a queue is declared with at-least-once and `reject-publish`; all is well",
        " Tue   somebody adds a policy with `overflow: drop-head` to keep queues short",
        " Tue   from now on its dead letters can be lost, and a full queue hands them out early",
    ],
    mend: "keep the policy off the waiting queues: by its pattern, or by another policy for them of a \
           higher priority (only one policy applies to a queue).",
};

pub(super) fn check(scene: &Scene<'_>) -> Vec<Finding> {
    let queues = scene.queues.values().filter(|queue| queue.wants_at_least_once());
    queues.flat_map(|queue| check_queue(scene, queue)).collect()
}

fn check_queue(scene: &Scene<'_>, queue: &Effective<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    // Another type than quorum is refused: see the arguments.
    if let Some(overridden) = by_policy(scene, queue) {
        findings.push(overridden);
    } else if queue.full() != Full::Reject && matches!(queue.kind, None | Some(Kind::Quorum)) {
        let effect = "RabbitMQ silently falls back to at-most-once, and dead letters can be lost";
        findings.push(void(scene, queue, "`overflow: reject-publish`", effect));
    }
    if queue.dead_letters().is_none() {
        let effect = "the setting has no effect, and what expires or is rejected is dropped";
        findings.push(void(scene, queue, "a dead-letter exchange", effect));
    }
    findings
}

fn void(scene: &Scene<'_>, queue: &Effective<'_>, missing: &str, effect: &str) -> Finding {
    let argument = argument::DEAD_LETTER_STRATEGY;
    let field = match queue.text(argument) {
        Some(setting) => scene.field(queue.name, argument, &setting),
        None => scene.topology.fields.queue(queue.name),
    };
    let what = format!("at-least-once on `{}` needs {missing}: without it {effect}", queue.name);
    Finding::error(Code::AtLeastOnceVoid, queue.name, field).says(what, format!("add {missing}"))
}

fn by_policy(scene: &Scene<'_>, queue: &Effective<'_>) -> Option<Finding> {
    let in_force = queue.overflow()?;
    let policy = in_force.policy?;
    let own = queue.queue.text(argument::OVERFLOW)?;
    let disabled = queue.kind == Some(Kind::Quorum)
        && own == overflow::REJECT_PUBLISH
        && in_force.value != overflow::REJECT_PUBLISH;
    if !disabled {
        return None;
    }
    let field = scene.field(queue.name, argument::OVERFLOW, &in_force);
    let what = format!(
        "the policy `{policy}` turns at-least-once on `{}` off: on a quorum queue its `overflow: {}` \
         beats the queue's `{own}`, and dead letters can be lost",
        queue.name, in_force.value
    );
    let mend = format!("take `overflow` out of `{policy}`, or keep it off the waiting queues");
    Some(Finding::error(Code::AtLeastOncePolicy, queue.name, field).says(what, mend))
}
