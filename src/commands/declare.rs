//! `declare`: make the broker hold what a file declares.

use serde::Serialize;

use super::{Shell, load};
use crate::broker::{Outcome, Report};
use crate::cli::{Declare, Format};
use crate::exit::Exit;
use crate::objects::Objects;
use crate::plan::{self, Difference};
use crate::render::{listing, table};

pub async fn run(args: Declare, shell: &Shell) -> anyhow::Result<Exit> {
    let topology = load::topology(&args.file)?;
    if args.dry_run {
        dry_run(&topology.objects, shell)?;
        return Ok(Exit::Done);
    }
    let mut broker = shell.connect_within(Some(&topology), args.wait).await?;
    let observed = shell.interrupt.or(broker.observe(&topology.objects)).await??;
    let plan = plan::plan(&topology.objects, &observed);
    let bar = shell.output.progress(Some(plan.steps.len() as u64), "declaring");
    let report = broker.apply(&plan, |_, _| bar.inc(1)).await?;
    bar.finish_and_clear();
    let version = broker.version().to_owned();
    broker.close().await;
    show(&report, shell)?;
    Ok(conclude(&report, &version, shell))
}

fn dry_run(objects: &Objects, shell: &Shell) -> anyhow::Result<()> {
    match shell.output.format {
        Format::Json => shell.output.json(objects),
        _ => shell.output.data(&listing::listing(objects, shell.output.width())),
    }
}
