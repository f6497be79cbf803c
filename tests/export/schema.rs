//! The JSON Schema of the topology file.

use delayctl::topology;
use serde_json::Value;

use crate::validator::errors;

fn found(yaml: &str) -> Vec<String> {
    let document: Value = serde_yaml::from_str(yaml).unwrap();
    errors(&topology::schema(), &document)
}

#[test]
fn the_committed_file_is_up_to_date() {
    let committed = std::fs::read_to_string("schema.json").unwrap();
    let made = serde_json::to_string_pretty(&topology::schema()).unwrap() + "\n";
    assert!(committed == made, "make it again: `delayctl schema > schema.json`");
}

#[test]
fn every_example_is_valid_and_names_the_schema() {
    for entry in std::fs::read_dir("topologies").unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(found(&text), [""; 0], "{}", path.display());
        let first = text.lines().next().unwrap();
        assert_eq!(first, "# yaml-language-server: $schema=../schema.json", "{}", path.display());
    }
}

/// What `parse` takes, the schema takes.
#[test]
fn every_form_is_valid() {
    let target = "target: { exchange: x, routing_key: k }";
    for yaml in [
        "queues: { q: , r: {} }\nexchanges:\nvhost: shop",
        "exchanges: { x: direct, y: { type: x-delayed-message, arguments: { x-delayed-type: topic } } }",
        "queues: { q: { max_length_bytes: 64KiB, message_ttl: 1h 30m, expires: 2 days }, r: { message_ttl: 0 } }",
        "queues: { q: { max_length_bytes: 1000, arguments: { a: [1, -1.5, { b: [true, c] }] } } }",
        "queues: { q: { type: quorum, delayed_retry: { type: failed, min: 1s }, delivery_limit: 5 } }",
        "bindings: [ { source: x, queue: q }, { source: x, exchange: y, arguments: { z: 1 } } ]",
        &format!(
            "delays: {{ d: {{ {target}, tiers: {{ delays: [5s, {{ delay: 5m, queue: q }}] }} }} }}"
        ),
        "delays: { d: { target: { exchange: x }, ladder: {} } }",
        "delays: { d: { target: { queue: q }, ladder: { names: celery, max: 1d } } }",
        "delays: { d: { target: { queue: q }, per_message_ttl: { max: 1w } } }",
        "delays: { d: { delayed_exchange: { type: topic }, target: { queue: q } } }",
        "dead_letter_chains: { c: { from: q, levels: [ {}, { queue: r, max_length: 5 } ] } }",
    ] {
        assert_eq!(found(yaml), [""; 0], "{yaml}");
    }
}

#[test]
fn the_usual_mistakes_are_found() {
    for (yaml, field) in [
        ("queus: {}", ""),
        ("queues: { q: { mesage_ttl: 5s } }", "queues.q"),
        ("queues: { q: { message_ttl: 30 } }", "queues.q"),
        ("queues: { q: { message_ttl: 30 fortnights } }", "queues.q"),
        ("queues: { q: { max_length: -1 } }", "queues.q"),
        ("queues: { q: { max_length_bytes: 1 potato } }", "queues.q"),
        ("queues: { q: { type: stream } }", "queues.q"),
        ("queues: { q: { overflow: drop } }", "queues.q"),
        ("queues: { amq.q: {} }", "queues"),
        ("exchanges: [ x ]", "exchanges"),
        ("exchanges: { x: { durable: true } }", "exchanges.x"),
        ("bindings: [ { source: x } ]", "bindings.0"),
        ("bindings: [ { source: x, queue: q, exchange: y } ]", "bindings.0"),
        ("delays: { d: { target: { queue: q } } }", "delays.d"),
        ("delays: { d: { tiers: { delays: [5s] } } }", "delays.d"),
        (
            "delays: { d: { target: { queue: q }, tiers: { delays: [5s] }, ladder: {} } }",
            "delays.d",
        ),
        ("delays: { d: { target: { queue: q, routing_key: k }, ladder: {} } }", "delays.d.target"),
        ("delays: { d: { target: { queue: q }, tiers: { delays: [] } } }", "delays.d.tiers.delays"),
        (
            "delays: { d: { target: { queue: q }, tiers: { delays: [{ queue: a }] } } }",
            "delays.d.tiers.delays.0",
        ),
        (
            "delays: { d: { target: { queue: q }, ladder: { names: other } } }",
            "delays.d.ladder.names",
        ),
        ("delays: { d: { target: { queue: q }, laddder: {} } }", "delays.d"),
        ("dead_letter_chains: { c: { from: q, levels: [] } }", "dead_letter_chains.c.levels"),
    ] {
        let found = found(yaml);
        let at = |error: &String| error.split(':').next() == Some(field);
        assert!(found.iter().any(at), "{yaml}: {found:?}");
        assert!(topology::parse(yaml).is_err(), "the schema refuses what `parse` takes: {yaml}");
    }
}
