//! Consumers' queues, chains and the plugin.

use insta::assert_snapshot;

use super::{found, found_on, found_with, policy};

#[test]
fn a_target_in_which_messages_wait() {
    assert_snapshot!(found(
        "
queues:
  done: {}
  plain: { message_ttl: 1h, dead_letter: { exchange: '', routing_key: done } }
delays:
  first: { target: { queue: done }, tiers: { delays: [5s] } }
  second: { target: { queue: first.5s }, tiers: { delays: [1m] } }
  third: { target: { queue: plain }, tiers: { delays: [1m] } }
"
    ), @"
    error[consumer-on-waiting] delays.second.target: `second` arrives in `first.5s`, where messages of `first` wait: a consumer there takes them before their time, and without one these wait once more
      mend: let the target be the queue that consumers read, behind the dead-letter exchange; or take the TTL off
    warning[consumer-on-waiting] delays.third.target: `third` arrives in `plain`, which dead-letters what was not consumed within 1h: if messages are to wait there, its consumer gets them at once
      mend: let the target be the queue that consumers read, behind the dead-letter exchange; or take the TTL off
    ");
}

#[test]
fn a_target_where_nothing_waits() {
    let text = "
queues:
  cache: { message_ttl: 1h }
  work: { dead_letter: { exchange: '', routing_key: failed } }
  failed: {}
delays:
  first: { target: { queue: cache }, tiers: { delays: [5s] } }
";
    assert_eq!(found(text), "nothing");
}

#[test]
fn rejects_that_go_nowhere() {
    assert_snapshot!(found(
        "
queues:
  safe: { dead_letter: { exchange: '', routing_key: failed } }
  careless: {}
  limited: { type: quorum, delivery_limit: 5 }
  failed: {}
delays:
  a: { target: { queue: safe }, tiers: { delays: [5s] } }
  b: { target: { queue: careless }, tiers: { delays: [5s] } }
"
    ), @"
    warning[reject-nowhere] queues.careless: what the consumer of `careless`, where `b` arrives, rejects is dropped: the queue has no dead-letter exchange, as `safe` has
      mend: start a chain in `dead_letter_chains` from `careless`, or give it a `dead_letter`
    warning[reject-nowhere] queues.limited.delivery_limit: a message that `limited` delivered 6 times, or that its consumer rejects, is dropped: the queue has no dead-letter exchange
      mend: start a chain in `dead_letter_chains` from `limited`, or give it a `dead_letter`
    ");
}

#[test]
fn a_file_that_says_nothing_of_rejects_is_left_alone() {
    let text = "
queues: { a: {}, b: {}, unrelated: {} }
delays:
  a: { target: { queue: a }, tiers: { delays: [5s] } }
  b: { target: { queue: b }, tiers: { delays: [5s] } }
";
    assert_eq!(found(text), "nothing");
}

const CHAIN: &str = "
queues: { work: {} }
dead_letter_chains:
  failures: { from: work, levels: [ { queue: second, LIMIT } ] }
";

#[test]
fn a_chain_without_an_end() {
    assert_snapshot!(found(&CHAIN.replace(", LIMIT", "")), @"
    warning[chain-unlimited] dead_letter_chains.failures.levels[0]: `second`, the last queue of the chain, has no limit: a consumer that rejects everything fills it until the broker's disk alarm stops all publishers
      mend: give it a `max_length` that no working day reaches, or a `message_ttl`
    ");
    assert_eq!(found(&CHAIN.replace("LIMIT", "max_length: 1000")), "nothing");
    assert_eq!(found(&CHAIN.replace("LIMIT", "message_ttl: 30d")), "nothing");
    let limit = policy("second", "all", [("max-length", 1000.into())]);
    assert_eq!(found_with(limit, &CHAIN.replace(", LIMIT", "")), "nothing");
}

#[test]
fn a_plugins_exchange_with_publishers_of_its_own() {
    let text = "
exchanges: { delay.ex: { type: x-delayed-message, arguments: { x-delayed-type: direct } } }
queues: { done: {} }
bindings: [ { source: delay.ex, queue: done, routing_key: k } ]
";
    assert_snapshot!(found(text), @"
    warning[plugin-version] exchanges.delay.ex: `delay.ex` needs the delayed-message plugin, which was archived in January 2026 and cannot run on RabbitMQ 4.3 or later
      mend: use `ladder` for any delay, or `tiers` for fixed ones
    warning[plugin-delay-range] exchanges.delay.ex: a message to `delay.ex` whose `x-delay` is above 4294967295 ms (49.7 days), or is no positive number, is delivered at once, without an error
      mend: let publishers check the range, or offer the delay in `delays`
    warning[plugin-mandatory] exchanges.delay.ex: a mandatory message to `delay.ex` is always returned as NO_ROUTE, and delivered all the same when it is due
      mend: do not publish to it as mandatory
    ");
    assert_snapshot!(found_on("3.13", text), @"
    warning[plugin-delay-range] exchanges.delay.ex: a message to `delay.ex` whose `x-delay` is above 4294967295 ms (49.7 days), or is no positive number, is delivered at once, without an error
      mend: let publishers check the range, or offer the delay in `delays`
    warning[plugin-mandatory] exchanges.delay.ex: a mandatory message to `delay.ex` is always returned as NO_ROUTE, and delivered all the same when it is due
      mend: do not publish to it as mandatory
    ");
    assert_snapshot!(found_on("4.3", text), @"
    warning[plugin-version] exchanges.delay.ex: RabbitMQ 4.3 refuses `delay.ex`: the plugin cannot run on 4.3 or later, and its exchange type is unknown there
      mend: use `ladder` for any delay, or `tiers` for fixed ones
    ");
}

#[test]
fn a_plugins_exchange_with_an_alternate() {
    let text = "
exchanges:
  rest: fanout
queues: { done: {}, rest.q: {} }
bindings: [ { source: rest, queue: rest.q } ]
delays: { d: { target: { queue: done }, delayed_exchange: { exchange: delay.ex } } }
";
    let alternate = policy("^delay", "exchanges", [("alternate-exchange", "rest".into())]);
    assert_snapshot!(found_with(alternate, text), @"
    error[plugin-alternate] policies.p.definition.alternate-exchange: every delayed message goes to `rest` at once, before it goes where it should when it is due: the plugin reports each as unroutable
      mend: give the alternate exchange to an ordinary exchange behind the delayed one
    warning[plugin-version] delays.d: `delay.ex` needs the delayed-message plugin, which was archived in January 2026 and cannot run on RabbitMQ 4.3 or later
      mend: use `ladder` for any delay, or `tiers` for fixed ones
    ");
    assert_snapshot!(found_on(
        "4.0",
        &text.replace(
            "exchanges:",
            "exchanges:
  early: { type: x-delayed-message, alternate: rest, arguments: { x-delayed-type: direct } }"
        )
    ), @"
    error[plugin-alternate] exchanges.early.alternate: every delayed message goes to `rest` at once, before it goes where it should when it is due: the plugin reports each as unroutable
      mend: give the alternate exchange to an ordinary exchange behind the delayed one
    warning[plugin-delay-range] exchanges.early: a message to `early` whose `x-delay` is above 4294967295 ms (49.7 days), or is no positive number, is delivered at once, without an error
      mend: let publishers check the range, or offer the delay in `delays`
    warning[plugin-mandatory] exchanges.early: a mandatory message to `early` is always returned as NO_ROUTE, and delivered all the same when it is due
      mend: do not publish to it as mandatory
    ");
    // Behind the delayed exchange it is right.
    let behind = "
exchanges:
  rest: fanout
  checked: { type: direct, alternate: rest }
queues: { done: {}, rest.q: {} }
bindings: [ { source: rest, queue: rest.q }, { source: checked, queue: done, routing_key: k } ]
delays: { d: { target: { exchange: checked, routing_key: k }, delayed_exchange: {} } }
";
    assert_eq!(found_on("4.0", behind), "nothing");
}
