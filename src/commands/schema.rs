//! `schema`: the JSON Schema of the topology file.

use super::Shell;
use crate::exit::Exit;
use crate::topology;

pub async fn run(shell: &Shell) -> anyhow::Result<Exit> {
    shell.output.json(&topology::schema())?;
    Ok(Exit::Done)
}
