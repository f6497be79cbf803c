//! The same run in virtual time.

use super::lanes::{self, Entry};
use crate::copy::Copy;
use crate::objects::Objects;
use crate::simulate::{Profile, Sending, journeys};
use crate::version::Version;

/// The broker that is modelled when none is asked: the last that can have the plugin, so that
/// every lane has something to show.
pub fn any_broker() -> Profile {
    Profile::version(4, 0).with_plugin()
}

/// The model of a broker of this version.
pub fn profile(version: &str) -> Profile {
    let version: Version = version.parse().unwrap_or_default();
    crate::commands::profile_of(version).with_plugin()
}

/// Makes the messages of every lane, as if all were sent at the start.
pub fn send_at_once(copy: &Copy, entries: &mut [Entry]) {
    for entry in entries {
        if entry.lane.skipped.is_some() {
            continue;
        }
        let routes = entry.routes.iter().enumerate();
        let tracks = routes.map(|(index, it)| lanes::track(index, it, &copy.route(it), 0.0));
        entry.lane.messages = tracks.collect();
        entry.lane.skipped = Some("no broker was asked".to_owned());
    }
}

/// Fills in when each message arrives by the model, sent when it was sent.
pub fn fill(objects: &Objects, profile: Profile, copy: &Copy, entries: &mut [Entry]) {
    let mut sends = Vec::new();
    for (lane, entry) in entries.iter().enumerate() {
        for (index, track) in entry.lane.messages.iter().enumerate() {
            let at_us = (track.sent_ms * 1000.0) as u64;
            sends.push((at_us, lane, index, copy.route(&entry.routes[index])));
        }
    }
    sends.sort_by_key(|(at_us, ..)| *at_us);
    let sendings = sends.iter().map(|(at_us, _, _, route)| Sending::by(route, *at_us));
    let journeys = journeys(objects, profile, sendings, [], u64::MAX);
    for ((_, lane, index, _), journey) in sends.iter().zip(&journeys) {
        let entry = &mut entries[*lane];
        let queues = entry.queues.iter().map(|name| copy.name(name));
        let arrived = queues.flat_map(|queue| journey.arrivals(&queue)).min();
        entry.lane.messages[*index].simulated_ms = arrived.map(|us| us as f64 / 1000.0);
    }
}
