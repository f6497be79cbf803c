//! `completions`: a script that teaches a shell to complete the command line.

use clap::CommandFactory;

use super::Shell;
use crate::cli::{Cli, Completions};
use crate::exit::Exit;

pub async fn run(args: Completions, shell: &Shell) -> anyhow::Result<Exit> {
    let mut script = Vec::new();
    let mut command = Cli::command();
    let name = command.get_name().to_owned();
    clap_complete::generate(args.shell, &mut command, name, &mut script);
    shell.output.data(&String::from_utf8(script)?)?;
    Ok(Exit::Done)
}
