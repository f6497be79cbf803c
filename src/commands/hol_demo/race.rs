//! The run itself: every message sent, and watched until it arrives.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use tokio::time::Instant;

use super::super::Shell;
use super::lanes::{self, Entry};
use crate::broker::{Broker, Consumer, Limits, Publisher};
use crate::copy::Copy;
use crate::message::{Delivered, Outgoing};
use crate::output::Bars;

/// After the last message is due (and a blocked one at the latest), one that has not come by then
/// will not come.
const GRACE: Duration = Duration::from_secs(10);
/// How often the live progress is drawn.
const FRAME: Duration = Duration::from_millis(50);
/// Unacknowledged messages per queue.
const PREFETCH: u16 = 100;

/// Sends every lane's messages and fills in when each was seen.
pub async fn run(
    broker: &mut Broker,
    copy: &Copy,
    entries: &mut [Entry],
    shell: &Shell,
) -> anyhow::Result<()> {
    let queues: HashSet<_> = running(entries).flat_map(|entry| entry.queues.iter()).collect();
    let queues: Vec<_> = queues.into_iter().map(|name| copy.name(name)).collect();
    if queues.is_empty() {
        return Ok(());
    }
    let mut consumer = Consumer::open(broker, &queues, PREFETCH).await?;
    let messages: usize = running(entries).map(|entry| entry.routes.len()).sum();
    shell.output.say(&format!("sending {messages} messages"));
    let clock = Clock::start();
    let mut result = send(broker, copy, entries, clock, shell).await;
    if result.is_ok() {
        let longest = lanes::longest(entries, copy);
        shell.output.say(&format!("waiting for them: the last is due in {longest}"));
        result = watch(&mut consumer, entries, clock, shell).await;
    }
    consumer.close().await;
    result
}

fn running(entries: &[Entry]) -> impl Iterator<Item = &Entry> {
    entries.iter().filter(|entry| entry.lane.skipped.is_none())
}

/// The demo's one clock. Deliveries are stamped by the wall clock, so both are read at its start.
#[derive(Clone, Copy)]
struct Clock {
    start: Instant,
    start_us: u64,
}

impl Clock {
    fn start() -> Self {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let start_us = u64::try_from(now.unwrap_or_default().as_micros()).unwrap_or_default();
        Clock { start: Instant::now(), start_us }
    }

    fn now_ms(self) -> f64 {
        self.start.elapsed().as_secs_f64() * 1000.0
    }

    fn seen_ms(self, delivered: &Delivered) -> f64 {
        delivered.seen_at_us.saturating_sub(self.start_us) as f64 / 1000.0
    }
}

/// Sends the first message of every lane, then the second, and so on.
async fn send(
    broker: &Broker,
    copy: &Copy,
    entries: &mut [Entry],
    clock: Clock,
    shell: &Shell,
) -> anyhow::Result<()> {
    let mut publisher = Publisher::open(broker, Limits::default()).await?;
    let rounds = running(entries).map(|entry| entry.routes.len()).max().unwrap_or_default();
    for round in 0..rounds {
        for (number, entry) in entries.iter_mut().enumerate() {
            if entry.lane.skipped.is_some() {
                continue;
            }
            let Some(original) = entry.routes.get(round) else { continue };
            let route = copy.route(original);
            let track = lanes::track(round, original, &route, clock.now_ms());
            let message = Outgoing {
                body: track.label.clone().into_bytes(),
                message_id: id(number, round),
                persistent: true,
                ..Outgoing::default()
            };
            shell.interrupt.or(publisher.publish(&route, message)).await??;
            entry.lane.messages.push(track);
        }
    }
    let finished = publisher.finish().await;
    finished.error.map_or(Ok(()), Err)?;
    Ok(())
}

fn id(lane: usize, message: usize) -> String {
    format!("{lane}/{message}")
}

/// Receives until every message is there, or can no longer be expected.
async fn watch(
    consumer: &mut Consumer,
    entries: &mut [Entry],
    clock: Clock,
    shell: &Shell,
) -> anyhow::Result<()> {
    let mut open = HashMap::new();
    for (lane, entry) in entries.iter().enumerate() {
        open.extend((0..entry.lane.messages.len()).map(|index| (id(lane, index), (lane, index))));
    }
    let tracks = entries.iter().flat_map(|entry| &entry.lane.messages);
    let last = tracks.map(|track| track.expected_ms).fold(0.0, f64::max);
    let end = clock.start + Duration::from_secs_f64(last / 1000.0) + GRACE;
    let bars = Bars::new(&shell.output, entries.iter().map(|entry| &entry.lane));
    let mut frames = tokio::time::interval(FRAME);
    while !open.is_empty() {
        tokio::select! {
            received = consumer.next() => {
                let (delivered, token) = received?;
                consumer.ack(token)?;
                let id = delivered.message_id.as_deref().unwrap_or_default();
                let Some((lane, index)) = open.remove(id) else { continue };
                let track = &mut entries[lane].lane.messages[index];
                track.observed_ms = Some(clock.seen_ms(&delivered));
                bars.arrived(lane, index, track);
            }
            _ = frames.tick() => bars.tick(clock.now_ms()),
            () = tokio::time::sleep_until(end) => break,
            () = shell.interrupt.wait() => return Err(super::super::interrupt::Interrupted.into()),
        }
    }
    bars.finish();
    Ok(())
}
