//! `export`: a topology for other programs.

use super::{Shell, load};
use crate::broker::Endpoint;
use crate::cli::{Export, ExportFormat};
use crate::definitions;
use crate::exit::Exit;
use crate::render::{dot, mermaid};
use crate::topology::Topology;

pub async fn run(args: Export, shell: &Shell) -> anyhow::Result<Exit> {
    let topology = load::topology(&args.file)?;
    let objects = &topology.objects;
    match args.format {
        ExportFormat::Definitions => {
            let vhost = vhost(&topology, shell)?;
            shell.output.json(&definitions::write(objects, &vhost))?;
            shell.output.say(&format!("for vhost `{vhost}`, which must exist before the import"));
        }
        ExportFormat::Mermaid => shell.output.data(&mermaid::mermaid(objects, &|_| None))?,
        ExportFormat::Dot => shell.output.data(&dot::dot(objects, &|_| None))?,
    }
    Ok(Exit::Done)
}

/// The vhost that a broker would be asked for: the flag's, else the file's, else the URI's.
fn vhost(topology: &Topology, shell: &Shell) -> anyhow::Result<String> {
    let given = shell.global.vhost.clone().or_else(|| topology.vhost.clone());
    match given {
        Some(vhost) => Ok(vhost),
        None => Ok(Endpoint::parse(&shell.global.uri)?.vhost),
    }
}
