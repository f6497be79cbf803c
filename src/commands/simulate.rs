//! `simulate`: what will become of messages, without a broker.

use super::{Shell, load};
use crate::cli::Simulate;
use crate::exit::Exit;
use crate::forecast::Scene;
use crate::topology::Topology;

mod broker;
mod consumers;
mod follow;
mod stream;

pub async fn run(args: Simulate, shell: &Shell) -> anyhow::Result<Exit> {
    let topology = load::topology(&args.file)?;
    let profile = broker::profile(&args)?;
    consumers::check(&args.consumers, &topology)?;
    match (args.rate, args.duration) {
        (Some(rate), Some(length)) => {
            stream::run(args, topology, profile, rate, length, shell).await
        }
        _ => follow::run(&args, &topology, profile, shell),
    }
}

/// The broker's version, and what it has.
fn broker_in_words(args: &Simulate) -> String {
    let plugin = if args.plugin { " with the delayed-message plugin" } else { "" };
    format!("{}{plugin}", args.broker_version)
}

/// The broker, with the consumers asked for; without any, these queues are emptied at once.
fn scene<'a>(
    args: &Simulate,
    topology: &'a Topology,
    profile: crate::simulate::Profile,
    queues: &[String],
) -> Scene<'a> {
    if args.consumers.is_empty() {
        return Scene::drained(&topology.objects, profile, queues.iter().map(String::as_str));
    }
    let readers = args.consumers.iter().map(consumers::reader).collect();
    Scene::new(&topology.objects, profile, readers)
}
