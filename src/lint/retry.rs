//! Delayed retry: quorum queues of RabbitMQ 4.3 that hold returned messages back.

use super::code::{Code, Story};
use super::finding::Finding;
use super::scene::Scene;
use super::words::span;
use crate::objects::argument;
use crate::policy::{Effective, Kind};
use crate::version::Version;

pub(super) static VERSION: Story = Story {
    title: "before RabbitMQ 4.3 delayed retry is accepted and does nothing",
    why: "A broker accepts arguments that it does not know. On an older one a returned message comes \
          back at once, as it always did, and is returned again, until the delivery limit is reached.",
    timeline: [
        " 0 s    a consumer returns a message of a queue with delayed retry, min 1 m, on RabbitMQ 4.2",
        " 0 s    it comes back at once, again and again",
        " 0.1 s  the delivery limit is reached: dropped or dead-lettered, after no time at all",
    ],
    mend: "a retry loop by reject on older brokers: the work queue dead-letters to a waiting queue, which \
           dead-letters back.",
};

pub(super) static ENDLESS: Story = Story {
    title: "a message that is nacked comes back for ever",
    why: "On RabbitMQ 4.3 `basic.nack` with requeue=true is no delivery attempt: it does not count \
          towards the delivery limit, and the hold does not grow. With the type `failed` it is not even \
          held: it comes back at once. `basic.reject` with requeue=true counts, and is held by `all` \
          and `failed`.",
    timeline: [
        " 0.0 s   a consumer nacks (requeue=true) a message; min 300 ms, delivery limit 4",
        " 0.3 s   it is back and is nacked; so at 0.6 s, 0.9 s, 1.2 s …",
        " never   the limit is not reached, and the dead-letter queue gets nothing",
    ],
    mend: "let consumers return messages with `basic.reject`, requeue=true; many client libraries nack \
           by default.",
};

pub(super) static IDLE: Story = Story {
    title: "delayed retry without a minimum holds nothing back",
    why: "The hold is min × the number of deliveries, at most max. Without a min it is zero; RabbitMQ \
          takes the queue all the same (a policy without it is refused).",
    timeline: [
        " 0 s   a queue is declared with delayed retry of type `all` and max 1 m; the broker says ok",
        " 1 s   a consumer returns a message",
        " 1 s   it comes back at once",
    ],
    mend: "set `min`, the hold after the first return.",
};

const SINCE: Version = Version::new(4, 3);

pub(super) fn check(scene: &Scene<'_>) -> Vec<Finding> {
    scene.queues.values().flat_map(|queue| check_queue(scene, queue)).collect()
}

fn check_queue(scene: &Scene<'_>, queue: &Effective<'_>) -> Vec<Finding> {
    let Some(retry) = queue.text(argument::DELAYED_RETRY_TYPE) else { return Vec::new() };
    // RabbitMQ 4.3 refuses other types: see the arguments.
    if retry.value == "disabled" || matches!(queue.kind, Some(Kind::Classic | Kind::Stream)) {
        return Vec::new();
    }
    let field = scene.field(queue.name, argument::DELAYED_RETRY_TYPE, &retry);
    let mut findings: Vec<_> = version(scene, queue.name, &field).into_iter().collect();
    if scene.is_at_least(SINCE) == Some(false) {
        return findings;
    }
    let min = queue.number(argument::DELAYED_RETRY_MIN).map_or(0, |min| min.value);
    if min == 0 {
        let what = format!(
            "without a `min` the hold is zero: `{}` gives returned messages back at once",
            queue.name
        );
        let finding = Finding::error(Code::DelayedRetryIdle, queue.name, field.clone());
        findings.push(finding.says(what, "set `min`"));
    }
    let when = match retry.value {
        "failed" => "at once".to_owned(),
        _ if min == 0 => "at once".to_owned(),
        _ => format!("after {}", span(min)),
    };
    let what = format!(
        "a message of `{}` that a consumer nacks (requeue) comes back {when}, for ever: on RabbitMQ 4.3 a \
         nack does not count towards the delivery limit",
        queue.name
    );
    let mend = "let consumers return messages with `basic.reject` and requeue, which counts";
    findings.push(Finding::warning(Code::DelayedRetryEndless, queue.name, field).says(what, mend));
    findings
}

fn version(scene: &Scene<'_>, name: &str, field: &str) -> Option<Finding> {
    let field = field.to_owned();
    let (finding, broker) = match scene.version {
        Some(version) if version >= SINCE => return None,
        Some(version) => (
            Finding::error(Code::DelayedRetryVersion, name, field),
            format!("RabbitMQ {version} accepts it and does nothing with it"),
        ),
        None => (
            Finding::warning(Code::DelayedRetryVersion, name, field),
            "before RabbitMQ 4.3 it is accepted and does nothing".to_owned(),
        ),
    };
    let what =
        format!("delayed retry on `{name}`: {broker}, and returned messages come back at once");
    let mend = "take RabbitMQ 4.3, or a retry loop by reject through a waiting queue";
    Some(finding.says(what, mend))
}
