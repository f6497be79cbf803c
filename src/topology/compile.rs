//! From the file's form to the objects that a broker is to hold.

use std::collections::HashMap;

use indexmap::IndexMap;

use super::file::File;
use super::problem::{Problem, ProblemKind};
use crate::objects::{Clash, Objects};
use crate::strategy::Delay;

/// The objects so far, where each was declared, and what was wrong on the way.
#[derive(Debug, Default)]
pub struct Compiler {
    pub objects: Objects,
    pub delays: IndexMap<String, Delay>,
    pub origins: Origins,
    pub problems: Vec<Problem>,
}

/// The field that first declared each exchange and queue.
#[derive(Debug, Default)]
pub struct Origins {
    pub exchanges: HashMap<String, String>,
    pub queues: HashMap<String, String>,
}

/// Compiles everything in the file, in its order: what it writes out, then its delays, then its
/// dead-letter chains, which link queues that are there by then.
pub fn compile(file: &File) -> Compiler {
    let mut compiler = Compiler::default();
    compiler.problems.extend(file.vhost.problems());
    compiler.plain_objects(file);
    compiler.delays(file);
    for (name, chain) in &file.dead_letter_chains.0 {
        chain.compile(name, &mut compiler);
    }
    compiler
}

impl Compiler {
    fn plain_objects(&mut self, file: &File) {
        for (name, spec) in &file.exchanges.0 {
            let path = format!("exchanges.{name}");
            let (exchange, problems) = spec.exchange(&path);
            self.objects.exchanges.insert(name.clone(), exchange);
            self.origins.exchanges.insert(name.clone(), path);
            self.problems.extend(problems);
        }
        for (name, spec) in &file.queues.0 {
            let path = format!("queues.{name}");
            let (queue, problems) = spec.clone().unwrap_or_default().queue(&path);
            self.objects.queues.insert(name.clone(), queue);
            self.origins.queues.insert(name.clone(), path);
            self.problems.extend(problems);
        }
        for (name, spec) in &file.policies.0 {
            let (policy, problems) = spec.policy(&format!("policies.{name}"));
            self.objects.policies.insert(name.clone(), policy);
            self.problems.extend(problems);
        }
        for spec in file.bindings.iter().flatten() {
            self.objects.add_binding(spec.binding());
        }
    }

    fn delays(&mut self, file: &File) {
        for (name, spec) in &file.delays.0 {
            let path = format!("delays.{name}");
            let delay = Delay {
                name: name.clone(),
                target: spec.target.clone(),
                strategy: spec.strategy.clone(),
            };
            let key = delay.strategy.key();
            let problems = delay.problems();
            if problems.is_empty() {
                match delay.compile() {
                    Ok(objects) => {
                        for clash in self.objects.merge(objects) {
                            self.clash(&path, clash);
                        }
                    }
                    Err(clash) => self.clash(&path, clash),
                }
                self.note_origins(&path);
            }
            for (field, message) in problems {
                let dot = if field.is_empty() { "" } else { "." };
                let field = format!("{path}.{key}{dot}{field}");
                self.problems.push(Problem::new(field, ProblemKind::Strategy(message)));
            }
            self.delays.insert(name.clone(), delay);
        }
    }

    /// Remembers that what has no origin yet came from this field.
    pub fn note_origins(&mut self, path: &str) {
        // New names are at the end of an insertion-ordered map: look no further back than that.
        for name in self.objects.exchanges.keys().rev() {
            if self.origins.exchanges.contains_key(name) {
                break;
            }
            self.origins.exchanges.insert(name.clone(), path.to_owned());
        }
        for name in self.objects.queues.keys().rev() {
            if self.origins.queues.contains_key(name) {
                break;
            }
            self.origins.queues.insert(name.clone(), path.to_owned());
        }
    }

    /// Notes a declaration that did not fit.
    fn clash(&mut self, field: &str, clash: Clash) {
        let origins = match clash.kind {
            "exchange" => &self.origins.exchanges,
            _ => &self.origins.queues,
        };
        let first = origins.get(&clash.name).map_or(field, String::as_str).to_owned();
        self.problems.push(Problem::new(field, ProblemKind::Clash { clash, first }));
    }
}
