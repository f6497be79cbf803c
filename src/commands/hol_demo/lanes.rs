//! The lanes of the demo: ways of delaying, and the messages that each gets.

use crate::copy::Copy;
use crate::duration::Millis;
use crate::exit::{Exit, Failure};
use crate::message::Route;
use crate::objects::{Objects, Queue, argument};
use crate::render::lanes::{Lane, Track, how};
use crate::strategy::{
    Delay, DelayedExchange, Ladder, PerMessageTtl, Rounding, Strategy, Target, Tier, Tiers,
};
use crate::topology::Topology;

/// A lane, and how its messages travel.
pub struct Entry {
    /// The way of delaying.
    pub delay: Delay,
    /// Each message's route in the original topology, in the order of sending.
    pub routes: Vec<Route>,
    /// Where they arrive in the original topology.
    pub queues: Vec<String>,
    /// What is shown.
    pub lane: Lane,
}

impl Entry {
    /// Whether all its messages stand in one first-in-first-out queue, each with its own TTL.
    pub fn is_one_queue(&self) -> bool {
        matches!(self.delay.strategy, Strategy::PerMessageTtl(_))
    }

    /// Where they arrive in the copy.
    pub fn copied_queues(&self, copy: &Copy) -> Vec<String> {
        self.queues.iter().map(|name| copy.name(name)).collect()
    }

    /// Whether the copy of this lane needs an exchange of this name.
    pub fn uses(&self, copy: &Copy, exchange: &str) -> bool {
        self.routes.iter().any(|route| copy.name(&route.exchange) == exchange)
    }
}

/// The demo's own lanes: the blocked queue and its mends.
///
/// # Errors
/// [`Failure`] when there is no delay, or one that cannot be shown.
pub fn built_in(delays: &[Millis]) -> Result<Vec<Entry>, Failure> {
    let mut rising = delays.to_vec();
    rising.sort();
    let mut tiers: Vec<_> = delays.to_vec();
    tiers.sort();
    tiers.dedup();
    let tiers = tiers.into_iter().map(|delay| Tier { delay, queue: None }).collect();
    let ways = [
        ("blocked", Strategy::PerMessageTtl(PerMessageTtl::default()), delays),
        ("tiers", Strategy::Tiers(Tiers::of(tiers)), delays),
        ("ladder", Strategy::Ladder(ladder(delays)), delays),
        ("rising", Strategy::PerMessageTtl(PerMessageTtl::default()), &rising),
        ("plugin", Strategy::DelayedExchange(DelayedExchange::default()), delays),
    ];
    let entries = ways.into_iter().map(|(name, strategy, delays)| {
        let queue = format!("{name}.done");
        let target = Target::Queue(queue.clone());
        let delay = Delay { name: name.to_owned(), target, strategy };
        if let Some((_, problem)) = delay.problems().into_iter().next() {
            return Err(Failure::new(Exit::Usage, problem));
        }
        let how = match name {
            "rising" => "one queue, per-message TTL, delays that never decrease",
            _ => how(delay.strategy.key()),
        };
        Ok(entry(delay, how, vec![queue], delays))
    });
    entries.collect()
}

/// A ladder just high enough, in steps of a second if that is fine enough.
fn ladder(delays: &[Millis]) -> Ladder {
    let whole_seconds = delays.iter().all(|delay| delay.0.is_multiple_of(1000));
    Ladder {
        resolution: Some(Millis(if whole_seconds { 1000 } else { 1 })),
        max: delays.iter().max().copied(),
        ..Ladder::default()
    }
}

/// A lane for each delay of a file.
///
/// # Errors
/// [`Failure`] when the file has none, or none that can do the delays asked for.
pub fn of_file(topology: &Topology, delays: &[Millis]) -> Result<Vec<Entry>, Failure> {
    if topology.delays.is_empty() {
        return Err(Failure::new(Exit::Usage, "the file offers no delay to show")
            .hint("add a `delays` section to it"));
    }
    let entries = topology.delays.values().map(|delay| {
        let queues = crate::commands::pick::queues_of(topology, delay);
        let queues = queues.into_iter().map(str::to_owned).collect();
        entry(delay.clone(), how(delay.strategy.key()), queues, delays)
    });
    let entries: Vec<_> = entries.collect();
    let reasons: Option<Vec<_>> = entries.iter().map(|entry| entry.lane.skipped.clone()).collect();
    match reasons {
        // None of them can do it, so there is nothing to show.
        Some(reasons) => Err(Failure::new(Exit::Usage, reasons.join("; "))
            .hint("choose other delays with `--delays`; they are multiplied by `--scale` later")),
        None => Ok(entries),
    }
}

/// The objects of the demo's own lanes.
///
/// # Errors
/// Never for lanes of [`built_in`], whose names differ.
pub fn objects(entries: &[Entry]) -> anyhow::Result<Objects> {
    let mut objects = Objects::default();
    for entry in entries {
        for queue in &entry.queues {
            let quorum = Queue::default().with(argument::QUEUE_TYPE, "quorum");
            objects.add_queue(queue, quorum)?;
        }
        objects.merge(entry.delay.compile()?);
    }
    Ok(objects)
}

fn entry(delay: Delay, how: &str, queues: Vec<String>, delays: &[Millis]) -> Entry {
    let mut lane =
        Lane { name: delay.name.clone(), how: how.to_owned(), skipped: None, messages: Vec::new() };
    let mut routes = Vec::new();
    for asked in delays {
        match delay.route(*asked, Rounding::Up) {
            Ok(route) => routes.push(route),
            Err(error) => lane.skipped = Some(error.to_string()),
        }
    }
    Entry { delay, routes, queues, lane }
}

/// What is sent, in words: `30s, 5s, 10s, all times multiplied by 0.1`.
pub fn in_words(entries: &[Entry], copy: &Copy) -> String {
    let first = entries.iter().find(|entry| entry.lane.skipped.is_none());
    let delays = first.map(|entry| {
        let all = entry.routes.iter().map(|route| Millis(route.delay_ms).to_string());
        all.collect::<Vec<_>>().join(", ")
    });
    format!("{}; all times multiplied by {}", delays.unwrap_or_default(), copy.scale)
}

/// The longest delay of the copy.
pub fn longest(entries: &[Entry], copy: &Copy) -> Millis {
    let shown = entries.iter().filter(|entry| entry.lane.skipped.is_none());
    let times = shown.flat_map(|entry| &entry.routes).map(|route| copy.time(route.delay_ms));
    Millis(times.max().unwrap_or_default())
}

/// The track of a message that was just sent, `sent_ms` after the start of the demo.
pub fn track(index: usize, route: &Route, copied: &Route, sent_ms: f64) -> Track {
    Track::new(index, Millis(route.delay_ms), sent_ms, sent_ms + copied.delay_ms as f64)
}

/// Notes for each message which one before it, in the same queue, is due later.
pub fn mark_blocked(entries: &mut [Entry]) {
    for entry in entries {
        let one_queue = entry.is_one_queue();
        entry.lane.mark_blocked(one_queue);
    }
}
