//! Before anything is sent: whether what the messages will pass is there, and lets them wait.

use crate::broker::Broker;
use crate::commands::Shell;
use crate::exit::{Exit, Failure};
use crate::message::Route;
use crate::objects::{Objects, argument};
use crate::plan::{self, Action, Named, Object, Observed, Waits};
use crate::policy::Policies;
use crate::routing::{Headers, Router};
use crate::strategy::Delay;
use crate::topology::Topology;

/// Looks whether everything on the way is there, and warns of the broker's policies that let
/// messages leave before their time.
///
/// # Errors
/// [`Failure`] when something is missing; the broker's, when it is lost.
pub async fn run(
    broker: &mut Broker,
    topology: &Topology,
    delay: &Delay,
    routes: &[Route],
    shell: &Shell,
) -> anyhow::Result<()> {
    let (path, waits) = way(topology, delay, routes);
    let observed = broker.observe(&path).await?;
    missing(&path, &observed)?;
    for line in plan::hastened(&path, &observed, &waits) {
        shell.output.warn(&line);
    }
    Ok(())
}

/// What the messages will pass, and how long they are to wait where.
fn way(topology: &Topology, delay: &Delay, routes: &[Route]) -> (Objects, Waits) {
    let policies = Policies::new(&topology.objects.policies, None);
    let alternates = policies.alternates(&topology.objects);
    let router = Router::with_alternates(&topology.objects, alternates);
    let own = delay.compile().unwrap_or_default();
    let (mut all, mut waits) = (Objects::default(), Waits::new());
    for route in routes {
        let path = router.path(&route.exchange, &route.routing_key, &Headers::new());
        let waiting = path.queues.iter().filter(|(name, _)| own.queues.contains_key(*name));
        // A message loses its own TTL when it leaves the first queue.
        let mut expiration = route.expiration;
        for (name, queue) in waiting {
            let wait = queue.message_ttl().into_iter().chain(expiration.take()).min();
            let longest = waits.entry(name.clone()).or_insert(wait);
            *longest = (*longest).max(wait);
        }
        // Parts of one topology agree with each other, so nothing clashes here.
        all.merge(path);
    }
    (all, waits)
}

fn missing(path: &Objects, observed: &Observed) -> Result<(), Failure> {
    let plan = plan::plan(path, observed);
    let Some(step) = plan.steps.iter().find(|step| step.action == Action::Create) else {
        return Ok(());
    };
    let fate = match &step.object {
        Object::Binding(binding) => astray(&binding.source, path, observed),
        _ => None,
    };
    let fate = fate.unwrap_or_else(|| "the messages would be lost".to_owned());
    let message = format!("{} is missing: {fate}", step.object);
    Err(Failure::new(Exit::No, message).hint("run `delayctl declare` first"))
}

/// Where an exchange's alternate leads what no binding takes, if a policy gives it one.
fn astray(exchange: &str, path: &Objects, observed: &Observed) -> Option<String> {
    let governed = observed.governed.get(&Named::Exchange(exchange.to_owned()))?;
    let arguments = &path.exchanges.get(exchange)?.arguments;
    let (alternate, _) = governed.in_force(argument::ALTERNATE_EXCHANGE, arguments, None)?;
    let names = governed.names();
    Some(format!("the messages would go to exchange `{}` by policy `{names}`", alternate.as_str()?))
}
