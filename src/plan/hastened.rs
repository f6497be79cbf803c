//! What the broker's policies do to messages that wait in a queue for their time.

use std::collections::BTreeMap;

use crate::duration::Millis;
use crate::objects::{Objects, Policy, Queue, argument};
use crate::policy::{Effective, Full, Governed, Policies, Setting};

use super::{Named, Observed, Seen};

/// How long messages are to wait in some queues, by the queue's name, in milliseconds. `None`: as
/// long as it is.
pub type Waits = BTreeMap<String, Option<u64>>;

/// A line for each of these queues in which messages will not wait as they should, because of a
/// policy that acts on it.
pub fn hastened(wanted: &Objects, observed: &Observed, waits: &Waits) -> Vec<String> {
    let line = |(name, wait): (&String, &Option<u64>)| {
        let governed = observed.governed.get(&Named::Queue(name.clone()))?;
        let queue = match observed.queues.get(name) {
            Some(Seen::Known(queue)) => queue,
            _ => wanted.queues.get(name)?,
        };
        let all = consequences(name, queue, governed, observed, *wait);
        let names = governed.names();
        (!all.is_empty()).then(|| format!("policy `{names}` on queue `{name}`: {}", all.join("; ")))
    };
    waits.iter().filter_map(line).collect()
}

fn consequences(
    name: &str,
    queue: &Queue,
    governed: &Governed,
    observed: &Observed,
    wait: Option<u64>,
) -> Vec<String> {
    // The policy and the operator policy act like one that has what they set together.
    let definition = governed.definition.clone();
    let (pattern, apply_to) = (String::new(), "queues".to_owned());
    let both = Policy { pattern, apply_to, priority: 0, definition };
    let both = BTreeMap::from([(governed.names(), both)]);
    let policies = Policies::new(&both, observed.version);
    let effective = policies.effective(name, queue, observed.default_queue_type.as_deref());
    let limits = [argument::MAX_LENGTH, argument::MAX_LENGTH_BYTES];
    let limits = limits.into_iter().filter_map(|argument| limit(&effective, argument));
    let all = ttl(&effective, wait).into_iter().chain(limits).chain(overflow(&effective));
    all.chain(expires(&effective)).chain(key(&effective)).collect()
}

/// A setting that a policy gives.
fn given<'a, T>(setting: Option<Setting<'a, T>>) -> Option<T> {
    setting.filter(|setting| setting.policy.is_some()).map(|setting| setting.value)
}

fn ttl(queue: &Effective<'_>, wait: Option<u64>) -> Option<String> {
    let ttl = given(queue.ttl())?;
    let meant = match wait {
        Some(wait) if wait <= ttl => return None,
        Some(wait) => format!("instead of {}", Millis(wait)),
        None => "at the latest".to_owned(),
    };
    Some(format!("message-ttl {ttl}: messages leave after {} {meant}", Millis(ttl)))
}

fn limit(queue: &Effective<'_>, argument: &str) -> Option<String> {
    let limit = given(queue.number(argument))?;
    let unit = if argument == argument::MAX_LENGTH { "messages" } else { "bytes" };
    let key = argument.trim_start_matches("x-");
    Some(format!("{key} {limit}: with more {unit}, {}", when_full(queue)))
}

fn when_full(queue: &Effective<'_>) -> &'static str {
    match queue.full() {
        Full::DropHead => "the oldest leave before their time",
        Full::Reject => "new ones are refused",
        Full::RejectAndDeadLetter => "new ones leave at once",
    }
}

fn overflow(queue: &Effective<'_>) -> Option<String> {
    let overflow = given(queue.overflow())?;
    let mut effects = Vec::new();
    if queue.limit().is_some() {
        effects.push(format!("when the queue is full, {}", when_full(queue)));
    }
    if queue.wants_at_least_once() && !queue.is_at_least_once() {
        effects.push("what leaves is passed on at most once, and may be lost".to_owned());
    }
    (!effects.is_empty()).then(|| format!("overflow {overflow}: {}", effects.join(", and ")))
}

fn expires(queue: &Effective<'_>) -> Option<String> {
    let expires = given(queue.number(argument::EXPIRES))?;
    let unused = Millis(expires);
    Some(format!("expires {expires}: unused for {unused}, it is deleted with all that waits in it"))
}

fn key(queue: &Effective<'_>) -> Option<String> {
    let key = given(queue.text(argument::DEAD_LETTER_ROUTING_KEY))?;
    Some(format!("dead-letter-routing-key {key}: messages leave with this key, not with their own"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objects::{Arguments, Value};

    fn told(queue: Queue, wait: Option<u64>, pairs: &[(&str, Value)]) -> Vec<String> {
        let mut wanted = Objects::default();
        wanted.add_queue("w", queue).unwrap();
        let definition = pairs.iter().map(|(key, value)| ((*key).to_owned(), value.clone()));
        let definition = definition.collect::<Arguments>();
        let governed = Governed { policy: Some("p".to_owned()), definition, ..Governed::default() };
        let governed = [(Named::Queue("w".to_owned()), governed)].into();
        let observed = Observed { governed, ..Observed::default() };
        hastened(&wanted, &observed, &Waits::from([("w".to_owned(), wait)]))
    }

    fn tier() -> Queue {
        Queue::default()
            .with("x-queue-type", "quorum")
            .with("x-message-ttl", 1_800_000)
            .with("x-dead-letter-exchange", "")
            .with("x-dead-letter-strategy", "at-least-once")
            .with("x-overflow", "reject-publish")
    }

    #[test]
    fn each_key_and_its_consequence() {
        let table: [(&str, Value, &str); 6] = [
            (
                "message-ttl",
                1000.into(),
                "message-ttl 1000: messages leave after 1s instead of 30m",
            ),
            ("max-length", 10.into(), "max-length 10: with more messages, new ones are refused"),
            (
                "max-length-bytes",
                10.into(),
                "max-length-bytes 10: with more bytes, new ones are refused",
            ),
            (
                "overflow",
                "drop-head".into(),
                "overflow drop-head: what leaves is passed on at most once, and may be lost",
            ),
            (
                "expires",
                60_000.into(),
                "expires 60000: unused for 1m, it is deleted with all that waits in it",
            ),
            (
                "dead-letter-routing-key",
                "k".into(),
                "dead-letter-routing-key k: messages leave with this key, not with their own",
            ),
        ];
        for (key, value, consequence) in table {
            let expected = format!("policy `p` on queue `w`: {consequence}");
            assert_eq!(told(tier(), Some(1_800_000), &[(key, value)]), [expected]);
        }
    }

    #[test]
    fn what_changes_nothing_is_not_told() {
        let none: [String; 0] = [];
        let harmless = [("message-ttl", 3_600_000.into()), ("dead-letter-exchange", "x".into())];
        assert_eq!(told(tier(), Some(1_800_000), &harmless), none);
        let ttl = [("message-ttl", 1000.into())];
        assert_eq!(told(Queue::default(), Some(1000), &ttl), none, "no message waits longer");
        assert_eq!(told(tier(), Some(1000), &[("overflow", "reject-publish".into())]), none);
    }

    #[test]
    fn several_keys_are_one_line() {
        let pairs = [("message-ttl", 1000.into()), ("max-length", 5.into())];
        assert_eq!(
            told(Queue::default(), None, &pairs),
            ["policy `p` on queue `w`: message-ttl 1000: messages leave after 1s at the latest; \
                 max-length 5: with more messages, the oldest leave before their time"]
        );
    }
}
