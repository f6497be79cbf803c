//! Arguments that RabbitMQ does not know, ignores, or refuses.

use super::code::{Code, Story};
use super::finding::Finding;
use super::known::{self, Verdict};
use super::scene::Scene;
use super::words::nearest;
use crate::objects::{DELAYED_MESSAGE_TYPE, argument, overflow};
use crate::policy::{Effective, Kind};

pub(super) static UNKNOWN: Story = Story {
    title: "an argument that RabbitMQ does not know has no effect, and no error",
    why: "A broker keeps whatever arguments a queue is declared with and looks only at those it knows. \
          A slip in a name is therefore accepted, at the first declaration and at every later one, and \
          the queue does without.",
    timeline: [
        " 0 s   a queue is declared with `x-mesage-ttl: 30000`; the broker says ok",
        "30 s   the first message should leave, and does not",
        "later  nothing ever leaves: the queue has no TTL",
    ],
    mend: "correct the name. To change the arguments of a queue that exists it must be declared anew.",
};

pub(super) static IGNORED: Story = Story {
    title: "an argument is accepted, and this type of queue or this version does nothing with it",
    why: "Brokers accept arguments of later versions, of plugins they do not have, and of features they \
          no longer have. Declaring succeeds, and proves nothing.",
    timeline: [
        " 0 s   a quorum queue is declared with `overflow: reject-publish-dlx`; the broker says ok",
        " 1 s   the queue is full, and a further message is published",
        " 1 s   it is not refused: the oldest message goes, as with `drop-head`",
    ],
    mend: "leave the argument out, or take the type of queue or the version that has it.",
};

pub(super) static REFUSED: Story = Story {
    title: "a queue that the broker will not declare",
    why: "An argument that belongs to another type of queue, and a property that this type does not \
          have, are refused with 406 PRECONDITION_FAILED, which also closes the channel.",
    timeline: [
        " 0 s   a quorum queue is declared with `x-max-priority`",
        " 0 s   406: invalid arg 'x-max-priority' … of queue type rabbit_quorum_queue",
        " 0 s   the queue is not there, and the channel is closed",
    ],
    mend: "leave the argument out, or take the type of queue that has it.",
};

pub(super) fn check(scene: &Scene<'_>) -> Vec<Finding> {
    let queues = scene.queues.values().flat_map(|queue| check_queue(scene, queue));
    let exchanges = scene.objects.exchanges.keys();
    queues.chain(exchanges.flat_map(|exchange| check_exchange(scene, exchange))).collect()
}

fn check_queue(scene: &Scene<'_>, queue: &Effective<'_>) -> Vec<Finding> {
    let names = queue.queue.arguments.keys();
    let mut findings: Vec<_> = names.filter_map(|name| argument_of(scene, queue, name)).collect();
    findings.extend(properties(scene, queue));
    findings.extend(overflow_value(scene, queue));
    findings
}

fn argument_of(scene: &Scene<'_>, queue: &Effective<'_>, argument: &str) -> Option<Finding> {
    // Delayed retry has findings of its own.
    let retry = argument.starts_with("x-delayed-retry-");
    let field = scene.topology.fields.queue_argument(queue.name, argument);
    match known::verdict(argument, queue.kind, scene.version) {
        Verdict::Works => None,
        Verdict::Ignored(_) if retry => None,
        Verdict::Ignored(why) => {
            let what =
                format!("`{argument}` on `{}` is accepted and does nothing: {why}", queue.name);
            let finding = Finding::warning(Code::ArgumentIgnored, queue.name, field);
            Some(finding.says(what, "leave it out"))
        }
        Verdict::Refused(why) => {
            let kind = queue.kind.map_or("of this type", Kind::as_str);
            let what = format!(
                "RabbitMQ refuses the {kind} queue `{}` for `{argument}`: {why}",
                queue.name
            );
            let finding = Finding::error(Code::ArgumentRefused, queue.name, field);
            Some(finding.says(what, "leave it out, or change the queue's type"))
        }
        Verdict::Unknown => {
            let near = nearest(argument, known::queue_arguments());
            Some(unknown(queue.name, field, argument, near))
        }
    }
}

fn unknown(subject: &str, field: String, argument: &str, near: Option<&str>) -> Finding {
    let what = format!(
        "RabbitMQ does not know `{argument}`: it is accepted, and `{subject}` does without"
    );
    match near {
        Some(near) => Finding::error(Code::ArgumentUnknown, subject, field)
            .says(what, format!("did you mean `{near}`?")),
        None => Finding::warning(Code::ArgumentUnknown, subject, field)
            .says(what, "leave it out, unless a plugin reads it"),
    }
}

/// Quorum queues and streams are durable and stay.
fn properties(scene: &Scene<'_>, queue: &Effective<'_>) -> Vec<Finding> {
    let Some(kind @ (Kind::Quorum | Kind::Stream)) = queue.kind else { return Vec::new() };
    let wrong = [
        ("durable", "durable: false", !queue.queue.durable),
        ("auto_delete", "auto_delete: true", queue.queue.auto_delete),
    ];
    let wrong = wrong.into_iter().filter(|(_, _, is)| *is);
    let finding = |(property, written, _): (&str, &str, bool)| {
        let field = format!("{}.{property}", scene.topology.fields.queue(queue.name));
        let what = format!(
            "RabbitMQ refuses the {} queue `{}` with `{written}`",
            kind.as_str(),
            queue.name
        );
        Finding::error(Code::ArgumentRefused, queue.name, field)
            .says(what, format!("leave `{property}` out, or take a classic queue"))
    };
    wrong.map(finding).collect()
}

/// `reject-publish-dlx` is taken from a quorum queue and means `drop-head` there.
fn overflow_value(scene: &Scene<'_>, queue: &Effective<'_>) -> Option<Finding> {
    let told = queue.overflow()?;
    if queue.kind != Some(Kind::Quorum) || told.value != overflow::REJECT_PUBLISH_DLX {
        return None;
    }
    let field = scene.field(queue.name, argument::OVERFLOW, &told);
    let what = format!(
        "`reject-publish-dlx` is for classic queues: `{}` is a quorum queue, where it silently means \
         `drop-head`",
        queue.name
    );
    let finding = Finding::error(Code::ArgumentIgnored, queue.name, field);
    Some(finding.says(what, "take `reject-publish`"))
}

/// Exchanges of the four types that every broker has. What a plugin's type reads is not known, but
/// a slip in `alternate-exchange` is one there, too.
fn check_exchange(scene: &Scene<'_>, name: &str) -> Vec<Finding> {
    let Some(exchange) = scene.objects.exchanges.get(name) else { return Vec::new() };
    let built_in = ["direct", "fanout", "topic", "headers"].contains(&exchange.kind.as_str());
    let reads = |argument: &str| {
        known::EXCHANGE.contains(&argument)
            || exchange.kind == DELAYED_MESSAGE_TYPE && argument == argument::DELAYED_TYPE
    };
    let unread = exchange.arguments.keys().filter(|argument| !reads(argument));
    let findings = unread.filter_map(|argument| {
        let field = scene.topology.fields.exchange_argument(name, argument);
        let near = nearest(argument, known::EXCHANGE);
        (built_in || near.is_some()).then(|| unknown(name, field, argument, near))
    });
    findings.collect()
}
