//! Numbers of things: messages, deliveries.

use std::fmt;

use serde::Deserializer;
use serde::de::{self, Visitor};

/// The largest number that AMQP has, a signed integer of 64 bits.
const MAX: u64 = i64::MAX.unsigned_abs();

/// Reads an optional number from 0 to AMQP's largest.
///
/// # Errors
/// Those of the deserializer, and one that names the number and the range.
pub fn count<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    deserializer.deserialize_any(CountVisitor)
}

struct CountVisitor;

impl CountVisitor {
    fn within<N: Copy + TryInto<u64> + fmt::Display, E: de::Error>(
        number: N,
    ) -> Result<Option<u64>, E> {
        match number.try_into() {
            Ok(count) if count <= MAX => Ok(Some(count)),
            _ => Err(E::custom(format!("{number} is out of range: 0 to {MAX}"))),
        }
    }
}

impl Visitor<'_> for CountVisitor {
    type Value = Option<u64>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a whole number")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Option<u64>, E> {
        Ok(None)
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Option<u64>, E> {
        Self::within(number)
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Option<u64>, E> {
        Self::within(number)
    }

    fn visit_u128<E: de::Error>(self, number: u128) -> Result<Option<u64>, E> {
        Self::within(number)
    }

    fn visit_i128<E: de::Error>(self, number: i128) -> Result<Option<u64>, E> {
        Self::within(number)
    }
}
