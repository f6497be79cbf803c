//! Deliveries as they stream: aligned lines for people, JSON lines for programs.

use serde::Serialize;

use crate::cli::Format;
use crate::duration::Millis;
use crate::message::Delivered;
use crate::output::Output;
use crate::render::escape::{body_preview, escape};
use crate::timing::{Figures, Measured, Span};

/// How much of a body a line shows.
const BODY: usize = 28;

/// Shows deliveries.
pub struct Lines {
    output: Output,
    begun: bool,
}

/// A delivery as a program reads it.
#[derive(Serialize)]
struct Line<'a> {
    queue: &'a str,
    message_id: Option<&'a str>,
    body: String,
    #[serde(flatten)]
    measured: &'a Measured,
    path: Vec<Hop<'a>>,
    redelivered: bool,
    duplicate: bool,
}

/// One entry of `x-death`, oldest first.
#[derive(Serialize)]
struct Hop<'a> {
    queue: &'a str,
    reason: &'a str,
    count: u64,
}

impl Lines {
    /// Nothing shown yet.
    pub fn new(output: Output) -> Self {
        Lines { output, begun: false }
    }

    /// Shows one delivery.
    ///
    /// # Errors
    /// When stdout cannot be written to.
    pub fn show(
        &mut self,
        delivered: &Delivered,
        measured: &Measured,
        duplicate: bool,
    ) -> anyhow::Result<()> {
        if self.output.format == Format::Json {
            return self.output.json_line(&Line {
                queue: &delivered.queue,
                message_id: delivered.message_id.as_deref(),
                body: String::from_utf8_lossy(&delivered.body).into_owned(),
                measured,
                path: hops(delivered),
                redelivered: delivered.redelivered,
                duplicate,
            });
        }
        if !self.begun {
            self.begun = true;
            let head = row("body", "asked", "seen", "lateness", "path");
            self.output.data(&head)?;
        }
        let body = body_preview(&delivered.body, BODY);
        let asked = measured.asked_ms().map(|ms| Millis(ms).to_string());
        let seen = measured.seen_us.map(|us| Span(us).to_string());
        let late = measured.lateness.as_ref().map(ToString::to_string).ok();
        let shown = |text: Option<String>| text.unwrap_or_else(|| "?".to_owned());
        let path = path(delivered, duplicate);
        let line = row(&body, &shown(asked), &shown(seen), &shown(late), &path);
        self.output.data(&line)
    }

    /// Shows the figures of the whole run.
    ///
    /// # Errors
    /// When stdout cannot be written to.
    pub fn sum(&self, figures: &Figures, end: &str) -> anyhow::Result<()> {
        #[derive(Serialize)]
        struct Sum<'a> {
            summary: &'a Figures,
            stopped: &'a str,
        }
        match self.output.format {
            Format::Json => self.output.json_line(&Sum { summary: figures, stopped: end }),
            _ => self.output.data(&figures.to_string()),
        }
    }
}

fn row(body: &str, asked: &str, seen: &str, late: &str, path: &str) -> String {
    let pad = BODY.saturating_sub(console::measure_text_width(body));
    let line = format!("{body}{:pad$}  {asked:>8}  {seen:>9}  {late:>13}  {path}", "");
    line.trim_end().to_owned()
}

fn hops(delivered: &Delivered) -> Vec<Hop<'_>> {
    let oldest_first = delivered.deaths.iter().rev();
    oldest_first
        .map(|death| Hop { queue: &death.queue, reason: &death.reason, count: death.count })
        .collect()
}

/// `delay.5s.q (expired) > order.timeout.q, redelivered`
fn path(delivered: &Delivered, duplicate: bool) -> String {
    let mut text = String::new();
    for hop in hops(delivered) {
        let times = if hop.count > 1 { format!(" x{}", hop.count) } else { String::new() };
        text.push_str(&format!("{} ({}{times}) > ", escape(hop.queue), escape(hop.reason)));
    }
    text.push_str(&escape(&delivered.queue));
    if delivered.redelivered {
        text.push_str(", redelivered");
    }
    if duplicate {
        text.push_str(", duplicate");
    }
    text
}
