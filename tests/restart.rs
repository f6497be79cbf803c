//! A broker that restarts, and one that is still starting. They disturb every other test, so they
//! have a test binary of their own, and need a broker that is theirs: the script in
//! `DELAYCTL_BROKER_SCRIPT` stops and starts it.

use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};

use scene::{here, scene, skip};

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

    // Who was consuming is told why: in the broker's own words, unless its socket was faster.
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

#[test]
fn publishing_is_told_of_a_shutdown_and_counts_what_is_unknown() {
    let Some(power) = Power::own(here!()) else { return };
    let scene = scene!(WAITING).declared();
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
    ended.says("error: the connection to the broker was lost: `CONNECTION_FORCED - ");
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
