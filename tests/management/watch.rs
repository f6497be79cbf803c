//! `inspect --watch`, and `inspect` on a terminal, which shows the same.

use std::process::Command;

use insta::assert_snapshot;

use crate::stage::stage;
use crate::support::terminal::{Terminal, on_terminal};

#[test]
fn one_picture_after_the_other_until_interrupted() {
    let stage = stage!("queues: { q: { type: classic } }");
    stage.run("declare", &[]).expect(0);
    let mut watching = stage.start("inspect", &["--watch=200ms"]);
    watching.wait_for(" q ");
    stage.send("q");
    watching.wait_for("q       classic  yes        1");
    watching.interrupt();
    let ended = watching.end().expect(0);
    assert!(ended.stdout.matches("object").count() >= 2, "{ended}");
    assert!(!ended.stdout.contains('\x1b'), "{ended}");
    let mut watching = stage.start("inspect", &["--watch", "-o", "json"]);
    watching.wait_for("\"name\":\"q\"");
    watching.interrupt();
    let lines = watching.end().expect(0).json_lines();
    assert_eq!(lines[0][0]["ready"], 1);
}

#[test]
fn in_80_columns_no_name_and_no_title_is_broken() {
    let text = include_str!("../../topologies/order-timeout.yaml");
    let stage = stage!(text);
    stage.run("declare", &[]).expect(0);
    let mut command = Command::new(env!("CARGO_BIN_EXE_delayctl"));
    command.args(["inspect", stage.path(), "--quiet", "--vhost", &stage.vhost]);
    command.env("AMQP_URL", &stage.uri).env("RABBITMQ_MANAGEMENT_URL", &stage.api);
    let Some(shown) = on_terminal(&command, Terminal { columns: 80 }) else { return };
    assert_snapshot!(shown.replace('\r', ""), @r"
              object                type    there  ready  consumers  TTL
    ────────────────────────────────────────────────────────────────────
    exchange  order.dead.exchange   direct  yes
    exchange  order.delay.exchange  direct  yes
    exchange  order.dead2.exchange  direct  yes
    queue     order.dead.queue      quorum  yes        0          0
        dead letters go to: order.dead2.exchange / order.dead2
    queue     order.delay.queue     quorum  yes        0          0  30m
        dead letters go to: order.dead.exchange / order.dead
    queue     order.dead2.queue     quorum  yes        0          0
    ");
}
