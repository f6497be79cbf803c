//! Journeys: a line for each move, and how it ends.

use crate::forecast::{Fate, loss_in_words};
use crate::render::escape::escape;
use crate::render::lanes::{Lane, Track, clock};
use crate::render::table::Figures;
use crate::timing::{Lateness, Precision};

/// Of a message that goes round and round, so many moves are told.
const MOVES_MAX: usize = 40;

/// The journeys of a lane's messages, below its name. No final line feed.
pub fn journeys(lane: &Lane, fates: &[Fate]) -> String {
    let mut lines = vec![escape(&format!("{} — {}", lane.name, lane.how)).into_owned()];
    if fates.is_empty() {
        let reason = lane.skipped.as_deref().unwrap_or("no messages");
        lines.push(format!("  {}", escape(reason)));
    }
    for (track, fate) in lane.messages.iter().zip(fates) {
        lines.extend(journey(track, fate));
    }
    lines.join("\n")
}

fn journey(track: &Track, fate: &Fate) -> Vec<String> {
    let shown = &fate.moves[..fate.moves.len().min(MOVES_MAX)];
    let places = shown.iter().map(|to| escape(&to.place).chars().count());
    let width = places.max().unwrap_or(0);
    let (sent, due) = (ms(fate.sent_us), ms(fate.due_us));
    let mut lines = vec![format!(
        "  {} {}: sent at {}, due at {}",
        track.label,
        track.delay,
        clock(sent),
        clock(due)
    )];
    lines.extend(shown.iter().map(|to| {
        let (at, place) = (clock(ms(to.at_us)), escape(&to.place));
        format!("    {at:>9}  {place:<width$}  {}", escape(&to.why))
    }));
    if fate.goes_on || shown.len() < fate.moves.len() {
        lines.push(format!("    {:>9}  and so on", "…"));
    }
    lines.push(format!("    → {}", escape(&outcome(fate))));
    lines
}

/// Every move of every message, in figures.
pub fn moves<'f>(lanes: impl IntoIterator<Item = (&'f Lane, &'f [Fate])>) -> Figures {
    let titles = ["lane", "message", "#at", "where", "why"];
    let mut figures = Figures::new("Every move", &titles);
    for (lane, fates) in lanes {
        for (track, fate) in lane.messages.iter().zip(fates) {
            let shown = fate.moves.iter().take(MOVES_MAX);
            figures.rows.extend(shown.map(|to| {
                let (lane, message) = (lane.name.clone(), track.label.clone());
                vec![lane, message, clock(ms(to.at_us)), to.place.clone(), to.why.clone()]
            }));
        }
    }
    figures
}

/// How a journey ends, in a sentence or two.
pub fn outcome(fate: &Fate) -> String {
    let mut parts = Vec::new();
    if let (Some(arrival), Some(us)) = (&fate.arrival, fate.lateness_us()) {
        let late = Lateness { us, precision: Precision::Exact };
        parts.push(format!(
            "arrives in `{}` at {}, {late}",
            arrival.queue,
            clock(ms(arrival.at_us))
        ));
    }
    parts.extend(fate.lost.iter().map(|lost| {
        let place = if lost.place.is_empty() { "the default exchange" } else { &lost.place };
        format!("lost at {} in `{place}`: {}", clock(ms(lost.at_us)), loss_in_words(lost.why))
    }));
    if let Some(rest) = &fate.rest {
        let kept = if rest.stuck { "is stuck in" } else { "stays in" };
        parts.push(format!("{kept} `{}`", rest.place));
    }
    if parts.is_empty() {
        parts.push("does not arrive".to_owned());
    }
    parts.join("; ")
}

fn ms(us: u64) -> f64 {
    us as f64 / 1000.0
}
