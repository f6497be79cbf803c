//! One message: a bar for its wait, ticks for its hops, and the moments it was due and left.

use super::canvas::line;
use super::markup::Markup;
use crate::render::lanes::{Lane, Track};

/// Below this a stretch is as good as none.
const VISIBLE: f64 = 2.5;
/// Below this what lies before the mark of what left is hidden by it.
const COVERED: f64 = 6.5;

/// The stretch that a lane's messages are drawn along.
#[derive(Clone, Copy)]
pub struct Scale {
    /// Where it begins.
    pub x: f64,
    /// Its length.
    pub width: f64,
    /// The moment at its end.
    pub end_ms: f64,
}

impl Scale {
    /// Where a moment is; the nearest end if it lies outside.
    pub fn at(self, ms: f64) -> f64 {
        let share = if ms.is_finite() { (ms / self.end_ms).clamp(0.0, 1.0) } else { 0.0 };
        self.x + share * self.width
    }
}

/// What of the signs a picture uses, for its key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Used {
    pub blocked: bool,
    pub late: bool,
    pub due: bool,
    pub hops: bool,
    pub observed: bool,
    pub simulated: bool,
    pub lost: bool,
}

/// Draws a message around the height `y`, with a bar this thick.
pub fn draw(
    svg: &mut Markup,
    scale: Scale,
    lane: &Lane,
    track: &Track,
    y: f64,
    thick: f64,
) -> Used {
    let left = lane.left_ms(track);
    let (sent, due) = (scale.at(track.sent_ms), scale.at(track.expected_ms));
    let gone = left.or(track.lost_ms.filter(|_| lane.skipped.is_some()));
    let end = gone.map_or(due, |ms| scale.at(ms));
    let mut used = Used::default();
    bar(svg, "wait", (sent, end.min(due)), y, thick);
    if end - due > COVERED {
        let blocked = track.blocked_by.is_some();
        (used.blocked, used.late) = (blocked, !blocked);
        let (class, fill) =
            if blocked { ("blocked", "url(#dc-hatch)") } else { ("late", "url(#dc-dots)") };
        filled(svg, class, fill, (due, end), y, thick);
    }
    used.hops = hops(svg, scale, track, end, y, thick);
    if (end - due).abs() > COVERED || left.is_none() {
        used.due = true;
        let reach = thick / 2.0 + 4.0;
        line(svg, "due", (due, y - reach), (due, y + reach));
    }
    leaves(svg, scale, lane, track, (end, y), thick, &mut used);
    used
}

fn hops(svg: &mut Markup, scale: Scale, track: &Track, end: f64, y: f64, thick: f64) -> bool {
    let reach = thick / 2.0 + 1.5;
    let all = track.hops_ms.iter().map(|ms| scale.at(*ms)).filter(|x| *x < end - VISIBLE);
    let mut any = false;
    for x in all {
        any = true;
        line(svg, "hop", (x, y - reach), (x, y + reach));
        line(svg, "hop-core", (x, y - reach), (x, y + reach));
    }
    any
}

fn leaves(
    svg: &mut Markup,
    scale: Scale,
    lane: &Lane,
    track: &Track,
    (end, y): (f64, f64),
    thick: f64,
    used: &mut Used,
) {
    let r = (thick / 2.0 - 0.5).clamp(3.5, 5.5);
    let simulated = track.simulated_ms.map(|ms| scale.at(ms));
    match (lane.left_ms(track).map(|ms| scale.at(ms)), &lane.skipped) {
        (Some(x), Some(_)) => {
            used.simulated = true;
            sign(svg, "left-ring", x, y, r);
        }
        (Some(x), None) => {
            if let Some(model) = simulated.filter(|model| (model - x).abs() > 2.0 * r) {
                used.simulated = true;
                sign(svg, "left-ring", model, y, r - 1.0);
            }
            used.observed = true;
            sign(svg, "left", x, y, r);
        }
        (None, _) => {
            used.lost = true;
            cross(svg, end + 11.0, y, r);
        }
    }
}

/// The mark of what left.
pub fn sign(svg: &mut Markup, class: &str, x: f64, y: f64, r: f64) {
    svg.tag("circle").at("class", class).n("cx", x).n("cy", y).n("r", r).end();
}

/// The mark of what is lost.
pub fn cross(svg: &mut Markup, x: f64, y: f64, r: f64) {
    let d = format!("M{:.1} {:.1}l{r} {r}m0 -{r}l-{r} {r}", x - r / 2.0, y - r / 2.0);
    svg.tag("path").at("class", "lost").at("d", &d).end();
}

/// A stretch of time as a bar.
pub fn bar(svg: &mut Markup, class: &str, (from, to): (f64, f64), y: f64, thick: f64) {
    let width = (to - from).max(1.0);
    svg.tag("rect")
        .at("class", class)
        .n("x", from)
        .n("y", y - thick / 2.0)
        .n("width", width)
        .n("height", thick)
        .n("rx", 2.0)
        .end();
}

/// A stretch of time with a pattern.
pub fn filled(
    svg: &mut Markup,
    class: &str,
    fill: &str,
    (from, to): (f64, f64),
    y: f64,
    thick: f64,
) {
    svg.tag("rect")
        .at("class", class)
        .at("fill", fill)
        .n("x", from)
        .n("y", y - thick / 2.0 + 0.5)
        .n("width", to - from)
        .n("height", thick - 1.0)
        .end();
}
