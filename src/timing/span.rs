//! A measured span of time, worded with the precision that people can use.

use std::fmt;

use crate::duration::Millis;

/// A measured span of time in microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span(pub i64);

impl Span {
    /// The span of so many milliseconds; what does not fit saturates.
    pub fn from_ms(ms: f64) -> Self {
        // A cast from a float saturates, and NaN becomes 0.
        Span((ms * 1000.0).round() as i64)
    }

    /// In milliseconds.
    pub fn ms(self) -> f64 {
        self.0 as f64 / 1000.0
    }

    /// Without its sign.
    #[must_use]
    pub fn abs(self) -> Self {
        Span(self.0.saturating_abs())
    }
}

impl fmt::Display for Span {
    /// `2.1 ms`, `2.50 s`, `1m30s`; with a sign when it is negative.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let us = self.0.unsigned_abs();
        let sign = if self.0 < 0 { "-" } else { "" };
        let text = match us {
            0..50 => "0.0 ms".to_owned(),
            50..999_950 => format!("{sign}{:.1} ms", us as f64 / 1e3),
            999_950..59_995_000 => format!("{sign}{:.2} s", us as f64 / 1e6),
            _ => format!("{sign}{}", Millis((us + 500_000) / 1_000_000 * 1000)),
        };
        f.pad(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worded() {
        let table = [
            (0, "0.0 ms"),
            (-49, "0.0 ms"),
            (2_149, "2.1 ms"),
            (-12_000, "-12.0 ms"),
            (999_949, "999.9 ms"),
            (999_950, "1.00 s"),
            (2_500_000, "2.50 s"),
            (59_995_000, "1m"),
            (90_400_000, "1m30s"),
            (i64::MIN, "-106751991d4h55s"),
            (i64::MAX, "106751991d4h55s"),
        ];
        for (us, text) in table {
            assert_eq!(Span(us).to_string(), text, "{us}");
        }
    }
}
