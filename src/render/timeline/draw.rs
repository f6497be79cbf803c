//! One message's line, and what its signs mean.

use super::axis::Axis;
use crate::render::lanes::{Lane, Track};

const WAITS: char = '─';
const DUE: char = '┊';
const BLOCKED: char = '░';
const LATE: char = '╌';
const LEFT: char = '●';
const SIMULATED: char = '○';
const LOST: char = '✗';

/// The line of a message from its sending on, without trailing spaces.
pub fn track(axis: &Axis, lane: &Lane, track: &Track) -> String {
    let (sent, due) = (axis.column(track.sent_ms), axis.column(track.expected_ms));
    let left = lane.left_ms(track).map(|ms| axis.column_near(ms, track.expected_ms));
    let end = left.unwrap_or(due).max(due);
    let mut line = vec![' '; axis.columns().min(end + 2)];
    let mut paint = |from: usize, to: usize, sign| {
        line.iter_mut().take(to + 1).skip(from).for_each(|column| *column = sign);
    };
    paint(sent, left.unwrap_or(due).min(due), WAITS);
    if let Some(left) = left.filter(|left| *left > due) {
        paint(due, left, after_due(track));
    }
    paint(due, due, DUE);
    match left {
        Some(left) => paint(left, left, arrival(lane)),
        // Beside the mark of the moment it was due, where there is room.
        None => paint(end + 1, end + 1, LOST),
    }
    if left.is_none() && end + 1 == axis.columns() {
        paint(end, end, LOST);
    }
    line.into_iter().collect::<String>().trim_end().to_owned()
}

fn after_due(track: &Track) -> char {
    if track.blocked_by.is_some() { BLOCKED } else { LATE }
}

fn arrival(lane: &Lane) -> char {
    if lane.skipped.is_some() { SIMULATED } else { LEFT }
}

/// The signs in these pictures, each with its meaning.
pub fn legend(pictures: &str) -> Vec<String> {
    let signs = [
        (WAITS, "waits"),
        (DUE, "due"),
        (BLOCKED, "blocked"),
        (LATE, "late"),
        (LEFT, "left"),
        (SIMULATED, "leaves, as simulated"),
        (LOST, "lost"),
    ];
    let used = signs.iter().filter(|(sign, _)| pictures.contains(*sign));
    used.map(|(sign, meaning)| format!("{sign} {meaning}")).collect()
}
