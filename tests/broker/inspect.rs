//! `inspect`: what is there, what is missing, what it holds.

use insta::assert_snapshot;
use serde_json::Value;

use crate::scene::{Scene, here, scene};

const PLAIN: &str = "
    exchanges: { T.out: direct }
    queues: { T.q: { type: quorum } }
    bindings: [ { source: T.out, queue: T.q, routing_key: k } ]
    delays:
      d: { target: { exchange: T.out, routing_key: k }, tiers: { exchange: T.in, queue: T.wait, delays: [1h] } }";

#[test]
fn what_is_missing_is_a_line_each() {
    let mut scene = scene!(PLAIN);
    let ended = scene.run("inspect", &["--check"]).expect(1);
    assert_eq!(
        ended.stdout.lines().collect::<Vec<_>>(),
        [
            "missing: exchange `out`",
            "missing: exchange `in`",
            "missing: queue `q`",
            "missing: queue `wait`",
        ]
    );
    // Looking is no declaring.
    let ended = scene.run("inspect", &[]).expect(0).says("4 of 4 are missing\n");
    assert_eq!(ended.stdout.matches("MISSING").count(), 4, "{ended}");
    scene.run("inspect", &["-o", "tree"]).expect(0).shows("MISSING");

    scene.run("declare", &[]).expect(0);
    assert_eq!(scene.run("inspect", &["--check"]).expect(0).stdout, "");
    scene.rewrite(&PLAIN.replace("T.q: {", "T.another: {}, T.q: {"));
    let ended = scene.run("inspect", &["--check"]).expect(1);
    assert_eq!(ended.stdout, "missing: queue `another`\n");
}

#[test]
fn what_the_queues_hold_and_who_reads_them() {
    let scene = scene!(PLAIN).declared();
    scene.run("publish", &["--delay", "1h", "-n", "3"]).expect(0);
    scene.run("publish", &["-n", "2"]).expect(0);
    let json = scene.run("inspect", &["-o", "json"]).expect(0);
    assert_snapshot!(json.stdout);
    let rows = json.json();
    let queue = |name: &str| -> Value {
        let rows = rows.as_array().unwrap();
        rows.iter().find(|row| row["name"] == name).unwrap().clone()
    };
    assert_eq!((&queue("wait")["ready"], &queue("wait")["consumers"]), (&3.into(), &0.into()));
    assert_eq!(queue("q")["ready"], 2);
    assert_snapshot!("table", scene.run("inspect", &[]).expect(0).stdout);
    assert_snapshot!("tree", scene.run("inspect", &["-o", "tree"]).expect(0).stdout);

    let mut consumer = scene.start("consume", &["--timeout", "30s"]);
    consumer.wait_for("message 2");
    let read = scene.run("inspect", &["-o", "json"]).expect(0).json();
    let row = read.as_array().unwrap().iter().find(|row| row["name"] == "q").unwrap();
    assert_eq!((&row["ready"], &row["consumers"]), (&0.into(), &1.into()));
    consumer.interrupt();
    consumer.end().expect(130);
}

/// From the entry to the last queue, through a second level.
#[test]
fn the_tree_of_an_order_timeout() {
    let Some(scene) = Scene::of_file(here!(), "order-timeout.yaml", &[]) else { return };
    let scene = scene.declared();
    assert_snapshot!(scene.run("inspect", &["-o", "tree"]).expect(0).stdout);
}
