//! `consume`: when it stops, what it settles, what it expects, what it shows.

use serde_json::Value;

use crate::raw::{get, on_channel};
use crate::scene::{Scene, scene};

/// A queue whose refused messages are found in another.
const PLAIN: &str = "
    queues: { T.q: { dead_letter: { exchange: '', routing_key: T.dead } }, T.dead: {} }
    delays: { d: { target: { queue: T.q }, tiers: { exchange: T.in, queue: T.wait, delays: [300ms] } } }";

/// The same, as a quorum queue.
const QUORUM: &str = "
    queues: { T.q: { type: quorum, dead_letter: { exchange: '', routing_key: T.dead } }, T.dead: {} }
    delays: { d: { target: { queue: T.q }, per_message_ttl: { exchange: T.in, queue: T.wait } } }";

/// So many messages, ready in queue `q`.
fn holding(scene: Scene, count: usize) -> Scene {
    let scene = scene.declared();
    scene.run("publish", &["--count", &count.to_string()]).expect(0);
    scene
}

fn deliveries(ended: &crate::support::command::Ended) -> Vec<Value> {
    let mut lines = ended.json_lines();
    lines.pop();
    lines
}

#[test]
fn it_stops_at_the_count_the_idle_time_or_the_timeout_and_says_which() {
    let scene = holding(scene!(PLAIN), 3);
    for (arguments, count, reason) in [
        (
            &["-n", "1", "--requeue", "--idle", "20s", "--timeout", "30s"][..],
            1,
            "the count is reached",
        ),
        (&["-n", "9", "--idle", "300ms", "--timeout", "30s"], 3, "nothing came for the idle time"),
        (&["-n", "9", "--idle", "20s", "--timeout", "400ms"], 0, "the time is over"),
    ] {
        let ended = scene.run("consume", &[arguments, &["-o", "json"]].concat()).expect(0);
        let last = ended.json_lines().pop().unwrap();
        assert_eq!((&last["summary"]["count"], &last["stopped"]), (&count.into(), &reason.into()));
        ended.says(&format!("consuming from q\nstopped: {reason}\n"));
    }
}

/// A channel hands a quorum queue few settlements at a time and forgets the others when it closes;
/// not one may be lost so, even when many become due together at the end.
#[test]
fn what_was_settled_does_not_come_again() {
    const COUNT: usize = 1_000;
    for (settled, rejected) in
        [(&["--ack"][..], 0), (&["--reject"], COUNT), (&["--reject-every", "2"], COUNT / 2)]
    {
        let scene = holding(scene!(QUORUM), COUNT);
        let count = COUNT.to_string();
        let all = ["-n", &count, "--prefetch", &count, "--timeout", "30s", "-q"];
        scene.run("consume", &[&all[..], settled].concat()).expect(0);
        let left = ["--idle", "2s", "--expect-count", "0"];
        scene.run("consume", &left).expect(0);
        let dead = ["--queue", &scene.name("dead"), "--idle", "2s", "--expect-count"];
        scene.run("consume", &[&dead[..], &[&rejected.to_string()]].concat()).expect(0);
    }
}

/// What was not asked for stays in the queue, and is not marked as delivered before.
#[test]
fn two_of_five_leave_three_untouched() {
    for queue_type in ["classic", "quorum"] {
        let yaml = format!(
            "queues: {{ T.q: {{ type: {queue_type} }} }}
delays: {{ d: {{ target: {{ queue: T.q }}, per_message_ttl: {{ exchange: T.in, queue: T.w }} }} }}"
        );
        let scene = holding(scene!(yaml), 5);
        let ended = scene.run("consume", &["-n", "2", "--timeout", "20s"]).expect(0);
        ended.shows("message 1, ").shows("message 2, ").shows("2 deliveries, ");
        let queue = scene.name("q");
        let left = on_channel(&scene, async |channel| {
            let mut left = Vec::new();
            while let Some(message) = get(channel, &queue).await {
                assert!(!message.delivery.redelivered, "{queue_type}");
                left.push(String::from_utf8(message.delivery.data.clone()).unwrap());
            }
            left
        });
        let numbers: Vec<_> = left.iter().map(|body| body.split(',').next().unwrap()).collect();
        assert_eq!(numbers, ["message 3", "message 4", "message 5"], "{queue_type}");
    }
}

#[test]
fn acknowledged_rejected_or_requeued() {
    let scene = holding(scene!(PLAIN), 4);
    scene.run("consume", &["-n", "2", "--requeue", "--timeout", "20s"]).expect(0);
    assert_eq!((scene.ready("q"), scene.ready("dead")), (4, 0));
    scene.run("consume", &["-n", "1", "--ack", "--timeout", "20s"]).expect(0);
    assert_eq!((scene.ready("q"), scene.ready("dead")), (3, 0));
    scene.run("consume", &["-n", "1", "--reject", "--timeout", "20s"]).expect(0);
    scene.run("consume", &["-n", "1", "--timeout", "20s"]).expect(0);
    let dead = scene.name("dead");
    let ended = scene.run("consume", &["--queue", &dead, "-n", "1", "--timeout", "20s"]).expect(0);
    ended.shows("  q (rejected) > dead");
    assert_eq!((scene.ready("q"), scene.ready("dead")), (1, 0));
}

#[test]
fn every_third_is_rejected() {
    for others in [&[][..], &["--requeue"]] {
        let scene = holding(scene!(PLAIN), 7);
        let arguments = ["-n", "7", "--reject-every", "3", "--timeout", "20s"];
        scene.run("consume", &[&arguments, others].concat()).expect(0);
        let dead = scene.name("dead");
        let arguments = ["--queue", &dead, "-n", "2", "--timeout", "20s", "-o", "json"];
        let dead = deliveries(&scene.run("consume", &arguments).expect(0));
        let bodies: Vec<_> = dead.iter().map(|line| line["body"].as_str().unwrap()).collect();
        assert_eq!(bodies, ["message 3, delay 0s", "message 6, delay 0s"]);
        assert_eq!(scene.ready("q"), if others.is_empty() { 0 } else { 5 });
    }
}

#[test]
fn expectations_decide_the_exit_code() {
    let scene = scene!(PLAIN).declared();
    scene.run("publish", &["--delay", "300ms", "-n", "2"]).expect(0);
    let run = |expectations: &[&str]| {
        let stop = ["-n", "2", "--requeue", "--timeout", "20s"];
        scene.run("consume", &[&stop, expectations].concat())
    };
    run(&["--expect-count", "2", "--max-early", "0", "--max-late", "1h"]).expect(0);
    run(&["--expect-count", "3"]).expect(1).says("not met: expected 3 messages, and 2 came\n");
    run(&["--expect-count", "1"]).expect(1).says("not met: expected 1 messages, and 2 came\n");
    let late = run(&["--max-late", "0"]).expect(1);
    late.says("not met: expected none more than 0s late, and one was by ");
    // Everything that is not met is told.
    let both = run(&["--max-late", "0", "--expect-count", "5"]).expect(1);
    assert_eq!(both.stderr.matches("not met: ").count(), 2, "{both}");
    scene.run("consume", &["--idle", "300ms"]).expect(0);
    let none = ["--idle", "300ms", "--expect-count", "1"];
    scene.run("consume", &none).expect(1).says("expected 1 messages, and 0 came");
    scene.run("consume", &["--idle", "300ms", "--expect-count", "0", "--max-early", "0"]).expect(0);
}

#[test]
fn redelivered_and_duplicate_are_told_apart() {
    let scene = scene!(PLAIN).declared();
    scene.run("publish", &["--message-id", "order-1", "-n", "2"]).expect(0);
    let first = scene.run("consume", &["-n", "2", "--requeue", "--timeout", "20s"]).expect(0);
    let ended: Vec<_> =
        first.stdout.lines().map(|line| line.rsplit("  ").next().unwrap()).collect();
    assert_eq!(ended[1..3], ["q", "q, duplicate"], "{first}");
    first.shows("\n1 duplicate, 0 redelivered\n");
    let again = scene.run("consume", &["-n", "2", "--timeout", "20s", "-o", "json"]).expect(0);
    let marks = |field: &str| -> Vec<_> {
        deliveries(&again).iter().map(|line| line[field].as_bool().unwrap()).collect()
    };
    assert_eq!((marks("redelivered"), marks("duplicate")), (vec![true, true], vec![false, true]));
}

#[test]
fn control_characters_do_not_reach_the_terminal() {
    let scene = scene!(PLAIN).declared();
    let evil = "\x1b[2J\x07\r\n\u{202e}b";
    let id = "id\x1b[2J";
    scene.run("publish", &["--body", evil, "--message-id", id, "-H", "k\x1b=v\x1b"]).expect(0);
    let harmless = |text: &str| !text.contains(|c: char| c.is_control() && c != '\n');
    for arguments in [&[][..], &["-o", "json"]] {
        let stop = ["-n", "1", "--requeue", "--timeout", "20s"];
        let ended = scene.run("consume", &[&stop, arguments].concat()).expect(0);
        assert!(harmless(&ended.stdout) && harmless(&ended.stderr), "{ended:?}");
        if arguments.is_empty() {
            ended.shows(r"\x1b[2J\x07\r\n\u{202e}b ");
        } else {
            let line = &ended.json_lines()[0];
            assert_eq!((&line["body"], &line["message_id"]), (&evil.into(), &id.into()));
        }
    }
    let bytes = format!("{}.bytes", scene.path);
    std::fs::write(&bytes, b"\xff\x00\x9b").unwrap();
    scene.run("consume", &["-n", "1", "--timeout", "20s"]).expect(0);
    scene.run("publish", &["--body-file", &bytes]).expect(0);
    std::fs::remove_file(bytes).unwrap();
    let ended = scene.run("consume", &["-n", "1", "--timeout", "20s"]).expect(0);
    ended.shows(r"\xff\x00\x9b ");
}

/// A file may come from anywhere, as may the names in it.
#[test]
fn control_characters_in_names_are_escaped_by_every_command() {
    let scene = scene!(
        "
        queues: { \"T.q\\e[2J\": {} }
        delays:
          \"d\\e[2J\":
            target: { queue: \"T.q\\e[2J\" }
            tiers: { exchange: \"T.in\\e[2J\", queue: \"T.w\\e[2J\", delays: [100ms] }"
    );
    for (command, arguments, code) in [
        ("consume", &["-n", "1"][..], 1),
        ("publish", &["--delay", "100ms"], 1),
        ("inspect", &["--check"], 1),
        ("declare", &["--dry-run"], 0),
        ("declare", &[], 0),
        ("declare", &["-o", "json"], 0),
        ("publish", &["--delay", "100ms"], 0),
        ("inspect", &[], 0),
        ("inspect", &["-o", "tree"], 0),
        ("inspect", &["-o", "json"], 0),
        ("consume", &["-n", "1", "--timeout", "20s"], 0),
        ("publish", &["no-such-delay"], 2),
        ("hol-demo", &["--delays", "100ms"], 0),
        ("hol-demo", &["--delays", "100ms", "-o", "json"], 0),
        ("hol-demo", &["--delays", "200ms"], 2),
    ] {
        let ended = scene.run(command, arguments).expect(code);
        let raw = |text: &str| text.contains(|c: char| c.is_control() && c != '\n');
        assert!(!raw(&ended.stdout) && !raw(&ended.stderr), "{command} {arguments:?}: {ended:?}");
    }
}

#[test]
fn without_a_name_the_queues_of_all_delays_are_read() {
    let scene = scene!(
        "
        queues: { T.a: {}, T.b: {}, T.c: {} }
        delays:
          one: { target: { queue: T.a }, per_message_ttl: { exchange: T.i1, queue: T.w1 } }
          two: { target: { queue: T.b }, per_message_ttl: { exchange: T.i2, queue: T.w2 } }
          three: { target: { queue: T.b }, per_message_ttl: { exchange: T.i3, queue: T.w3 } }
    "
    )
    .declared();
    for name in ["one", "two", "three"] {
        scene.run("publish", &[name, "--body", name]).expect(0);
    }
    let all = scene.run("consume", &["-n", "3", "--timeout", "20s", "--requeue"]).expect(0);
    all.says("consuming from a, b\n").shows("\none ").shows("\ntwo ").shows("\nthree ");
    let one = scene.run("consume", &["two", "--idle", "500ms", "--expect-count", "2"]).expect(0);
    one.says("consuming from b\n");
    let (a, c) = (scene.name("a"), scene.name("c"));
    let named = ["--queue", &a, "--queue", &c, "--idle", "500ms", "--expect-count", "1"];
    scene.run("consume", &named).expect(0).says("consuming from a, c\n");
}

#[test]
fn a_missing_queue_is_named() {
    let scene = scene!(PLAIN);
    let ended = scene.run("consume", &["--timeout", "20s"]).expect(1);
    ended.says("error: queue `q` cannot be used: `NOT_FOUND - no queue ");
}

#[test]
fn a_queue_that_is_deleted_ends_it() {
    let scene = holding(scene!(PLAIN), 1);
    let mut session = scene.start("consume", &["--timeout", "30s"]);
    session.wait_for("message 1");
    let queue = scene.name("q");
    scene.with_broker(async |broker| broker.delete_queue(&queue, false, false).await.unwrap());
    let ended = scene.check(session.end()).expect(1);
    ended
        .says("error: the broker cancelled the consumer of queue `q`")
        .shows("1 delivery, 0 early");
}

/// Runs a command whose stdout nobody reads; its exit code and stderr.
fn unread(scene: &Scene, command: &str, arguments: &[&str]) -> (Option<i32>, String) {
    let command = scene.command(command, arguments);
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut own = std::process::Command::new(command.get_program());
    own.args(command.get_args()).env("AMQP_URL", &scene.broker.uri).stdout(writer);
    let output = own.stderr(std::process::Stdio::piped()).spawn().unwrap().wait_with_output();
    let output = output.unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn a_reader_that_goes_away_ends_it_quietly() {
    let scene = holding(scene!(PLAIN), 200);
    let ended = format!("consuming from {}\n", scene.name("q"));
    let bounds = ["-n", "200", "--timeout", "20s"];
    assert_eq!(unread(&scene, "consume", &bounds), (Some(0), ended.clone()));
    // What nobody saw is not gone.
    assert_eq!(scene.ready("q"), 200);
    let expecting = [&bounds[..], &["--expect-count", "200"]].concat();
    assert_eq!(unread(&scene, "consume", &expecting), (Some(1), ended));
    assert_eq!(scene.ready("q"), 200);
}

#[test]
fn drift_that_nobody_reads_is_drift() {
    let scene = scene!(PLAIN);
    let (code, _) = unread(&scene, "inspect", &["--check"]);
    assert_eq!(code, Some(1));
}
