//! The simulator held against the real broker whose URI is in `AMQP_URL`: random topologies,
//! batches and consumers run on both, and every message must be in the same place, in the same
//! order, with the same history, at the same time within [`BOUND_US`].
//!
//! Where a few milliseconds decide (a message that expires while another is delivered), a real
//! broker promises nothing. So each scenario is first simulated many times with its times changed
//! a little; only one that comes out alike each time is held against the broker.
//!
//! `SIMULATOR_CASES` says how many scenarios (default 10) and `SIMULATOR_SEED` which (default 1).
//! Failures shrink, on the live broker.

mod live;
mod scenario;

use std::cell::Cell;

use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed, TestCaseError, TestRunner};

use crate::scene::{Facts, here, skip};
use scenario::{Outcome, Scenario};

/// How far a delivery may be from its predicted moment. Not the broker's doing (broker-facts.md
/// has 1 to 6 ms a hop) but that of a small machine on which broker and test share two cores.
const BOUND_US: u64 = 100_000;

/// A difference counts when it shows each time: a machine that stops for a tenth of a second, as a
/// busy one does, changes a run; a wrong model is wrong every time.
const ATTEMPTS: usize = 3;

/// The prediction, when it does not hang on a few milliseconds.
fn predict(scenario: &Scenario, broker: &live::Live) -> Option<Outcome> {
    let base = scenario.simulate(broker.profile(), 0);
    let stable = (1..16).all(|variant| scenario.simulate(broker.profile(), variant).like(&base));
    stable.then_some(base)
}

fn compare(predicted: &Outcome, observed: &Outcome) -> Result<(), TestCaseError> {
    prop_assert_eq!(&predicted.left, &observed.left, "what is left in the queues");
    for (queue, expected) in &predicted.delivered {
        let seen = &observed.delivered[queue];
        let what = |list: &[scenario::Delivery]| {
            list.iter().map(|delivery| delivery.what.clone()).collect::<Vec<_>>()
        };
        prop_assert_eq!(what(expected), what(seen), "what was delivered from {}", queue);
        for (expected, seen) in expected.iter().zip(seen) {
            let off = expected.at_us.abs_diff(seen.at_us);
            prop_assert!(off <= BOUND_US, "{}: {:?}, seen {:?}", queue, expected, seen);
        }
    }
    Ok(())
}

#[test]
fn the_broker_does_what_the_simulator_says() {
    let Some(facts) = Facts::of_environment() else {
        return skip(here!(), "AMQP_URL is not set");
    };
    hold_against(&live::Live::new(facts, false), &facts.version);
}

#[test]
fn the_plugin_does_what_the_simulator_says() {
    let Some(facts) = Facts::of_environment() else {
        return skip(here!(), "AMQP_URL is not set");
    };
    if !facts.plugin {
        return skip(here!(), "this broker lacks the plugin");
    }
    hold_against(&live::Live::new(facts, true), &facts.version);
}

fn hold_against(broker: &live::Live, version: &str) {
    let number = |name| std::env::var(name).ok().and_then(|n| n.parse::<u32>().ok());
    let cases = number("SIMULATOR_CASES").unwrap_or(10);
    let seed = number("SIMULATOR_SEED").unwrap_or(1);
    let config = Config {
        cases,
        max_shrink_iters: 15,
        max_global_rejects: 100_000,
        max_local_rejects: 100_000,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(seed.into()),
        ..Config::default()
    };
    let (compared, repeated, worst) = (Cell::new(0), Cell::new(0), Cell::new(0));
    let mut runner = TestRunner::new(config);
    let result = runner.run(&scenario::scenarios(broker.profile()), |scenario| {
        let Some(predicted) = predict(&scenario, broker) else {
            return Err(TestCaseError::reject("it hangs on a few milliseconds"));
        };
        let mut result = Ok(());
        for _ in 0..ATTEMPTS {
            let observed = broker.run(&scenario);
            result = compare(&predicted, &observed);
            if result.is_ok() {
                worst.set(worst.get().max(predicted.worst(&observed)));
                break;
            }
            repeated.set(repeated.get() + 1);
        }
        compared.set(compared.get() + 1);
        result
    });
    let (compared, repeated, worst) = (compared.get(), repeated.get(), worst.get());
    eprintln!(
        "{version}: {compared} scenarios, at most {worst} µs off, {repeated} runs that differed"
    );
    if let Err(error) = result {
        panic!("{error}");
    }
}
