//! `stepped-demo --simulate`: orders, checked without a broker.

use insta::assert_snapshot;

use super::run;

const SIMULATE: [&str; 2] = ["stepped-demo", "--simulate"];

#[test]
fn a_hundred_orders() {
    let ended = run(&SIMULATE).expect(0);
    assert_eq!(ended.stderr, "");
    assert_snapshot!(ended.stdout);
}

/// The same orders through other strategies are checked at the same times.
#[test]
fn by_any_delay_that_can_do_the_waits() {
    let tiers = run(&SIMULATE).expect(0).stdout;
    for file in [&["topologies/ladder.yaml", "retry"][..], &["topologies/simple-dlx.yaml"]] {
        assert_eq!(run(&[&SIMULATE[..], file].concat()).expect(0).stdout, tiers, "{file:?}");
    }
}

#[test]
fn waits_that_are_rounded_up() {
    let file = "topologies/tiered-delays.yaml";
    let arguments = [&SIMULATE[..], &[file, "--first", "5s", "--until", "30s"]].concat();
    // 5 s, then 10 s on the tier of 30 s, after which nothing is left.
    let ended = run(&arguments).expect(0);
    ended.says("`order` rounds the waits up: an order is cancelled after 1m5s, not 30s");
    run(&[&SIMULATE[..], &[file, "--until", "3h"]].concat()).expect(2).says("no tier of 1h4m");
}

#[test]
fn what_makes_no_sense() {
    for (arguments, words) in [
        (&["--paid", "1s=60,2s=41"][..], "101 % of the orders would be paid"),
        (&["--first", "31m"], "beyond the last, 30m"),
        (&["--first", "0"], "cannot be after no time"),
        (&["topologies/ladder.yaml"], "the file has several delays: name one"),
    ] {
        run(&[&SIMULATE[..], arguments].concat()).expect(2).says(words);
    }
}
