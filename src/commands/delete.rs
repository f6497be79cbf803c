//! `delete`: remove from the broker what a file declares.

mod wait;
mod words;

use super::outcomes::show;
use super::{Shell, load};
use crate::broker::{Broker, BrokerError, RemovalReport, Removed};
use crate::cli::Delete;
use crate::exit::{Exit, Failure};
use crate::objects::Objects;
use crate::plan::{self, Fate, Object, RemovalPlan};
use crate::topology::Topology;

use words::{done, planned, sum};

pub async fn run(args: Delete, shell: &Shell) -> anyhow::Result<Exit> {
    let topology = load::topology(&args.file)?;
    let kept = kept(&args, &topology, shell)?;
    if !args.dry_run && !args.yes {
        must_be_asked(&args, shell)?;
    }
    let mut broker = shell.connect(Some(&topology)).await?;
    let scope = Scope { topology: &topology, kept: &kept, force: args.force };
    let plan = match args.wait_empty {
        Some(time) => wait::look_until_empty(&mut broker, &scope, time, shell).await?,
        None => look(&mut broker, &scope, shell).await?,
    };
    let too_early = args.wait_empty.is_some() && plan.count(holds) > 0;
    let due = plan.count(|fate| matches!(fate, Fate::Delete(_)));
    let only_look = args.dry_run || due == 0 || too_early;
    if only_look || !args.yes {
        show(plan.steps.iter().map(planned).collect(), shell)?;
    }
    if only_look {
        broker.close().await;
        if too_early {
            shell.output.say("nothing was deleted: the time to run empty is over");
        }
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
    show(report.objects.iter().map(done).collect(), shell)?;
    conclude(&report, shell)
}

/// What a deletion is about.
struct Scope<'a> {
    topology: &'a Topology,
    kept: &'a Objects,
    force: bool,
}

/// What `--keep` declares. A name means the same thing only within one vhost.
fn kept(args: &Delete, topology: &Topology, shell: &Shell) -> anyhow::Result<Objects> {
    let Some(path) = &args.keep else { return Ok(Objects::default()) };
    let kept = load::topology(path)?;
    if kept.vhost != topology.vhost && shell.global.vhost.is_none() {
        let message = "the file and the one to `--keep` are for different vhosts";
        return Err(Failure::new(Exit::Usage, message).hint("say `--vhost`").into());
    }
    Ok(kept.objects)
}

/// Asking needs a terminal at both ends.
fn must_be_asked(args: &Delete, shell: &Shell) -> Result<(), Failure> {
    let from_stdin = |path: &std::path::PathBuf| load::is_stdin(path);
    let stdin_is_taken = from_stdin(&args.file) || args.keep.as_ref().is_some_and(from_stdin);
    if shell.output.can_ask() && !stdin_is_taken {
        return Ok(());
    }
    let message = "`delete` asks before it deletes, and there is no terminal to ask at";
    Err(Failure::new(Exit::Usage, message).hint("say `--yes`, or look first with `--dry-run`"))
}

/// What is to be deleted. Queues are not called empty on the strength of half a look.
async fn look(
    broker: &mut Broker,
    scope: &Scope<'_>,
    shell: &Shell,
) -> anyhow::Result<RemovalPlan> {
    let objects = &scope.topology.objects;
    let observed = shell.interrupt.or(broker.observe_live(objects)).await??;
    shell.tell_gaps(&observed);
    Ok(plan::removal(objects, scope.kept, &observed, scope.force))
}

fn holds(fate: &Fate) -> bool {
    matches!(fate, Fate::Holds(_) | Fate::Uncounted)
}

fn conclude_plan(plan: &RemovalPlan, shell: &Shell) -> anyhow::Result<Exit> {
    let held = plan.steps.iter().map(|(object, fate)| (object, Held::planned(fate)));
    let words = [
        (plan.count(|fate| matches!(fate, Fate::Delete(_))), "to delete"),
        (plan.count(|fate| holds(fate) || matches!(fate, Fate::Needed(_))), "kept"),
        (plan.count(|fate| *fate == Fate::Spared), "spared"),
        (plan.count(|fate| *fate == Fate::Absent), "not there"),
    ];
    shell.output.say(&sum(&words));
    refuse(held)
}

fn conclude(report: &RemovalReport, shell: &Shell) -> anyhow::Result<Exit> {
    let count = |of: fn(&Removed) -> bool| report.objects.iter().filter(|it| of(&it.1)).count();
    let kept =
        |it: &Removed| matches!(it, Removed::Kept(_) | Removed::Uncounted | Removed::Needed(_));
    let words = [
        (count(|it| matches!(it, Removed::Gone { .. })), "deleted"),
        (count(kept), "kept"),
        (count(|it| *it == Removed::Spared), "spared"),
        (count(|it| *it == Removed::Absent), "not there"),
        (count(|it| matches!(it, Removed::Failed(_))), "failed"),
    ];
    shell.output.say(&sum(&words));
    let failed = report.objects.iter().find_map(|(_, removed)| match removed {
        Removed::Failed(error) => Some(BrokerError::clone(error)),
        _ => None,
    });
    let held = report.objects.iter().map(|(object, removed)| (object, Held::done(removed)));
    failed.map_or_else(|| refuse(held), |error| Err(error.into()))
}

/// Why an object is kept for its own sake.
#[derive(Clone, Copy, PartialEq)]
enum Held {
    /// It holds messages.
    Full,
    /// What waits in it could not be counted.
    Uncounted,
}

impl Held {
    fn planned(fate: &Fate) -> Option<Self> {
        match fate {
            Fate::Holds(_) => Some(Held::Full),
            Fate::Uncounted => Some(Held::Uncounted),
            _ => None,
        }
    }

    fn done(removed: &Removed) -> Option<Self> {
        match removed {
            Removed::Kept(_) => Some(Held::Full),
            Removed::Uncounted => Some(Held::Uncounted),
            _ => None,
        }
    }
}

/// The answer is no if anything was kept for its own sake.
fn refuse<'a>(held: impl Iterator<Item = (&'a Object, Option<Held>)>) -> anyhow::Result<Exit> {
    let (mut queues, mut exchanges, mut uncounted) = (0, 0, 0);
    for (object, held) in held {
        match (object, held) {
            (_, None) => {}
            (_, Some(Held::Uncounted)) => uncounted += 1,
            (Object::Exchange(..), Some(Held::Full)) => exchanges += 1,
            (_, Some(Held::Full)) => queues += 1,
        }
    }
    let (message, hint) = match (queues, exchanges, uncounted) {
        (0, 0, 0) => return Ok(Exit::Done),
        (0, 0, _) => (
            format!("what waits in {uncounted} exchanges cannot be counted: they were kept"),
            "say `--management-url`, or lose what waits with `--force`",
        ),
        (0, ..) => (
            format!("messages wait in {exchanges} exchanges, which were kept"),
            "let them run empty with `--wait-empty`, or lose their messages with `--force`",
        ),
        _ => (
            format!("{queues} of the queues are not empty, and were kept"),
            "let them run empty, or lose their messages with `--force`",
        ),
    };
    Err(Failure::new(Exit::No, message).hint(hint).into())
}
