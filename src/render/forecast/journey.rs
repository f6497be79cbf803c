//! Journeys: a line for each move, and how it ends.

use crate::forecast::{Fate, loss_in_words};
use crate::render::escape::escape;
use crate::render::lanes::{Lane, Track, clock};
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
    lines.push(format!("    {}", escape(&outcome(fate))));
    lines
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
    format!("→ {}", parts.join("; "))
}

fn ms(us: u64) -> f64 {
    us as f64 / 1000.0
}
