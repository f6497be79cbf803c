//! `man`: the manual's pages.

use clap::CommandFactory;

use super::Shell;
use crate::cli::{Cli, Man};
use crate::exit::{Exit, Failure};

pub async fn run(args: Man, shell: &Shell) -> anyhow::Result<Exit> {
    let mut page = Vec::new();
    clap_mangen::Man::new(page_of(args.command.as_deref())?).render(&mut page)?;
    shell.output.data(&String::from_utf8(page)?)?;
    Ok(Exit::Done)
}

/// The program, or one of its subcommands under the name that `man` knows it by.
fn page_of(subcommand: Option<&str>) -> Result<clap::Command, Failure> {
    // Building gives the subcommands their global options.
    let mut program = Cli::command();
    program.build();
    let Some(name) = subcommand else { return Ok(program) };
    match program.find_subcommand(name) {
        Some(found) => Ok(found.clone()),
        None => {
            let names: Vec<_> = program.get_subcommands().map(clap::Command::get_name).collect();
            Err(Failure::new(Exit::Usage, format!("there is no subcommand `{name}`"))
                .hint(format!("there are {}", names.join(", "))))
        }
    }
}
