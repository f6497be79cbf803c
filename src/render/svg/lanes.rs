//! Lanes along one time axis: a bar for each message.

use super::Caption;
use super::canvas::{self, Head, MARGIN, WIDTH, line, text};
use super::key;
use super::markup::Markup;
use super::measure::{cut, width, wrap};
use super::row::{self, Scale, Used};
use super::words::{self, description, in_words, label, remark};
use crate::render::lanes::{Lane, Track};
use crate::render::ticks;

const LABEL_MAX: f64 = 150.0;
const CARD_PAD: f64 = 14.0;
const CARD_HEAD: f64 = 34.0;
const CARD_GAP: f64 = 12.0;
/// A lane of more messages than this has thinner rows.
const MANY: usize = 8;
/// Pixels for each mark of the time axis.
const TICK_ROOM: f64 = 76.0;

/// The picture.
pub fn lanes(caption: &Caption, lanes: &[Lane]) -> String {
    let head = Head::new(caption);
    let scale = scale(lanes);
    // Drawn first, to know which signs the key must explain and how high all is.
    let mut body = Markup::new();
    let mut scratch = Markup::new();
    let used = lanes.iter().fold(Used::default(), |used, lane| {
        lane.messages.iter().filter(|_| lane.has_times()).fold(used, |used, track| {
            used.and(row::draw(&mut scratch, scale, lane, track, 0.0, 12.0))
        })
    });
    let key_bottom = key::draw(&mut body, used, head.bottom() + 6.0);
    let top = key_bottom + 40.0;
    let bottom = lanes.iter().fold(top, |y, lane| y + height(lane) + CARD_GAP) - CARD_GAP;
    axis(&mut body, scale, top, lanes);
    grid(&mut body, scale, lanes, top);
    let mut y = top;
    for lane in lanes {
        draw(&mut body, scale, lane, y);
        y += height(lane) + CARD_GAP;
    }
    let mut svg = canvas::begin(caption, &head, bottom.max(top) + MARGIN, &description(lanes));
    svg.raw(&body.finish());
    svg.finish()
}

impl Used {
    fn and(self, other: Self) -> Self {
        Used {
            blocked: self.blocked || other.blocked,
            late: self.late || other.late,
            due: self.due || other.due,
            hops: self.hops || other.hops,
            observed: self.observed || other.observed,
            simulated: self.simulated || other.simulated,
            lost: self.lost || other.lost,
        }
    }
}

/// The time axis: as long as labels and remarks leave room for.
fn scale(lanes: &[Lane]) -> Scale {
    let tracks = || {
        let with_times = lanes.iter().filter(|lane| lane.has_times());
        with_times.flat_map(|lane| lane.messages.iter().map(move |track| (lane, track)))
    };
    let labels = tracks().map(|(_, track)| width(&label(track), 12.0)).fold(0.0, f64::max);
    let remarks = tracks().map(|(lane, track)| width(&remark(lane, track), 12.0));
    let x = MARGIN + CARD_PAD + labels.min(LABEL_MAX) + 14.0;
    let right = WIDTH - MARGIN - CARD_PAD - remarks.fold(0.0, f64::max) - 20.0;
    let moments = tracks().flat_map(|(lane, track)| {
        [Some(track.sent_ms), Some(track.expected_ms), lane.left_ms(track), track.lost_ms]
    });
    let last = moments.flatten().filter(|ms| ms.is_finite()).fold(0.0, f64::max);
    Scale { x, width: right - x, end_ms: if last > 0.0 { last } else { 1000.0 } }
}

fn row_height(lane: &Lane) -> f64 {
    if lane.messages.len() > MANY { 18.0 } else { 25.0 }
}

fn height(lane: &Lane) -> f64 {
    if lane.has_times() {
        return CARD_HEAD + lane.messages.len() as f64 * row_height(lane) + 8.0;
    }
    CARD_HEAD + reason(lane).len() as f64 * 18.0 + 4.0
}

fn axis(svg: &mut Markup, scale: Scale, top: f64, lanes: &[Lane]) {
    if !lanes.iter().any(Lane::has_times) {
        return;
    }
    let y = top - 12.0;
    text(svg, "tick muted", (MARGIN + CARD_PAD, y), "start", "time");
    for (ms, label) in marks(scale) {
        text(svg, "tick muted", (scale.at(ms), y), "middle", &label);
    }
}

fn marks(scale: Scale) -> Vec<(f64, String)> {
    ticks::time(scale.end_ms, (scale.width / TICK_ROOM) as usize)
}

/// The cards, with the marks of the axis on those that have times.
fn grid(svg: &mut Markup, scale: Scale, lanes: &[Lane], top: f64) {
    let mut y = top;
    for lane in lanes {
        svg.tag("rect")
            .at("class", "card")
            .n("x", MARGIN)
            .n("y", y)
            .n("width", WIDTH - 2.0 * MARGIN)
            .n("height", height(lane))
            .n("rx", 8.0)
            .end();
        if lane.has_times() {
            for (ms, _) in marks(scale) {
                let x = scale.at(ms);
                line(svg, "grid", (x, y + CARD_HEAD - 4.0), (x, y + height(lane) - 6.0));
            }
        }
        y += height(lane) + CARD_GAP;
    }
}

fn draw(svg: &mut Markup, scale: Scale, lane: &Lane, top: f64) {
    let x = MARGIN + CARD_PAD;
    let room = WIDTH - 2.0 * x;
    let name = cut(&lane.name, 13.0, room * 0.55);
    let how = cut(&lane.how, 13.0, room - width(&name, 14.0) - 12.0);
    svg.tag("g").open();
    svg.tag("title").text(&format!("{}: {}", lane.name, lane.how));
    svg.tag("text").n("x", x).n("y", top + 22.0).open();
    svg.tag("tspan").at("class", "name").text(&name);
    svg.tag("tspan").at("class", "how muted").n("dx", 8.0).text(&how);
    svg.close();
    svg.close();
    if !lane.has_times() {
        for (index, line) in reason(lane).iter().enumerate() {
            let y = top + 40.0 + index as f64 * 18.0;
            text(svg, "how muted", (x, y), "start", line);
        }
        return;
    }
    for (index, track) in lane.messages.iter().enumerate() {
        let y = top + CARD_HEAD + (index as f64 + 0.5) * row_height(lane);
        message(svg, scale, lane, track, y);
    }
}

fn message(svg: &mut Markup, scale: Scale, lane: &Lane, track: &Track, y: f64) {
    let thick = if row_height(lane) > 20.0 { 12.0 } else { 9.0 };
    svg.tag("g").open();
    svg.tag("title").text(&in_words(lane, track));
    let label = cut(&label(track), 12.0, LABEL_MAX);
    text(svg, "label", (scale.x - 14.0, y + 4.0), "end", &label);
    row::draw(svg, scale, lane, track, y, thick);
    let class = if lane.left_ms(track).is_none() { "remark bad" } else { "remark" };
    let x = scale.x + scale.width + 20.0;
    text(svg, class, (x, y + 4.0), "start", &remark(lane, track));
    svg.close();
}

/// Why a lane has nothing to show, in lines.
fn reason(lane: &Lane) -> Vec<String> {
    wrap(&words::reason(lane), 13.0, WIDTH - 2.0 * (MARGIN + CARD_PAD))
}
