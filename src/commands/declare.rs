//! `declare`: make the broker hold what a file declares.

use serde::Serialize;

use super::{Shell, load};
use crate::broker::{BrokerError, Counts, Outcome, Report};
use crate::cli::{Declare, Format};
use crate::exit::{Exit, Failure};
use crate::objects::{DELAYED_MESSAGE_TYPE, Objects};
use crate::plan::{self, Difference, Object};
use crate::render::listing;
use crate::render::table::{self, Column};
use crate::version::{PLUGIN_GONE, Version};

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
    let report = broker.apply(&plan, |_, _| bar.inc(1)).await;
    bar.finish_and_clear();
    let version = broker.version().to_owned();
    broker.close().await;
    show(&report, shell)?;
    report.lost.clone().map_or(Ok(()), Err)?;
    conclude(&report, &version, shell)
}

fn dry_run(objects: &Objects, shell: &Shell) -> anyhow::Result<()> {
    match shell.output.format {
        Format::Json => shell.output.json(objects),
        _ => shell.output.data(&listing::listing(objects, shell.output.width())),
    }
}

/// An object with what became of it, for programs.
#[derive(Serialize)]
struct Row {
    object: &'static str,
    name: String,
    outcome: &'static str,
    #[serde(skip_serializing_if = "String::is_empty")]
    detail: String,
}

impl Row {
    fn of((object, outcome): &(Object, Outcome)) -> Self {
        let (kind, name) = match object {
            Object::Exchange(name, _) => ("exchange", name.clone()),
            Object::Queue(name, _) => ("queue", name.clone()),
            Object::Binding(binding) => {
                let ends = format!("{} → {}", binding.source, binding.destination.name());
                ("binding", format!("{ends}, {}", listing::matching(binding)))
            }
        };
        let (outcome, detail) = match outcome {
            Outcome::Created => ("created", String::new()),
            Outcome::Present => ("already there", String::new()),
            Outcome::Ensured => ("bound", String::new()),
            Outcome::Conflict(all) => ("CONFLICT", in_words(all)),
            Outcome::Unsupported(error) => ("UNSUPPORTED", error.to_string()),
            Outcome::Failed(error) => ("FAILED", error.to_string()),
        };
        Row { object: kind, name, outcome, detail }
    }
}

fn in_words(differences: &[Difference]) -> String {
    let all: Vec<_> = differences.iter().map(Difference::to_string).collect();
    all.join("; ")
}

fn show(report: &Report, shell: &Shell) -> anyhow::Result<()> {
    let rows: Vec<_> = report.steps.iter().map(Row::of).collect();
    if shell.output.format == Format::Json {
        return shell.output.json(&rows);
    }
    let cells = rows
        .into_iter()
        .map(|row| vec![row.object.to_owned(), row.name, row.outcome.to_owned(), row.detail]);
    let header =
        [Column::left(""), Column::left("object"), Column::left("outcome"), Column::left("")];
    shell.output.data(&table::table(&header, cells, shell.output.width()))
}

/// Sums the report up, and says how to mend what went wrong.
fn conclude(report: &Report, version: &str, shell: &Shell) -> anyhow::Result<Exit> {
    let counts = report.counts();
    shell.output.say(&sum(&counts));
    let unsupported = report.steps.iter().find_map(|(_, outcome)| match outcome {
        Outcome::Unsupported(error) => Some(error.clone()),
        _ => None,
    });
    if let Some(error) = unsupported {
        return Err(without_plugin(&error, version).into());
    }
    if counts.conflicts > 0 {
        let message = format!("{} of the objects are there with other arguments", counts.conflicts);
        let hint = "RabbitMQ never changes a queue or exchange: change the file, or delete the \
                    object (its messages too) and declare again";
        return Err(Failure::new(Exit::No, message).hint(hint).into());
    }
    first_failure(report).map_or(Ok(Exit::Done), |error| Err(error.into()))
}

/// A missing exchange type, with the mend that fits the broker's version.
fn without_plugin(error: &BrokerError, version: &str) -> Failure {
    let failure = Failure::new(Exit::Lacking, error.to_string());
    let plugin = matches!(error, BrokerError::ExchangeTypeUnknown { kind, .. }
        if kind == DELAYED_MESSAGE_TYPE);
    if !plugin {
        return failure.hint(error.hint().unwrap_or_default());
    }
    let plain =
        "`tiers` (the delays you list) and `ladder` (any delay) do the same with plain queues";
    match version.parse::<Version>() {
        Ok(version) if version >= PLUGIN_GONE => failure.hint(format!(
            "no RabbitMQ from 4.3 on can run the plugin, and this is {version}: {plain}"
        )),
        _ => failure.hint(format!(
            "`rabbitmq-plugins enable rabbitmq_delayed_message_exchange` on a broker that has it \
             installed; it was archived, and ends with RabbitMQ 4.3: {plain}"
        )),
    }
}

fn sum(counts: &Counts) -> String {
    let mut parts =
        vec![format!("{} created", counts.created), format!("{} already there", counts.present)];
    if counts.ensured > 0 {
        parts.push(format!("{} bound (AMQP does not tell new from old)", counts.ensured));
    }
    for (number, what) in [
        (counts.conflicts, "in conflict"),
        (counts.unsupported, "unsupported"),
        (counts.failed, "failed"),
    ] {
        if number > 0 {
            parts.push(format!("{number} {what}"));
        }
    }
    let bad = counts.conflicts + counts.unsupported + counts.failed;
    let unchanged = if counts.created == 0 && bad == 0 { ": nothing changed" } else { "" };
    format!("{}{unchanged}", parts.join(", "))
}

fn first_failure(report: &Report) -> Option<BrokerError> {
    report.steps.iter().find_map(|(_, outcome)| match outcome {
        Outcome::Failed(error) => Some(error.clone()),
        _ => None,
    })
}
