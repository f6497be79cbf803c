//! The consumers that the command line asks for.

use crate::cli::ConsumerSpec;
use crate::exit::{Exit, Failure};
use crate::simulate::Reader;
use crate::topology::Topology;

/// Each must have a queue to read.
pub fn check(specs: &[ConsumerSpec], topology: &Topology) -> Result<(), Failure> {
    let queues = &topology.objects.queues;
    let Some(wrong) = specs.iter().find(|spec| !queues.contains_key(&spec.queue)) else {
        return Ok(());
    };
    let likeness = |name: &&String| strsim::damerau_levenshtein(name, &wrong.queue);
    let near = queues.keys().min_by_key(likeness);
    let form = "write `QUEUE=reject,prefetch=N,service=10ms`";
    let hint = near.map_or_else(|| form.to_owned(), |name| format!("is it `{name}`? {form}"));
    let message = format!("the file has no queue `{}` to consume from", wrong.queue);
    Err(Failure::new(Exit::Usage, message).hint(hint))
}

/// The consumer for the simulator.
pub fn reader(spec: &ConsumerSpec) -> Reader {
    Reader {
        prefetch: u64::from(spec.prefetch),
        service_us: spec.service.0.saturating_mul(1000),
        ..Reader::new(&spec.queue).answering([spec.answer])
    }
}
