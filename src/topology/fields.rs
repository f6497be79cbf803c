//! Where in the file each object was written, so that a finding can point there.

use std::collections::HashMap;

use super::compile::Compiler;
use super::file::File;
use crate::objects::{Binding, Queue, argument};

/// The field of the file behind each object. What has none (a topology that was not read from a
/// file) is given the field that it would have there.
#[derive(Clone, Debug, Default)]
pub struct Fields {
    exchanges: HashMap<String, String>,
    queues: HashMap<String, String>,
    arguments: HashMap<String, HashMap<String, String>>,
    bindings: HashMap<Binding, String>,
}

impl Fields {
    /// The field that declares an exchange.
    pub fn exchange(&self, name: &str) -> String {
        self.exchanges.get(name).cloned().unwrap_or_else(|| format!("exchanges.{name}"))
    }

    /// The field that sets an argument of an exchange.
    pub fn exchange_argument(&self, name: &str, argument: &str) -> String {
        let path = self.exchange(name);
        match argument {
            _ if !path.starts_with("exchanges.") => path,
            argument::ALTERNATE_EXCHANGE => format!("{path}.alternate"),
            other => format!("{path}.arguments.{other}"),
        }
    }

    /// The field that declares a queue.
    pub fn queue(&self, name: &str) -> String {
        self.queues.get(name).cloned().unwrap_or_else(|| format!("queues.{name}"))
    }

    /// The field that sets an argument of a queue.
    pub fn queue_argument(&self, name: &str, argument: &str) -> String {
        let known = self.arguments.get(name).and_then(|fields| fields.get(argument));
        known.cloned().unwrap_or_else(|| match self.queues.get(name) {
            Some(made_by) => made_by.clone(),
            None => format!("queues.{name}.arguments.{argument}"),
        })
    }

    /// The field that declares a binding: `bindings[2]`, or what made its source.
    pub fn binding(&self, binding: &Binding) -> String {
        self.bindings.get(binding).cloned().unwrap_or_else(|| self.exchange(&binding.source))
    }

    /// Remembers the fields of everything in a file.
    pub(super) fn of(file: &File, compiled: &Compiler) -> Self {
        let mut fields = Fields {
            exchanges: compiled.origins.exchanges.clone(),
            queues: compiled.origins.queues.clone(),
            ..Fields::default()
        };
        for (index, spec) in file.bindings.iter().flatten().enumerate() {
            let binding = spec.binding();
            fields.bindings.entry(binding).or_insert_with(|| format!("bindings[{index}]"));
        }
        fields.note_delays(compiled);
        fields.note_chains(file);
        for (name, spec) in &file.queues.0 {
            let path = format!("queues.{name}");
            let spec = spec.clone().unwrap_or_default();
            let (written, _) = spec.queue(&path);
            fields.note(name, &written, |argument| format!("{path}.{}", spec.field_of(argument)));
        }
        fields
    }

    /// A delay's queues dead-letter to its target, and everything else about them is its strategy's.
    fn note_delays(&mut self, compiled: &Compiler) {
        for (queue, origin) in self.queues.clone() {
            let delay = origin.strip_prefix("delays.").and_then(|name| compiled.delays.get(name));
            let (Some(delay), Some(made)) = (delay, compiled.objects.queues.get(&queue)) else {
                continue;
            };
            self.note(&queue, made, |argument| match argument {
                argument::DEAD_LETTER_EXCHANGE | argument::DEAD_LETTER_ROUTING_KEY => {
                    format!("{origin}.target")
                }
                _ => format!("{origin}.{}", delay.strategy.key()),
            });
        }
    }

    /// A chain's level makes its queue, and makes the queue above dead-letter to it.
    fn note_chains(&mut self, file: &File) {
        for (name, chain) in &file.dead_letter_chains.0 {
            let queues = chain.queues(name);
            for (index, pair) in queues.windows(2).enumerate() {
                let level = format!("dead_letter_chains.{name}.levels[{index}]");
                for argument in [argument::DEAD_LETTER_EXCHANGE, argument::DEAD_LETTER_ROUTING_KEY]
                {
                    let fields = self.arguments.entry(pair[0].clone()).or_default();
                    fields.insert(argument.to_owned(), level.clone());
                }
                if let Some(origin) = self.queues.get_mut(&pair[1])
                    && *origin == format!("dead_letter_chains.{name}")
                {
                    *origin = level;
                }
            }
        }
    }

    fn note(&mut self, name: &str, queue: &Queue, field: impl Fn(&str) -> String) {
        let fields = self.arguments.entry(name.to_owned()).or_default();
        for argument in queue.arguments.keys() {
            fields.insert(argument.clone(), field(argument));
        }
    }
}
