//! Dead letters that go round in a circle.
//!
//! RabbitMQ looks at a message's history (`x-death`): if it would return to a queue where it has been
//! already, with no reject since, this is a cycle. An at-most-once queue then drops the message; an
//! at-least-once queue keeps it. A reject in between makes the circle a retry loop, which is allowed
//! and never ends by itself.

use std::collections::{BTreeSet, HashSet};

use super::circle::{core, way_back};
use super::code::{Code, Story};
use super::finding::Finding;
use super::scene::Scene;
use super::words::span;
use crate::objects::argument;
use crate::policy::{Effective, Full, Kind};
use crate::version::Version;

pub(super) static DROPPED: Story = Story {
    title: "a circle of queues in which every message expires drops it at the end of its first round",
    why: "A message that would return to a queue where it has been, with no reject in between, is in \
          a cycle: RabbitMQ drops it. A loop of waiting queues is no clock.",
    timeline: [
        " 0 s   a message is published into `a`, which expires to `b`, which expires to `a`",
        "10 s   it moves to `b`",
        "20 s   it would return to `a`, which is in its history: it is gone",
    ],
    mend: "end the circle at a queue that a consumer reads, and let the consumer publish anew (without \
           the old `x-death`) what shall go round again.",
};

pub(super) static KEPT: Story = Story {
    title: "a circle of at-least-once queues keeps its messages for ever",
    why: "An at-least-once queue may not drop a message, and may not send it round a cycle either. So \
          it keeps it. Neither consumers nor `messages_ready` see it; `messages_dlx` does.",
    timeline: [
        " 0 s   a message is published into `a`, which expires to `b`, which expires to `a`",
        "20 s   its time in `b` is up; `a` is in its history, so `b` keeps it",
        "later  after 32 such messages `b` hands out nothing more at all",
    ],
    mend: "end the circle at a queue that a consumer reads; purging the queue frees what it kept.",
};

pub(super) static RETRY_LOOP: Story = Story {
    title: "a message that is rejected comes back, without end",
    why: "A work queue that dead-letters to a waiting queue, which dead-letters back, is how retries \
          with a delay are built. RabbitMQ puts no bound on it: with a reject in every round it is no \
          cycle. A message that can never succeed goes round for ever, and with enough of them the \
          loop does nothing else. Only a reject counts: a message that leaves the work queue by its \
          delivery limit (20 by default on quorum queues of RabbitMQ 4) is in a cycle and is lost.",
    timeline: [
        " 0 s   the consumer rejects a message, requeue=false; it moves to the waiting queue",
        "30 s   it is back in the work queue, and is rejected again",
        "60 s   and again, and again",
    ],
    mend: "let the consumer look at the `count` of `x-death`'s entry for the work queue, and after so \
           many rounds publish the message to a parking queue and acknowledge it.",
};

pub(super) static RETRY_LOOP_LIMIT: Story = Story {
    title: "in a retry loop, what leaves by a limit instead of a reject is lost",
    why: "The way back is open only to messages with a reject since they were there last. A delivery \
          limit and a full queue dead-letter too, with the reasons `delivery_limit` and `maxlen`; these \
          messages wait like the others and are then taken for a cycle.",
    timeline: [
        " 0 s   a consumer returns a message (requeue=true) until its delivery limit is reached",
        " 0 s   it is dead-lettered into the waiting queue, like a rejected one",
        "30 s   the way back is a cycle: it is dropped, or an at-least-once waiting queue keeps it",
    ],
    mend: "end retries by rejecting: requeue=false, counted by `x-death`. Take the limit off the work \
           queue (`x-delivery-limit: -1` on RabbitMQ 4), or dead-letter it to a queue outside the loop.",
};

pub(super) fn check(scene: &Scene<'_>) -> Vec<Finding> {
    let core = core(scene);
    let expires = |queue: &Effective<'_>| scene.longest_wait(queue).is_some();
    let mut findings = Vec::new();
    let mut told = HashSet::new();
    for queue in core.iter().filter_map(|name| scene.queues.get(name)) {
        let circle = if expires(queue) {
            way_back(scene, queue, expires)
        } else {
            way_back(scene, queue, |_| true)
        };
        let Some(circle) = circle else { continue };
        if !told.insert(circle.iter().map(|queue| queue.name).collect::<BTreeSet<_>>()) {
            continue;
        }
        if expires(queue) {
            findings.push(cycle(scene, &circle));
        } else {
            findings.push(retry_loop(scene, &circle));
            findings.extend(circle.iter().filter_map(|leaky| limit(scene, &circle, leaky)));
        }
    }
    findings
}

fn drawn(circle: &[&Effective<'_>]) -> String {
    let names = circle.iter().chain(circle.first()).map(|queue| format!("`{}`", queue.name));
    names.collect::<Vec<_>>().join(" → ")
}

fn cycle(scene: &Scene<'_>, circle: &[&Effective<'_>]) -> Finding {
    let first = circle[0];
    let kept = circle.iter().all(|queue| queue.is_at_least_once());
    let code = if kept { Code::CycleKept } else { Code::CycleDropped };
    let fate = if kept {
        "the queue before keeps it for ever, seen in `messages_dlx` alone, and 32 of them stall it"
    } else {
        "RabbitMQ drops it"
    };
    let what = format!(
        "{}: messages expire all the way round, and one that would return to a queue where it has been \
         is in a cycle: {fate}",
        drawn(circle)
    );
    let mend = "let the last queue dead-letter to one that a consumer reads, outside the circle";
    Finding::error(code, first.name, dead_letter_field(scene, first)).says(what, mend)
}

fn retry_loop(scene: &Scene<'_>, circle: &[&Effective<'_>]) -> Finding {
    let work = circle[0];
    let wait: u64 = circle.iter().filter_map(|queue| Some(scene.longest_wait(queue)?.0)).sum();
    let when = if wait == 0 { "at once".to_owned() } else { format!("after {}", span(wait)) };
    let default = match scene.is_at_least(Version::new(4, 0)) {
        Some(false) => "",
        _ if work.kind != Some(Kind::Quorum) || has_own_limit(work) => "",
        _ => {
            "; one that is requeued until RabbitMQ 4's default delivery limit of 20 is in a cycle \
             instead, and is lost"
        }
    };
    let what = format!(
        "{}: what a consumer rejects from `{}` comes back {when}, again and again, and only the \
         consumer can end it{default}",
        drawn(circle),
        work.name
    );
    let mend = "let the consumer count the rounds in `x-death`, and publish to a parking queue what had \
                its share";
    Finding::warning(Code::RetryLoop, work.name, dead_letter_field(scene, work)).says(what, mend)
}

fn has_own_limit(queue: &Effective<'_>) -> bool {
    queue.delivery_limit().is_some() || queue.queue.arguments.contains_key(argument::DELIVERY_LIMIT)
}

/// A queue of a retry loop out of which messages come by a limit.
fn limit(scene: &Scene<'_>, circle: &[&Effective<'_>], queue: &Effective<'_>) -> Option<Finding> {
    let (argument, setting, how) = if let Some(limit) = queue.delivery_limit() {
        (argument::DELIVERY_LIMIT, limit, format!("its delivery limit of {}", limit.value))
    } else {
        let (argument, limit) = queue.limit()?;
        if queue.full() == Full::Reject {
            return None;
        }
        (argument, limit, format!("its length limit of {}", limit.value))
    };
    if scene.longest_wait(queue).is_some() {
        return None;
    }
    let place = circle.iter().position(|other| other.name == queue.name)?;
    let before = circle[(place + circle.len() - 1) % circle.len()];
    let fate = if before.is_at_least_once() { "keeps it for ever" } else { "drops it" };
    let what = format!(
        "a message that leaves `{}` by {how} and not by a reject cannot return: in {} that is a cycle, \
         and `{}` {fate}",
        queue.name,
        drawn(circle),
        before.name
    );
    let mend = "take the limit off, and end retries by rejecting and counting `x-death`";
    let field = scene.field(queue.name, argument, &setting);
    Some(Finding::error(Code::RetryLoopLimit, queue.name, field).says(what, mend))
}

fn dead_letter_field(scene: &Scene<'_>, queue: &Effective<'_>) -> String {
    match queue.dead_letters() {
        Some(to) => scene.field(queue.name, argument::DEAD_LETTER_EXCHANGE, &to.exchange),
        None => scene.topology.fields.queue(queue.name),
    }
}
