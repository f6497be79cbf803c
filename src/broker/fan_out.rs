//! Many calls on many channels at once.
//!
//! A broker answers one channel's calls in order, so speed comes from several channels. A refusal
//! costs the channel, and sometimes (see [`Fault`]) the whole connection, with every call that was
//! under way on the others. Those are then made again one at a time on a new connection: the call
//! to blame is the one that also fails alone.

use std::collections::VecDeque;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use lapin::Channel;

use super::connection::Broker;
use super::error::BrokerError;
use super::fault::Fault;

/// Channels at once. Declaring on 32 is three times as fast as on one; more are no faster.
const WIDTH: usize = 32;

/// Makes `call` for every item and hands each result to `done`, in any order.
///
/// Returns the items for which nothing is known, with the reason, when the connection is lost and
/// cannot be opened again. The calls must be harmless to repeat.
pub(super) async fn fan_out<I, T>(
    broker: &mut Broker,
    items: impl IntoIterator<Item = I>,
    call: impl AsyncFn(&Channel, &I) -> Result<T, Fault>,
    mut done: impl FnMut(I, Result<T, BrokerError>),
) -> Result<(), Stranded<I>> {
    let mut waiting: VecDeque<I> = items.into_iter().collect();
    loop {
        let suspects = together(broker, &mut waiting, &call, &mut done).await?;
        if suspects.is_empty() {
            return Ok(());
        }
        alone(broker, suspects, &mut waiting, &call, &mut done).await?;
    }
}

/// The items that a lost connection left undone.
pub(super) struct Stranded<I> {
    /// Why the connection cannot be opened again.
    pub reason: BrokerError,
    /// The items, none of which is known to have been done.
    pub items: Vec<I>,
}

/// Runs as many calls at once as there are channels, until all are done or the connection is
/// gone. Returns the calls that were under way then.
async fn together<I, T>(
    broker: &mut Broker,
    waiting: &mut VecDeque<I>,
    call: &impl AsyncFn(&Channel, &I) -> Result<T, Fault>,
    done: &mut impl FnMut(I, Result<T, BrokerError>),
) -> Result<Vec<I>, Stranded<I>> {
    let mut idle: Vec<Channel> = Vec::new();
    let mut running = FuturesUnordered::new();
    let mut suspects = Vec::new();
    loop {
        while suspects.is_empty() && running.len() < WIDTH && !waiting.is_empty() {
            let channel = match idle.pop() {
                Some(channel) => channel,
                None if running.is_empty() => match broker.channel_again().await {
                    Ok(channel) => channel,
                    Err(reason) => return Err(strand(reason, suspects, waiting)),
                },
                // With calls under way the connection must not be replaced.
                None => match broker.channel().await {
                    Ok(channel) => channel,
                    Err(_) => break,
                },
            };
            let Some(item) = waiting.pop_front() else { break };
            running.push(async move {
                let result = call(&channel, &item).await;
                (channel, item, result)
            });
        }
        let Some((channel, item, result)) = running.next().await else { return Ok(suspects) };
        match result {
            Err(fault) if fault.connection_gone => suspects.push(item),
            Err(fault) => done(item, Err(fault.error)),
            Ok(value) => done(item, Ok(value)),
        }
        // A refused call has closed its channel.
        if channel.status().connected() {
            idle.push(channel);
        }
    }
}

/// Makes each call with nothing beside it, so that a connection lost is lost to this call.
async fn alone<I, T>(
    broker: &mut Broker,
    suspects: Vec<I>,
    waiting: &mut VecDeque<I>,
    call: &impl AsyncFn(&Channel, &I) -> Result<T, Fault>,
    done: &mut impl FnMut(I, Result<T, BrokerError>),
) -> Result<(), Stranded<I>> {
    let mut suspects = VecDeque::from(suspects);
    while let Some(item) = suspects.pop_front() {
        match broker.channel_again().await {
            Ok(channel) => {
                let result = call(&channel, &item).await;
                done(item, result.map_err(|fault| fault.error));
            }
            Err(reason) => {
                suspects.push_front(item);
                return Err(strand(reason, suspects.into(), waiting));
            }
        }
    }
    Ok(())
}

fn strand<I>(reason: BrokerError, suspects: Vec<I>, waiting: &mut VecDeque<I>) -> Stranded<I> {
    let mut items = suspects;
    items.extend(waiting.drain(..));
    Stranded { reason, items }
}
