//! Command lines that are wrong, or that ask for what the file cannot do: exit code 2, and a hint
//! that names what there is. None of them needs a broker to find out.

use super::{closed_port, run, run_with};

/// Every command here would have to reach this broker, and there is none.
fn nowhere() -> String {
    format!("amqp://127.0.0.1:{}", closed_port())
}

/// What stderr says when it ends with 2.
fn refused(arguments: &[&str]) -> String {
    let uri = nowhere();
    let ended = run(&[arguments, &["--uri", &uri]].concat()).expect(2);
    assert_eq!(ended.stdout, "");
    ended.stderr
}

const TIERED: &str = "topologies/tiered-delays.yaml";

/// Two ways to one queue.
const SEVERAL: &[u8] = b"
    queues: { done: {} }
    delays:
      blocked: { target: { queue: done }, per_message_ttl: {} }
      tiers: { target: { queue: done }, tiers: { delays: [5s] } }";

/// What stderr says about this command line, with [`SEVERAL`] on stdin, when it ends with 2.
fn refused_several(arguments: &[&str]) -> String {
    let uri = nowhere();
    run_with(SEVERAL, &[arguments, &["--uri", &uri]].concat()).expect(2).stderr
}

#[test]
fn a_delay_that_the_strategy_cannot_do_names_those_it_can() {
    assert_eq!(
        refused(&["publish", TIERED, "--delay", "5s,20s"]),
        "error: no tier of 20s: there are 5s, 30s, 1h\n \
         hint: the nearest is 30s; `--round up` takes 30s\n"
    );
    assert_eq!(
        refused(&["publish", TIERED, "--delay", "6s"]),
        "error: no tier of 6s: there are 5s, 30s, 1h\n hint: the nearest is 5s; `--round up` takes 30s\n"
    );
    let longest = refused(&["publish", TIERED, "--delay", "2h", "--round", "up"]);
    assert!(longest.contains("error: no tier of 2h: there are 5s, 30s, 1h\n"), "{longest}");
    let plugin = refused(&["publish", "topologies/delayed-exchange.yaml", "--delay", "60d"]);
    assert!(plugin.contains("60d is longer than 49d17h2m47s295ms"), "{plugin}");
    let blocked = refused_several(&["publish", "-", "blocked", "--delay", "4000d"]);
    assert!(blocked.contains("is longer than"), "{blocked}");
}

#[test]
fn a_delay_without_a_unit() {
    let words = refused(&["publish", TIERED, "--delay", "30"]);
    assert!(words.contains("`30` has no unit: write `30s` for seconds or `30ms`"), "{words}");
    assert!(refused(&["publish", TIERED, "--delay", "x"]).contains("is not a duration"));
}

/// Every option for a time says it, whether the time stands in a word of its own or not.
#[test]
fn a_negative_time() {
    for arguments in [
        &["publish", TIERED, "-d", "-5s"][..],
        &["publish", TIERED, "--delay", "5s,-5s"],
        &["publish", TIERED, "--expiration", "-5s"],
        &["consume", TIERED, "--timeout", "-5s"],
        &["consume", TIERED, "--idle", "-5s"],
        &["consume", TIERED, "--max-early", "-5s"],
        &["consume", TIERED, "--max-late", "-5s"],
        &["declare", TIERED, "--wait", "-5s"],
        &["declare", TIERED, "--connect-timeout", "-5s"],
        &["inspect", TIERED, "--watch=-5s"],
        &["delete", TIERED, "--wait-empty", "-5s"],
        &["ladder", "--resolution", "-5s"],
        &["ladder", "--max", "-5s"],
        &["hol-demo", "--delays", "-5s"],
        &["route", TIERED, "-d", "-5s"],
        &["route", TIERED, "-d-5s"],
        &["convert", TIERED, "--to", "ladder", "--max", "-5s"],
        &["convert", TIERED, "--to", "ladder", "--resolution", "-5s"],
        &["convert", TIERED, "--to", "tiers", "--delays", "-5s"],
        &["simulate", TIERED, "-d", "-5s"],
        &["simulate", TIERED, "-d", "5s", "--rate", "1/s", "--for", "-5s"],
    ] {
        let words = refused(arguments);
        assert!(words.contains(": `-5s` is negative: the shortest time is `0`\n"), "{words}");
        assert!(!words.contains("tip:"), "{words}");
    }
}

#[test]
fn a_time_that_is_forgotten() {
    let words = refused(&["declare", TIERED, "--wait", "--dry-run"]);
    assert!(words.contains("'--wait <TIME>': `--dry-run` is not a duration: write one"), "{words}");
    run(&["declare", TIERED, "--wait"]).expect(2).says("a value is required for '--wait <TIME>'");
}

#[test]
fn an_unknown_delay_lists_the_names() {
    for command in ["publish", "consume"] {
        assert_eq!(
            refused_several(&[command, "-", "tires"]),
            "error: the file has no delay `tires`\n \
             hint: it has `blocked`, `tiers`\n"
        );
    }
}

#[test]
fn one_of_several_delays_must_be_named() {
    assert_eq!(
        refused_several(&["publish", "-", "--delay", "5s"]),
        "error: the file has several delays: name one\n \
         hint: it has `blocked`, `tiers`\n"
    );
}

#[test]
fn a_file_without_delays() {
    let uri = nowhere();
    for (command, words) in [
        ("publish", "error: the file offers no delay\n hint: add a `delays` section to it\n"),
        (
            "consume",
            "error: the file offers no delay, so no queue follows from it\n \
             hint: name one with `--queue`\n",
        ),
        (
            "hol-demo",
            "error: the file offers no delay to show\n hint: add a `delays` section to it\n",
        ),
    ] {
        let ended = run_with(b"queues: { q: {} }", &[command, "-", "--uri", &uri]).expect(2);
        assert_eq!(ended.stderr, words);
    }
}

#[test]
fn stdin_for_the_topology_and_the_bodies() {
    let text = std::fs::read(TIERED).unwrap();
    for bodies in [&["--body-file", "-"][..], &["--lines"], &["--lines", "--body-file", "-"]] {
        let ended = run_with(&text, &[&["publish", "-"], bodies].concat()).expect(2);
        let words = "error: the topology and the bodies cannot both come from stdin\n";
        assert_eq!(ended.stderr, words);
    }
}

#[test]
fn options_that_exclude_each_other() {
    for arguments in [
        &["publish", TIERED, "--lines", "--body", "x"][..],
        &["publish", TIERED, "--lines", "--count", "2"],
        &["publish", TIERED, "--body", "x", "--body-file", "x"],
        &["consume", TIERED, "--ack", "--reject"],
        &["consume", TIERED, "--reject", "--requeue"],
        &["consume", TIERED, "order", "--queue", "q"],
    ] {
        assert!(refused(arguments).contains("cannot be used with"), "{arguments:?}");
    }
}

#[test]
fn values_out_of_range() {
    for arguments in [
        &["consume", TIERED, "--count", "0"][..],
        &["consume", TIERED, "--prefetch", "0"],
        &["consume", TIERED, "--reject-every", "0"],
        &["publish", TIERED, "--rate", "0/s"],
        &["publish", TIERED, "--rate", "5/year"],
        &["publish", TIERED, "--priority", "256"],
        &["publish", TIERED, "--header", "no-value"],
        &["publish", TIERED, "--header", "=no-key"],
        &["hol-demo", "--scale", "0"],
        &["hol-demo", "--scale", "NaN"],
        &["hol-demo", "--delays", "soon"],
        &["stepped-demo", "--paid", "80"],
        &["stepped-demo", "--paid", "30s=101"],
        &["stepped-demo", "--scale", "0"],
        &["stepped-demo", "--orders", "0"],
        &["declare", TIERED, "--wait", "10"],
        &["inspect", TIERED, "-o", "xml"],
        &["declare", TIERED, "--cert", "only.pem"],
        &["frobnicate"],
    ] {
        assert!(refused(arguments).starts_with("error: "), "{arguments:?}");
    }
}

#[test]
fn a_wrong_uri_tells_how_to_write_one() {
    let ended = run(&["inspect", TIERED, "--uri", "http://localhost"]).expect(2);
    assert_eq!(
        ended.stderr,
        "error: the broker's URI is wrong: its scheme is `http`, not `amqp` or `amqps`\n \
         hint: write it as `amqp://user:password@host:5672/vhost`\n"
    );
}

#[test]
fn certificates_without_tls() {
    let words = refused(&["inspect", TIERED, "--ca-cert", "ca.pem"]);
    assert!(words.contains("`ca.pem` is for TLS"), "{words}");
}
