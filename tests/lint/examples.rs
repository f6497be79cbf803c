//! The files in `topologies/`: nothing is found in them but the traps they are there to show.

use insta::assert_snapshot;

use delayctl::lint::lint;
use delayctl::objects::{Binding, Exchange, Objects, Queue};
use delayctl::topology::Topology;

use super::{found, found_on};

fn read(name: &str) -> String {
    std::fs::read_to_string(format!("topologies/{name}.yaml")).unwrap()
}

#[test]
fn those_without_a_trap() {
    for name in ["deploy-hold", "ladder", "order-timeout", "stepped-order-check", "tiered-delays"] {
        assert_eq!(found(&read(name)), "nothing", "{name}");
        for version in ["3.10", "3.13", "4.0", "4.3"] {
            assert_eq!(found_on(version, &read(name)), "nothing", "{name} on {version}");
        }
    }
}

#[test]
fn every_example_is_here() {
    let listed = [
        "delayed-exchange",
        "deploy-hold",
        "head-of-line",
        "ladder",
        "order-timeout",
        "simple-dlx",
        "stepped-order-check",
        "tiered-delays",
    ];
    let mut there: Vec<_> = std::fs::read_dir("topologies")
        .unwrap()
        .map(|entry| entry.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    there.sort();
    assert_eq!(there, listed);
}

#[test]
fn simple_dlx() {
    assert_snapshot!(found(&read("simple-dlx")), @"
    warning[head-of-line] delays.simple.per_message_ttl: messages leave `simple.queue` in the order they came, since RabbitMQ expires them at the head only: one of 1s right behind one of 1d leaves after 1d, 23h59m59s late; there is no `max`, so nothing bounds the wait but RabbitMQ's longest TTL, 10 years
      mend: use `tiers` or `ladder`, or send only delays that never decrease
    ");
}

#[test]
fn head_of_line() {
    assert_snapshot!(found(&read("head-of-line")), @"
    warning[head-of-line] delays.blocked.per_message_ttl: messages leave `hol.blocked.wait` in the order they came, since RabbitMQ expires them at the head only: one of 1s right behind one of 1d leaves after 1d, 23h59m59s late; there is no `max`, so nothing bounds the wait but RabbitMQ's longest TTL, 10 years
      mend: use `tiers` or `ladder`, or send only delays that never decrease
    warning[plugin-version] delays.plugin: `hol.plugin.delay` needs the delayed-message plugin, which was archived in January 2026 and cannot run on RabbitMQ 4.3 or later
      mend: use `ladder` for any delay, or `tiers` for fixed ones
    ");
}

#[test]
fn delayed_exchange() {
    assert_snapshot!(found(&read("delayed-exchange")), @"
    warning[plugin-version] delays.order: `delay.ex` needs the delayed-message plugin, which was archived in January 2026 and cannot run on RabbitMQ 4.3 or later
      mend: use `ladder` for any delay, or `tiers` for fixed ones
    ");
    assert_snapshot!(found_on("4.3.6", &read("delayed-exchange")), @"
    warning[plugin-version] delays.order: RabbitMQ 4.3.6 refuses `delay.ex`: the plugin cannot run on 4.3 or later, and its exchange type is unknown there
      mend: use `ladder` for any delay, or `tiers` for fixed ones
    ");
    assert_eq!(found_on("4.2", &read("delayed-exchange")), "nothing");
}

/// Each queue's dead letters go through one topic exchange with as many bindings: what is not
/// indexed shows at this size.
#[test]
fn ten_thousand_queues() {
    let mut objects = Objects::default();
    objects.add_exchange("dead", Exchange::durable("topic")).unwrap();
    for number in 0..5000 {
        let (wait, done) = (format!("wait.{number}"), format!("done.{number}"));
        let queue = Queue::default()
            .with("x-message-ttl", 1000)
            .with("x-dead-letter-exchange", "dead")
            .with("x-dead-letter-routing-key", done.as_str());
        objects.add_queue(&wait, queue).unwrap();
        objects.add_queue(&done, Queue::default()).unwrap();
        objects.add_binding(Binding::to_queue("dead", &done, &done));
    }
    let topology = Topology { objects, ..Topology::default() };
    assert_eq!(lint(&topology, None), []);
}
