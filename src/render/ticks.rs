//! The marks of an axis: at round numbers, with their units.

/// Below this, time is told in seconds and parts of seconds.
const SECONDS_MS: f64 = 120_000.0;
const SECOND: f64 = 1000.0;
const MINUTE: f64 = 60.0 * SECOND;
const HOUR: f64 = 60.0 * MINUTE;
const DAY: f64 = 24.0 * HOUR;

/// Steps that people count minutes, hours and days in, each with its unit.
const STEPS: [(f64, f64, &str); 17] = [
    (MINUTE / 2.0, MINUTE, "min"),
    (MINUTE, MINUTE, "min"),
    (2.0 * MINUTE, MINUTE, "min"),
    (5.0 * MINUTE, MINUTE, "min"),
    (10.0 * MINUTE, MINUTE, "min"),
    (15.0 * MINUTE, MINUTE, "min"),
    (30.0 * MINUTE, MINUTE, "min"),
    (HOUR, HOUR, "h"),
    (2.0 * HOUR, HOUR, "h"),
    (3.0 * HOUR, HOUR, "h"),
    (6.0 * HOUR, HOUR, "h"),
    (12.0 * HOUR, HOUR, "h"),
    (DAY, DAY, "d"),
    (2.0 * DAY, DAY, "d"),
    (5.0 * DAY, DAY, "d"),
    (10.0 * DAY, DAY, "d"),
    (20.0 * DAY, DAY, "d"),
];

/// Marks from 0 to a moment: about as many as asked for at most, each with its label.
pub fn time(end_ms: f64, most: usize) -> Vec<(f64, String)> {
    if !end_ms.is_finite() || end_ms <= 0.0 {
        return vec![(0.0, "0 s".to_owned())];
    }
    let most = most.max(1) as f64;
    let (step, one, unit) = if end_ms < SECONDS_MS {
        (decimal(end_ms, most), SECOND, "s")
    } else {
        let known = STEPS.into_iter().find(|(step, ..)| end_ms / step <= most);
        // Half hours among hours.
        let halves = |(step, ..): &(f64, f64, _)| *step == HOUR / 2.0 && end_ms >= 3.0 * HOUR;
        let known = known.map(|it| if halves(&it) { (it.0, HOUR, "h") } else { it });
        known.unwrap_or_else(|| (decimal(end_ms / DAY, most) * DAY, DAY, "d"))
    };
    let label = |ms: f64| format!("{} {unit}", (ms / one * 1e6).round() / 1e6);
    marks(end_ms, step).map(|ms| (ms, label(ms))).collect()
}

/// Marks from 0 to at least a number, each with its label: `18,000`.
pub fn numbers(end: u64, most: usize) -> Vec<(f64, String)> {
    let end = end.max(1) as f64;
    let step = decimal(end, most.max(1) as f64).max(1.0);
    // A cast from a float saturates.
    let over = (end / step).ceil() * step;
    marks(over, step).map(|number| (number, grouped(number as u64))).collect()
}

/// `18,000`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// 1, 2 or 5 times a power of ten.
fn decimal(end: f64, most: f64) -> f64 {
    let magnitude = 10_f64.powf((end / most).log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * magnitude);
    steps.into_iter().find(|step| end / step <= most).unwrap_or(steps[3])
}

fn marks(end: f64, step: f64) -> impl Iterator<Item = f64> {
    let count = (end / step + 1e-9) as usize;
    (0..=count).map(move |index| index as f64 * step)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(marks: Vec<(f64, String)>) -> String {
        marks.into_iter().map(|(_, label)| label).collect::<Vec<_>>().join(" · ")
    }

    #[test]
    fn of_time() {
        let table = [
            (0.0, "0 s"),
            (f64::NAN, "0 s"),
            (3.0, "0 s · 0.001 s · 0.002 s · 0.003 s"),
            (3000.0, "0 s · 1 s · 2 s · 3 s"),
            (30_000.0, "0 s · 10 s · 20 s · 30 s"),
            (150_000.0, "0 min · 0.5 min · 1 min · 1.5 min · 2 min · 2.5 min"),
            (1_800_000.0, "0 min · 10 min · 20 min · 30 min"),
            (3.0 * HOUR, "0 h · 1 h · 2 h · 3 h"),
            (86_400_000.0, "0 h · 6 h · 12 h · 18 h · 24 h"),
            (8.0 * DAY, "0 d · 2 d · 4 d · 6 d · 8 d"),
            (3650.0 * DAY, "0 d · 1000 d · 2000 d · 3000 d"),
        ];
        for (end_ms, expected) in table {
            assert_eq!(labels(time(end_ms, 5)), expected, "{end_ms}");
        }
    }

    #[test]
    fn half_hours() {
        assert_eq!(labels(time(1.5 * HOUR, 3)), "0 min · 30 min · 60 min · 90 min");
        assert_eq!(labels(time(3.0 * HOUR, 6)), "0 h · 0.5 h · 1 h · 1.5 h · 2 h · 2.5 h · 3 h");
    }

    #[test]
    fn of_numbers() {
        let table = [
            (0, "0 · 1"),
            (3, "0 · 1 · 2 · 3"),
            (18_000, "0 · 5,000 · 10,000 · 15,000 · 20,000"),
            (1_234_567, "0 · 500,000 · 1,000,000 · 1,500,000"),
        ];
        for (end, expected) in table {
            assert_eq!(labels(numbers(end, 4)), expected, "{end}");
        }
    }
}
