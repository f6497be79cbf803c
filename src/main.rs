//! Parses the arguments, runs the command, tells what went wrong, exits.

use std::process::ExitCode;

use delayctl::cli::Cli;

fn main() -> ExitCode {
    ExitCode::from(delayctl::commands::run(Cli::of_arguments()).code())
}
