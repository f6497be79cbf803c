//! `delete`: remove from the broker what a file declares.

use serde::Serialize;

use super::{Shell, load};
use crate::broker::{Broker, BrokerError, RemovalReport, Removed};
use crate::cli::{Delete, Format};
use crate::exit::{Exit, Failure};
use crate::plan::{self, Fate, Object, RemovalPlan};
use crate::render::table::{self, Column};
use crate::topology::Topology;

pub async fn run(args: Delete, shell: &Shell) -> anyhow::Result<Exit> {
    let topology = load::topology(&args.file)?;
    if !args.dry_run && !args.yes {
        must_be_asked(&args, shell)?;
    }
    let mut broker = shell.connect(Some(&topology)).await?;
    let plan = look(&mut broker, &topology, args.force, shell).await?;
    let due = plan.count(|fate| matches!(fate, Fate::Delete(_)));
    if args.dry_run || due == 0 || !args.yes {
        show(plan.steps.iter().map(planned), shell)?;
    }
    if args.dry_run || due == 0 {
        broker.close().await;
        return conclude_plan(&plan, shell);
    }
    if !args.yes {
        let question = format!("delete {due} objects from {}?", broker.endpoint());
        if !shell.interrupt.or(shell.output.ask(&question)).await? {
            broker.close().await;
            shell.output.say("nothing was deleted");
            return Ok(Exit::No);
        }
    }
    let report = broker.apply_removal(&plan, &topology.objects, !args.force).await;
    broker.close().await;
    show(report.objects.iter().map(done), shell)?;
    conclude(&report, shell)
}

/// Asking needs a terminal at both ends.
fn must_be_asked(args: &Delete, shell: &Shell) -> Result<(), Failure> {
    if shell.output.can_ask() && !load::is_stdin(&args.file) {
        return Ok(());
    }
    let message = "`delete` asks before it deletes, and there is no terminal to ask at";
    Err(Failure::new(Exit::Usage, message).hint("say `--yes`, or look first with `--dry-run`"))
}

/// What is to be deleted. Queues are not called empty on the strength of half a look.
async fn look(
    broker: &mut Broker,
    topology: &Topology,
    force: bool,
    shell: &Shell,
) -> anyhow::Result<RemovalPlan> {
    let observed = shell.interrupt.or(broker.observe_live(&topology.objects)).await??;
    shell.tell_gaps(&observed);
    Ok(plan::removal(&topology.objects, &observed, force))
}

/// An object and what becomes of it.
#[derive(Serialize)]
struct Row {
    object: &'static str,
    name: String,
    outcome: &'static str,
    #[serde(skip_serializing_if = "String::is_empty")]
    detail: String,
}

impl Row {
    fn new(object: &Object, outcome: &'static str, detail: String) -> Self {
        let (kind, name) = match object {
            Object::Exchange(name, _) => ("exchange", name.clone()),
            Object::Queue(name, _) => ("queue", name.clone()),
            Object::Policy(name, _) => ("policy", name.clone()),
            Object::Binding(binding) => ("binding", binding.destination.name().to_owned()),
        };
        Row { object: kind, name, outcome, detail }
    }
}

fn planned((object, fate): &(Object, Fate)) -> Row {
    match fate {
        Fate::Delete(live) => {
            let holds = live.messages() > 0 || live.consumers.unwrap_or(0) > 0;
            let detail = if holds { format!("with {live}") } else { String::new() };
            Row::new(object, "to delete", detail)
        }
        Fate::Absent => Row::new(object, "not there", String::new()),
        Fate::Holds(live) => Row::new(object, "KEPT", live.to_string()),
        Fate::Needed(queue) => Row::new(object, "KEPT", needed(queue)),
    }
}

fn done((object, removed): &(Object, Removed)) -> Row {
    match removed {
        Removed::Gone { messages: 0 } => Row::new(object, "deleted", String::new()),
        Removed::Gone { messages } => {
            Row::new(object, "deleted", format!("with {messages} messages"))
        }
        Removed::Absent => Row::new(object, "not there", String::new()),
        Removed::Kept(live) => Row::new(object, "KEPT", live.to_string()),
        Removed::Needed(queue) => Row::new(object, "KEPT", needed(queue)),
        Removed::Failed(error) => Row::new(object, "FAILED", error.to_string()),
    }
}

fn needed(queue: &str) -> String {
    format!("what queue `{queue}` holds will come here")
}

fn show(rows: impl Iterator<Item = Row>, shell: &Shell) -> anyhow::Result<()> {
    let rows: Vec<_> = rows.collect();
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

fn conclude_plan(plan: &RemovalPlan, shell: &Shell) -> anyhow::Result<Exit> {
    let holding = plan.count(|fate| matches!(fate, Fate::Holds(_)));
    let kept = holding + plan.count(|fate| matches!(fate, Fate::Needed(_)));
    let due = plan.count(|fate| matches!(fate, Fate::Delete(_)));
    let absent = plan.count(|fate| *fate == Fate::Absent);
    let words = [(due, "to delete"), (kept, "kept"), (absent, "not there")];
    shell.output.say(&sum(&words));
    refuse(holding)
}

fn conclude(report: &RemovalReport, shell: &Shell) -> anyhow::Result<Exit> {
    let count = |of: fn(&Removed) -> bool| report.objects.iter().filter(|it| of(&it.1)).count();
    let holding = count(|it| matches!(it, Removed::Kept(_)));
    let words = [
        (count(|it| matches!(it, Removed::Gone { .. })), "deleted"),
        (holding + count(|it| matches!(it, Removed::Needed(_))), "kept"),
        (count(|it| *it == Removed::Absent), "not there"),
        (count(|it| matches!(it, Removed::Failed(_))), "failed"),
    ];
    shell.output.say(&sum(&words));
    let failed = report.objects.iter().find_map(|(_, removed)| match removed {
        Removed::Failed(error) => Some(BrokerError::clone(error)),
        _ => None,
    });
    failed.map_or_else(|| refuse(holding), |error| Err(error.into()))
}

fn sum(words: &[(usize, &str)]) -> String {
    let present = words.iter().filter(|(number, _)| *number > 0);
    let parts: Vec<_> = present.map(|(number, what)| format!("{number} {what}")).collect();
    if parts.is_empty() { "there is nothing to delete".to_owned() } else { parts.join(", ") }
}

fn refuse(holding: usize) -> anyhow::Result<Exit> {
    if holding == 0 {
        return Ok(Exit::Done);
    }
    let message = format!("{holding} of the queues are not empty, and were kept");
    let hint = "let them run empty, or lose their messages with `--force`";
    Err(Failure::new(Exit::No, message).hint(hint).into())
}
