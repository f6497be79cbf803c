//! The run itself: publisher and consumer in one.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::Track;
use crate::broker::{Broker, Consumer, Limits, Publisher, Token};
use crate::commands::{Shell, interrupt::Interrupted};
use crate::duration::Millis;
use crate::message::{Delivered, Outgoing};
use crate::stepped::{Book, Verdict};
use crate::strategy::Rounding;
use crate::timing::{self, Ttls};

/// When nothing has come for so much longer than any message waits, none will.
const GRACE: Duration = Duration::from_secs(10);
/// Unacknowledged messages per queue.
const PREFETCH: u16 = 250;

/// What a message carries.
#[derive(Debug, Serialize, Deserialize)]
struct Body {
    order: usize,
    /// Microseconds since the Unix epoch.
    placed_at_us: u64,
    /// How long it waits this time, before the demo's scale.
    waits: u64,
}

/// Places the orders, and checks each until it is settled.
pub async fn run(
    broker: &Broker,
    track: &Track<'_>,
    book: &mut Book,
    shell: &Shell,
) -> anyhow::Result<()> {
    let queues: Vec<_> = track.queues.iter().map(|name| track.copy.name(name)).collect();
    let mut consumer = Consumer::open(broker, &queues, PREFETCH).await?;
    let mut publisher = Publisher::open(broker, Limits::default()).await?;
    let result = shell.interrupt.or(check_all(&mut consumer, &mut publisher, track, book)).await;
    consumer.close().await;
    let finished = publisher.finish().await;
    match result {
        Err(Interrupted) => Err(Interrupted.into()),
        // Why publishing stopped is known at its end.
        Ok(Err(error)) => Err(finished.error.map_or(error, Into::into)),
        Ok(Ok(())) => Ok(()),
    }
}

async fn check_all(
    consumer: &mut Consumer,
    publisher: &mut Publisher,
    track: &Track<'_>,
    book: &mut Book,
) -> anyhow::Result<()> {
    let first = track.steps.next(Millis(0), None).unwrap_or_default();
    for order in 0..book.len() {
        let placed_at_us = now_us();
        publish(publisher, track, Body { order, placed_at_us, waits: first.0 }).await?;
    }
    let longest = track.steps.checks().into_iter().map(|check| check.wait.0).max();
    let patience = Millis(track.copy.time(longest.unwrap_or_default())).duration() + GRACE;
    while book.open() > 0 {
        let Ok(received) = tokio::time::timeout(patience, consumer.next()).await else { break };
        let mut last = handle(received?, publisher, track, book).await?;
        while consumer.has_more() {
            last = handle(consumer.next().await?, publisher, track, book).await?;
        }
        // Whoever acknowledges before the confirm can lose the order.
        let tally = publisher.settled().await?;
        anyhow::ensure!(tally.is_good(), "the broker did not take every message: {tally:?}");
        consumer.ack_up_to(last)?;
    }
    Ok(())
}

/// Looks at the order, and sends its message on if it is to be looked at again.
async fn handle(
    (delivered, token): (Delivered, Token),
    publisher: &mut Publisher,
    track: &Track<'_>,
    book: &mut Book,
) -> anyhow::Result<Token> {
    let Ok(body) = serde_json::from_slice::<Body>(&delivered.body) else { return Ok(token) };
    let age = track.age(delivered.seen_at_us.saturating_sub(body.placed_at_us));
    let lateness = timing::measure(&delivered, &Ttls::default()).lateness.ok();
    let waited = Millis(body.waits);
    if let Some(Verdict::Again(next)) = book.check(body.order, age, waited, lateness) {
        publish(publisher, track, Body { waits: next.0, ..body }).await?;
    }
    Ok(token)
}

/// Sends the message by a route that takes at least as long as the body says, and notes there how
/// long.
async fn publish(publisher: &mut Publisher, track: &Track<'_>, body: Body) -> anyhow::Result<()> {
    let route = track.delay.route(Millis(body.waits), Rounding::Up)?;
    let body = Body { waits: route.delay_ms, ..body };
    let message = Outgoing {
        message_id: format!("order {}", body.order),
        body: serde_json::to_vec(&body)?,
        content_type: Some("application/json".to_owned()),
        persistent: true,
        ..Outgoing::default()
    };
    Ok(publisher.publish(&track.copy.route(&route), message).await?)
}

fn now_us() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    u64::try_from(now.unwrap_or_default().as_micros()).unwrap_or_default()
}
