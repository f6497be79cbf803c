//! The arithmetic of a ladder: digits, TTLs and routing keys.

use crate::duration::Millis;

/// The digits of a ladder, as arithmetic. Levels count from 0, the least significant digit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// One step, in milliseconds.
    pub resolution_ms: u64,
    /// The number of values of a digit.
    pub radix: u64,
    /// The largest number of steps.
    pub top: u64,
    /// The number of digits: as many as `top` has.
    pub levels: u32,
}

impl Shape {
    /// The ladder for delays up to `max`. The resolution must not be 0, nor the radix less than 2.
    pub fn new(resolution: Millis, max: Millis, radix: u64) -> Self {
        let top = max.0.div_ceil(resolution.0.max(1)).max(1);
        let levels = top.ilog(radix.max(2)) + 1;
        Shape { resolution_ms: resolution.0, radix, top, levels }
    }

    /// The levels, the most significant first.
    pub fn descending(&self) -> impl Iterator<Item = u32> {
        (0..self.levels).rev()
    }

    /// How many steps a delay takes, rounded up.
    pub fn units(&self, delay: Millis) -> u64 {
        delay.0.div_ceil(self.resolution_ms)
    }

    /// The weight of a level's digit, in steps.
    pub fn weight(&self, level: u32) -> u64 {
        self.radix.pow(level)
    }

    /// The digit of a number of steps at a level.
    pub fn digit(&self, units: u64, level: u32) -> u64 {
        units / self.weight(level) % self.radix
    }

    /// The largest digit that a level needs: below the highest level every value occurs.
    pub fn top_digit(&self, level: u32) -> u64 {
        if level + 1 == self.levels { self.top / self.weight(level) } else { self.radix - 1 }
    }

    /// How long a digit waits, in milliseconds.
    pub fn ttl_ms(&self, level: u32, digit: u64) -> u64 {
        digit * self.weight(level) * self.resolution_ms
    }

    /// The highest level whose digit is not zero; 0 for zero steps.
    pub fn entry_level(&self, units: u64) -> u32 {
        units.max(1).ilog(self.radix)
    }

    /// The routing key: every digit, also leading zeros, as a decimal word; then the address.
    pub fn key(&self, units: u64, address: &str) -> String {
        let mut key = String::new();
        for level in self.descending() {
            key.push_str(&self.digit(units, level).to_string());
            key.push('.');
        }
        key + address
    }

    /// The topic pattern of the keys that have this digit at this level.
    pub fn pattern(&self, level: u32, digit: u64) -> String {
        let above = (self.levels - 1 - level) as usize;
        format!("{}{digit}.#", "*.".repeat(above))
    }

    /// The topic pattern of the keys with exactly this address.
    pub fn address_pattern(&self, address: &str) -> String {
        "*.".repeat(self.levels as usize) + address
    }

    /// The largest number of bytes that the digits and their dots take in a routing key.
    pub fn digits_length(&self) -> usize {
        let length = |level| self.top_digit(level).to_string().len() + 1;
        self.descending().map(length).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_entries() {
        let table = [
            // resolution, max, radix, delay, key, entry
            (1000, 10_000, 2, 1, "0.0.0.1.a", 0),
            (1000, 10_000, 2, 5_001, "0.1.1.0.a", 2),
            (1000, 10_000, 2, 10_000, "1.0.1.0.a", 3),
            (1, 4000, 16, 3000, "11.11.8.a", 2),
            (1, 4000, 256, 255, "0.255.a", 0),
            (1000, 10_000, 16, 10_000, "10.a", 0),
        ];
        for (resolution, max, radix, delay, key, entry) in table {
            let shape = Shape::new(Millis(resolution), Millis(max), radix);
            let units = shape.units(Millis(delay));
            assert_eq!(shape.key(units, "a"), key);
            assert_eq!(shape.entry_level(units), entry, "{key}");
            let wait: u64 = shape
                .descending()
                .map(|level| shape.ttl_ms(level, shape.digit(units, level)))
                .sum();
            assert_eq!(wait, delay.div_ceil(resolution) * resolution, "{key}");
        }
    }

    #[test]
    fn patterns() {
        let shape = Shape::new(Millis(1000), Millis(10_000), 2);
        assert_eq!(shape.pattern(3, 1), "1.#");
        assert_eq!(shape.pattern(0, 0), "*.*.*.0.#");
        assert_eq!(shape.address_pattern("a.b"), "*.*.*.*.a.b");
        assert_eq!(shape.digits_length(), 8);
        assert_eq!(Shape::new(Millis(1), Millis(4000), 16).top_digit(2), 15);
        assert_eq!(Shape::new(Millis(1000), Millis(86_400_000), 16).top_digit(4), 1);
    }
}
