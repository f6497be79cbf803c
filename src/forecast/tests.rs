use insta::assert_snapshot;

use super::*;
use crate::duration::Millis;
use crate::render::forecast as words;
use crate::render::lanes::{Lane, Track};
use crate::simulate::{Answer, Loss, Profile, Reader};
use crate::strategy::Rounding;
use crate::topology::{self, Topology};

fn topology(yaml: &str) -> Topology {
    topology::parse(yaml).unwrap_or_else(|error| panic!("{error}"))
}

/// A queue `wait` with these fields whose dead letters come to `done`, and a delay through it.
fn through(wait: &str, done: &str) -> Topology {
    topology(&format!(
        "queues: {{ done: {{ {done} }}, more: {{}}, wait: {{ {wait} }} }}
delays: {{ d: {{ target: {{ queue: done }}, per_message_ttl: {{ queue: own }} }} }}"
    ))
}

fn told(topology: &Topology, delays: &[u64], readers: Vec<Reader>) -> (Vec<Fate>, String) {
    let delay = &topology.delays["d"];
    let targets = ["done".to_owned(), "full".to_owned()];
    let routes = delays.iter().map(|ms| delay.route(Millis(*ms), Rounding::Up).unwrap());
    let travellers: Vec<_> =
        routes.map(|route| Traveller { sent_us: 0, route, targets: &targets }).collect();
    let scene = if readers.is_empty() {
        Scene::drained(&topology.objects, Profile::default(), ["done"])
    } else {
        Scene::new(&topology.objects, Profile::default(), readers)
    };
    let fates = foresee(&scene, &travellers);
    let track = |(index, ms): (usize, &u64)| Track::new(index, Millis(*ms), 0.0, *ms as f64);
    let lane = Lane {
        name: "d".to_owned(),
        how: "test".to_owned(),
        skipped: None,
        messages: delays.iter().enumerate().map(track).collect(),
    };
    let text = words::journeys(&lane, &fates);
    (fates, text)
}

#[test]
fn moves_and_blocked_messages() {
    let (fates, text) = told(&through("", ""), &[3000, 500], vec![]);
    assert_snapshot!(text, @"
    d — test
      A 3s: sent at 0.00 s, due at 3.00 s
           0.00 s  own   sent to exchange `d.delay` with key `own`
           3.00 s  done  expired in `own`
        → arrives in `done` at 3.00 s, on time
      B 500ms: sent at 0.00 s, due at 0.50 s
           0.00 s  own   sent to exchange `d.delay` with key `own`
           3.00 s  done  expired in `own`
        → arrives in `done` at 3.00 s, 2.50 s late
    ");
    assert_eq!(fates[1].lateness_us(), Some(2_500_000));
    assert!(fates.iter().all(Fate::is_good));
}

#[test]
fn a_rejected_message_is_lost_without_a_second_level() {
    let readers = vec![Reader::new("done").answering([Answer::Reject])];
    let (fates, text) = told(&through("", ""), &[500], readers);
    assert_snapshot!(text, @"
    d — test
      A 500ms: sent at 0.00 s, due at 0.50 s
           0.00 s  own   sent to exchange `d.delay` with key `own`
           0.50 s  done  expired in `own`
           0.50 s  done  given to a consumer
           0.50 s  done  rejected
        → arrives in `done` at 0.50 s, on time; lost at 0.50 s in `done`: it leaves as a dead letter, and there is no exchange for it
    ");
    assert!(fates[0].arrival.is_some() && !fates[0].is_good());
    assert_eq!(fates[0].lost[0].why, Loss::NoDeadLetterExchange);
}

#[test]
fn what_returns_for_ever_ends_all_the_same() {
    let readers = vec![Reader::new("done").answering([Answer::NackRequeue])];
    let (fates, text) = told(&through("", "type: quorum"), &[500, 1000], readers);
    assert!(fates[0].goes_on, "{text}");
    // A consumer that does nothing but return the first never gets to the second.
    assert!(fates[1].arrival.is_none() || fates[1].goes_on, "{text}");
    assert!(text.contains("and so on"), "{text}");
}

#[test]
fn what_is_stuck_is_told_once() {
    let topology = topology(
        "queues: { done: {}, full: { type: classic, max_length: 1, overflow: reject-publish } }
delays: { d: { target: { queue: full }, per_message_ttl: { queue: own, queue_type: quorum } } }",
    );
    let (fates, text) = told(&topology, &[500, 500], vec![Reader::new("done")]);
    assert_snapshot!(text, @"
    d — test
      A 500ms: sent at 0.00 s, due at 0.50 s
           0.00 s  own   sent to exchange `d.delay` with key `own`
           0.50 s  full  expired in `own`
        → arrives in `full` at 0.50 s, on time
      B 500ms: sent at 0.00 s, due at 0.50 s
           0.00 s  own  sent to exchange `d.delay` with key `own`
           0.50 s  own  cannot be passed on, and is kept: a full queue refuses it
        → is stuck in `own`
    ");
    assert_eq!(fates[1].rest, Some(Rest { place: "own".to_owned(), stuck: true }));
}

fn outlook(topology: &Topology, delays: &[u64], per_second: f64, for_s: u64) -> Outlook {
    let delay = &topology.delays["d"];
    let routes = delays.iter().map(|ms| delay.route(Millis(*ms), Rounding::Up).unwrap());
    let workload = Workload { routes: routes.collect(), per_second, for_us: for_s * 1_000_000 };
    let scene = Scene::drained(&topology.objects, Profile::default(), ["done"]);
    let mut sent = 0;
    let outlook = workload.run(&scene, |more| sent += more);
    assert_eq!(sent, outlook.messages);
    outlook
}

#[test]
fn a_workload_in_figures() {
    let outlook = outlook(&through("", ""), &[30_000], 10.0, 600);
    assert_eq!(outlook.messages, 6000);
    // One leaves as another comes, and before it.
    let waiting = &outlook.waiting[0];
    assert_eq!((waiting.place.as_str(), waiting.peak, waiting.left), ("own", 300, 0));
    assert_eq!(waiting.peak_at_ms, 29_900.0, "when the 300th is sent");
    assert!(waiting.samples.len() <= BUCKETS_MAX);
    assert_eq!(outlook.deliveries[0].figures.count, 6000);
    assert_eq!(outlook.deliveries[0].figures.lateness_max_ms, Some(0.0));
    assert!(outlook.lost.is_empty() && outlook.stuck.is_empty());
}

#[test]
fn mixed_delays_in_one_queue_are_late() {
    let outlook = outlook(&through("", ""), &[30_000, 1000], 2.0, 60);
    let figures = &outlook.deliveries[0].figures;
    assert_eq!(figures.count, 120);
    assert_eq!((figures.early, figures.late), (0, 60));
    assert!(figures.lateness_max_ms > Some(28_000.0), "{figures:?}");
}

#[test]
fn a_full_queue_loses_what_it_refuses() {
    let topology = topology(
        "queues: { done: {} }
delays: { d: { target: { queue: done }, tiers: { delays: [1m], queue_type: classic,
  max_length: 10 } } }",
    );
    let outlook = outlook(&topology, &[60_000], 1.0, 60);
    let lost: u64 = outlook.lost.iter().map(|lost| lost.count).sum();
    assert_eq!((outlook.deliveries[0].figures.count, lost), (10, 50));
    assert_eq!(outlook.lost[0].why, Loss::Refused);
    assert_eq!(outlook.lost[0].first_at_ms, 10_000.0);
}

#[test]
fn no_series_has_too_many_samples() {
    for for_s in [1, 7, 61, 3601, 86_400, 31_536_000] {
        let outlook = outlook(&through("", ""), &[1000], 100.0 / for_s as f64, for_s);
        for series in &outlook.waiting {
            assert!(series.samples.len() <= BUCKETS_MAX, "{for_s}: {}", series.samples.len());
        }
    }
}
