//! Making a queue again that differs, when it was asked for.

use std::collections::BTreeSet;

use crate::objects::Destination;

use super::{Action, Object, Observed, Plan, Step};

impl Plan {
    /// The same plan with the queues of these names made again where they differ. A queue takes its
    /// bindings with it, so those to it are made again too, also those that the file does not have.
    #[must_use]
    pub fn recreating(mut self, names: &BTreeSet<String>, observed: &Observed) -> Plan {
        let mut again = BTreeSet::new();
        for step in &mut self.steps {
            let Object::Queue(name, _) = &step.object else { continue };
            if !names.contains(name) {
                continue;
            }
            let differences = match &step.action {
                Action::Conflict(differences) => differences.clone(),
                Action::Confirm => Vec::new(),
                _ => continue,
            };
            again.insert(name.clone());
            step.action = Action::Recreate(differences);
        }
        let leads_there = |destination: &Destination| match destination {
            Destination::Queue(name) => again.contains(name),
            Destination::Exchange(_) => false,
        };
        let mut lost: Vec<_> = observed.bindings.iter().flatten().collect();
        lost.retain(|it| !it.source.is_empty() && leads_there(&it.destination));
        let mut at = self.steps.len();
        for (index, step) in self.steps.iter_mut().enumerate() {
            match &step.object {
                Object::Binding(binding) => {
                    lost.retain(|it| *it != binding);
                    if leads_there(&binding.destination) {
                        step.action = Action::Create;
                    }
                }
                Object::Policy(..) => at = at.min(index),
                _ => {}
            }
        }
        lost.sort_by(|a, b| (&a.source, &a.routing_key).cmp(&(&b.source, &b.routing_key)));
        let extra = lost.into_iter().map(|binding| Step {
            object: Object::Binding(binding.clone()),
            action: Action::Create,
        });
        self.steps.splice(at..at, extra.collect::<Vec<_>>());
        self
    }
}
