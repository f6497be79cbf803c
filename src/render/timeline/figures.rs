//! The lanes' figures as a table.

use crate::render::escape::escape;
use crate::render::lanes::{Lane, Track, clock};
use crate::render::table::{self, Column};
use crate::timing::Span;

/// A row per message: lane, message, delay, when it was due, when it left by the simulator (if any
/// lane knows) and in fact, how late that is, and what blocked it. No final line feed.
pub fn table(lanes: &[Lane], width: Option<u16>) -> String {
    let tracks = || lanes.iter().flat_map(|lane| lane.messages.iter().map(move |t| (lane, t)));
    let simulated = tracks().any(|(_, track)| track.simulated_ms.is_some());
    let observed = lanes.iter().any(|lane| lane.skipped.is_none());
    let columns = [
        (Column::left("lane"), true),
        (Column::left("message"), true),
        (Column::right("delay"), true),
        (Column::right("expected"), true),
        (Column::right("simulated"), simulated),
        (Column::right("observed"), observed),
        (Column::right("lateness"), true),
        (Column::left("blocked by"), true),
    ];
    let header: Vec<_> = columns.iter().filter(|(_, shown)| *shown).map(|(c, _)| *c).collect();
    let rows = tracks().map(|(lane, track)| {
        let cells = row(lane, track).into_iter().zip(&columns);
        cells.filter(|(_, (_, shown))| *shown).map(|(cell, _)| cell).collect()
    });
    let mut text = table::table(&header, rows, width);
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
