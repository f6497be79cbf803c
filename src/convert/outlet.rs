//! A plain exchange in the place of one of the plugin's that leads to more than its delays' targets.
//!
//! A ladder or a tier brings a message to one target. Where a fanout, a pattern or several bindings
//! of one key bring it to several queues, an exchange of the plugin's inner type takes over all
//! bindings and becomes the target. Routing keys and headers come through unchanged, so it routes as
//! the plugin's exchange did.

use std::collections::BTreeSet;

use indexmap::IndexSet;

use super::{ConvertError, edit, entry, section};
use crate::duration::Millis;
use crate::objects::{Binding, Exchange, Objects};
use crate::routing::{Headers, Router};
use crate::strategy::{Delay, Rounding, Target};
use crate::topology::{self, Topology};

/// The exchange that takes over.
pub struct Outlet {
    /// The plugin's exchange.
    old: String,
    name: String,
    exchange: Exchange,
    /// What the strategies of the plugin's delays bound, by themselves.
    own: IndexSet<Binding>,
    /// What the file binds beside them.
    others: IndexSet<Binding>,
}

/// One for each exchange of the plugin that leads to more than the targets of its delays.
pub fn find(topology: &Topology, old: &[&Delay]) -> Result<Vec<Outlet>, ConvertError> {
    let names: BTreeSet<_> = old.iter().filter_map(|delay| entry(delay)).collect();
    let mut found = Vec::new();
    for name in names {
        let delays: Vec<_> =
            old.iter().copied().filter(|delay| entry(delay).as_ref() == Some(&name)).collect();
        let outlet = Outlet::of(topology, name, &delays);
        if !outlet.others.is_empty() || delays.iter().any(|delay| reaches_more(topology, delay)) {
            outlet.check_used(&delays)?;
            found.push(outlet);
        }
    }
    Ok(found)
}

/// Whether the plugin brings a delay's messages to other queues than those of its target.
fn reaches_more(topology: &Topology, delay: &Delay) -> bool {
    let Ok(route) = delay.route(Millis(1), Rounding::Up) else { return false };
    let router = Router::new(&topology.objects);
    let queues = |exchange: &str, key: &str| -> BTreeSet<_> {
        router.route(exchange, key, &Headers::new()).into_iter().collect()
    };
    queues(&route.exchange, &route.routing_key)
        != queues(delay.target.exchange(), delay.target.routing_key())
}

impl Outlet {
    fn of(topology: &Topology, old: String, delays: &[&Delay]) -> Self {
        let objects = &topology.objects;
        let compiled = delays.iter().filter_map(|delay| delay.compile().ok());
        let own: IndexSet<_> = compiled.flat_map(|objects| objects.bindings).collect();
        let of_old = objects.bindings.iter().filter(|binding| binding.source == old);
        let others = of_old.filter(|binding| !own.contains(*binding)).cloned().collect();
        let kind = objects.exchanges.get(&old).map_or("direct", Exchange::routing_type);
        let exchange = Exchange::durable(kind);
        Outlet { name: format!("{old}.out"), exchange, old, own, others }
    }

    /// Each binding takes what some delay publishes: by any other nothing would come any more,
    /// since only delays get a new route.
    fn check_used(&self, delays: &[&Delay]) -> Result<(), ConvertError> {
        let is_used = |binding: &&Binding| {
            let mut alone = Objects::default();
            alone.exchanges.insert(self.old.clone(), self.exchange.clone());
            alone.bindings.insert((*binding).clone());
            let router = Router::new(&alone);
            delays.iter().filter_map(|delay| delay.route(Millis(1), Rounding::Up).ok()).any(
                |route| {
                    let headers = Headers::new();
                    !router.path(&self.old, &route.routing_key, &headers).bindings.is_empty()
                },
            )
        };
        match self.others.iter().find(|binding| !is_used(binding)) {
            None => Ok(()),
            Some(binding) => Err(ConvertError::Unused {
                exchange: self.old.clone(),
                kind: self.exchange.kind.clone(),
                to: binding.destination.name().to_owned(),
                key: binding.routing_key.clone(),
            }),
        }
    }

    /// The target of a delay of the plugin's exchange: this one, with the same routing key.
    pub fn target(&self, delay: &Delay) -> Option<Target> {
        let route = delay.route(Millis(1), Rounding::Up).ok()?;
        let exchange = self.name.clone();
        (route.exchange == self.old)
            .then_some(Target::Exchange { exchange, routing_key: route.routing_key })
    }

    /// Writes the exchange and its bindings into the text, which has those of the plugin's.
    pub fn write(&self, text: &str) -> Result<String, ConvertError> {
        let not_found = |section: &str| ConvertError::NotFound(format!("`{section}`"));
        let sources = edit::values(text, "source", &self.old);
        let name = topology::scalar(&self.name);
        let mut text = edit::replace(text, &sources, std::iter::repeat(name.clone()));
        for binding in self.own.iter().map(|binding| self.takes_over(binding)) {
            let written = topology::flow(&topology::binding_as_json(&binding));
            text = section::insert(&text, "bindings", "- ", &written)
                .ok_or_else(|| not_found("bindings"))?;
        }
        let exchange = format!("{name}: {}", self.exchange.kind);
        section::insert(&text, "exchanges", "", &exchange).ok_or_else(|| not_found("exchanges"))
    }

    /// Whether the file has this exchange, and bound to just what the plugin's was.
    pub fn is_in(&self, objects: &Objects) -> bool {
        let all = self.own.iter().chain(&self.others).map(|binding| self.takes_over(binding));
        let wanted: IndexSet<_> = all.collect();
        let found = objects.bindings.iter().filter(|binding| binding.source == self.name);
        let found: IndexSet<_> = found.cloned().collect();
        objects.exchanges.get(&self.name) == Some(&self.exchange) && found == wanted
    }

    fn takes_over(&self, binding: &Binding) -> Binding {
        Binding { source: self.name.clone(), ..binding.clone() }
    }
}
