//! What each strategy answers when it is asked for a delay: the address, what the message carries,
//! how long it takes, or why not and what to do. (The ladder has its own tests, beside it.)

use delayctl::objects::Objects;
use delayctl::strategy::{Delay, Rounding};
use delayctl::topology::parse;
use insta::assert_snapshot;

/// A delay `d` of this strategy, to the queue `q` or, with a `=` before it, to the exchange `x`.
fn delay(strategy: &str) -> Delay {
    let (target, strategy) = match strategy.strip_prefix('=') {
        Some(strategy) => ("{exchange: x, routing_key: k}", strategy),
        None => ("{queue: q}", strategy),
    };
    let text = format!(
        "exchanges: {{x: direct}}\nqueues: {{q: }}\nbindings: [{{source: x, queue: q, routing_key: \
         k}}]\ndelays: {{d: {{target: {target}, {strategy}}}}}"
    );
    parse(&text).unwrap_or_else(|error| panic!("{strategy}: {error}")).delays["d"].clone()
}

fn routes(strategy: &str, spans: &[&str], rounding: Rounding) -> String {
    let delay = delay(strategy);
    let mut lines = vec![format!("offers {}", delay.offers())];
    for span in spans {
        lines.push(match delay.route(span.parse().unwrap(), rounding) {
            Err(error) => format!("{span}: {error}; {}", error.hint()),
            Ok(route) => format!(
                "{span}: `{}` `{}` expiration={:?} x-delay={:?} mandatory={} {} ms",
                route.exchange,
                route.routing_key,
                route.expiration,
                route.plugin_delay,
                route.mandatory,
                route.delay_ms
            ),
        });
    }
    lines.join("\n")
}

fn objects(strategy: &str) -> String {
    let Objects { exchanges, queues, bindings, .. } = delay(strategy).compile().unwrap();
    let exchanges = exchanges.iter().map(|(name, x)| format!("{name}: {x}"));
    let queues = queues.iter().map(|(name, q)| format!("{name}: {q}"));
    let bindings =
        bindings.iter().map(|b| format!("{} -> {}: {}", b.source, b.destination, b.routing_key));
    exchanges.chain(queues).chain(bindings).collect::<Vec<_>>().join("\n")
}

#[test]
fn tiers_have_their_delays_only() {
    let spans = ["0", "5s", "1s", "6s", "20s", "30s", "31s"];
    assert_snapshot!(routes("tiers: {delays: [30s, 5s]}", &spans, Rounding::Exact), @"
    offers 30s, 5s
    0: `` `q` expiration=None x-delay=None mandatory=true 0 ms
    5s: `d.delay` `d.5s` expiration=None x-delay=None mandatory=true 5000 ms
    1s: no tier of 1s: there are 30s, 5s; the nearest is 5s; `--round up` takes 5s
    6s: no tier of 6s: there are 30s, 5s; the nearest is 5s; `--round up` takes 30s
    20s: no tier of 20s: there are 30s, 5s; the nearest is 30s; `--round up` takes 30s
    30s: `d.delay` `d.30s` expiration=None x-delay=None mandatory=true 30000 ms
    31s: no tier of 31s: there are 30s, 5s; the nearest is 30s, the longest; add a tier to the file
    ");
}

#[test]
fn tiers_round_up_when_told_to() {
    let spans = ["0", "1ms", "5s", "5001ms", "30s", "31s"];
    assert_snapshot!(routes("tiers: {delays: [30s, 5s]}", &spans, Rounding::Up), @"
    offers 30s, 5s
    0: `` `q` expiration=None x-delay=None mandatory=true 0 ms
    1ms: `d.delay` `d.5s` expiration=None x-delay=None mandatory=true 5000 ms
    5s: `d.delay` `d.5s` expiration=None x-delay=None mandatory=true 5000 ms
    5001ms: `d.delay` `d.30s` expiration=None x-delay=None mandatory=true 30000 ms
    30s: `d.delay` `d.30s` expiration=None x-delay=None mandatory=true 30000 ms
    31s: no tier of 31s: there are 30s, 5s; the nearest is 30s, the longest; add a tier to the file
    ");
}

#[test]
fn tiers_to_an_exchange_through_the_default_exchange() {
    let spans = ["0", "90s"];
    assert_snapshot!(routes("=tiers: {delays: [1m30s], exchange: ''}", &spans, Rounding::Exact), @"
    offers 1m30s
    0: `x` `k` expiration=None x-delay=None mandatory=true 0 ms
    90s: `` `d.1m30s` expiration=None x-delay=None mandatory=true 90000 ms
    ");
}

#[test]
fn tiers_make_a_queue_each() {
    assert_snapshot!(objects("=tiers: {delays: [90s, 500ms]}"), @r#"
    d.delay: direct, durable
    d.1m30s: quorum, durable, x-dead-letter-exchange="x", x-dead-letter-routing-key="k", x-dead-letter-strategy="at-least-once", x-message-ttl=90000, x-overflow="reject-publish"
    d.500ms: quorum, durable, x-dead-letter-exchange="x", x-dead-letter-routing-key="k", x-dead-letter-strategy="at-least-once", x-message-ttl=500, x-overflow="reject-publish"
    d.delay -> queue `d.1m30s`: d.1m30s
    d.delay -> queue `d.500ms`: d.500ms
    "#);
    assert_snapshot!(objects("tiers: {delays: [5s], exchange: '', queue_type: classic}"), @r#"d.5s: classic, durable, x-dead-letter-exchange="", x-dead-letter-routing-key="q", x-message-ttl=5000"#);
    assert_snapshot!(objects("tiers: {delays: [5s], exchange: '', queue_type: classic, max_length: 10}"), @r#"d.5s: classic, durable, x-dead-letter-exchange="", x-dead-letter-routing-key="q", x-max-length=10, x-message-ttl=5000, x-overflow="reject-publish""#);
    assert_snapshot!(objects("tiers: {delays: [5s], exchange: '', max_length: 10, overflow: drop-head}"), @r#"d.5s: quorum, durable, x-dead-letter-exchange="", x-dead-letter-routing-key="q", x-max-length=10, x-message-ttl=5000, x-overflow="drop-head""#);
}

#[test]
fn names_are_templates() {
    let own = "tiers: {exchange: '{name}.in', queue: '{name}.{delay}.{delay}.q', delays: [90s, {delay: 5s, queue: five}]}";
    assert_snapshot!(objects(own), @r#"
    d.in: direct, durable
    d.1m30s.1m30s.q: quorum, durable, x-dead-letter-exchange="", x-dead-letter-routing-key="q", x-dead-letter-strategy="at-least-once", x-message-ttl=90000, x-overflow="reject-publish"
    five: quorum, durable, x-dead-letter-exchange="", x-dead-letter-routing-key="q", x-dead-letter-strategy="at-least-once", x-message-ttl=5000, x-overflow="reject-publish"
    d.in -> queue `d.1m30s.1m30s.q`: d.1m30s.1m30s.q
    d.in -> queue `five`: five
    "#);
    assert_snapshot!(objects("per_message_ttl: {exchange: '{name}.in', queue: 'wait.{name}'}"), @r#"
    d.in: direct, durable
    wait.d: quorum, durable, x-dead-letter-exchange="", x-dead-letter-routing-key="q", x-dead-letter-strategy="at-least-once", x-overflow="reject-publish"
    d.in -> queue `wait.d`: wait.d
    "#);
    assert_snapshot!(objects("delayed_exchange: {exchange: '{name}.in'}"), @r#"
    d.in: x-delayed-message, durable, x-delayed-type="direct"
    d.in -> queue `q`: q
    "#);
}

#[test]
fn per_message_ttl_takes_any_delay_up_to_the_longest() {
    let spans = ["0", "1ms", "30s", "3650d", "3651d"];
    assert_snapshot!(routes("per_message_ttl: {}", &spans, Rounding::Exact), @"
    offers any
    0: `` `q` expiration=None x-delay=None mandatory=true 0 ms
    1ms: `d.delay` `d.wait` expiration=Some(1) x-delay=None mandatory=true 1 ms
    30s: `d.delay` `d.wait` expiration=Some(30000) x-delay=None mandatory=true 30000 ms
    3650d: `d.delay` `d.wait` expiration=Some(315360000000) x-delay=None mandatory=true 315360000000 ms
    3651d: 3651d is longer than 3650d, RabbitMQ's longest TTL; ask for at most 3650d
    ");
    let spans = ["30m", "1800001ms"];
    assert_snapshot!(routes("=per_message_ttl: {max: 30m, exchange: ''}", &spans, Rounding::Up), @"
    offers any up to 30m
    30m: `` `d.wait` expiration=Some(1800000) x-delay=None mandatory=true 1800000 ms
    1800001ms: 30m1ms is longer than 30m, the TTL of the queue itself; ask for at most 30m
    ");
}

#[test]
fn per_message_ttl_makes_one_queue() {
    assert_snapshot!(objects("per_message_ttl: {}"), @r#"
    d.delay: direct, durable
    d.wait: quorum, durable, x-dead-letter-exchange="", x-dead-letter-routing-key="q", x-dead-letter-strategy="at-least-once", x-overflow="reject-publish"
    d.delay -> queue `d.wait`: d.wait
    "#);
    assert_snapshot!(objects("=per_message_ttl: {max: 30m, queue_type: classic, exchange: ''}"), @r#"d.wait: classic, durable, x-dead-letter-exchange="x", x-dead-letter-routing-key="k", x-message-ttl=1800000"#);
}

#[test]
fn the_plugin_keeps_up_to_49_days() {
    let spans = ["0", "1ms", "30s", "4294967295ms", "4294967296ms"];
    assert_snapshot!(routes("delayed_exchange: {}", &spans, Rounding::Exact), @"
    offers any up to 49d17h2m47s295ms
    0: `` `q` expiration=None x-delay=None mandatory=true 0 ms
    1ms: `d.delay` `q` expiration=None x-delay=Some(1) mandatory=false 1 ms
    30s: `d.delay` `q` expiration=None x-delay=Some(30000) mandatory=false 30000 ms
    4294967295ms: `d.delay` `q` expiration=None x-delay=Some(4294967295) mandatory=false 4294967295 ms
    4294967296ms: 49d17h2m47s296ms is longer than 49d17h2m47s295ms, beyond which the plugin delivers at once; ask for at most 49d17h2m47s295ms
    ");
    assert_snapshot!(routes("delayed_exchange: {routing_key: order.timeout}", &["0", "1s"], Rounding::Up), @"
    offers any up to 49d17h2m47s295ms
    0: `` `q` expiration=None x-delay=None mandatory=true 0 ms
    1s: `d.delay` `order.timeout` expiration=None x-delay=Some(1000) mandatory=false 1000 ms
    ");
}

#[test]
fn the_plugin_routes_by_its_inner_type() {
    assert_snapshot!(objects("delayed_exchange: {routing_key: order.timeout}"), @r#"
    d.delay: x-delayed-message, durable, x-delayed-type="direct"
    d.delay -> queue `q`: order.timeout
    "#);
    assert_snapshot!(objects("=delayed_exchange: {exchange: delay.ex, type: topic}"), @r#"
    delay.ex: x-delayed-message, durable, x-delayed-type="topic"
    delay.ex -> exchange `x`: k
    "#);
}
