//! A broker that restarts, and one that is still starting. They disturb every other test, so they
//! have a test binary of their own, and need a broker that is theirs: the script in
//! `DELAYCTL_BROKER_SCRIPT` stops and starts it.

use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use delayctl::broker::{BrokerError, Consumer, Limits, Publisher};
use delayctl::message::{Outgoing, Route};
use scene::{Scene, here, scene, skip};
use tokio::time::{Instant, timeout_at};

#[path = "broker/scene.rs"]
mod scene;
#[path = "support/mod.rs"]
mod support;

/// The broker's script, for one test at a time.
struct Power {
    script: String,
    _turn: MutexGuard<'static, ()>,
}

impl Power {
    fn own(test: &str) -> Option<Self> {
        static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
        let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        match std::env::var("DELAYCTL_BROKER_SCRIPT") {
            Ok(script) => Some(Power { script, _turn }),
            Err(_) => {
                skip(test, "DELAYCTL_BROKER_SCRIPT is not set: the broker is not ours to restart");
                None
            }
        }
    }

    fn turn(&self, verb: &str) {
        let output = Command::new(&self.script).arg(verb).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{verb}: {:?}\n{stderr}", output.status.code());
    }
}

/// Whatever happened, the next test finds the broker running.
impl Drop for Power {
    fn drop(&mut self) {
        let _ = Command::new(&self.script).arg("start").output();
    }
}

const WAITING: &str = "
    queues: { T.done: { type: classic }, T.safe: { type: quorum } }
    delays:
      classic:
        target: { queue: T.done }
        tiers: { exchange: T.in, queue: T.wait, delays: [5s], queue_type: classic }
      quorum:
        target: { queue: T.safe }
        tiers: { exchange: T.in, queue: T.keep, delays: [5s] }";

#[test]
fn persistent_messages_survive_a_restart_while_they_wait() {
    let Some(power) = Power::own(here!()) else { return };
    let scene = scene!(WAITING).declared();
    let mut consumer = scene.start("consume", &["classic", "-o", "json"]);
    consumer.wait_for("consuming from");
    let wait = ["--delay", "5s", "-n", "2"];
    for name in ["classic", "quorum"] {
        for (body, transient) in [("persistent", &[][..]), ("transient", &["--transient"])] {
            let body = ["--body", body];
            scene.run("publish", &[&[name][..], &wait, &body, transient].concat()).expect(0);
        }
    }
    assert_eq!((scene.ready("wait"), scene.ready("keep")), (4, 4), "all wait when it goes down");
    power.turn("restart");

    // Who was consuming is told. A broker that shuts down hangs up without waiting for an answer
    // to its last words, and they may be lost.
    let ended = scene.check(consumer.end()).expect(69);
    assert_eq!(ended.json_lines().pop().unwrap()["stopped"], "an error");
    ended.says("error: the connection to the broker was lost: ");

    let bodies = |name: &str, count: &str| {
        let arguments = [name, "-n", count, "--timeout", "60s", "--max-early", "0", "-o", "json"];
        let mut lines = scene.run("consume", &arguments).expect(0).json_lines();
        lines.pop();
        lines.iter().map(|line| line["body"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(bodies("classic", "2"), ["persistent"; 2]);
    // A quorum queue keeps whatever it took.
    let all = bodies("quorum", "4");
    assert_eq!(all, ["persistent", "persistent", "transient", "transient"]);
    let none = ["classic", "--idle", "1s", "--expect-count", "0"];
    scene.run("consume", &none).expect(0);
}

/// Deleting an at-least-once queue just as its leader is elected, as it is after a start, may end
/// at-least-once dead-lettering on the whole node until it starts again (seen on 3.10.8:
/// `rabbit_fifo_dlx_sup` reaches its restart intensity). So the test that deletes its queues right
/// after a restart has none of those.
const CLASSIC: &str = "
    queues: { T.done: { type: classic } }
    delays:
      classic:
        target: { queue: T.done }
        tiers: { exchange: T.in, queue: T.wait, delays: [5s], queue_type: classic }";

#[test]
fn publishing_through_a_shutdown_counts_what_is_unknown() {
    let Some(power) = Power::own(here!()) else { return };
    let scene = scene!(CLASSIC).declared();
    let mut session = scene.start("consume", &["classic", "-n", "1", "--timeout", "30s"]);
    session.wait_for("consuming from");
    let publish = ["classic", "-n", "1000000", "--rate", "200/s", "-o", "json"];
    let publisher = scene.start("publish", &publish);
    session.end().expect(0); // one has arrived
    power.turn("restart");
    let ended = scene.check(publisher.end()).expect(69);
    let counts = ended.json();
    let count = |field: &str| counts[field].as_u64().unwrap();
    assert!(count("confirmed") > 0, "{counts}");
    assert_eq!(count("sent"), count("confirmed") + count("unknown"), "{counts}");
    ended.says("error: the connection to the broker was lost: ");
}

const TRANSIENT: &str = "
    queues:
      T.done: {}
      T.wait:
        type: classic
        durable: false
        message_ttl: 20s
        dead_letter: { exchange: '', routing_key: T.done }";

/// Whether `lint` finds the hazard in the file for this broker.
fn has_transient(scene: &Scene) -> bool {
    let version = ["--broker-version", &scene.broker.version];
    scene.run("lint", &version).expect(0).stdout.contains("transient-queue")
}

fn send_persistent(scene: &Scene, queue: &str) {
    let route = Route {
        exchange: String::new(),
        routing_key: scene.name(queue),
        expiration: None,
        plugin_delay: None,
        mandatory: true,
        delay_ms: 0,
    };
    let message = Outgoing { persistent: true, ..Outgoing::default() };
    let sent = scene.with_broker(async |broker| {
        let mut publisher = Publisher::open(broker, Limits::default()).await.unwrap();
        publisher.publish(&route, message).await.unwrap();
        publisher.finish().await
    });
    assert_eq!((sent.tally.confirmed, sent.tally.returned), (1, 0));
}

/// Whether a message arrives until then.
fn arrives(scene: &Scene, queue: &str, until: Instant) -> bool {
    scene.with_broker(async |broker| {
        let mut consumer = Consumer::open(broker, &[scene.name(queue)], 1).await.unwrap();
        let next = timeout_at(until, consumer.next()).await;
        let arrived = next.map(|next| consumer.ack(next.unwrap().1).unwrap()).is_ok();
        consumer.close().await;
        arrived
    })
}

/// The hazard `transient-queue`: what waits in such a queue, persistent or not, is gone with it.
#[test]
fn a_transient_queue_is_gone_after_a_restart() {
    let Some(power) = Power::own(here!()) else { return };
    let scene = scene!(TRANSIENT).declared();
    assert!(has_transient(&scene));
    send_persistent(&scene, "wait");
    let due = Instant::now() + Duration::from_secs(21);
    power.turn("restart");
    let name = scene.name("wait");
    let found = scene.with_broker(async |broker| broker.queue_depth(&name).await);
    assert!(matches!(found, Err(BrokerError::NotFound { .. })), "{found:?}");
    assert!(!arrives(&scene, "done", due));
    drop(scene);

    let durable = TRANSIENT.replace("durable: false", "durable: true");
    let scene = scene!(durable).declared();
    assert!(!has_transient(&scene));
    send_persistent(&scene, "wait");
    power.turn("restart");
    assert!(arrives(&scene, "done", Instant::now() + Duration::from_secs(30)));
}

#[test]
fn declare_waits_for_a_broker_that_is_starting() {
    let Some(power) = Power::own(here!()) else { return };
    let scene = scene!(WAITING);
    power.turn("stop");
    scene.run("declare", &[]).expect(69).says("nobody listens there");
    scene.run("declare", &["--wait", "500ms"]).expect(69).says("nobody listens there");
    let session = scene.start("declare", &["--wait", "100s"]);
    power.turn("start");
    scene.check(session.end()).expect(0).says("5 created");
    scene.run("declare", &["--wait", "100s"]).expect(0).says("nothing changed");
}
