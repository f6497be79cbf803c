//! Lanes drawn along one time axis, a line per message; and the same figures as a table.

mod axis;
mod draw;
mod figures;

use super::escape::escape;
use super::lanes::{Lane, Track, clock};
use crate::timing::Span;
use axis::Axis;

pub use figures::table;

/// Below this width there is no room for a picture, and lines stick out.
const WIDTH_MIN: usize = 40;
/// At and above this width the remarks are whole phrases.
const WIDTH_FOR_PHRASES: usize = 76;
/// At and above this width the remarks name the blocker.
const WIDTH_FOR_BLOCKERS: usize = 96;
/// Labels longer than this are cut.
const LABEL_MAX: usize = 14;
/// What a lane's messages are indented by, and what separates label, picture and remark.
const GAP: usize = 2;

/// The lanes as pictures of at most `width` columns, each below its name, on one time axis. No
/// final line feed.
pub fn timeline(lanes: &[Lane], width: usize) -> String {
    let width = width.max(WIDTH_MIN);
    let tracks = || lanes.iter().flat_map(|lane| lane.messages.iter().map(move |t| (lane, t)));
    let label_width = tracks().map(|(_, t)| label(t).chars().count()).max().unwrap_or(0);
    let remarks = tracks().map(|(lane, t)| remark(lane, t, width).chars().count());
    let taken = GAP + label_width + GAP + GAP + remarks.max().unwrap_or(0);
    let axis = Axis::over(lanes, width.saturating_sub(taken));

    let indent = " ".repeat(GAP + label_width + GAP);
    let mut lines = vec![format!("{indent}{}", axis.labels()), format!("{indent}{}", axis.ticks())];
    for lane in lanes {
        lines.extend(wrap(&heading(lane), width));
        for track in lane.messages.iter().filter(|_| lane.has_times()) {
            let (picture, remark) = (draw::track(&axis, lane, track), remark(lane, track, width));
            let padding = " ".repeat(axis.columns() - picture.chars().count() + GAP);
            let label = label(track);
            lines.push(format!("  {label:<label_width$}  {picture}{padding}{remark}"));
        }
    }
    lines.extend(draw::legend(lanes).map(|legend| format!("\n{indent}{legend}")));
    let lines: Vec<_> = lines.iter().map(|line| line.trim_end()).collect();
    lines.join("\n")
}

fn heading(lane: &Lane) -> String {
    let skipped = match &lane.skipped {
        Some(reason) if lane.has_times() => format!(" (simulated; not run: {reason})"),
        Some(reason) => format!(" (not run: {reason})"),
        None => String::new(),
    };
    escape(&format!("{} — {}{skipped}", lane.name, lane.how)).into_owned()
}

fn label(track: &Track) -> String {
    let label = escape(&format!("{} {}", track.label, track.delay)).into_owned();
    if label.chars().count() <= LABEL_MAX {
        return label;
    }
    label.chars().take(LABEL_MAX - 1).chain(['…']).collect()
}

/// `left at 3.00 s, 2.50 s late`, as long as there is room for it.
fn remark(lane: &Lane, track: &Track, width: usize) -> String {
    let Some(left) = lane.left_ms(track) else {
        return if lane.has_times() { "never seen: lost".to_owned() } else { String::new() };
    };
    let late = Span::from_ms(left - track.expected_ms);
    let side = if late < Span(0) { "early" } else { "late" };
    let mut text = format!("{}, {} {side}", clock(left), late.abs());
    if width >= WIDTH_FOR_PHRASES {
        text.insert_str(0, "left at ");
    }
    match &track.blocked_by {
        Some(blocker) if width >= WIDTH_FOR_BLOCKERS => format!("{text}, behind {blocker}"),
        _ => text,
    }
}

/// The text folded between words into lines of at most `width` columns.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().expect("there is always a line");
        if line.chars().count() + 1 + word.chars().count() <= width || line.is_empty() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        } else {
            lines.push(format!("  {word}"));
        }
    }
    lines
}

#[cfg(test)]
mod tests;
