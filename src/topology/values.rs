//! Arguments whose values every broker refuses, or silently takes for something else.

use super::problem::ProblemKind;
use crate::duration::Millis;
use crate::objects::{DELAYED_MESSAGE_TYPE, Queue, TTL_MAX_MS, Value, argument, overflow};

/// The range of an argument that is a number; all were measured on RabbitMQ 3.10, 4.0 and 4.3.
fn range(argument: &str) -> Option<(u64, u64)> {
    Some(match argument {
        argument::MESSAGE_TTL | argument::DELAYED_RETRY_MIN | argument::DELAYED_RETRY_MAX => {
            (0, TTL_MAX_MS)
        }
        argument::EXPIRES => (1, TTL_MAX_MS),
        argument::MAX_LENGTH | argument::MAX_LENGTH_BYTES | argument::DELIVERY_LIMIT => {
            (0, i64::MAX.unsigned_abs())
        }
        _ => return None,
    })
}

/// The words that an argument takes; empty: any text.
fn words(argument: &str) -> Option<&'static [&'static str]> {
    Some(match argument {
        argument::OVERFLOW => &["drop-head", "reject-publish", "reject-publish-dlx"],
        argument::DEAD_LETTER_STRATEGY => &["at-most-once", "at-least-once"],
        argument::DELAYED_RETRY_TYPE => &["all", "failed", "returned", "disabled"],
        argument::DEAD_LETTER_EXCHANGE
        | argument::DEAD_LETTER_ROUTING_KEY
        | argument::QUEUE_TYPE
        | argument::ALTERNATE_EXCHANGE
        | argument::DELAYED_TYPE => &[],
        _ => return None,
    })
}

/// What is wrong with the value of an argument, if anything. Arguments that have no meaning for
/// delays are taken as they are.
pub fn problem(argument: &str, value: &Value) -> Option<ProblemKind> {
    if let Some(range) = range(argument) {
        let Value::Int(number) = value else {
            return Some(wrong_type(argument, "an integer", value));
        };
        // A delivery limit of −1 is none (RabbitMQ 4).
        let unlimited = argument == argument::DELIVERY_LIMIT && *number == -1;
        return if unlimited { None } else { out_of_range(*number, range) };
    }
    if let Some(words) = words(argument) {
        let Value::Str(word) = value else {
            return Some(wrong_type(argument, "a string", value));
        };
        if argument == argument::QUEUE_TYPE && word == DELAYED_MESSAGE_TYPE {
            return Some(ProblemKind::QueueOfExchangeType);
        }
        return unknown_word(argument, word, words);
    }
    let flag = argument == argument::SINGLE_ACTIVE_CONSUMER && !matches!(value, Value::Bool(_));
    flag.then(|| wrong_type(argument, "a boolean", value))
}

/// What is wrong with the value of a policy's key, if anything: an argument's without its `x-`.
pub fn policy_problem(key: &str, value: &Value) -> Option<ProblemKind> {
    let mut kind = match key {
        argument::ALTERNATE_EXCHANGE => problem(key, value)?,
        _ => problem(&format!("x-{key}"), value)?,
    };
    if let ProblemKind::WrongType { argument, .. } | ProblemKind::UnknownWord { argument, .. } =
        &mut kind
    {
        *argument = key.to_owned();
    }
    Some(kind)
}

fn wrong_type(argument: &str, wanted: &'static str, value: &Value) -> ProblemKind {
    let mend = match (wanted, value) {
        ("a string", Value::Int(_) | Value::Bool(_) | Value::Float(_)) => {
            format!("; write `\"{value}\"`, in quotes")
        }
        ("an integer", Value::Str(text)) if text.parse::<i64>().is_ok() => {
            format!("; write `{text}`, without quotes")
        }
        ("an integer", Value::Str(text)) => match text.parse::<Millis>() {
            Ok(span) => format!("; in milliseconds it is `{}`", span.0),
            Err(_) => String::new(),
        },
        ("a boolean", Value::Str(text)) if text == "true" || text == "false" => {
            format!("; write `{text}`, without quotes")
        }
        _ => String::new(),
    };
    let kind = match value {
        Value::Int(_) => "an integer".to_owned(),
        other => format!("a {}", other.kind()),
    };
    let argument = argument.to_owned();
    ProblemKind::WrongType { argument, wanted, value: value.to_string(), kind, mend }
}

fn out_of_range(number: i64, (min, max): (u64, u64)) -> Option<ProblemKind> {
    let span = max == TTL_MAX_MS;
    let show = |number| if span { Millis(number).to_string() } else { number.to_string() };
    let value = match u64::try_from(number) {
        Ok(number) if (min..=max).contains(&number) => return None,
        Ok(number) => show(number),
        Err(_) => number.to_string(),
    };
    Some(ProblemKind::OutOfRange { value, min: show(min), max: show(max) })
}

fn unknown_word(argument: &str, word: &str, words: &[&str]) -> Option<ProblemKind> {
    if words.is_empty() || words.contains(&word) {
        return None;
    }
    let all: Vec<_> = words.iter().map(|word| format!("`{word}`")).collect();
    let (argument, value, allowed) = (argument.to_owned(), format!("`{word}`"), all.join(", "));
    Some(ProblemKind::UnknownWord { argument, value, allowed })
}

/// RabbitMQ takes at-least-once from quorum queues with `reject-publish` only: on a classic queue
/// it refuses, and with `drop-head` it silently means at-most-once.
pub fn at_least_once(queue: &Queue) -> Vec<ProblemKind> {
    let mut found = Vec::new();
    if queue.text(argument::DEAD_LETTER_STRATEGY) != Some("at-least-once") {
        return found;
    }
    found.extend(at_least_once_refused(queue));
    if queue.text(argument::OVERFLOW) != Some(overflow::REJECT_PUBLISH) {
        let (missing, effect) = ("`overflow: reject-publish`", "silently means at-most-once");
        found.push(ProblemKind::AtLeastOnce { missing, effect });
    }
    if queue.dead_letter().is_none() {
        let (missing, effect) = ("a dead-letter exchange", "has nowhere to send to");
        found.push(ProblemKind::AtLeastOnce { missing, effect });
    }
    found
}

/// The part of it that no broker can hold.
pub fn at_least_once_refused(queue: &Queue) -> Option<ProblemKind> {
    let asked = queue.text(argument::DEAD_LETTER_STRATEGY) == Some("at-least-once");
    let (missing, effect) = ("`type: quorum`", "refuses the queue");
    (asked && queue.queue_type() != Some("quorum"))
        .then_some(ProblemKind::AtLeastOnce { missing, effect })
}

/// Fields that the broker refuses, or does not know, on a queue that is not a quorum queue.
pub fn quorum_only(queue: &Queue) -> Vec<(&'static str, ProblemKind)> {
    let Some(queue_type @ ("classic" | "stream")) = queue.queue_type() else { return Vec::new() };
    let fields = [
        (argument::DELIVERY_LIMIT, "delivery_limit"),
        (argument::DELAYED_RETRY_TYPE, "delayed_retry"),
    ];
    let given = fields.into_iter().filter(|(name, _)| queue.arguments.contains_key(*name));
    given
        .map(|(name, field)| {
            (name, ProblemKind::QuorumOnly { field, queue_type: queue_type.to_owned() })
        })
        .collect()
}
