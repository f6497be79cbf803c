//! What the signs mean.

use super::canvas::{MARGIN, WIDTH, line, text};
use super::markup::Markup;
use super::measure;
use super::row::{self, Used};

const SAMPLE: f64 = 28.0;
const GAP: f64 = 22.0;
const LINE: f64 = 22.0;

type Draw = fn(&mut Markup, f64, f64);

/// The signs that are used, with their meanings.
fn entries(used: Used) -> Vec<(Draw, &'static str)> {
    let all: [(bool, Draw, &str); 8] = [
        (true, |svg, x, y| row::bar(svg, "wait", (x, x + SAMPLE), y, 12.0), "waits"),
        (used.hops, hop, "moves to the next queue"),
        (used.due, |svg, x, y| line(svg, "due", (x + 20.0, y - 9.0), (x + 20.0, y + 9.0)), "due"),
        (
            used.blocked,
            |svg, x, y| row::filled(svg, "blocked", "url(#dc-hatch)", (x, x + SAMPLE), y, 12.0),
            "blocked by a message before it",
        ),
        (
            used.late,
            |svg, x, y| row::filled(svg, "late", "url(#dc-dots)", (x, x + SAMPLE), y, 12.0),
            "late",
        ),
        (used.observed, |svg, x, y| row::sign(svg, "left", x + 22.0, y, 5.5), "left"),
        (
            used.simulated,
            |svg, x, y| row::sign(svg, "left-ring", x + 22.0, y, 5.0),
            "leaves, as simulated",
        ),
        (used.lost, |svg, x, y| row::cross(svg, x + 22.0, y, 5.5), "does not arrive"),
    ];
    all.into_iter().filter(|(shown, ..)| *shown).map(|(_, draw, words)| (draw, words)).collect()
}

fn hop(svg: &mut Markup, x: f64, y: f64) {
    row::bar(svg, "wait", (x, x + SAMPLE), y, 12.0);
    for class in ["hop", "hop-core"] {
        line(svg, class, (x + SAMPLE / 2.0, y - 7.5), (x + SAMPLE / 2.0, y + 7.5));
    }
}

/// Draws the key below `top`, and returns where it ends.
pub fn draw(svg: &mut Markup, used: Used, top: f64) -> f64 {
    let (mut x, mut y) = (MARGIN, top + LINE / 2.0);
    for (sample, words) in entries(used) {
        let width = SAMPLE + 8.0 + measure::width(words, 12.0);
        if x > MARGIN && x + width > WIDTH - MARGIN {
            (x, y) = (MARGIN, y + LINE);
        }
        sample(svg, x, y);
        text(svg, "legend", (x + SAMPLE + 8.0, y + 4.0), "start", words);
        x += width + GAP;
    }
    y + LINE / 2.0
}
