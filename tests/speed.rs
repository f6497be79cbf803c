//! A large file is read, compiled and checked in time that grows with its length.
//!
//! `cargo test --release --test speed -- --ignored --nocapture` prints the times.

#![allow(clippy::print_stderr, reason = "measurements are told, not judged")]

use std::fmt::Write;
use std::time::{Duration, Instant};

use delayctl::duration::Millis;
use delayctl::routing::{Headers, Router};
use delayctl::strategy::Rounding;
use delayctl::topology::parse;

/// So many queues, each bound to one exchange of this type and dead-lettering to another; so many
/// delays, to the queues in turn, through that exchange.
fn file(kind: &str, queues: usize, delays: usize) -> String {
    let mut text = format!("exchanges: {{orders: {kind}, dead: direct}}\nqueues:\n");
    for i in 0..queues {
        let _ = writeln!(
            text,
            "  order.{i}.q:\n    type: quorum\n    message_ttl: 30m\n    max_length: 500000\n    \
             overflow: reject-publish\n    dead_letter: {{ exchange: dead, routing_key: order.{i}, \
             strategy: at-least-once }}"
        );
    }
    text.push_str("bindings:\n");
    for i in 0..queues {
        let _ =
            writeln!(text, "  - {{ source: orders, queue: order.{i}.q, routing_key: order.{i} }}");
        let _ =
            writeln!(text, "  - {{ source: dead, queue: order.{i}.q, routing_key: order.{i} }}");
    }
    text.push_str("delays:\n");
    for i in 0..delays {
        let to = i * (queues / delays);
        let _ = writeln!(
            text,
            "  delay-{i}:\n    target: {{ exchange: orders, routing_key: order.{to} }}\n    tiers: \
             {{ delays: [5s, 30s, 1h] }}"
        );
    }
    text
}

fn time(kind: &str, queues: usize, delays: usize) -> (Duration, Duration) {
    let text = file(kind, queues, delays);
    let start = Instant::now();
    let topology = parse(&text).unwrap();
    let parsed = start.elapsed();
    let start = Instant::now();
    let router = Router::new(&topology.objects);
    for delay in topology.delays.values() {
        let route = delay.route(Millis(30_000), Rounding::Exact).unwrap();
        let path = router.path(&route.exchange, &route.routing_key, &Headers::new());
        assert!(path.queues.len() >= 2);
    }
    (parsed, start.elapsed())
}

#[test]
fn a_thousand_queues_are_no_matter() {
    let (parsed, routed) = time("direct", 1000, 100);
    // Tens of milliseconds in a release build; the limit is for debug builds on busy machines.
    assert!(parsed < Duration::from_secs(10), "{parsed:?}");
    assert!(routed < Duration::from_secs(5), "{routed:?}");
}

#[test]
#[ignore = "prints times; run it on a release build"]
fn times() {
    for kind in ["direct", "topic", "fanout"] {
        for (queues, delays) in [(1000, 100), (1000, 1000), (10_000, 100), (10_000, 1000)] {
            if kind == "fanout" && queues * delays > 1_000_000 {
                continue;
            }
            let _ = time(kind, queues, delays);
            let (parsed, routed) = time(kind, queues, delays);
            let text = file(kind, queues, delays);
            let start = Instant::now();
            let _: serde_json::Value = serde_yaml::from_str(&text).unwrap();
            let yaml = start.elapsed();
            eprintln!(
                "{kind:7} {queues:6} queues {delays:5} delays {:5} KB: parse {parsed:.1?} \
                 (YAML alone {yaml:.1?}), paths {routed:.1?}",
                text.len() / 1024
            );
        }
    }
}
