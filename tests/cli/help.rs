//! What `--help` says, of every command.

use clap::CommandFactory;
use delayctl::cli::Cli;
use insta::assert_snapshot;

use super::run;

#[test]
fn of_the_program() {
    let ended = run(&["--help"]).expect(0);
    assert_eq!(ended.stderr, "");
    assert_snapshot!(ended.stdout);
}

#[test]
fn of_each_command() {
    for command in Cli::command().get_subcommands().map(|command| command.get_name()) {
        let ended = run(&[command, "--help"]).expect(0);
        assert_snapshot!(format!("of_{}", command.replace('-', "_")), ended.stdout);
    }
}

#[test]
fn the_version() {
    let ended = run(&["--version"]).expect(0);
    assert_eq!(ended.stdout, concat!("delayctl ", env!("CARGO_PKG_VERSION"), "\n"));
}

#[test]
fn without_a_command_it_is_shown_as_an_error() {
    let ended = run(&[]).expect(2).says("Usage: delayctl [OPTIONS] <COMMAND>");
    assert_eq!(ended.stdout, "");
}

#[test]
fn every_exit_code_is_in_it() {
    for code in [0, 1, 2, 65, 69, 74, 77, 78, 130] {
        run(&["--help"]).expect(0).shows(&format!("\n{code:>5}  "));
    }
}
