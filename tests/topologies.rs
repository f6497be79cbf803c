//! Each file in `topologies/` compiles to a recorded listing, and its delays have recorded routes.

use delayctl::duration::Millis;
use delayctl::message::Route;
use delayctl::objects::Arguments;
use delayctl::routing::{Headers, Router};
use delayctl::strategy::Rounding;
use delayctl::topology::{Topology, parse};
use insta::assert_snapshot;

fn topology(name: &str) -> Topology {
    let text = std::fs::read_to_string(format!("topologies/{name}.yaml")).unwrap();
    parse(&text).unwrap_or_else(|error| panic!("{name}:\n{error}"))
}

/// Every object, and for some delays (`order 5s`) the route and the queues on the way.
fn listing(name: &str, delays: &[&str]) -> String {
    let topology = topology(name);
    let objects = &topology.objects;
    let mut lines: Vec<String> =
        topology.vhost.iter().map(|name| format!("vhost {name}")).collect();
    lines.extend(objects.exchanges.iter().map(|(name, x)| format!("exchange {name}: {x}")));
    lines.extend(objects.queues.iter().map(|(name, queue)| format!("queue {name}: {queue}")));
    for binding in &objects.bindings {
        let (from, to, key) = (&binding.source, &binding.destination, &binding.routing_key);
        let arguments = show(&binding.arguments);
        lines.push(format!("binding {from} -> {to} with `{key}`{arguments}"));
    }
    lines.extend(objects.policies.iter().map(|(name, policy)| format!("policy {name}: {policy}")));
    lines.extend(delays.iter().map(|delay| route(&topology, delay)));
    lines.join("\n")
}

fn show(arguments: &Arguments) -> String {
    arguments.iter().map(|(name, value)| format!(", {name}={value}")).collect()
}

fn route(topology: &Topology, what: &str) -> String {
    let (name, span) = what.split_once(' ').unwrap();
    let delay = &topology.delays[name];
    let Route { exchange, routing_key, expiration, plugin_delay, mandatory, delay_ms } =
        match delay.route(span.parse().unwrap(), Rounding::Exact) {
            Ok(route) => route,
            Err(error) => return format!("{what}: {error} ({})", error.hint()),
        };
    let mut text = format!("{what}: to exchange `{exchange}` with key `{routing_key}`");
    if Millis(delay_ms).to_string() != span {
        text += &format!(", takes {}", Millis(delay_ms));
    }
    text += &expiration.map(|ms| format!(", expiration {ms}")).unwrap_or_default();
    text += &plugin_delay.map(|ms| format!(", x-delay {ms}")).unwrap_or_default();
    text += if mandatory { "" } else { ", never mandatory" };
    let router = Router::new(&topology.objects);
    let path = router.path(&exchange, &routing_key, &Headers::new());
    let queues: Vec<_> = path.queues.keys().map(String::as_str).collect();
    format!("{text}; passes {}", queues.join(", "))
}

#[test]
fn each_file_is_here() {
    let files = std::fs::read_dir("topologies").unwrap();
    let mut names: Vec<_> =
        files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    let source = include_str!("topologies.rs");
    for name in names {
        let name = name.trim_end_matches(".yaml");
        assert!(source.contains(&format!("listing(\"{name}\"")), "no test for `{name}`");
    }
}

/// Scenario 1: the publisher sets `expiration`; the dead letters of `simple.queue` are the messages
/// that are due.
#[test]
fn simple_dlx() {
    assert_snapshot!(listing("simple-dlx", &["simple 30s", "simple 0"]), @r#"
    exchange dlx.direct: direct, durable
    exchange simple.direct: direct, durable
    queue dlx.queue: quorum, durable
    queue simple.queue: quorum, durable, x-dead-letter-exchange="dlx.direct", x-dead-letter-routing-key="dlx", x-dead-letter-strategy="at-least-once", x-overflow="reject-publish"
    binding dlx.direct -> queue `dlx.queue` with `dlx`
    binding simple.direct -> queue `simple.queue` with `simple.queue`
    simple 30s: to exchange `simple.direct` with key `simple.queue`, expiration 30000; passes simple.queue, dlx.queue
    simple 0: to exchange `dlx.direct` with key `dlx`, takes 0s; passes dlx.queue
    "#);
}

/// Scenario 2: a queue per delay, picked by its name.
#[test]
fn tiered_delays() {
    assert_snapshot!(listing("tiered-delays", &["order 5s", "order 30s", "order 1h", "order 10s", "order 2h"]), @r#"
    exchange delay.dlx: direct, durable
    queue order.timeout.q: quorum, durable
    queue delay.5s.q: quorum, durable, x-dead-letter-exchange="delay.dlx", x-dead-letter-routing-key="order.timeout", x-dead-letter-strategy="at-least-once", x-message-ttl=5000, x-overflow="reject-publish"
    queue delay.30s.q: quorum, durable, x-dead-letter-exchange="delay.dlx", x-dead-letter-routing-key="order.timeout", x-dead-letter-strategy="at-least-once", x-message-ttl=30000, x-overflow="reject-publish"
    queue delay.1h.q: quorum, durable, x-dead-letter-exchange="delay.dlx", x-dead-letter-routing-key="order.timeout", x-dead-letter-strategy="at-least-once", x-message-ttl=3600000, x-overflow="reject-publish"
    binding delay.dlx -> queue `order.timeout.q` with `order.timeout`
    order 5s: to exchange `` with key `delay.5s.q`; passes delay.5s.q, order.timeout.q
    order 30s: to exchange `` with key `delay.30s.q`; passes delay.30s.q, order.timeout.q
    order 1h: to exchange `` with key `delay.1h.q`; passes delay.1h.q, order.timeout.q
    order 10s: no tier of 10s: there are 5s, 30s, 1h (the nearest is 5s; `--round up` takes 30s)
    order 2h: no tier of 2h: there are 5s, 30s, 1h (the nearest is 1h, the longest; add a tier to the file)
    "#);
}

/// Scenario 6: the waits double, and the last is what is left of 30 minutes.
#[test]
fn stepped_order_check() {
    let delays = ["order.check 1m", "order.check 15m", "order.check 14m"];
    assert_snapshot!(listing("stepped-order-check", &delays));
}

/// Scenario 3: the blocked queue beside its mends.
#[test]
fn head_of_line() {
    assert_snapshot!(listing("head-of-line", &["blocked 30s", "tiers 5s", "plugin 10s", "ladder 5s"]), @r#"
    exchange hol.blocked.delay: direct, durable
    exchange hol.tiers.delay: direct, durable
    exchange hol.ladder.unrouted: fanout, durable
    exchange hol.ladder.level-05: topic, durable, alternate-exchange="hol.ladder.unrouted"
    exchange hol.ladder.level-04: topic, durable, alternate-exchange="hol.ladder.unrouted"
    exchange hol.ladder.level-03: topic, durable, alternate-exchange="hol.ladder.unrouted"
    exchange hol.ladder.level-02: topic, durable, alternate-exchange="hol.ladder.unrouted"
    exchange hol.ladder.level-01: topic, durable, alternate-exchange="hol.ladder.unrouted"
    exchange hol.ladder.level-00: topic, durable, alternate-exchange="hol.ladder.unrouted"
    exchange hol.ladder.deliver-6: topic, durable, alternate-exchange="hol.ladder.unrouted"
    exchange hol.plugin.delay: x-delayed-message, durable, x-delayed-type="direct"
    queue hol.blocked.done: quorum, durable
    queue hol.tiers.done: quorum, durable
    queue hol.ladder.done: quorum, durable
    queue hol.plugin.done: quorum, durable
    queue hol.blocked.wait: quorum, durable, x-dead-letter-exchange="", x-dead-letter-routing-key="hol.blocked.done", x-dead-letter-strategy="at-least-once", x-overflow="reject-publish"
    queue hol.tiers.5s: quorum, durable, x-dead-letter-exchange="", x-dead-letter-routing-key="hol.tiers.done", x-dead-letter-strategy="at-least-once", x-message-ttl=5000, x-overflow="reject-publish"
    queue hol.tiers.10s: quorum, durable, x-dead-letter-exchange="", x-dead-letter-routing-key="hol.tiers.done", x-dead-letter-strategy="at-least-once", x-message-ttl=10000, x-overflow="reject-publish"
    queue hol.tiers.30s: quorum, durable, x-dead-letter-exchange="", x-dead-letter-routing-key="hol.tiers.done", x-dead-letter-strategy="at-least-once", x-message-ttl=30000, x-overflow="reject-publish"
    queue hol.ladder.parking: quorum, durable
    queue hol.ladder.level-05.1: quorum, durable, x-dead-letter-exchange="hol.ladder.level-04", x-dead-letter-strategy="at-least-once", x-message-ttl=32000, x-overflow="reject-publish"
    queue hol.ladder.level-04.1: quorum, durable, x-dead-letter-exchange="hol.ladder.level-03", x-dead-letter-strategy="at-least-once", x-message-ttl=16000, x-overflow="reject-publish"
    queue hol.ladder.level-03.1: quorum, durable, x-dead-letter-exchange="hol.ladder.level-02", x-dead-letter-strategy="at-least-once", x-message-ttl=8000, x-overflow="reject-publish"
    queue hol.ladder.level-02.1: quorum, durable, x-dead-letter-exchange="hol.ladder.level-01", x-dead-letter-strategy="at-least-once", x-message-ttl=4000, x-overflow="reject-publish"
    queue hol.ladder.level-01.1: quorum, durable, x-dead-letter-exchange="hol.ladder.level-00", x-dead-letter-strategy="at-least-once", x-message-ttl=2000, x-overflow="reject-publish"
    queue hol.ladder.level-00.1: quorum, durable, x-dead-letter-exchange="hol.ladder.deliver-6", x-dead-letter-strategy="at-least-once", x-message-ttl=1000, x-overflow="reject-publish"
    binding hol.blocked.delay -> queue `hol.blocked.wait` with `hol.blocked.wait`
    binding hol.tiers.delay -> queue `hol.tiers.5s` with `hol.tiers.5s`
    binding hol.tiers.delay -> queue `hol.tiers.10s` with `hol.tiers.10s`
    binding hol.tiers.delay -> queue `hol.tiers.30s` with `hol.tiers.30s`
    binding hol.ladder.unrouted -> queue `hol.ladder.parking` with ``
    binding hol.ladder.level-05 -> queue `hol.ladder.level-05.1` with `1.#`
    binding hol.ladder.level-05 -> exchange `hol.ladder.level-04` with `0.#`
    binding hol.ladder.level-04 -> queue `hol.ladder.level-04.1` with `*.1.#`
    binding hol.ladder.level-04 -> exchange `hol.ladder.level-03` with `*.0.#`
    binding hol.ladder.level-03 -> queue `hol.ladder.level-03.1` with `*.*.1.#`
    binding hol.ladder.level-03 -> exchange `hol.ladder.level-02` with `*.*.0.#`
    binding hol.ladder.level-02 -> queue `hol.ladder.level-02.1` with `*.*.*.1.#`
    binding hol.ladder.level-02 -> exchange `hol.ladder.level-01` with `*.*.*.0.#`
    binding hol.ladder.level-01 -> queue `hol.ladder.level-01.1` with `*.*.*.*.1.#`
    binding hol.ladder.level-01 -> exchange `hol.ladder.level-00` with `*.*.*.*.0.#`
    binding hol.ladder.level-00 -> queue `hol.ladder.level-00.1` with `*.*.*.*.*.1.#`
    binding hol.ladder.level-00 -> exchange `hol.ladder.deliver-6` with `*.*.*.*.*.0.#`
    binding hol.ladder.deliver-6 -> queue `hol.ladder.done` with `*.*.*.*.*.*.hol.ladder.done`
    binding hol.plugin.delay -> queue `hol.plugin.done` with `hol.plugin.done`
    blocked 30s: to exchange `hol.blocked.delay` with key `hol.blocked.wait`, expiration 30000; passes hol.blocked.wait, hol.blocked.done
    tiers 5s: to exchange `hol.tiers.delay` with key `hol.tiers.5s`; passes hol.tiers.5s, hol.tiers.done
    plugin 10s: to exchange `hol.plugin.delay` with key `hol.plugin.done`, x-delay 10000, never mandatory; passes hol.plugin.done
    ladder 5s: to exchange `hol.ladder.level-02` with key `0.0.0.1.0.1.hol.ladder.done`; passes hol.ladder.level-02.1, hol.ladder.level-00.1, hol.ladder.done
    "#);
}

/// Scenario 4: the plugin.
#[test]
fn delayed_exchange() {
    assert_snapshot!(listing("delayed-exchange", &["order 30s", "order 4294967295ms", "order 4294967296ms"]), @r#"
    exchange delay.ex: x-delayed-message, durable, x-delayed-type="direct"
    queue order.timeout.q: quorum, durable
    binding delay.ex -> queue `order.timeout.q` with `order.timeout`
    order 30s: to exchange `delay.ex` with key `order.timeout`, x-delay 30000, never mandatory; passes order.timeout.q
    order 4294967295ms: to exchange `delay.ex` with key `order.timeout`, takes 49d17h2m47s295ms, x-delay 4294967295, never mandatory; passes order.timeout.q
    order 4294967296ms: 49d17h2m47s296ms is longer than 49d17h2m47s295ms, beyond which the plugin delivers at once (ask for at most 49d17h2m47s295ms)
    "#);
}

/// Scenario 5: 30 minutes, at most 500,000 orders, and a second level.
#[test]
fn order_timeout() {
    assert_snapshot!(listing("order-timeout", &["order-timeout 30m", "order-timeout 1h"]), @r#"
    exchange order.dead.exchange: direct, durable
    exchange order.delay.exchange: direct, durable
    exchange order.dead2.exchange: direct, durable
    queue order.dead.queue: quorum, durable, x-dead-letter-exchange="order.dead2.exchange", x-dead-letter-routing-key="order.dead2"
    queue order.delay.queue: quorum, durable, x-dead-letter-exchange="order.dead.exchange", x-dead-letter-routing-key="order.dead", x-dead-letter-strategy="at-least-once", x-max-length=500000, x-message-ttl=1800000, x-overflow="reject-publish"
    queue order.dead2.queue: quorum, durable, x-max-length=100000
    binding order.dead.exchange -> queue `order.dead.queue` with `order.dead`
    binding order.delay.exchange -> queue `order.delay.queue` with `order.delay.queue`
    binding order.dead2.exchange -> queue `order.dead2.queue` with `order.dead2`
    order-timeout 30m: to exchange `order.delay.exchange` with key `order.delay.queue`; passes order.delay.queue, order.dead.queue, order.dead2.queue
    order-timeout 1h: no tier of 1h: there are 30m (the nearest is 30m, the longest; add a tier to the file)
    "#);
}

/// Scenario 7: five minutes in the holding queue, or none.
#[test]
fn deploy_hold() {
    assert_snapshot!(listing("deploy-hold", &["deploy 5m", "deploy 0"]), @r#"
    exchange deploy.exchange: direct, durable
    exchange deploy.hold.exchange: direct, durable
    queue deploy.queue: quorum, durable
    queue deploy.hold.queue: quorum, durable, x-dead-letter-exchange="deploy.exchange", x-dead-letter-routing-key="deploy", x-dead-letter-strategy="at-least-once", x-message-ttl=300000, x-overflow="reject-publish"
    binding deploy.exchange -> queue `deploy.queue` with `deploy`
    binding deploy.hold.exchange -> queue `deploy.hold.queue` with `deploy.hold.queue`
    deploy 5m: to exchange `deploy.hold.exchange` with key `deploy.hold.queue`; passes deploy.hold.queue, deploy.queue
    deploy 0: to exchange `deploy.exchange` with key `deploy`, takes 0s; passes deploy.queue
    "#);
}

/// Any delay, and one ladder for two of them.
#[test]
fn ladder() {
    let delays = ["retry 90s", "retry 1500ms", "reminder 1h30m", "reminder 2d"];
    assert_snapshot!("ladder", listing("ladder", &delays));
}
