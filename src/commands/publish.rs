//! `publish`: messages that arrive later.

use std::collections::BTreeMap;
use std::time::Duration;

use indicatif::ProgressBar;
use serde::Serialize;
use tokio::time::Instant;

use super::{Shell, load, pick};
use crate::broker::{Finished, Limits, Publisher, Tally};
use crate::cli::{Format, Publish};
use crate::duration::Millis;
use crate::exit::Exit;
use crate::message::{Outgoing, Route};
use crate::objects::Value;
use crate::render::escape::escape;
use crate::strategy::{Delay, Rounding};

mod bodies;
mod check;

use bodies::Bodies;

pub async fn run(args: Publish, shell: &Shell) -> anyhow::Result<Exit> {
    let topology = load::topology(&args.file)?;
    let delay = pick::delay(&topology, args.name.as_deref())?;
    let routes = routes(delay, &args)?;
    let mut bodies = Bodies::open(&args)?;
    let mut broker = shell.connect(Some(&topology)).await?;
    let checked = check::run(&mut broker, &topology, delay, &routes, shell);
    shell.interrupt.or(checked).await??;
    let mut publisher = Publisher::open(&broker, Limits::default()).await?;
    let total = bodies.len().map(|bodies| bodies * routes.len() as u64);
    let bar = shell.output.progress(total, "publishing");
    let ended = send(&args, &routes, &mut bodies, &mut publisher, &bar, shell).await;
    let finished = publisher.finish().await;
    bar.finish_and_clear();
    broker.close().await;
    report(&finished, shell)?;
    // Of two errors the publisher's own is the cause, and the other says only that it stopped.
    finished.error.map_or(Ok(()), Err)?;
    ended?;
    Ok(Exit::yes(finished.tally.is_good()))
}

/// The routes of all the delays asked for, before anything is sent.
fn routes(delay: &Delay, args: &Publish) -> anyhow::Result<Vec<Route>> {
    let rounding = if args.round.is_some() { Rounding::Up } else { Rounding::Exact };
    let mut routes = Vec::new();
    for asked in &args.delay {
        let mut route = delay.route(*asked, rounding)?;
        if let Some(Millis(ttl)) = args.expiration {
            // Of two TTLs the smaller counts, so a message never waits longer than its own.
            route.expiration = Some(route.expiration.map_or(ttl, |own| own.min(ttl)));
            route.delay_ms = route.delay_ms.min(ttl);
        }
        routes.push(route);
    }
    Ok(routes)
}

/// Sends everything, until the bodies end, Ctrl-C comes, or the broker is lost.
async fn send(
    args: &Publish,
    routes: &[Route],
    bodies: &mut Bodies,
    publisher: &mut Publisher,
    bar: &ProgressBar,
    shell: &Shell,
) -> anyhow::Result<()> {
    let run = run_id();
    let mut pace = Pace::new(args.rate);
    let mut number = 0;
    while let Some(body) = shell.interrupt.or(bodies.next()).await? {
        let body = body?;
        for route in routes {
            number += 1;
            shell.interrupt.or(pace.wait()).await?;
            let message = outgoing(args, route, body.as_deref(), &run, number);
            shell.interrupt.or(publisher.publish(route, message)).await??;
            let tally = publisher.tally();
            bar.set_position(tally.sent - tally.outstanding());
        }
    }
    Ok(())
}

fn outgoing(
    args: &Publish,
    route: &Route,
    body: Option<&[u8]>,
    run: &str,
    number: u64,
) -> Outgoing {
    let default = || format!("message {number}, delay {}", Millis(route.delay_ms)).into_bytes();
    let headers: BTreeMap<String, Value> = args.headers.iter().cloned().collect();
    Outgoing {
        body: body.map_or_else(default, <[u8]>::to_vec),
        message_id: args.message_id.clone().unwrap_or_else(|| format!("{run}-{number}")),
        content_type: args.content_type.clone(),
        priority: args.priority,
        persistent: !args.transient,
        headers,
    }
}

/// A part of message ids that no other run has: the time and the process.
fn run_id() -> String {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let micros = now.unwrap_or_default().as_micros();
    format!("{micros:x}-{:x}", std::process::id())
}

/// Keeps to a rate by the clock, so that a short stall is made up for.
struct Pace {
    start: Instant,
    sent: u64,
    per_second: Option<f64>,
}

impl Pace {
    fn new(per_second: Option<f64>) -> Self {
        Pace { start: Instant::now(), sent: 0, per_second }
    }

    async fn wait(&mut self) {
        let Some(rate) = self.per_second else { return };
        let due = Duration::try_from_secs_f64(self.sent as f64 / rate).unwrap_or(Duration::MAX);
        self.sent += 1;
        match self.start.checked_add(due) {
            Some(moment) => tokio::time::sleep_until(moment).await,
            None => std::future::pending().await,
        }
    }
}

#[derive(Serialize)]
struct Counts {
    sent: u64,
    confirmed: u64,
    returned: u64,
    refused: u64,
    unknown: u64,
}

impl From<Tally> for Counts {
    fn from(tally: Tally) -> Self {
        let Tally { sent, confirmed, returned, refused, unknown } = tally;
        Counts { sent, confirmed, returned, refused, unknown }
    }
}

fn report(finished: &Finished, shell: &Shell) -> anyhow::Result<()> {
    if let Some(first) = &finished.first_returned {
        let id = first.message_id.as_deref().unwrap_or("without id");
        shell.output.warn(&format!(
            "message {} came back from exchange `{}`, key `{}`: `{}`",
            escape(id),
            escape(&first.exchange),
            escape(&first.routing_key),
            escape(&first.words)
        ));
    }
    let counts = Counts::from(finished.tally);
    match shell.output.format {
        Format::Json => shell.output.json(&counts),
        _ => shell.output.data(&format!(
            "{} sent: {} confirmed, {} returned, {} refused, {} unknown",
            counts.sent, counts.confirmed, counts.returned, counts.refused, counts.unknown
        )),
    }
}
