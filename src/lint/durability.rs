//! Queues that go away, with what waits in them.

use super::code::{Code, Story};
use super::finding::Finding;
use super::scene::Scene;
use crate::policy::{Effective, Kind};
use crate::version::Version;

pub(super) static TRANSIENT: Story = Story {
    title: "a transient queue does not survive a restart, nor RabbitMQ 4",
    why: "A queue that is not durable is gone after a restart of the broker, with its messages, \
          persistent ones as well. RabbitMQ 4 deprecates those that are not exclusive, and announces to \
          refuse them (4.3.6 was measured to take them still).",
    timeline: [
        " 0 min   messages wait in a transient queue, to be due in 30 min",
        "10 min   the broker is restarted: neither queue nor messages are there",
        "30 min   nothing arrives",
    ],
    mend: "leave `durable` out: queues are durable unless told otherwise.",
};

pub(super) static AUTO_DELETE: Story = Story {
    title: "a look into an auto-delete waiting queue deletes it",
    why: "An auto-delete queue is deleted when its last consumer leaves. A waiting queue has none, so it \
          stays, until somebody attaches one to see what is in it, and leaves again. A deleted queue \
          dead-letters nothing.",
    timeline: [
        " 0 min   messages wait, to be due in 30 min",
        " 5 min   an engineer attaches a consumer to have a look, and stops it",
        " 5 min   the queue and all its messages are gone",
    ],
    mend: "leave `auto_delete` out on a queue in which messages wait.",
};

pub(super) fn check(scene: &Scene<'_>) -> Vec<Finding> {
    scene.queues.values().flat_map(|queue| check_queue(scene, queue)).collect()
}

fn check_queue(scene: &Scene<'_>, queue: &Effective<'_>) -> Vec<Finding> {
    // Quorum queues and streams of this kind are refused: see the arguments.
    if matches!(queue.kind, Some(Kind::Quorum | Kind::Stream)) {
        return Vec::new();
    }
    let mut findings = Vec::new();
    findings.extend(transient(scene, queue));
    let lasting_waits = queue.queue.auto_delete && !scene.is_consumed(queue.name);
    if lasting_waits && scene.waiting(queue).is_some() {
        let field = format!("{}.auto_delete", scene.topology.fields.queue(queue.name));
        let what = format!(
            "`{}` and what waits in it are deleted as soon as a consumer attaches to it and leaves",
            queue.name
        );
        let finding = Finding::warning(Code::AutoDeleteWaiting, queue.name, field);
        findings.push(finding.says(what, "leave `auto_delete` out"));
    }
    findings
}

fn transient(scene: &Scene<'_>, queue: &Effective<'_>) -> Option<Finding> {
    if queue.queue.durable {
        return None;
    }
    let waits = scene.waiting(queue).is_some();
    let old = scene.is_at_least(Version::new(4, 0)) == Some(false);
    let what = match (waits, old) {
        (false, true) => return None,
        (true, true) => "what waits in it is lost when the broker restarts".to_owned(),
        (waits, false) => {
            let lost = if waits { "what waits in it is" } else { "it and its messages are" };
            format!(
                "{lost} lost when the broker restarts, and RabbitMQ 4 deprecates such queues and will \
                 refuse them"
            )
        }
    };
    let field = format!("{}.durable", scene.topology.fields.queue(queue.name));
    let what = format!("`{}` is transient: {what}", queue.name);
    Some(
        Finding::warning(Code::TransientQueue, queue.name, field).says(what, "leave `durable` out"),
    )
}
