//! The sheet that every picture is drawn on: its frame, title and words.

use super::Caption;
use super::markup::Markup;
use super::measure;
use super::theme::STYLE;

/// The width of every picture.
pub const WIDTH: f64 = 960.0;
/// The empty border.
pub const MARGIN: f64 = 28.0;
const LINE: f64 = 18.0;

/// The head of a picture: what stands in it, and how high it is.
pub struct Head {
    silent: bool,
    title: String,
    subtitle: Vec<String>,
}

impl Head {
    /// Lays out a caption.
    pub fn new(caption: &Caption) -> Self {
        let room = WIDTH - 2.0 * MARGIN;
        Head {
            silent: caption.silent,
            title: measure::cut(&caption.title, 19.0, room),
            subtitle: measure::wrap(&caption.subtitle, 13.0, room),
        }
    }

    /// Where the room below begins.
    pub fn bottom(&self) -> f64 {
        if self.silent {
            return MARGIN - 14.0;
        }
        MARGIN + 26.0 + self.subtitle.len() as f64 * LINE
    }

    fn draw(&self, svg: &mut Markup) {
        if self.silent {
            return;
        }
        let y = MARGIN + 12.0;
        svg.tag("text").at("class", "title").n("x", MARGIN).n("y", y).text(&self.title);
        for (index, line) in self.subtitle.iter().enumerate() {
            let y = y + 24.0 + index as f64 * LINE;
            svg.tag("text").at("class", "sub muted").n("x", MARGIN).n("y", y).text(line);
        }
    }
}

/// Begins a picture of this height: its words for those who cannot see it, its look and its head.
pub fn begin(caption: &Caption, head: &Head, height: f64, description: &str) -> Markup {
    let mut svg = Markup::new();
    svg.tag("svg")
        .at("xmlns", "http://www.w3.org/2000/svg")
        .at("class", "dc")
        .at("viewBox", &format!("0 0 {WIDTH} {}", height.ceil()))
        .n("width", WIDTH)
        .n("height", height.ceil())
        .at("role", "img")
        .at("aria-labelledby", "dc-title dc-desc")
        .open();
    svg.tag("title").at("id", "dc-title").text(&caption.title);
    svg.tag("desc").at("id", "dc-desc").text(description);
    svg.raw(&format!("<style>\n{STYLE}</style>"));
    patterns(&mut svg);
    svg.tag("rect").at("class", "bg").at("width", "100%").at("height", "100%").end();
    head.draw(&mut svg);
    svg
}

/// What is blocked is hatched, what is merely late is dotted: neither needs its colour.
fn patterns(svg: &mut Markup) {
    svg.tag("defs").open();
    let pattern = |svg: &mut Markup, id, size, turn| {
        svg.tag("pattern")
            .at("id", id)
            .n("width", size)
            .n("height", size)
            .at("patternUnits", "userSpaceOnUse")
            .at("patternTransform", turn)
            .open();
    };
    pattern(svg, "dc-hatch", 7.0, "rotate(45)");
    svg.tag("rect").at("class", "hatch-back").n("width", 7.0).n("height", 7.0).end();
    svg.tag("line").at("class", "hatch-line").n("y2", 7.0).end();
    svg.close();
    pattern(svg, "dc-dots", 5.0, "rotate(0)");
    svg.tag("rect").at("class", "dot-back").n("width", 5.0).n("height", 5.0).end();
    svg.tag("circle").at("class", "dot").n("cx", 2.5).n("cy", 2.5).n("r", 1.2).end();
    svg.close();
    svg.close();
}

/// A text.
pub fn text(svg: &mut Markup, class: &str, (x, y): (f64, f64), anchor: &str, words: &str) {
    svg.tag("text").at("class", class).n("x", x).n("y", y).at("text-anchor", anchor).text(words);
}

/// A line.
pub fn line(svg: &mut Markup, class: &str, (x1, y1): (f64, f64), (x2, y2): (f64, f64)) {
    svg.tag("line").at("class", class).n("x1", x1).n("y1", y1).n("x2", x2).n("y2", y2).end();
}
