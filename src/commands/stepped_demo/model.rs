//! The same in virtual time: what arrives is what makes the consumer publish again.

use super::Track;
use crate::duration::Millis;
use crate::forecast::Scene;
use crate::objects::Objects;
use crate::simulate::{Profile, Sending, What};
use crate::stepped::{Book, Verdict};
use crate::strategy::{CannotDelay, Rounding};
use crate::timing::{Lateness, Precision};

/// A message under way: its order, how long it waits, and when it is due.
struct UnderWay {
    order: usize,
    wait: Millis,
    due_us: u64,
}

/// Lets time pass until nothing happens any more.
pub fn run(
    objects: &Objects,
    profile: Profile,
    track: &Track<'_>,
    book: &mut Book,
) -> Result<(), CannotDelay> {
    let queues: Vec<_> = track.queues.iter().map(|name| track.copy.name(name)).collect();
    let scene = Scene::drained(objects, profile, queues.iter().map(String::as_str));
    let mut simulation = scene.simulation();
    let (mut sends, mut all) = (Vec::new(), Vec::<UnderWay>::new());
    let publish = |order, wait, now_us, sends: &mut Vec<Sending>, all: &mut Vec<UnderWay>| {
        let route = track.delay.route(wait, Rounding::Up)?;
        let copied = track.copy.route(&route);
        let due_us = now_us + copied.delay_ms * 1000;
        all.push(UnderWay { order, wait: Millis(route.delay_ms), due_us });
        sends.push(Sending::by(&copied, now_us));
        Ok(())
    };
    let first = track.steps.next(Millis(0), None).unwrap_or_default();
    for order in 0..book.len() {
        publish(order, first, 0, &mut sends, &mut all)?;
    }
    let mut until_us = 0;
    loop {
        let mut arrived = Vec::new();
        simulation.run(std::mem::take(&mut sends), until_us, |step| {
            if let What::Entered { queue } = step.what
                && queues.iter().any(|name| name == queue)
            {
                arrived.push((step.message.id(), step.at_us));
            }
        });
        for (id, at_us) in arrived {
            let Some(it) = usize::try_from(id).ok().and_then(|id| all.get(id)) else { continue };
            let late = i64::try_from(at_us).unwrap_or(i64::MAX)
                - i64::try_from(it.due_us).unwrap_or(i64::MAX);
            let lateness = Lateness { us: late, precision: Precision::Exact };
            let (order, wait) = (it.order, it.wait);
            let age = track.age(at_us);
            if let Some(Verdict::Again(next)) = book.check(order, age, wait, Some(lateness)) {
                publish(order, next, at_us, &mut sends, &mut all)?;
            }
        }
        match simulation.next_us() {
            _ if !sends.is_empty() => {}
            Some(next_us) => until_us = next_us,
            None => return Ok(()),
        }
    }
}
