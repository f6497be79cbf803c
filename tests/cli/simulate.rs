//! `simulate`: the examples' journeys and workloads, predicted.

use insta::assert_snapshot;

use super::{run, run_with};

#[test]
fn thirty_minutes_to_the_millisecond() {
    let ended = run(&["simulate", "topologies/order-timeout.yaml", "--delay", "30m"]).expect(0);
    assert_snapshot!(ended.stdout);
    let json = run(&["simulate", "topologies/order-timeout.yaml", "-d", "30m", "-o", "json"]);
    let json = json.expect(0).json();
    let message = &json["lanes"][0]["messages"][0];
    assert_eq!(message["arrival"]["at_ms"], 1_800_000.0);
    assert_eq!(message["arrival"]["queue"], "order.dead.queue");
    assert_eq!(message["lateness_ms"], 0.0);
    assert_eq!(message["moves"].as_array().unwrap().len(), 2);
}

#[test]
fn every_delay_side_by_side() {
    let path = "topologies/head-of-line.yaml";
    let ended = run(&["simulate", path, "--delay", "30s,5s,10s"]).expect(0);
    assert_snapshot!(ended.stdout);
}

/// What the file's comment says of each of its two commands.
#[test]
fn the_head_of_line_demo_is_as_its_file_says() {
    let late_lanes = |delays: &str| {
        let path = "topologies/head-of-line.yaml";
        assert!(std::fs::read_to_string(path).unwrap().contains(&format!("{path} {delays}\n")));
        let (option, delays) = delays.split_once(' ').unwrap();
        let args = ["hol-demo", path, option, delays, "--simulate", "-o", "json"];
        let lanes = run(&args).expect(0).json();
        let is_late = |lane: &&serde_json::Value| {
            let messages = lane["messages"].as_array().unwrap();
            messages.iter().any(|message| message["simulated_ms"] != message["expected_ms"])
        };
        let late = lanes.as_array().unwrap().iter().filter(is_late);
        late.map(|lane| lane["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(late_lanes("--delays 30s,5s,10s"), ["blocked"]);
    assert!(late_lanes("--delays 5s,10s,30s").is_empty());
}

#[test]
fn a_rejected_check_goes_to_the_second_level() {
    let path = "topologies/order-timeout.yaml";
    let consumer = "order.dead.queue=reject,service=10ms";
    let ended = run(&["simulate", path, "-d", "30m", "--consumer", consumer]).expect(0);
    ended.shows("30m10ms  order.dead2.queue  rejected from `order.dead.queue`");
}

#[test]
fn what_is_lost_is_told_and_exits_with_1() {
    let path = "topologies/simple-dlx.yaml";
    let consumer = "dlx.queue=reject";
    let ended = run(&["simulate", path, "-d", "30s", "--consumer", consumer]).expect(1);
    ended.shows("lost at 30.00 s in `dlx.queue`: it leaves as a dead letter");
    let workload = ["--rate", "1/s", "--for", "1m"];
    let args = [&["simulate", path, "-d", "30s", "--consumer", consumer][..], &workload].concat();
    run(&args).expect(1).shows("lost: 60 in `dlx.queue`, the first at 30.00 s");
}

#[test]
fn a_workload_in_figures() {
    let path = "topologies/order-timeout.yaml";
    let args = ["simulate", path, "-d", "30m", "--rate", "1/s", "--for", "2h"];
    let ended = run(&args).expect(0).says("7,200 messages, 1/s for 2h, delayed by 30m");
    assert_snapshot!(ended.stdout);
    let json = run(&[&args[..], &["-o", "json"]].concat()).expect(0).json();
    assert_eq!(json["messages"], 7200);
    assert_eq!(json["waiting"][0]["peak"], 1800);
    // The 1800th is sent a second before the first leaves, within a sample.
    assert_eq!(json["waiting"][0]["peak_at_ms"], 1_799_000.0);
    assert_eq!(json["deliveries"][0]["lateness_max_ms"], 0.0);
}

#[test]
fn the_plugin_where_it_can_be() {
    let path = "topologies/delayed-exchange.yaml";
    run(&["simulate", path, "-d", "30s,5s"]).expect(78).says("--broker-version 4.2 --plugin");
    run(&["simulate", path, "-d", "30s", "--plugin"]).expect(2).says("cannot run");
    let older = ["--broker-version", "4.2", "--plugin"];
    let ended = run(&[&["simulate", path, "-d", "30s,5s"][..], &older].concat()).expect(0);
    ended.shows("held for 5.00 s").shows("arrives in `order.timeout.q` at 5.00 s, on time");
    let workload = ["--rate", "10/s", "--for", "1m"];
    run(&[&["simulate", path, "-d", "30s,5s"][..], &older, &workload].concat())
        .expect(0)
        .shows("delay.ex (exchange)");
}

#[test]
fn what_cannot_be_done_is_said() {
    let path = "topologies/tiered-delays.yaml";
    run(&["simulate", path]).expect(2).says("--delay");
    run(&["simulate", path, "-d", "7s"]).expect(2).says("no tier of 7s");
    run(&["simulate", path, "-d", "7s", "--round", "up"]).expect(0).shows("due at 30.00 s");
    run(&["simulate", path, "-d", "5s", "--rate", "1/s"]).expect(2).says("--for");
    run(&["simulate", path, "-d", "5s", "--consumer", "order.timout.q"])
        .expect(2)
        .says("is it `order.timeout.q`?");
    run(&["simulate", "topologies/ladder.yaml", "-d", "5s", "--rate", "1/s", "--for", "1s"])
        .expect(2)
        .says("it has `retry`, `reminder`");
}

#[test]
fn pictures_and_pages() {
    let folder = std::env::temp_dir().join(format!("delayctl-pictures-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let at = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let (svg, html) = (at("a.svg"), at("a.html"));
    let path = "topologies/head-of-line.yaml";
    let into = ["--svg", &svg, "--html", &html];
    let workload = ["--rate", "10/s", "--for", "1m"];
    let commands = [
        vec!["simulate", path, "-d", "30s,5s,10s"],
        [&["simulate", path, "ladder", "-d", "30s,5s"][..], &workload].concat(),
        vec!["hol-demo", "--simulate"],
    ];
    for command in commands {
        run(&[&command[..], &into].concat()).expect(0).says("a.svg").says("a.html");
        let picture = std::fs::read_to_string(&svg).unwrap();
        roxmltree::Document::parse(&picture).unwrap();
        let page = std::fs::read_to_string(&html).unwrap();
        assert!(page.starts_with("<!DOCTYPE html>") && page.contains("<table>"), "{page}");
        assert!(!page.contains("src=") && !page.contains("href="), "{page}");
    }
    // Nothing else is left, and what cannot be written is named.
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 2);
    let nowhere = at("no/such/folder.svg");
    run(&["hol-demo", "--simulate", "--svg", &nowhere]).expect(74).says("no/such/folder.svg");
    run(&["hol-demo", "--simulate", "--svg", folder.to_str().unwrap()]).expect(74);
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn names_are_no_markup_and_no_commands() {
    let yaml = "queues: { \"<b>\\e[2J&\": {} }
delays: { \"<i>\\e[31m\": { target: { queue: \"<b>\\e[2J&\" }, per_message_ttl: {} } }";
    let args = ["simulate", "-", "-d", "1s", "--svg", "/dev/stdout"];
    let ended = run_with(yaml.as_bytes(), &args).expect(0);
    assert!(!ended.stdout.contains('\x1b'), "{:?}", ended.stdout);
    let picture = ended.stdout.split_once("<svg").unwrap().1;
    roxmltree::Document::parse(&format!("<svg{picture}")).unwrap();
    assert!(picture.contains("&lt;i&gt;"), "{picture}");
}
