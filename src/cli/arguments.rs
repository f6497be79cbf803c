//! The command line as it is parsed.

use std::any::TypeId;

use clap::{Arg, Command, CommandFactory, FromArgMatches};

use super::Cli;
use crate::duration::Millis;

impl Cli {
    /// What the program's arguments ask for.
    ///
    /// # Errors
    /// Clap's own answer: help, the version, or what is wrong.
    pub fn of_arguments() -> Result<Self, clap::Error> {
        let mut command = taking_any_time(Self::command());
        let matches = command.try_get_matches_from_mut(std::env::args_os())?;
        Self::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
    }
}

/// Lets every option for a time take `-5s` too. Clap would take it for options that there are not,
/// and say so; what is wrong with it is for the parser of times to say.
fn taking_any_time(command: Command) -> Command {
    let taking = |arg: Arg| {
        let is_time = arg.get_value_parser().type_id() == TypeId::of::<Millis>();
        if is_time { arg.allow_hyphen_values(true) } else { arg }
    };
    command.mut_args(taking).mut_subcommands(taking_any_time)
}
