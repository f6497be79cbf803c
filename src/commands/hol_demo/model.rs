//! The same run in virtual time.

use super::lanes::{self, Entry};
use crate::copy::Copy;
use crate::forecast::{Scene, Traveller, foresee};
use crate::objects::Objects;
use crate::simulate::Profile;
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

/// Fills in what becomes of each message by the model, sent when it was sent.
pub fn fill(objects: &Objects, profile: Profile, copy: &Copy, entries: &mut [Entry]) {
    let queues: Vec<Vec<_>> = entries.iter().map(|entry| entry.copied_queues(copy)).collect();
    let mut sends = Vec::new();
    for (lane, entry) in entries.iter().enumerate() {
        for (index, track) in entry.lane.messages.iter().enumerate() {
            let sent_us = (track.sent_ms * 1000.0) as u64;
            let route = copy.route(&entry.routes[index]);
            sends.push((lane, index, Traveller { sent_us, route, targets: &queues[lane] }));
        }
    }
    sends.sort_by_key(|(.., traveller)| traveller.sent_us);
    let travellers: Vec<_> = sends.iter().map(|(.., traveller)| traveller.clone()).collect();
    let all = queues.iter().flatten().map(String::as_str);
    let fates = foresee(&Scene::drained(objects, profile, all), &travellers);
    for ((lane, index, _), fate) in sends.iter().zip(&fates) {
        entries[*lane].lane.messages[*index].foresee(fate);
    }
}
