//! No password anywhere: not in an error, not in `--help`, not in a snapshot of arguments.

use super::support::command::{delayctl, run as finish};
use super::{closed_port, run};

const SECRET: &str = "hunter2";
const FILE: &str = "topologies/simple-dlx.yaml";

#[test]
fn not_in_help() {
    for arguments in [&["--help"][..], &["-h"], &["declare", "--help"], &["publish", "-h"]] {
        let uri = format!("amqp://app:{SECRET}@broker/shop");
        let mut command = delayctl(arguments);
        command.env("AMQP_URL", &uri).env("RABBITMQ_MANAGEMENT_URL", &uri);
        finish(&mut command).expect(0).shows("AMQP_URL").keeps(SECRET).keeps("broker/shop");
    }
}

#[test]
fn not_in_what_is_wrong_with_a_uri() {
    for uri in [
        "http://app:hunter2@localhost",
        "amqp://app:hun/hunter2@localhost",
        "amqp://app:hunter2@[::1",
        "amqp://app:hunter2@localhost:port",
        "amqp://app:hunter2@localhost:99999",
        "amqp//app:hunter2@localhost",
        "app:hunter2@localhost",
        "amqp:app:hunter2@localhost",
        "amqp://app:hunter2@localhost/a/b",
        "amqp://app:hunter2%ff@localhost",
        "amqp://app:hunter2@loc alhost",
        "amqp://app:x@localhost?heartbeat=1&auth_mechanism=nothing&password=hunter2",
        "hunter2",
        "",
    ] {
        for arguments in [&["--uri", uri, "inspect", FILE][..], &["hol-demo", "--uri", uri]] {
            run(arguments).expect(2).says("error: the broker's URI is wrong: ").keeps(SECRET);
        }
        let mut command = delayctl(&["inspect", FILE]);
        finish(command.env("AMQP_URL", uri)).expect(2).keeps(SECRET);
    }
}

#[test]
fn not_in_a_usage_error() {
    let uri = format!("amqp://app:{SECRET}@localhost");
    for arguments in [
        &["--uri", &uri, "inspect"][..],
        &["--uri", &uri, "frobnicate"],
        &["inspect", FILE, "--uri", &uri, "--verbose=yes"],
        &["inspect", FILE, "--uri", &uri, "--uri", &uri],
    ] {
        run(arguments).expect(2).keeps(SECRET);
    }
}

#[test]
fn not_when_nobody_listens() {
    let port = closed_port();
    for uri in [
        format!("amqp://app:{SECRET}@127.0.0.1:{port}"),
        format!("amqps://app:{SECRET}@127.0.0.1:{port}"),
        format!("amqp://app:{SECRET}@no-such-host.invalid:{port}"),
    ] {
        run(&["inspect", FILE, "--uri", &uri]).expect(69).says("app@").keeps(SECRET);
    }
}

#[test]
fn not_from_a_password_file() {
    let path = format!("{}/password-{}", env!("CARGO_TARGET_TMPDIR"), std::process::id());
    std::fs::write(&path, format!("{SECRET}\n")).unwrap();
    let uri = format!("amqp://app:old-{SECRET}@127.0.0.1:{}", closed_port());
    let ended = run(&["inspect", FILE, "--uri", &uri, "--password-file", &path]);
    std::fs::remove_file(&path).unwrap();
    ended.expect(69).keeps(SECRET);
    let missing = ["inspect", FILE, "--uri", &uri, "--password-file", "no-such-file"];
    run(&missing).expect(74).says("cannot read `no-such-file`").keeps(SECRET);
}
