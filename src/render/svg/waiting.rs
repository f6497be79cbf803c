//! How many messages wait where, over time.

use super::Caption;
use super::canvas::{self, Head, MARGIN, WIDTH, line, text};
use super::curves::{Curve, curves};
use super::markup::Markup;
use super::measure::{cut, width};
use super::row::Scale;
use super::theme::DASHES;
use crate::duration::Millis;
use crate::forecast::Outlook;
use crate::render::ticks::{self, grouped};

const PLOT_HEIGHT: f64 = 300.0;
const LEGEND_LINE: f64 = 22.0;
const TICK_ROOM: f64 = 80.0;
const Y_MARKS: usize = 6;

/// The picture.
pub fn waiting(caption: &Caption, outlook: &Outlook) -> String {
    let head = Head::new(caption);
    let curves = curves(&outlook.waiting);
    let most = curves.iter().flat_map(|curve| &curve.samples).copied().max().unwrap_or_default();
    let marks = ticks::numbers(most, Y_MARKS);
    let top = head.bottom() + 34.0;
    let labels = marks.iter().map(|(_, label)| width(label, 11.0)).fold(0.0, f64::max);
    let x = MARGIN + labels + 10.0;
    let plot = Plot {
        scale: Scale { x, width: WIDTH - MARGIN - 8.0 - x, end_ms: outlook.ended_ms.max(1.0) },
        top,
        most: marks.last().map_or(1.0, |(most, _)| *most),
        sample_ms: outlook.sample_ms,
    };
    let legend_top = plot.bottom() + 58.0;
    let height = legend_top + curves.len().max(1) as f64 * LEGEND_LINE + MARGIN - 10.0;
    let mut svg = canvas::begin(caption, &head, height, &description(outlook, &curves));
    plot.axes(&mut svg, &marks);
    plot.last_sent(&mut svg, outlook.sent_until_ms);
    for (index, curve) in curves.iter().enumerate() {
        plot.curve(&mut svg, index, curve);
    }
    legend(&mut svg, &curves, legend_top);
    svg.finish()
}

/// The room between the axes.
struct Plot {
    scale: Scale,
    top: f64,
    most: f64,
    sample_ms: f64,
}

impl Plot {
    fn bottom(&self) -> f64 {
        self.top + PLOT_HEIGHT
    }

    fn right(&self) -> f64 {
        self.scale.x + self.scale.width
    }

    fn y(&self, number: f64) -> f64 {
        self.bottom() - (number / self.most).clamp(0.0, 1.0) * PLOT_HEIGHT
    }

    fn axes(&self, svg: &mut Markup, marks: &[(f64, String)]) {
        text(svg, "tick muted", (MARGIN, self.top - 16.0), "start", "messages waiting");
        for (number, label) in marks {
            let y = self.y(*number);
            line(svg, "grid", (self.scale.x, y), (self.right(), y));
            text(svg, "tick muted", (self.scale.x - 8.0, y + 4.0), "end", label);
        }
        let y = self.bottom();
        line(svg, "axis", (self.scale.x, y), (self.right(), y));
        for (ms, label) in ticks::time(self.scale.end_ms, (self.scale.width / TICK_ROOM) as usize) {
            let x = self.scale.at(ms);
            line(svg, "axis", (x, y), (x, y + 5.0));
            text(svg, "tick muted", (x, y + 19.0), "middle", &label);
        }
        let middle = self.scale.x + self.scale.width / 2.0;
        text(svg, "tick muted", (middle, y + 38.0), "middle", "time since the first message");
    }

    /// The moment from which nothing more is sent.
    fn last_sent(&self, svg: &mut Markup, ms: f64) {
        if ms >= self.scale.end_ms {
            return;
        }
        let x = self.scale.at(ms);
        line(svg, "end", (x, self.top - 8.0), (x, self.bottom()));
        let words = "last message sent";
        let fits = x + 6.0 + width(words, 11.0) < self.right();
        let (dx, anchor) = if fits { (6.0, "start") } else { (-6.0, "end") };
        text(svg, "tick muted", (x + dx, self.top - 5.0), anchor, words);
    }

    fn curve(&self, svg: &mut Markup, index: usize, curve: &Curve) {
        let steps = self.steps(&curve.samples);
        let color = format!("s{index}");
        let (left, right) = (self.scale.x, self.x_of(curve.samples.len()));
        let area = format!("M{left:.1} {0:.1}{steps}L{right:.1} {0:.1}Z", self.bottom());
        svg.tag("g").open();
        svg.tag("title").text(&format!("{}: {}", curve.name, curve.remark));
        let class = format!("area {color}");
        svg.tag("path").at("class", &class).at("style", "stroke:none").at("d", &area).end();
        let fall = if curve.empties { format!("V{:.1}", self.bottom()) } else { String::new() };
        let path = format!("M{}{fall}", steps.trim_start_matches('L'));
        let class = format!("{color} line");
        let tag = svg.tag("path").at("class", &class).at("style", "fill:none").at("d", &path);
        let dash = DASHES[index % DASHES.len()];
        if dash.is_empty() {
            tag.end()
        } else {
            tag.at("stroke-dasharray", dash).end()
        }
        svg.close();
    }

    fn x_of(&self, sample: usize) -> f64 {
        self.scale.at(sample as f64 * self.sample_ms)
    }

    /// The tops of the samples, one level stretch each; equal neighbours are one.
    fn steps(&self, samples: &[u64]) -> String {
        let mut path = String::new();
        let mut from = 0;
        for run in samples.chunk_by(|a, b| a == b) {
            let (x1, x2) = (self.x_of(from), self.x_of(from + run.len()));
            let y = self.y(run[0] as f64);
            path.push_str(&format!("L{x1:.1} {y:.1}H{x2:.1}"));
            from += run.len();
        }
        path
    }
}

fn legend(svg: &mut Markup, curves: &[Curve], top: f64) {
    if curves.is_empty() {
        text(svg, "legend muted", (MARGIN, top + 4.0), "start", "nothing ever waits");
    }
    for (index, curve) in curves.iter().enumerate() {
        let y = top + index as f64 * LEGEND_LINE;
        let class = format!("s{index} line");
        let tag = svg.tag("path").at("class", &class);
        let d = format!("M{MARGIN} {y}h44");
        let dash = DASHES[index % DASHES.len()];
        tag.at("style", "fill:none")
            .at("d", &d)
            .at("stroke-dasharray", if dash.is_empty() { "none" } else { dash })
            .end();
        let (x, remark) = (MARGIN + 56.0, width(&curve.remark, 12.0));
        let name = cut(&curve.name, 12.0, WIDTH - x - MARGIN - remark - 24.0);
        text(svg, "legend", (x, y + 4.0), "start", &name);
        let x = x + width(&name, 12.0) + 16.0;
        text(svg, "legend muted", (x, y + 4.0), "start", &curve.remark);
    }
}

/// The whole picture in sentences.
fn description(outlook: &Outlook, curves: &[Curve]) -> String {
    let mut parts = vec![format!(
        "Waiting messages over time, from 0 to {}, as lines with steps. {} messages are sent.",
        Millis(outlook.ended_ms as u64),
        grouped(outlook.messages),
    )];
    parts.extend(curves.iter().map(|curve| format!("{}: {}.", curve.name, curve.remark)));
    if curves.is_empty() {
        parts.push("Nothing ever waits.".to_owned());
    }
    parts.join(" ")
}
