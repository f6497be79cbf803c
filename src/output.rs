//! The only owner of stdout, stderr and progress bars.
//!
//! Data goes to stdout, talk to stderr. A closed pipe ends the program quietly.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::io::{self, IsTerminal, Write};

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::cli::{Color, Format, Global};
use crate::exit::{Exit, Failure};
use crate::render::escape::escape;
use crate::render::lanes::{Lane, Track};

/// How to speak, as the command line says it.
#[derive(Clone, Copy, Debug)]
pub struct Output {
    /// The form of data.
    pub format: Format,
    quiet: bool,
    color: bool,
}

/// The reader of stdout went away: there is nothing left to do, and nothing to complain of.
#[derive(Debug, thiserror::Error)]
#[error("the reader of stdout went away")]
pub struct ClosedPipe;

impl Output {
    /// Speaks as the options say.
    pub fn new(global: &Global) -> Self {
        let color = match global.color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => is_colorful(),
        };
        Output { format: global.output, quiet: global.quiet, color }
    }

    /// Speaks as it does without options.
    pub fn usual() -> Self {
        Output { format: Format::Table, quiet: false, color: is_colorful() }
    }

    /// Gives clap's own answer to a command line: the help or the version that it asks for, which
    /// is data, or what is wrong with it.
    ///
    /// # Errors
    /// As [`Output::data`].
    pub fn answer(&self, answer: &clap::Error) -> anyhow::Result<Exit> {
        let printed = answer.print();
        if answer.use_stderr() {
            return Ok(Exit::Usage);
        }
        written(printed.and_then(|()| io::stdout().flush())).map(|()| Exit::Done)
    }

    /// Writes data to stdout, and a line feed.
    ///
    /// # Errors
    /// [`ClosedPipe`] when nobody reads any more; [`Failure`] when the disk is full.
    pub fn data(&self, text: &str) -> anyhow::Result<()> {
        let mut stdout = io::stdout().lock();
        let all = stdout
            .write_all(text.as_bytes())
            .and_then(|()| if text.ends_with('\n') { Ok(()) } else { stdout.write_all(b"\n") })
            .and_then(|()| stdout.flush());
        written(all)
    }

    /// Writes a value as one JSON document.
    ///
    /// # Errors
    /// As [`Output::data`].
    pub fn json(&self, value: &impl serde::Serialize) -> anyhow::Result<()> {
        self.data(&serde_json::to_string_pretty(value)?)
    }

    /// Writes a value as one line of JSON.
    ///
    /// # Errors
    /// As [`Output::data`].
    pub fn json_line(&self, value: &impl serde::Serialize) -> anyhow::Result<()> {
        self.data(&serde_json::to_string(value)?)
    }

    /// Writes data in place of what was written before, when stdout is a terminal; else after it.
    ///
    /// # Errors
    /// As [`Output::data`].
    pub fn redraw(&self, text: &str) -> anyhow::Result<()> {
        if io::stdout().is_terminal() {
            // Home, the picture with each line's rest cleared, and all below it.
            let lines: Vec<_> = text.lines().map(|line| format!("{line}\x1b[K")).collect();
            self.data(&format!("\x1b[H{}\n\x1b[J", lines.join("\n")))
        } else {
            self.data(&format!("{text}\n\n"))
        }
    }

    /// Whether a person can be asked: stdin and stderr are a terminal.
    pub fn can_ask(&self) -> bool {
        io::stdin().is_terminal() && io::stderr().is_terminal()
    }

    /// Asks a person, and takes anything but a yes for a no.
    pub async fn ask(&self, question: &str) -> bool {
        let _ = write!(io::stderr().lock(), "{} [y/N] ", escape(question));
        let answer = tokio::task::spawn_blocking(|| {
            let mut answer = String::new();
            io::stdin().read_line(&mut answer).map(|_| answer)
        });
        let answer = answer.await.ok().and_then(Result::ok).unwrap_or_default();
        matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes")
    }

    /// Tells a person something in a line, unless they asked for quiet.
    pub fn say(&self, text: &str) {
        if !self.quiet {
            complain(&escape(text));
        }
    }

    /// Warns, also when quiet.
    pub fn warn(&self, text: &str) {
        complain(&format!("{} {}", self.paint("33;1", "warning:"), escape(text)));
    }

    /// Says that an expectation was not met.
    pub fn not_met(&self, text: &str) {
        complain(&format!("{} {}", self.paint("31;1", "not met:"), escape(text)));
    }

    /// Reports an error with all its causes, and the advice that goes with it.
    pub fn error(&self, error: &anyhow::Error, hint: Option<&str>) {
        let mut text = String::new();
        for cause in error.chain() {
            let cause = cause.to_string();
            // Errors that repeat their source in their own words would say it twice.
            if !text.ends_with(&cause) {
                text = if text.is_empty() { cause } else { format!("{text}: {cause}") };
            }
        }
        let lines: Vec<_> = text.lines().map(|line| escape(line).into_owned()).collect();
        complain(&format!("{} {}", self.paint("31;1", "error:"), lines.join("\n       ")));
        if let Some(hint) = hint {
            complain(&format!(" {} {}", self.paint("36;1", "hint:"), escape(hint)));
        }
    }

    /// A progress bar on a terminal, nothing elsewhere. `None`: the end is not known.
    pub fn progress(&self, length: Option<u64>, what: &str) -> ProgressBar {
        let target = if self.live() {
            ProgressDrawTarget::stderr_with_hz(10)
        } else {
            ProgressDrawTarget::hidden()
        };
        let template = match length {
            Some(_) => "{msg} {wide_bar} {pos}/{len} {per_sec} {eta}",
            None => "{msg} {spinner} {pos} {per_sec}",
        };
        let style =
            ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        let bar = ProgressBar::with_draw_target(length, target).with_style(style);
        bar.set_message(what.to_owned());
        bar
    }

    /// The width of the terminal that stdout is, `None` in a pipe.
    pub fn width(&self) -> Option<u16> {
        if !io::stdout().is_terminal() {
            return None;
        }
        let (_, columns) = console::Term::stdout().size();
        Some(columns.max(40))
    }

    fn live(&self) -> bool {
        !self.quiet && io::stderr().is_terminal()
    }

    fn paint(&self, code: &str, text: &str) -> String {
        if self.color { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }
}

/// The live progress of a demo: on a terminal a bar for each message, else a line when one arrives.
pub struct Bars {
    output: Output,
    names: Vec<String>,
    bars: Option<(MultiProgress, Vec<Vec<ProgressBar>>)>,
}

impl Bars {
    /// A bar for each message of each lane.
    pub fn new<'a>(output: &Output, lanes: impl Iterator<Item = &'a Lane>) -> Self {
        let lanes: Vec<_> = lanes.collect();
        let names: Vec<_> = lanes.iter().map(|lane| lane.name.clone()).collect();
        let bars = output.live().then(|| {
            let all = MultiProgress::with_draw_target(ProgressDrawTarget::stderr_with_hz(20));
            let style = ProgressStyle::with_template("{prefix:24} {bar:30} {msg}")
                .unwrap_or_else(|_| ProgressStyle::default_bar());
            let bar = |lane: &Lane, track: &Track| {
                let length = (track.expected_ms - track.sent_ms).max(1.0) as u64;
                let bar = all.add(ProgressBar::new(length).with_style(style.clone()));
                bar.set_prefix(format!("{} {} {}", lane.name, track.label, track.delay));
                bar
            };
            let bars = lanes
                .iter()
                .map(|lane| lane.messages.iter().map(|track| bar(lane, track)).collect())
                .collect();
            (all.clone(), bars)
        });
        Bars { output: *output, names, bars }
    }

    /// Draws the time that has passed, in milliseconds.
    pub fn tick(&self, now_ms: f64) {
        let Some((_, lanes)) = &self.bars else { return };
        for bar in lanes.iter().flatten().filter(|bar| !bar.is_finished()) {
            let (now, due) = (now_ms as u64, bar.length().unwrap_or_default());
            bar.set_position(now.min(due));
            bar.set_message(if now > due { "due, and not here" } else { "" });
        }
    }

    /// Shows that a message has arrived.
    pub fn arrived(&self, lane: usize, message: usize, track: &Track) {
        let observed = track.observed_ms.unwrap_or_default();
        let late = (observed - track.expected_ms) / 1000.0;
        let text = format!("at {:.2} s, {late:.2} s late", observed / 1000.0);
        match &self.bars {
            Some((_, lanes)) => {
                let bar = &lanes[lane][message];
                bar.set_position(bar.length().unwrap_or_default());
                bar.abandon_with_message(text);
            }
            None => {
                let name = &self.names[lane];
                let (label, delay) = (&track.label, track.delay);
                self.output.say(&format!("{name}: {label} ({delay}) arrived {text}"));
            }
        }
    }

    /// Takes the bars away: the table and the picture follow.
    pub fn finish(&self) {
        if let Some((all, _)) = &self.bars {
            let _ = all.clear();
        }
    }
}

/// What became of data.
fn written(result: io::Result<()>) -> anyhow::Result<()> {
    result.map_err(|error| match error.kind() {
        io::ErrorKind::BrokenPipe => ClosedPipe.into(),
        _ => Failure::new(Exit::Io, format!("cannot write to stdout: {error}")).into(),
    })
}

/// Whether talk is coloured when nothing is said of it.
fn is_colorful() -> bool {
    let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    io::stderr().is_terminal() && !no_color
}

/// Writes a line to stderr. When even that is closed, there is nobody left to tell.
fn complain(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}
