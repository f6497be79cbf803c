//! The run that follows each of a few messages.

use std::collections::HashSet;

use super::fate::{Arrival, Fate, Lost, Move, Rest};
use super::scene::Scene;
use super::words;
use crate::message::Route;
use crate::simulate::{Answer, Loss, Sending, Step, What};

/// Moves kept for each message: more than any path has that does not go round in circles.
const MOVES_MAX: usize = 1000;
/// Steps that a run takes for each message once all are due, before it is said to go on for ever.
const STEPS_PER_MESSAGE: u64 = 2000;
/// No run takes more steps than this.
const STEPS_MAX: u64 = 20_000_000;

/// A message to follow.
#[derive(Clone, Debug)]
pub struct Traveller<'t> {
    /// When it is sent, in microseconds.
    pub sent_us: u64,
    /// How it is sent.
    pub route: Route,
    /// The queues that it is meant for.
    pub targets: &'t [String],
}

/// What becomes of each of these messages, which are in the order of their sending. Time passes
/// until nothing happens any more, or the same things happen over and over.
pub fn foresee(scene: &Scene<'_>, travellers: &[Traveller<'_>]) -> Vec<Fate> {
    let mut followers: Vec<_> = travellers.iter().map(|it| Follower::new(scene, it)).collect();
    let mut simulation = scene.simulation();
    let sends = travellers.iter().map(|it| Sending::by(&it.route, it.sent_us));
    let (mut sends, mut steps) = (Some(sends), 0);
    let mut until_us = travellers.last().map_or(0, |it| it.sent_us);
    let due_us = followers.iter().map(|it| it.fate.due_us).max().unwrap_or_default();
    let enough = STEPS_PER_MESSAGE.saturating_mul(travellers.len() as u64);
    loop {
        simulation.run(sends.take().into_iter().flatten(), until_us, |step| {
            steps += 1;
            let index = usize::try_from(step.message.id()).unwrap_or(usize::MAX);
            if let Some(follower) = followers.get_mut(index) {
                follower.note(step);
            }
        });
        match simulation.next_us() {
            Some(next_us) if steps < enough || (next_us <= due_us && steps < STEPS_MAX) => {
                until_us = next_us;
            }
            next => return followers.into_iter().map(|it| it.end(next.is_some())).collect(),
        }
    }
}

/// Gathers the steps of one message.
struct Follower<'f, 'a> {
    scene: &'f Scene<'a>,
    traveller: &'f Traveller<'f>,
    fate: Fate,
    last: Option<What<'a>>,
    stuck: HashSet<(&'a str, Loss)>,
}

impl<'f, 'a> Follower<'f, 'a> {
    fn new(scene: &'f Scene<'a>, traveller: &'f Traveller<'f>) -> Self {
        let sent_us = traveller.sent_us;
        let due_us = sent_us.saturating_add(traveller.route.delay_ms.saturating_mul(1000));
        let fate = Fate { sent_us, due_us, ..Fate::default() };
        Follower { scene, traveller, fate, last: None, stuck: HashSet::new() }
    }

    fn note(&mut self, step: &Step<'a, '_>) {
        let told = match step.what {
            What::Held { exchange, until_us } => {
                let until = words::span(until_us - step.at_us);
                Some((exchange, format!("{}, held for {until}", self.came(step)), true))
            }
            What::Entered { queue } => Some((queue, self.came(step), true)),
            What::Stuck { queue, why } => self.stuck(queue, why),
            What::Delivered { queue, .. } => Some((queue, "given to a consumer".into(), false)),
            What::Answered { queue, answer } => {
                Some((queue, words::answer_in_words(answer).to_owned(), false))
            }
            What::Returned { queue, again_us } => {
                let held = again_us.saturating_sub(step.at_us);
                let held = (held > 0).then(|| format!(", held back for {}", words::span(held)));
                Some((queue, format!("returned to the queue{}", held.unwrap_or_default()), false))
            }
            What::Lost { place, why } => {
                let place =
                    if why == Loss::NoExchange { &self.traveller.route.exchange } else { place };
                self.fate.lost.push(Lost { at_us: step.at_us, place: place.to_owned(), why });
                None
            }
            What::DeadLettered { .. } => None,
        };
        self.arrive(step);
        if let Some((place, why, entered)) = told.filter(|_| !self.is_taken_at_once(step)) {
            let place = place.to_owned();
            self.push(Move { at_us: step.at_us, place, why, entered });
        }
        self.last = Some(step.what);
    }

    fn push(&mut self, to: Move) {
        if self.fate.moves.len() < MOVES_MAX {
            self.fate.moves.push(to);
        } else {
            self.fate.goes_on = true;
        }
    }

    /// How it came to where it is.
    fn came(&self, step: &Step<'_, '_>) -> String {
        match (self.last, step.message.last_death()) {
            (Some(What::Held { exchange, .. }), _) => {
                format!("due at {}", words::exchange(exchange))
            }
            (_, Some((queue, reason))) => words::death_in_words(queue, reason),
            (_, None) => {
                let Sending { exchange, routing_key, .. } = Sending::by(&self.traveller.route, 0);
                format!("sent to {} with key `{routing_key}`", words::exchange(&exchange))
            }
        }
    }

    /// What is stuck is tried again and again; it is told once.
    fn stuck(&mut self, queue: &'a str, why: Loss) -> Option<(&'a str, String, bool)> {
        let first = self.stuck.insert((queue, why));
        let told = || format!("cannot be passed on, and is kept: {}", words::loss_in_words(why));
        first.then(|| (queue, told(), false))
    }

    /// An ideal consumer is no part of the story.
    fn is_taken_at_once(&self, step: &Step<'_, '_>) -> bool {
        self.scene.ideal && matches!(step.what, What::Delivered { .. } | What::Answered { .. })
    }

    /// It arrives when it comes into a target queue, or to a consumer if the queue has one.
    fn arrive(&mut self, step: &Step<'_, '_>) {
        let queue = match step.what {
            What::Entered { queue } if !self.scene.is_read(queue) => queue,
            What::Delivered { queue, .. } => queue,
            _ => return,
        };
        if self.fate.arrival.is_none() && self.traveller.targets.iter().any(|it| it == queue) {
            self.fate.arrival = Some(Arrival { at_us: step.at_us, queue: queue.to_owned() });
        }
    }

    fn end(mut self, goes_on: bool) -> Fate {
        let (rest, in_hand) = match self.last {
            Some(What::Answered { answer: Answer::Ack, .. }) => (None, false),
            Some(What::Delivered { queue, .. } | What::Answered { queue, .. }) => {
                (Some((queue, false)), true)
            }
            Some(What::Returned { queue, .. }) => (Some((queue, false)), true),
            Some(What::Entered { queue }) => (Some((queue, false)), false),
            Some(What::Stuck { queue, .. }) => (Some((queue, true)), false),
            _ => (None, false),
        };
        let open = self.fate.arrival.is_none() && self.fate.lost.is_empty();
        let rest = rest.filter(|(_, stuck)| open || *stuck);
        self.fate.rest = rest.map(|(place, stuck)| Rest { place: place.to_owned(), stuck });
        self.fate.goes_on |= goes_on && in_hand;
        self.fate
    }
}
