//! Spans of time in whole milliseconds, the unit that RabbitMQ counts delays in.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A span of time in whole milliseconds. In a file and on the command line it is written with its
/// units: `500ms`, `30s`, `1h30m`, `2d`. A bare number is refused: it would be guessed wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Millis(pub u64);

/// Why a text is not a span of time.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MillisError {
    /// No unit.
    #[error("`{0}` has no unit: write `{0}s` for seconds or `{0}ms` for milliseconds")]
    NoUnit(String),
    /// Less than nothing.
    #[error("`{0}` is negative: the shortest time is `0`")]
    Negative(String),
    /// Finer than a millisecond.
    #[error("`{0}` is finer than a millisecond, the smallest step RabbitMQ knows")]
    TooFine(String),
    /// More milliseconds than fit.
    #[error("`{0}` is too long")]
    TooLong(String),
    /// Counted in a unit that has no fixed length.
    #[error("`{0}` is counted in months or years, which are not all alike: write days, like `30d`")]
    Uneven(String),
    /// Not a span of time at all.
    #[error("`{0}` is not a duration: write one like `500ms`, `30s`, `1h30m` or `2d`")]
    NotADuration(String),
}

impl Millis {
    /// The same span for the standard library.
    pub fn duration(self) -> Duration {
        Duration::from_millis(self.0)
    }
}

impl FromStr for Millis {
    type Err = MillisError;

    fn from_str(text: &str) -> Result<Self, MillisError> {
        let trimmed = text.trim();
        if trimmed == "0" {
            return Ok(Millis(0));
        }
        if !trimmed.is_empty() && trimmed.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(MillisError::NoUnit(trimmed.to_owned()));
        }
        if trimmed
            .strip_prefix('-')
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
        {
            return Err(MillisError::Negative(text.to_owned()));
        }
        let span = humantime::parse_duration(trimmed)
            .map_err(|_| MillisError::NotADuration(text.to_owned()))?;
        if units(trimmed).any(|unit| UNEVEN.contains(&unit)) {
            return Err(MillisError::Uneven(text.to_owned()));
        }
        if !span.subsec_nanos().is_multiple_of(1_000_000) {
            return Err(MillisError::TooFine(text.to_owned()));
        }
        let ms = u64::try_from(span.as_millis());
        ms.map(Millis).map_err(|_| MillisError::TooLong(text.to_owned()))
    }
}

/// Units that `humantime` takes for an average: 30.44 and 365.25 days. `M` beside `m` is a trap.
const UNEVEN: [&str; 7] = ["M", "month", "months", "y", "yr", "year", "years"];

fn units(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphabetic()).filter(|unit| !unit.is_empty())
}

impl fmt::Display for Millis {
    /// `1h30m`, `500ms`: the largest units first, none that are zero; `0s` for nothing.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [(u64, &str); 5] =
            [(86_400_000, "d"), (3_600_000, "h"), (60_000, "m"), (1000, "s"), (1, "ms")];
        if self.0 == 0 {
            return f.pad("0s");
        }
        let mut rest = self.0;
        let mut text = String::new();
        for (size, unit) in UNITS {
            if rest >= size {
                text.push_str(&format!("{}{unit}", rest / size));
                rest %= size;
            }
        }
        f.pad(&text)
    }
}

impl<'de> Deserialize<'de> for Millis {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(MillisVisitor)
    }
}

impl Serialize for Millis {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl JsonSchema for Millis {
    fn schema_name() -> Cow<'static, str> {
        "Duration".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": ["string", "integer"],
            "description": "A span of time with its units: `500ms`, `30s`, `1h30m`, `2d`.",
            "pattern": "^(0|([0-9]+ ?(ms|s|sec|m|min|h|d|w|(second|minute|hour|day|week)s?) ?)+)$",
            "maximum": 0,
            "minimum": 0,
            "examples": ["500ms", "30s", "1h30m", "2d"],
        })
    }
}

struct MillisVisitor;

impl Visitor<'_> for MillisVisitor {
    type Value = Millis;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a duration like `30s`")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Millis, E> {
        text.parse().map_err(E::custom)
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Millis, E> {
        number.to_string().parse().map_err(E::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_and_read() {
        let table = [
            ("500ms", 500, "500ms"),
            ("30s", 30_000, "30s"),
            ("1h30m", 5_400_000, "1h30m"),
            ("90s", 90_000, "1m30s"),
            ("2d", 172_800_000, "2d"),
            ("0", 0, "0s"),
            ("0s", 0, "0s"),
            ("1s 5ms", 1005, "1s5ms"),
        ];
        for (text, ms, shown) in table {
            assert_eq!(text.parse(), Ok(Millis(ms)), "{text}");
            assert_eq!(Millis(ms).to_string(), shown);
        }
    }

    #[test]
    fn refused() {
        let table = [
            ("30", "`30` has no unit: write `30s` for seconds or `30ms` for milliseconds"),
            ("10us", "`10us` is finer than a millisecond, the smallest step RabbitMQ knows"),
            (
                "30M",
                "`30M` is counted in months or years, which are not all alike: write days, like \
                 `30d`",
            ),
            ("soon", "`soon` is not a duration: write one like `500ms`, `30s`, `1h30m` or `2d`"),
            ("", "`` is not a duration: write one like `500ms`, `30s`, `1h30m` or `2d`"),
            ("-5s", "`-5s` is negative: the shortest time is `0`"),
            ("-5", "`-5` is negative: the shortest time is `0`"),
            ("-s", "`-s` is not a duration: write one like `500ms`, `30s`, `1h30m` or `2d`"),
        ];
        for (text, message) in table {
            assert_eq!(text.parse::<Millis>().unwrap_err().to_string(), message);
        }
    }
}
