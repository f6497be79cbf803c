//! `declare --create-vhost`: from nothing to a working topology.

use crate::stage::{Stage, here};

const FILE: &str = "
vhost:
  default_queue_type: quorum
  permissions: [ { user: guest, configure: '.*', write: '.*', read: '.*' } ]
queues: { done: {} }
delays: { a: { target: { queue: done }, tiers: { delays: [100ms] } } }
policies: { limits: { pattern: ^done$, apply_to: queues, definition: { max-length: 7 } } }
";

#[test]
fn from_nothing_to_a_working_topology() {
    let Some(stage) = Stage::bare(here!(), FILE) else { return };
    let missing = stage.run("declare", &[]).expect(77);
    missing.says("there is no vhost").says("hint: `declare --create-vhost` makes it");
    let plan = stage.run("declare", &["--dry-run", "--create-vhost"]).expect(0);
    plan.shows("+  vhost").shows("default queue type: quorum").shows("+  permission  guest");
    assert_eq!(stage.get(&format!("/vhosts/{}", stage.escaped())).0, 404);
    let made = stage.run("declare", &["--create-vhost"]).expect(0);
    made.says("7 created, 0 already there\n");
    assert_eq!(stage.get(&stage.in_vhost("queues", "done")).1["type"], "quorum");
    assert_eq!(stage.get(&stage.in_vhost("policies", "limits")).1["definition"]["max-length"], 7);
    stage.run("publish", &["--delay", "100ms"]).expect(0);
    stage.run("consume", &["-n", "1", "--timeout", "20s"]).expect(0);
    stage.run("declare", &["--create-vhost"]).expect(0).says("nothing changed");
    stage.run("inspect", &["--check"]).expect(0);
}

#[test]
fn what_differs_of_a_vhost() {
    let Some(stage) = Stage::new(here!(), FILE) else { return };
    let permission = serde_json::json!({ "configure": "", "write": ".*", "read": ".*" });
    stage.put(&stage.in_vhost("permissions", "guest"), &permission);
    let drift = stage.run("inspect", &["--check"]).expect(1).stdout;
    assert!(drift.contains("default_queue_type: wanted quorum, found classic"), "{drift}");
    assert!(drift.contains("permission of `guest`: wanted configure=\".*\""), "{drift}");
    // The default type of a vhost that is there is not changed behind its users' backs.
    let ended = stage.run("declare", &["--create-vhost"]).expect(1);
    ended.says("is there, and differs: default_queue_type: wanted quorum, found classic");
    stage.rewrite(&FILE.replace("default_queue_type: quorum", "default_queue_type: classic"));
    let ended = stage.run("declare", &["--create-vhost"]).expect(0);
    let row = ended.stdout.lines().find(|line| line.starts_with("permission")).unwrap();
    assert!(row.contains("changed"), "{ended}");
}

#[test]
fn no_user_is_ever_made() {
    let text = FILE.replace("user: guest", "user: delayctl-no-such-user");
    let Some(stage) = Stage::bare(here!(), &text) else { return };
    let ended = stage.run("declare", &["--create-vhost"]).expect(1);
    ended.says("there is no user `delayctl-no-such-user`, and none is ever made");
    assert_eq!(stage.get("/users/delayctl-no-such-user").0, 404);
}

#[test]
fn without_the_api_no_vhost_is_made() {
    let Some(stage) = Stage::bare(here!(), FILE) else { return };
    for (url, words) in [
        ("none", "the management API is turned off"),
        ("http://127.0.0.1:1", "cannot be reached: nobody listens there"),
    ] {
        let arguments = ["--create-vhost", "--management-url", url];
        stage.run("declare", &arguments).expect(69).says(words);
    }
}
