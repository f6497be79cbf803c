//! Values that the command line reads by forms of its own.

use crate::duration::{Millis, MillisError};
use crate::objects::Value;
use crate::simulate::Answer;

/// A consumer, as the command line says it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConsumerSpec {
    /// Its queue.
    pub queue: String,
    /// What it does with every message.
    pub answer: Answer,
    /// How many unacknowledged messages it may have.
    pub prefetch: u16,
    /// How long it takes for each.
    pub service: Millis,
}

impl ConsumerSpec {
    /// Reads `QUEUE[=ANSWER][,prefetch=N][,service=TIME]`. A queue's name may have anything in it,
    /// so the rest is read from the end.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let (mut rest, mut prefetch, mut service) = (text, 250, Millis(1));
        while let Some((before, option)) = rest.rsplit_once(',') {
            if let Some(number) = option.strip_prefix("prefetch=") {
                prefetch = number.parse().map_err(|_| format!("`{number}` is no prefetch"))?;
            } else if let Some(time) = option.strip_prefix("service=") {
                service = time.parse().map_err(|error: MillisError| error.to_string())?;
            } else {
                break;
            }
            rest = before;
        }
        let answer = |word: &str| match word {
            "ack" => Some(Answer::Ack),
            "reject" => Some(Answer::Reject),
            "requeue" => Some(Answer::Requeue),
            "nack" => Some(Answer::NackRequeue),
            _ => None,
        };
        let split = rest.rsplit_once('=').and_then(|(queue, word)| Some((queue, answer(word)?)));
        let (queue, answer) = split.unwrap_or((rest, Answer::Ack));
        if queue.is_empty() {
            return Err("it names no queue".to_owned());
        }
        Ok(ConsumerSpec { queue: queue.to_owned(), answer, prefetch, service })
    }
}

/// `100/s` as messages a second.
pub(super) fn rate(text: &str) -> Result<f64, String> {
    let (number, per) = text.split_once('/').unwrap_or((text, "s"));
    let seconds = match per {
        "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        _ => return Err("write a rate as `100/s`, `30/m` or `5/h`".to_owned()),
    };
    let number: f64 = number.parse().map_err(|_| format!("`{number}` is not a number"))?;
    if number > 0.0 && number.is_finite() {
        Ok(number / seconds)
    } else {
        Err("a rate is more than 0".to_owned())
    }
}

/// `KEY=VALUE`; true, false and integers are no strings.
pub(super) fn header(text: &str) -> Result<(String, Value), String> {
    let (key, value) = text.split_once('=').ok_or("write a header as `KEY=VALUE`")?;
    if key.is_empty() || key.len() > crate::objects::SHORT_STRING_MAX {
        return Err("a header's key has 1 to 255 bytes".to_owned());
    }
    let value = match value {
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        number if number.parse::<i64>().is_ok() => Value::Int(number.parse().unwrap_or_default()),
        text => Value::from(text),
    };
    Ok((key.to_owned(), value))
}

/// What times are multiplied by.
pub(super) fn scale(text: &str) -> Result<f64, String> {
    let factor: f64 = text.parse().map_err(|_| format!("`{text}` is not a number"))?;
    if factor > 0.0 && factor <= 1000.0 {
        Ok(factor)
    } else {
        Err("a factor is more than 0 and at most 1000".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn consumers() {
        let spec = |queue: &str, answer, prefetch, ms| {
            let (queue, service) = (queue.to_owned(), Millis(ms));
            Ok(ConsumerSpec { queue, answer, prefetch, service })
        };
        let table = [
            ("q", spec("q", Answer::Ack, 250, 1)),
            ("q=reject", spec("q", Answer::Reject, 250, 1)),
            ("q=requeue,prefetch=5", spec("q", Answer::Requeue, 5, 1)),
            ("q,service=10ms,prefetch=0", spec("q", Answer::Ack, 0, 10)),
            ("q=nack,service=2s", spec("q", Answer::NackRequeue, 250, 2000)),
            ("a=b,c=ack", spec("a=b,c", Answer::Ack, 250, 1)),
            ("q=rejct", spec("q=rejct", Answer::Ack, 250, 1)),
        ];
        for (text, expected) in table {
            assert_eq!(ConsumerSpec::parse(text), expected, "{text}");
        }
        for wrong in ["", "=ack", ",prefetch=1", "q,prefetch=x", "q,service=10"] {
            assert!(ConsumerSpec::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn rates() {
        assert_eq!(rate("100/s"), Ok(100.0));
        assert_eq!(rate("30/m"), Ok(0.5));
        assert_eq!(rate("7"), Ok(7.0));
        for wrong in ["0", "-1/s", "x", "5/day", "NaN", "inf"] {
            assert!(rate(wrong).is_err(), "{wrong}");
        }
    }
}
