//! How late a delivery is, as far as that is certain.

use std::fmt;

use serde::Serialize;

use super::Span;

const SECOND_US: i64 = 1_000_000;

/// How precisely a moment of publishing is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Precision {
    /// To the millisecond.
    #[serde(rename = "ms")]
    Exact,
    /// To the second.
    #[serde(rename = "s")]
    Second,
}

/// By how much a delivery missed the moment it was due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lateness {
    /// Microseconds; negative: early. With [`Precision::Second`] only what is certain, in whole
    /// seconds: the message is at least this late, or at least this early.
    pub us: i64,
    /// How precise it is.
    pub precision: Precision,
}

impl Lateness {
    /// The lateness of a message that was seen `seen_us` after it was sent.
    pub fn new(seen_us: i64, asked_ms: u64, precision: Precision) -> Self {
        let us = clamp(i128::from(seen_us) - i128::from(asked_ms) * 1000);
        let us = match precision {
            // Publishers round the moment of sending down, which can only make this larger: a
            // message never looks early because of rounding.
            Precision::Exact => us,
            Precision::Second => certain(us),
        };
        Lateness { us, precision }
    }
}

/// A timestamp in whole seconds is up to a second before the moment of sending: of a lateness
/// computed from it that second is in doubt, and no part of a second is worth telling.
fn certain(us: i64) -> i64 {
    let sure = if us < 0 { us } else { (us - SECOND_US).max(0) };
    sure / SECOND_US * SECOND_US
}

/// The nearest number that fits.
pub(super) fn clamp(us: i128) -> i64 {
    i64::try_from(us).unwrap_or(if us < 0 { i64::MIN } else { i64::MAX })
}

impl fmt::Display for Lateness {
    /// `2.1 ms late`, `12.0 ms early`, `on time`; `~2 s late` when only seconds are known.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let about = if self.precision == Precision::Second { "~" } else { "" };
        let side = if self.us < 0 { "early" } else { "late" };
        match self.precision {
            _ if self.us.unsigned_abs() < 50 => write!(f, "{about}on time"),
            Precision::Second if self.us.unsigned_abs() < 60_000_000 => {
                write!(f, "~{} s {side}", self.us.unsigned_abs() / 1_000_000)
            }
            _ => write!(f, "{about}{} {side}", Span(self.us).abs()),
        }
    }
}
