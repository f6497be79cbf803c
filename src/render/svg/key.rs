//! What the signs mean.

use super::canvas::{MARGIN, WIDTH, line, text};
use super::markup::Markup;
use super::measure;
use super::row::{self, Used};

const SAMPLE: f64 = 28.0;
const POINT: f64 = 12.0;
const GAP: f64 = 22.0;
const LINE: f64 = 22.0;

type Draw = fn(&mut Markup, f64, f64);

/// A sign: how wide its sample is, how that is drawn, and what it means.
type Entry = (f64, Draw, &'static str);

/// The signs that are used.
fn entries(used: Used) -> impl Iterator<Item = Entry> {
    let all: [(bool, Entry); 8] = [
        (true, (SAMPLE, |svg, x, y| row::bar(svg, "wait", (x, x + SAMPLE), y, 12.0), "waits")),
        (used.hops, (SAMPLE, hop, "moves to the next queue")),
        (used.due, (POINT, due, "due")),
        (used.blocked, (SAMPLE, blocked, "blocked by a message before it")),
        (used.late, (SAMPLE, late, "late")),
        (used.observed, (POINT, |svg, x, y| row::sign(svg, "left", x + 6.0, y, 5.5), "left")),
        (used.simulated, (POINT, simulated, "leaves, as simulated")),
        (used.lost, (POINT, |svg, x, y| row::cross(svg, x + 6.0, y, 5.5), "does not arrive")),
    ];
    all.into_iter().filter(|(shown, _)| *shown).map(|(_, entry)| entry)
}

fn due(svg: &mut Markup, x: f64, y: f64) {
    line(svg, "due", (x + 6.0, y - 9.0), (x + 6.0, y + 9.0));
}

fn blocked(svg: &mut Markup, x: f64, y: f64) {
    row::filled(svg, "blocked", "url(#dc-hatch)", (x, x + SAMPLE), y, 12.0);
}

fn late(svg: &mut Markup, x: f64, y: f64) {
    row::filled(svg, "late", "url(#dc-dots)", (x, x + SAMPLE), y, 12.0);
}

fn simulated(svg: &mut Markup, x: f64, y: f64) {
    row::sign(svg, "left-ring", x + 6.0, y, 5.0);
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
    for (size, sample, words) in entries(used) {
        let width = size + 8.0 + measure::width(words, 12.0);
        if x > MARGIN && x + width > WIDTH - MARGIN {
            (x, y) = (MARGIN, y + LINE);
        }
        sample(svg, x, y);
        text(svg, "legend", (x + size + 8.0, y + 4.0), "start", words);
        x += width + GAP;
    }
    y + LINE / 2.0
}
