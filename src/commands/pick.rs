//! Which of a file's delays the command line means.

use crate::exit::{Exit, Failure};
use crate::routing::{Headers, Router};
use crate::strategy::Delay;
use crate::topology::Topology;

/// The delay of this name; without a name, the only one there is.
///
/// # Errors
/// [`Failure`] that lists the names.
pub fn delay<'a>(topology: &'a Topology, name: Option<&str>) -> Result<&'a Delay, Failure> {
    let listed = || {
        let names: Vec<_> = topology.delays.keys().map(|name| format!("`{name}`")).collect();
        names.join(", ")
    };
    if topology.delays.is_empty() {
        return Err(Failure::new(Exit::Usage, "the file offers no delay")
            .hint("add a `delays` section to it"));
    }
    match name {
        Some(name) => topology.delays.get(name).ok_or_else(|| {
            Failure::new(Exit::Usage, format!("the file has no delay `{name}`"))
                .hint(format!("it has {}", listed()))
        }),
        None => match topology.delays.values().next() {
            Some(only) if topology.delays.len() == 1 => Ok(only),
            _ => Err(Failure::new(Exit::Usage, "the file has several delays: name one")
                .hint(format!("it has {}", listed()))),
        },
    }
}

/// The queues in which a delay's messages arrive.
pub fn queues_of<'a>(topology: &'a Topology, delay: &Delay) -> Vec<&'a str> {
    let router = Router::new(&topology.objects);
    router.route(delay.target.exchange(), delay.target.routing_key(), &Headers::new())
}
