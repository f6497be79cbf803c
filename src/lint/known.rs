//! The arguments that RabbitMQ knows, and which type of queue and which version each is for.
//!
//! Measured by declaring a queue of each type with each argument on 3.10.8, 4.0.5 and 4.3.6. An
//! argument of another queue type is refused; one that no type of that version knows is accepted and
//! does nothing.

use crate::objects::argument as name;
use crate::policy::Kind::{self, Classic, Quorum, Stream};
use crate::version::Version;

/// A queue argument.
struct Known {
    name: &'static str,
    /// The types of queue that take it.
    kinds: &'static [Kind],
    /// The first version that does anything with it.
    since: Version,
}

const ALWAYS: Version = Version::new(3, 8);

const fn row(name: &'static str, kinds: &'static [Kind], since: Version) -> Known {
    Known { name, kinds, since }
}

const QUEUE: [Known; 29] = [
    row(name::QUEUE_TYPE, &[Classic, Quorum, Stream], ALWAYS),
    row(name::MESSAGE_TTL, &[Classic, Quorum], ALWAYS),
    row(name::EXPIRES, &[Classic, Quorum], ALWAYS),
    row(name::MAX_LENGTH, &[Classic, Quorum], ALWAYS),
    row(name::MAX_LENGTH_BYTES, &[Classic, Quorum, Stream], ALWAYS),
    row(name::OVERFLOW, &[Classic, Quorum], ALWAYS),
    row(name::DEAD_LETTER_EXCHANGE, &[Classic, Quorum], ALWAYS),
    row(name::DEAD_LETTER_ROUTING_KEY, &[Classic, Quorum], ALWAYS),
    row(name::DEAD_LETTER_STRATEGY, &[Quorum], Version::new(3, 10)),
    row(name::DELIVERY_LIMIT, &[Quorum], ALWAYS),
    row(name::SINGLE_ACTIVE_CONSUMER, &[Classic, Quorum], ALWAYS),
    row(name::DELAYED_RETRY_TYPE, &[Quorum], Version::new(4, 3)),
    row(name::DELAYED_RETRY_MIN, &[Quorum], Version::new(4, 3)),
    row(name::DELAYED_RETRY_MAX, &[Quorum], Version::new(4, 3)),
    row("x-max-priority", &[Classic], ALWAYS),
    row("x-queue-mode", &[Classic], ALWAYS),
    row("x-queue-version", &[Classic], Version::new(3, 10)),
    row("x-queue-master-locator", &[Classic], ALWAYS),
    row("x-queue-leader-locator", &[Classic, Quorum, Stream], ALWAYS),
    row("x-quorum-initial-group-size", &[Quorum], ALWAYS),
    row("x-quorum-target-group-size", &[Quorum], Version::new(3, 12)),
    row("x-max-in-memory-length", &[Quorum], ALWAYS),
    row("x-max-in-memory-bytes", &[Quorum], ALWAYS),
    row("x-max-age", &[Stream], ALWAYS),
    row("x-stream-max-segment-size-bytes", &[Stream], ALWAYS),
    row("x-stream-filter-size-bytes", &[Stream], Version::new(3, 13)),
    row("x-initial-cluster-size", &[Stream], ALWAYS),
    row("x-consumer-timeout", &[Classic, Quorum], Version::new(3, 12)),
    row("x-consumer-disconnected-timeout", &[Quorum], Version::new(4, 3)),
];

/// Arguments of plugins that are in wide use; what they do depends on the plugin.
const OF_PLUGINS: [&str; 4] =
    ["x-message-deduplication", "x-cache-size", "x-cache-ttl", "x-cache-persistence"];

/// Arguments of exchanges whose type every broker has.
pub(super) const EXCHANGE: [&str; 1] = [name::ALTERNATE_EXCHANGE];

/// What a broker makes of a queue argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Works,
    /// It is accepted and does nothing, because of this.
    Ignored(String),
    /// The queue is not declared, because of this.
    Refused(String),
    /// It is accepted and does nothing: no RabbitMQ has such an argument.
    Unknown,
}

/// The names of all queue arguments.
pub(super) fn queue_arguments() -> impl Iterator<Item = &'static str> {
    QUEUE.iter().map(|known| known.name)
}

/// What a broker of this version (`None`: any) makes of an argument on a queue of this type (`None`:
/// the vhost's default).
pub(super) fn verdict(argument: &str, kind: Option<Kind>, version: Option<Version>) -> Verdict {
    let Some(known) = QUEUE.iter().find(|known| known.name == argument) else {
        let of_plugin = OF_PLUGINS.contains(&argument);
        return if of_plugin { Verdict::Works } else { Verdict::Unknown };
    };
    if let Some(version) = version.filter(|version| *version < known.since) {
        return Verdict::Ignored(format!(
            "RabbitMQ {version} does not know it: it came with {}",
            known.since
        ));
    }
    if let Some(special) = special(argument, kind, version) {
        return special;
    }
    match kind {
        Some(kind) if !known.kinds.contains(&kind) => {
            let others: Vec<_> = known.kinds.iter().map(|kind| kind.as_str()).collect();
            Verdict::Refused(format!("it is for {} queues", others.join(" and ")))
        }
        _ => Verdict::Works,
    }
}

/// The exceptions from the table.
fn special(argument: &str, kind: Option<Kind>, version: Option<Version>) -> Option<Verdict> {
    let from = |major, minor| version.is_some_and(|version| version >= Version::new(major, minor));
    let before = |major, minor| version.is_some_and(|version| version < Version::new(major, minor));
    let ignored = |why: &str| Some(Verdict::Ignored(why.to_owned()));
    let refused = |why: &str| Some(Verdict::Refused(why.to_owned()));
    match (argument, kind) {
        ("x-queue-mode", Some(Classic)) if from(3, 12) => {
            ignored("classic queues have one mode since RabbitMQ 3.12")
        }
        ("x-max-in-memory-length" | "x-max-in-memory-bytes", Some(Quorum)) => {
            ignored("quorum queues keep no messages in memory since RabbitMQ 3.10")
        }
        ("x-queue-master-locator", Some(Classic)) if from(4, 3) => {
            refused("RabbitMQ 4.3 permits `x-queue-leader-locator` only")
        }
        ("x-queue-leader-locator", Some(Classic)) if before(4, 0) => {
            refused("before RabbitMQ 4.0 classic queues have `x-queue-master-locator`")
        }
        ("x-quorum-target-group-size", Some(Classic | Stream)) => {
            ignored("it is for quorum queues")
        }
        ("x-stream-filter-size-bytes", Some(Classic | Quorum)) if before(4, 3) => {
            ignored("it is for streams")
        }
        ("x-consumer-timeout", Some(Classic)) if from(4, 3) => {
            refused("it is for quorum queues since RabbitMQ 4.3")
        }
        ("x-consumer-timeout", Some(Stream)) if before(4, 3) => ignored("it is for other queues"),
        _ => None,
    }
}
