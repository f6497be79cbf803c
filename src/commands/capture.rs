//! `capture`: what a vhost holds, as a topology file.

use std::path::Path;

use super::{Shell, load};
use crate::broker::{BrokerError, Management, ManagementError};
use crate::capture;
use crate::cli::{Capture, Format};
use crate::definitions::{self, Definitions, DefinitionsError};
use crate::exit::{Exit, Failure};

pub async fn run(args: Capture, shell: &Shell) -> anyhow::Result<Exit> {
    let found = match &args.from {
        Some(path) => from_file(path, shell.global.vhost.as_deref())?,
        None => shell.interrupt.or(live(shell)).await??,
    };
    write(&found, shell)
}

/// The vhost that the URI or the flag names.
async fn live(shell: &Shell) -> anyhow::Result<Definitions> {
    let settings = shell.settings(None)?;
    let management = Management::of(&settings).await?.ok_or(ManagementError::Off);
    let management = management.map_err(BrokerError::Management)?;
    let vhost = settings.endpoint()?.vhost;
    Ok(definitions::of_vhost(management.definitions().await?, &vhost)?)
}

/// The vhost that is meant, of a file of definitions.
fn from_file(path: &Path, vhost: Option<&str>) -> Result<Definitions, Failure> {
    let bytes = load::read(path).map_err(|error| load::cannot_read(path, &error))?;
    let name = if load::is_stdin(path) { "stdin".to_owned() } else { path.display().to_string() };
    let text = String::from_utf8(bytes)
        .map_err(|_| Failure::new(Exit::File, format!("{name}: not UTF-8")))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    definitions::read(text, vhost).map_err(|error| {
        let failure = Failure::new(Exit::File, format!("{name}: {error}"));
        match error {
            DefinitionsError::SeveralVhosts(_) | DefinitionsError::NoSuchVhost { .. } => {
                Failure { exit: Exit::Usage, ..failure }.hint("pick one with `--vhost NAME`")
            }
            _ => failure,
        }
    })
}

/// Writes the file to stdout, and tells what it leaves out and what it recognises.
fn write(found: &Definitions, shell: &Shell) -> anyhow::Result<Exit> {
    let Definitions { vhost, objects, consumed, omitted } = found;
    let captured = capture::capture(objects, vhost.as_deref(), consumed)
        .map_err(|error| Failure::new(Exit::No, format!("no file can declare this: {error}")))?;
    for omitted in omitted {
        shell.output.warn(&format!("left out: {omitted}"));
    }
    match shell.output.format {
        Format::Json => shell.output.json(&captured.topology.objects)?,
        _ => shell.output.data(&captured.text)?,
    }
    let delays = captured.topology.delays.values();
    let names: Vec<_> = delays.map(|d| format!("`{}` ({})", d.name, d.strategy.key())).collect();
    if !names.is_empty() {
        shell.output.say(&format!("recognised {}", names.join(", ")));
    }
    Ok(Exit::Done)
}
