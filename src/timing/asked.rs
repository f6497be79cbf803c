//! The delay that a message was to have.

use std::fmt;

use serde::{Serialize, Serializer};

use super::{Ttls, Unmeasurable, number};
use crate::message::{DELAY_HEADER, Death, Delivered, PLUGIN_DELAY_HEADER};

/// The longest `x-delay` that the delayed-message plugin keeps; beyond it, it does not delay.
const PLUGIN_DELAY_MAX_MS: u128 = 4_294_967_295;

/// A delay that was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The delay, in milliseconds.
    pub ms: u64,
    /// How it is known.
    pub from: AskedFrom,
}

/// How the delay that was asked for is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AskedFrom {
    /// delayctl's own header.
    Delayctl,
    /// The plugin's header.
    Plugin,
    /// The TTLs of the waits that `x-death` records.
    Deaths,
    /// Both: it came through the plugin, and then waited in queues.
    PluginAndDeaths,
}

impl fmt::Display for AskedFrom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AskedFrom::Delayctl => f.write_str(DELAY_HEADER),
            AskedFrom::Plugin => f.write_str(PLUGIN_DELAY_HEADER),
            AskedFrom::Deaths => f.write_str("x-death"),
            AskedFrom::PluginAndDeaths => write!(f, "{PLUGIN_DELAY_HEADER} and x-death"),
        }
    }
}

impl Serialize for AskedFrom {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

pub(super) fn asked(message: &Delivered, ttls: &Ttls) -> Result<Asked, Unmeasurable> {
    let own = message.headers.get(DELAY_HEADER).and_then(number);
    if let Some(ms) = own.and_then(|ms| u64::try_from(ms).ok()) {
        return Ok(Asked { ms, from: AskedFrom::Delayctl });
    }
    let plugin = message.headers.get(PLUGIN_DELAY_HEADER);
    let plugin = plugin.map(|value| plugin_delay(number(value)));
    match (plugin, waits(&message.deaths, ttls)?) {
        (Some(ms), None) => Ok(Asked { ms, from: AskedFrom::Plugin }),
        (None, Some(ms)) => Ok(Asked { ms, from: AskedFrom::Deaths }),
        (Some(plugin), Some(waits)) => {
            let ms = plugin.saturating_add(waits);
            Ok(Asked { ms, from: AskedFrom::PluginAndDeaths })
        }
        (None, None) => Err(Unmeasurable::NoDelay),
    }
}

/// The delay that the plugin gave. RabbitMQ 3.10 delivers `x-delay` as it was sent, 4.0 delivers
/// it negated, so the sign says nothing; a value that the plugin does not delay by means none.
fn plugin_delay(header: Option<i128>) -> u64 {
    let ms = header.map_or(0, i128::unsigned_abs);
    if ms > PLUGIN_DELAY_MAX_MS { 0 } else { u64::try_from(ms).unwrap_or(0) }
}

/// The sum of the waits that the dead letters' history tells; `None`: it tells of none.
fn waits(deaths: &[Death], ttls: &Ttls) -> Result<Option<u64>, Unmeasurable> {
    let mut sum: Option<u64> = None;
    for death in deaths {
        if let Some(ms) = wait(death, ttls)? {
            sum = Some(sum.unwrap_or(0).saturating_add(ms));
        }
    }
    Ok(sum)
}

/// The time that a message was to spend in a queue, as often as it went through. A message that
/// left a waiting queue because the queue was full was to wait there as well: it comes early.
fn wait(death: &Death, ttls: &Ttls) -> Result<Option<u64>, Unmeasurable> {
    let ttl = ttls.get(&death.queue).copied();
    let waiting = match death.reason.as_str() {
        "expired" => true,
        "maxlen" => ttl.is_some(),
        _ => false,
    };
    if !waiting {
        return Ok(None);
    }
    let unknown = || Unmeasurable::NoTtl { queue: death.queue.clone() };
    // Dead-lettering removes the `expiration`, so it counts for the first time only.
    let expiration = death.original_expiration_ms;
    let first = [expiration, ttl].into_iter().flatten().min().ok_or_else(unknown)?;
    let again = match death.count.saturating_sub(1) {
        0 => 0,
        times => ttl.ok_or_else(unknown)?.saturating_mul(times),
    };
    Ok(Some(first.saturating_add(again)))
}
