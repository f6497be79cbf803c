//! The lanes' figures as a table.

use crate::render::escape::escape;
use crate::render::lanes::{Lane, Track, clock};
use crate::render::table::Figures;
use crate::timing::Span;

/// The titles of all columns.
const TITLES: [&str; 8] = [
    "lane",
    "message",
    "#delay",
    "#expected",
    "#simulated",
    "#observed",
    "#lateness",
    "blocked by",
];
const SIMULATED: usize = 4;
const OBSERVED: usize = 5;

/// A row per message: lane, message, delay, when it was due, when it left by the simulator (if any
/// lane knows) and in fact (if any lane was run), how late that is, and what blocked it.
pub fn figures(lanes: &[Lane]) -> Figures {
    let tracks = || lanes.iter().flat_map(|lane| lane.messages.iter().map(move |t| (lane, t)));
    let simulated = tracks().any(|(_, track)| track.simulated_ms.is_some());
    let observed = lanes.iter().any(|lane| lane.skipped.is_none());
    let mut figures = Figures::new("Every message", &TITLES);
    figures.rows = tracks().map(|(lane, track)| row(lane, track).to_vec()).collect();
    for (column, shown) in [(OBSERVED, observed), (SIMULATED, simulated)] {
        if !shown {
            figures.columns.remove(column);
            figures.rows.iter_mut().for_each(|row| drop(row.remove(column)));
        }
    }
    figures
}

/// The [`figures`] as text, and which lanes were not run. No final line feed.
pub fn table(lanes: &[Lane], width: Option<u16>) -> String {
    let mut text = figures(lanes).table(width);
    for lane in lanes {
        if let (Some(reason), false) = (&lane.skipped, lane.has_times()) {
            text.push_str(&format!("\n{} was not run: {}", escape(&lane.name), escape(reason)));
        }
    }
    text
}

fn row(lane: &Lane, track: &Track) -> [String; 8] {
    let moment = |ms: Option<f64>| ms.map_or_else(|| "—".to_owned(), clock);
    let left = lane.left_ms(track);
    let observed = match track.observed_ms {
        None if lane.skipped.is_none() => "lost".to_owned(),
        observed => moment(observed),
    };
    let lateness = left.map(|left| Span::from_ms(left - track.expected_ms).to_string());
    [
        lane.name.clone(),
        track.label.clone(),
        track.delay.to_string(),
        clock(track.expected_ms),
        moment(track.simulated_ms),
        observed,
        lateness.unwrap_or_else(|| "—".to_owned()),
        track.blocked_by.clone().unwrap_or_default(),
    ]
}
