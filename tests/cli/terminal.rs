//! On a terminal: colour, unless NO_COLOR; tables folded to its width.

use std::process::Command;

use super::support::terminal::{Terminal, on_terminal};

fn error(no_color: &str) -> Option<String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_delayctl"));
    command.args(["declare", "no-such-file"]).env("NO_COLOR", no_color);
    on_terminal(&command, Terminal { columns: 80 })
}

#[test]
fn colour_is_on_and_no_color_is_honoured() {
    let (Some(red), Some(plain)) = (error(""), error("1")) else { return };
    assert!(red.contains("\x1b[31;1merror:\x1b[0m cannot read `no-such-file`: "), "{red:?}");
    assert!(plain.starts_with("error: cannot read `no-such-file`: "), "{plain:?}");
}

/// Whoever copies a key from two lines copies a line feed.
#[test]
fn a_routing_key_is_on_one_line() {
    let file = concat!(env!("CARGO_TARGET_TMPDIR"), "/long-key.yaml");
    let text = "
        queues: { order.reminder.mail: {} }
        delays:
          d: { target: { queue: order.reminder.mail }, ladder: { radix: 2, resolution: 1s, max: 30d } }";
    std::fs::write(file, text).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_delayctl"));
    command.args(["route", file, "--delay", "1s,1d"]);
    for columns in [60, 80, 100, 200] {
        let Some(shown) = on_terminal(&command, Terminal { columns }) else { return };
        let key = format!("{}1.order.reminder.mail", "0.".repeat(21));
        let line = shown.lines().find(|line| line.contains(&key));
        assert!(line.is_some(), "{columns}:\n{shown}");
    }
}

#[test]
fn a_dry_run_fits_the_terminal() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_delayctl"));
    command.args(["declare", "--dry-run", "--offline", "topologies/order-timeout.yaml"]);
    for columns in [60, 80, 120] {
        let Some(shown) = on_terminal(&command, Terminal { columns }) else { return };
        let longest = shown.lines().map(|line| line.trim_end().chars().count()).max().unwrap();
        assert!(longest <= columns, "{longest} of {columns}:\n{shown}");
        assert!(shown.contains("x-overflow=\"reject-publish\""), "{shown}");
    }
}
