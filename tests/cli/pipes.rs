//! Output that nobody reads, or that does not fit.

use std::fs::File;
use std::process::{Command, Stdio};

use super::support::command::delayctl;

/// All that can be asked without a broker.
const WITHOUT_A_BROKER: &[&[&str]] = &[
    &["--help"],
    &["-h"],
    &["help", "lint"],
    &["lint", "--help"],
    &["--version"],
    &["declare", "--dry-run", "--offline", "topologies/ladder.yaml"],
    &["lint", "--explain", "head-of-line"],
    &["lint", "--codes"],
    &["schema"],
    &["completions", "bash"],
    &["man"],
    &["man", "lint"],
    &["ladder"],
    &["route", "topologies/tiered-delays.yaml", "-d", "5s"],
    &["export", "topologies/ladder.yaml"],
    &["convert", "topologies/delayed-exchange.yaml", "--to", "ladder", "--max", "1h"],
];

/// Output that fills every pipe many times over: 64 KiB is all that Linux keeps.
fn large_file() -> String {
    let queues: Vec<_> = (0..2_000).map(|n| format!("  queue-{n:0>100}: {{}}\n")).collect();
    format!("queues:\n{}", queues.concat())
}

/// A dry run of the large file with stdout as given.
fn dry_run(stdout: Stdio) -> std::process::Child {
    let path = format!("{}/large-{}.yaml", env!("CARGO_TARGET_TMPDIR"), std::process::id());
    std::fs::write(&path, large_file()).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_delayctl"));
    command.args(["declare", "--dry-run", "--offline", &path]);
    command.stdout(stdout).stderr(Stdio::piped()).spawn().unwrap()
}

#[test]
fn a_reader_that_goes_away_ends_it_quietly() {
    let mut child = dry_run(Stdio::piped());
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn a_reader_that_is_gone_from_the_start() {
    for arguments in WITHOUT_A_BROKER {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = Command::new(env!("CARGO_BIN_EXE_delayctl"));
        let child = command.args(*arguments).stdout(writer).stderr(Stdio::piped()).spawn().unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(String::from_utf8(output.stderr).unwrap(), "", "{arguments:?}");
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk() {
    let full = || File::create("/dev/full").unwrap();
    let told = |child: std::process::Child| {
        let output = child.wait_with_output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let words = "error: cannot write to stdout: No space left on device (os error 28)\n";
    assert_eq!(told(dry_run(full().into())), (Some(74), words.to_owned()));
    for arguments in WITHOUT_A_BROKER {
        let mut command = Command::new(env!("CARGO_BIN_EXE_delayctl"));
        let child = command.args(*arguments).stdout(full()).stderr(Stdio::piped()).spawn().unwrap();
        assert_eq!(told(child), (Some(74), words.to_owned()), "{arguments:?}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_stderr_changes_nothing_else() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_delayctl"));
    command.args(["declare", "no-such-file"]).stderr(File::create("/dev/full").unwrap());
    assert_eq!(command.status().unwrap().code(), Some(74));
}

#[test]
fn colour_is_on_when_asked_for_and_off_in_a_pipe() {
    let stderr = |arguments: &[&str], no_color: &str| {
        let mut command = delayctl(&[&["declare", "no-such-file"], arguments].concat());
        let output = command.env("NO_COLOR", no_color).output().unwrap();
        String::from_utf8(output.stderr).unwrap()
    };
    let words = "cannot read `no-such-file`";
    let (plain, red) = (format!("error: {words}"), format!("\x1b[31;1merror:\x1b[0m {words}"));
    assert!(stderr(&[], "").starts_with(&plain));
    assert!(stderr(&[], "1").starts_with(&plain));
    assert!(stderr(&["--color", "never"], "").starts_with(&plain));
    assert!(stderr(&["--color", "always"], "").starts_with(&red));
    // What is asked for on the command line goes before the environment.
    assert!(stderr(&["--color", "always"], "1").starts_with(&red));
}
