//! The time axis: from moments to columns, and its ticks.

use crate::render::lanes::Lane;
use crate::render::ticks;

/// Ticks stand at least this many columns apart, so that their labels fit.
const TICK_GAP: usize = 9;
/// No picture is narrower than this.
const COLUMNS_MIN: usize = 10;
/// The last label may stick out by so much, into the room of the remarks.
const OVERHANG: usize = 6;

/// A time axis that begins at 0, the demo's start.
pub struct Axis {
    columns: usize,
    end_ms: f64,
}

impl Axis {
    /// An axis of so many columns that has room for every moment of these lanes.
    pub fn over(lanes: &[Lane], columns: usize) -> Self {
        let moments = lanes.iter().flat_map(|lane| {
            lane.messages.iter().flat_map(|track| {
                [Some(track.sent_ms), Some(track.expected_ms), lane.left_ms(track)]
            })
        });
        let last = moments.flatten().filter(|ms| ms.is_finite()).fold(0.0, f64::max);
        Axis { columns: columns.max(COLUMNS_MIN), end_ms: if last > 0.0 { last } else { 1000.0 } }
    }

    /// How many columns it has.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The column of a moment; the nearest one if it lies outside.
    pub fn column(&self, ms: f64) -> usize {
        let last = (self.columns - 1) as f64;
        // A cast from a float saturates, and NaN becomes 0.
        (ms / self.end_ms * last).round().clamp(0.0, last) as usize
    }

    /// The column of a moment that may be the same as another one, for all that can be seen at this
    /// scale.
    pub fn column_near(&self, ms: f64, other_ms: f64) -> usize {
        let column_ms = self.end_ms / self.columns as f64;
        self.column(if (ms - other_ms).abs() < column_ms { other_ms } else { ms })
    }

    /// `0 s      1 s      2 s`, each above its tick.
    pub fn labels(&self) -> String {
        let mut line = String::new();
        for (column, label) in self.marks() {
            let gap = column.checked_sub(line.len());
            if let Some(gap) = gap.filter(|_| column + label.len() <= self.columns + OVERHANG) {
                line.push_str(&" ".repeat(gap));
                line.push_str(&label);
            }
        }
        line
    }

    /// `├────────┼────────┼──`.
    pub fn ticks(&self) -> String {
        let mut line = vec!['─'; self.columns];
        self.marks().iter().for_each(|(column, _)| line[*column] = '┴');
        line.into_iter().collect()
    }

    /// The ticks' columns and labels.
    fn marks(&self) -> Vec<(usize, String)> {
        let marks = ticks::time(self.end_ms, self.columns / TICK_GAP);
        marks.into_iter().map(|(ms, label)| (self.column(ms), label)).collect()
    }
}
