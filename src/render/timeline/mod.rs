//! Lanes drawn along one time axis, a line per message; and the same figures as a table.

mod axis;
mod draw;
mod figures;

use super::escape::escape;
use super::lanes::{Lane, Track, clock};
use crate::timing::{Lateness, Precision, Span};
use axis::Axis;

pub use figures::{figures, table};

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

    let (mut lines, mut pictures) = (Vec::new(), String::new());
    for lane in lanes {
        lines.extend(fold(&heading(lane), " ", "  ", width));
        for track in lane.messages.iter().filter(|_| lane.has_times()) {
            let (picture, remark) = (draw::track(&axis, lane, track), remark(lane, track, width));
            let padding = " ".repeat(axis.columns() - picture.chars().count() + GAP);
            lines.push(format!("  {:<label_width$}  {picture}{padding}{remark}", label(track)));
            pictures.push_str(&picture);
        }
    }
    if !pictures.is_empty() {
        let indent = " ".repeat(GAP + label_width + GAP);
        let head = [axis.labels(), axis.ticks()].map(|line| format!("{indent}{line}"));
        lines.splice(0..0, head);
        let legend = fold(&draw::legend(&pictures), "   ", "", width - indent.len());
        lines.push(String::new());
        lines.extend(legend.iter().map(|line| format!("{indent}{line}")));
    }
    let lines: Vec<_> = lines.iter().map(|line| line.trim_end()).collect();
    lines.join("\n")
}

/// The words of a lane's heading.
fn heading(lane: &Lane) -> Vec<String> {
    let skipped = match &lane.skipped {
        Some(_) if lane.has_times() => " (simulated)".to_owned(),
        Some(reason) => format!(" (not run: {reason})"),
        None => String::new(),
    };
    let text = format!("{} — {}{skipped}", lane.name, lane.how);
    escape(&text).split(' ').map(str::to_owned).collect()
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
        let words = match (&lane.skipped, &track.lost) {
            _ if !lane.has_times() => "",
            (Some(_), Some(_)) => "does not arrive",
            _ => "never seen: lost",
        };
        return words.to_owned();
    };
    let late = Span::from_ms(left - track.expected_ms).0;
    let late = Lateness { us: late, precision: Precision::Exact };
    let verb = match &lane.skipped {
        _ if width < WIDTH_FOR_PHRASES => "",
        Some(_) => "leaves at ",
        None => "left at ",
    };
    let text = format!("{verb}{}, {late}", clock(left));
    match &track.blocked_by {
        Some(blocker) if width >= WIDTH_FOR_BLOCKERS => format!("{text}, behind {blocker}"),
        _ => text,
    }
}

/// The pieces in lines of at most `width` columns; lines after the first begin with `indent`.
fn fold(pieces: &[String], gap: &str, indent: &str, width: usize) -> Vec<String> {
    let columns = |text: &str| text.chars().count();
    let mut lines: Vec<String> = Vec::new();
    for piece in pieces {
        match lines.last_mut() {
            Some(line) if columns(line) + columns(gap) + columns(piece) <= width => {
                line.push_str(gap);
                line.push_str(piece);
            }
            Some(_) => lines.push(format!("{indent}{piece}")),
            None => lines.push(piece.clone()),
        }
    }
    lines
}

#[cfg(test)]
mod tests;
