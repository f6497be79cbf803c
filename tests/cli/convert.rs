//! `convert`: what comes out can be used as it is.

use super::{run, run_with};

const LADDER: &[&str] = &["--to", "ladder", "--max", "1h"];
const TIERS: &[&str] = &["--to", "tiers", "--delays", "5s,30s"];

/// Converts a file both ways; the results have no warning, and nothing of the plugin.
#[track_caller]
fn converts(text: &str) {
    for to in [LADDER, TIERS] {
        let ended = run_with(text.as_bytes(), &[&["convert", "-"], to].concat()).expect(0);
        assert!(!ended.stdout.contains("delayed_exchange:"), "{ended}");
        let comments = |text: &str| text.matches("stays").count();
        assert_eq!(comments(&ended.stdout), comments(text), "{ended}");
        run_with(ended.stdout.as_bytes(), &["lint", "--deny", "warnings", "-"]).expect(0);
    }
}

#[test]
fn the_result_passes_lint() {
    converts(include_str!("../../topologies/delayed-exchange.yaml"));
    converts("queues: { q: {} }\ndelays: { d: { target: { queue: q }, delayed_exchange: {} } }");
}

#[test]
fn a_topic_before_an_exchange() {
    converts(
        "# stays
exchanges: { out: topic }
queues: { q: { type: quorum } }
bindings: [ { source: out, queue: q, routing_key: 'order.#' } ]
delays:
  # stays
  a:
    target: { exchange: out, routing_key: order.late }
    delayed_exchange: # goes
      exchange: x
      type: topic
  # stays",
    );
}

#[test]
fn several_delays_of_several_exchanges() {
    converts(
        "queues: { q: {}, r: {}, s: {} }
delays:
  a: { target: { queue: q }, delayed_exchange: { exchange: x, routing_key: a } } # stays
  b: { target: { queue: r }, delayed_exchange: { exchange: x, routing_key: b } }
  c: { target: { queue: s }, delayed_exchange: { type: topic } }
  d: { target: { queue: s }, tiers: { delays: [1m] } } # stays",
    );
}

#[test]
fn what_does_not_belong_together_is_refused() {
    let file = "topologies/delayed-exchange.yaml";
    let refused = |options: &[&str], words: &str| {
        run(&[&["convert", file], options].concat()).expect(2).says(words);
    };
    refused(&["--to", "tiers"], "--delays <TIME,…>");
    refused(&[TIERS, &["--max", "1h"]].concat(), "`--max` says nothing of what `--to` names");
    refused(&[LADDER, &["--delays", "5s"]].concat(), "`--delays` says nothing of");
    run(&[&["convert", "topologies/ladder.yaml"], LADDER].concat())
        .expect(1)
        .says("no delay of the file uses `delayed_exchange`");
}

#[test]
fn what_was_offered_and_is_now() {
    let file = "topologies/delayed-exchange.yaml";
    let ended = run(&[&["convert", file], TIERS].concat()).expect(0);
    ended.says("delay `order` takes 5s, 30s; before: any up to 49d17h2m47s295ms\n");
}

#[test]
fn comments_on_the_plugin_are_pointed_out() {
    let text = "# Delays by the Plugin.
queues: { 'the # plugin': {} } # no more
delays:
  # sent with x-delay
  d: { target: { queue: 'the # plugin' }, delayed_exchange: {} }\n";
    let ended = run_with(text.as_bytes(), &[&["convert", "-"], TIERS].concat()).expect(0);
    ended.says("read those that speak of the plugin again, in lines 1, 4\n");
    let silent = text.replace("Plugin", "broker").replace("x-delay", "care");
    let ended = run_with(silent.as_bytes(), &[&["convert", "-"], TIERS].concat()).expect(0);
    assert!(!ended.stderr.contains("comments"), "{ended}");
}
