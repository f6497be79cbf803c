//! `inspect`: what of a topology is there, what it holds, and where it is not as the file says.

mod check;
mod fact;
mod rows;
mod table;
mod watch;

use std::collections::HashMap;

use super::{Shell, lint, load};
use crate::broker::Broker;
use crate::cli::{Format, Inspect};
use crate::exit::Exit;
use crate::objects::Objects;
use crate::plan::Observed;
use crate::render::tree::{self, Named};
use crate::render::{dot, mermaid};
use crate::topology::Topology;

use rows::Row;

pub async fn run(args: Inspect, shell: &Shell) -> anyhow::Result<Exit> {
    let topology = load::topology(&args.file)?;
    let mut broker = shell.connect(Some(&topology)).await?;
    if let Some(every) = args.watch {
        return watch::run(broker, &topology, every, shell).await;
    }
    if args.check {
        return check::run(broker, &topology, args.strict, shell).await;
    }
    let observed = look(&mut broker, &topology, shell).await?;
    lint::tell(&topology, broker.version(), &shell.output);
    broker.close().await;
    shell.tell_gaps(&observed);
    let rows = rows::rows(&topology, &observed);
    match shell.output.format {
        Format::Json => shell.output.json(&rows)?,
        _ => shell.output.data(&drawn(&topology.objects, &rows, shell))?,
    }
    let missing = rows.iter().filter(|row| row.present == Some(false)).count();
    if missing > 0 {
        shell.output.say(&format!("{missing} of {} are missing", rows.len()));
    }
    Ok(Exit::Done)
}

async fn look(broker: &mut Broker, topology: &Topology, shell: &Shell) -> anyhow::Result<Observed> {
    Ok(shell.interrupt.or(broker.observe_live(&topology.objects)).await??)
}

/// The rows in the form asked for.
fn drawn(objects: &Objects, rows: &[Row<'_>], shell: &Shell) -> String {
    let notes = rows.iter().map(|row| ((row.kind, row.name), row.note()));
    let notes: HashMap<_, _> = notes.filter(|(_, note)| !note.is_empty()).collect();
    let note = |object: Named<'_>| match object {
        Named::Exchange(name) => notes.get(&("exchange", name)).cloned(),
        Named::Queue(name) => notes.get(&("queue", name)).cloned(),
    };
    match shell.output.format {
        Format::Tree => tree::tree(objects, &note),
        Format::Mermaid => mermaid::mermaid(objects, &note),
        Format::Dot => dot::dot(objects, &note),
        Format::Table | Format::Json => table::table(rows, shell.output.width()),
    }
}
