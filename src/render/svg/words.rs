//! Lanes and their messages in words.

use crate::render::lanes::{Lane, Track, clock, why};
use crate::timing::{Lateness, Precision, Span};

/// Why a lane has nothing to show.
pub fn reason(lane: &Lane) -> String {
    format!("not run: {}", lane.skipped.as_deref().unwrap_or_default())
}

/// What stands before a message.
pub fn label(track: &Track) -> String {
    format!("{}  {}", track.label, track.delay)
}

fn lateness(lane: &Lane, track: &Track) -> Option<String> {
    let us = Span::from_ms(lane.left_ms(track)? - track.expected_ms).0;
    Some(Lateness { us, precision: Precision::Exact }.to_string())
}

/// What stands behind a message.
pub fn remark(lane: &Lane, track: &Track) -> String {
    match (lane.left_ms(track), lateness(lane, track)) {
        (Some(left), Some(late)) => format!("{}, {late}", clock(left)),
        _ => "lost".to_owned(),
    }
}

/// A message in a sentence.
pub fn in_words(lane: &Lane, track: &Track) -> String {
    let Track { label, delay, .. } = track;
    let due = clock(track.expected_ms);
    let mut words = format!("{label}, delayed by {delay}, due at {due}");
    match (lane.left_ms(track), lateness(lane, track), &track.lost) {
        (Some(left), Some(late), _) => {
            words.push_str(&format!(", left at {}, {late}", clock(left)))
        }
        (.., Some(lost)) => words.push_str(&format!(", {lost}")),
        _ => words.push_str(", never arrived"),
    }
    if let Some(blocker) = &track.blocked_by {
        words.push_str(&format!(", behind {blocker}"));
    }
    words
}

/// The whole picture in sentences.
pub fn description(lanes: &[Lane]) -> String {
    let mut parts = vec![
        "A timeline with a lane for each way of delaying and a bar for each message.".to_owned(),
    ];
    for lane in lanes {
        let messages: Vec<_> = lane.messages.iter().map(|track| in_words(lane, track)).collect();
        parts.push(if lane.has_times() {
            format!("{} ({}): {}.", lane.name, lane.how, messages.join("; "))
        } else {
            format!("{}: {}.", lane.name, reason(lane))
        });
    }
    parts.extend(why(lanes));
    parts.join(" ")
}
