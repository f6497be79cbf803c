//! Every delay strategy, held to its promise in virtual time; and how fast virtual time is.

#![allow(clippy::print_stderr, reason = "measurements are told, not judged")]

use std::time::Instant;

use delayctl::duration::Millis;
use delayctl::objects::{Binding, Exchange, Objects, Queue};
use delayctl::simulate::{Profile, Reader, Sending, Simulation, What, journeys};
use delayctl::strategy::ladder::Names;
use delayctl::strategy::{
    Delay, DelayedExchange, Ladder, PerMessageTtl, QueueType, Rounding, Strategy as Kind, Target,
    Tier, Tiers,
};
use proptest::prelude::*;

/// Where every delay ends: queue `done`, bound to each kind of exchange.
fn targets() -> (Objects, Vec<Target>) {
    let mut objects = Objects::default();
    objects.add_queue("done", Queue::default()).unwrap();
    let mut targets = vec![Target::Queue("done".to_owned())];
    for (kind, pattern) in [("direct", "a.b"), ("topic", "a.*"), ("fanout", "")] {
        let exchange = format!("to.{kind}");
        objects.add_exchange(&exchange, Exchange::durable(kind)).unwrap();
        objects.add_binding(Binding::to_queue(&exchange, "done", pattern));
        targets.push(Target::Exchange { exchange, routing_key: "a.b".to_owned() });
    }
    (objects, targets)
}

fn queue_types() -> impl Strategy<Value = QueueType> {
    prop_oneof![Just(QueueType::Quorum), Just(QueueType::Classic)]
}

fn tiers() -> impl Strategy<Value = (Kind, u64)> {
    let delays = prop::collection::btree_set(1..1_000_000_u64, 1..6);
    (delays, queue_types(), any::<prop::sample::Index>()).prop_map(|(delays, queue_type, pick)| {
        let delays: Vec<_> = delays.into_iter().collect();
        let picked = *pick.get(&delays);
        let tiers = delays.iter().map(|ms| Tier { delay: Millis(*ms), queue: None }).collect();
        (Kind::Tiers(Tiers { queue_type, ..Tiers::of(tiers) }), picked)
    })
}

fn ladders() -> impl Strategy<Value = (Kind, u64)> {
    let steps = (1..5_000_u64, 1..200_000_u64, 2..=256_u64);
    (steps, queue_types(), any::<prop::sample::Index>()).prop_map(
        |((resolution, steps, radix), queue_type, pick)| {
            let max = resolution * steps - pick.index(resolution as usize) as u64;
            let max = max.max(resolution);
            let ladder = Ladder {
                resolution: Some(Millis(resolution)),
                max: Some(Millis(max)),
                radix: Some(radix),
                queue_type,
                ..Ladder::default()
            };
            (Kind::Ladder(ladder), 1 + pick.index(max as usize) as u64)
        },
    )
}

fn foreign_ladders() -> impl Strategy<Value = (Kind, u64)> {
    let names = prop_oneof![Just(Names::Nservicebus), Just(Names::Celery)];
    (names, 1..=268_435_455_000_u64)
        .prop_map(|(names, ms)| (Kind::Ladder(Ladder { names, ..Ladder::default() }), ms))
}

/// A strategy, and a delay in ms that it accepts.
fn strategies() -> impl Strategy<Value = (Kind, u64)> {
    let per_message = queue_types().prop_flat_map(|queue_type| {
        let kind = Kind::PerMessageTtl(PerMessageTtl { queue_type, ..PerMessageTtl::default() });
        (Just(kind), 1..=315_360_000_000_u64)
    });
    let plugin = (Just(Kind::DelayedExchange(DelayedExchange::default())), 1..=4_294_967_295_u64);
    prop_oneof![
        1 => tiers(),
        1 => per_message,
        1 => plugin,
        4 => ladders(),
        1 => foreign_ladders(),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    /// Any accepted delay arrives exactly once, never early, at the promised time; and it arrives
    /// in the target as if it had been published there, with nothing left behind.
    #[test]
    fn any_accepted_delay_arrives_once_and_on_time(
        (strategy, ms) in strategies(),
        target in 0..4_usize,
        start_us in 0..10_000_000_u64,
    ) {
        let (mut objects, mut targets) = targets();
        let foreign = matches!(&strategy, Kind::Ladder(l) if l.names != Names::Delayctl);
        // A foreign ladder's exchange target gets the ladder's key, which only a fanout ignores.
        let target = targets.swap_remove(if foreign && target > 0 { 3 } else { target });
        let delay = Delay { name: "d".to_owned(), target: target.clone(), strategy };
        prop_assert_eq!(delay.problems(), vec![]);
        prop_assert!(objects.merge(delay.compile().unwrap()).is_empty());
        let route = delay.route(Millis(ms), Rounding::Exact).unwrap();
        prop_assert!(route.delay_ms >= ms);
        let broker = Profile::version(4, 0).with_plugin();
        let all = journeys(&objects, broker, [Sending::by(&route, start_us)], [], u64::MAX);
        prop_assert_eq!(all[0].arrivals("done"), vec![start_us + route.delay_ms * 1000]);
        let lost = all[0].moments.iter().any(|m| matches!(m.what, What::Lost { .. } | What::Stuck { .. }));
        prop_assert!(!lost, "{:?}", all[0].moments);
        if let (Target::Exchange { routing_key, .. }, false) = (&target, foreign) {
            prop_assert_eq!(all[0].last.as_ref().unwrap().routing_key(), routing_key.as_str());
        }
    }

    /// Delays through one ladder never wait for each other, whatever their order.
    #[test]
    fn a_ladder_has_no_head_of_line(
        radix in 2..20_u64,
        delays in prop::collection::vec((0..60_000_u64, 1..=60_000_u64), 1..50),
    ) {
        let (mut objects, mut targets) = targets();
        let strategy = Kind::Ladder(Ladder {
            resolution: Some(Millis(1)),
            max: Some(Millis(60_000)),
            radix: Some(radix),
            ..Ladder::default()
        });
        let delay = Delay { name: "d".to_owned(), target: targets.remove(0), strategy };
        objects.merge(delay.compile().unwrap());
        let mut delays = delays;
        delays.sort();
        let sends: Vec<_> = delays
            .iter()
            .map(|(at, ms)| Sending::by(&delay.route(Millis(*ms), Rounding::Exact).unwrap(), at * 1000))
            .collect();
        let all = journeys(&objects, Profile::default(), sends, [], u64::MAX);
        for ((at, ms), journey) in delays.iter().zip(&all) {
            prop_assert_eq!(journey.arrivals("done"), vec![(at + ms) * 1000]);
        }
    }
}

/// `cargo test --release --test simulator -- --ignored --nocapture`
#[test]
#[ignore = "a measurement, for release builds"]
fn a_million_messages_through_twelve_levels() {
    let (mut objects, mut targets) = targets();
    let ladder =
        Ladder { resolution: Some(Millis(1)), max: Some(Millis(4095)), ..Ladder::default() };
    let strategy = Kind::Ladder(ladder);
    let delay = Delay { name: "d".to_owned(), target: targets.remove(0), strategy };
    objects.merge(delay.compile().unwrap());
    let routes: Vec<_> = (1..=4095)
        .map(|ms| Sending::by(&delay.route(Millis(ms), Rounding::Exact).unwrap(), 0))
        .collect();
    for (count, per_second) in [(1_000_000_u64, 1000_u64), (1_000_000, 100_000), (5_000_000, 1000)]
    {
        let sends = (0..count).map(|i| {
            let pick = usize::try_from(i * 2_654_435_761 % 4095).unwrap();
            Sending { at_us: i * 1_000_000 / per_second, ..routes[pick].clone() }
        });
        let began = Instant::now();
        let mut simulation = Simulation::new(&objects, Profile::default());
        // Without a consumer, all that arrived would wait, with its twelve deaths, and be measured.
        simulation.add_reader(Reader { service_us: 0, ..Reader::new("done") }).unwrap();
        let (mut arrived, mut steps) = (0_u64, 0_u64);
        simulation.run(sends, u64::MAX, |step| {
            steps += 1;
            arrived += u64::from(step.what == What::Entered { queue: "done" });
        });
        eprintln!("{count} messages at {per_second}/s: {steps} steps in {:?}", began.elapsed());
        assert_eq!(arrived, count);
    }
}
