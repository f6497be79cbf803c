//! Bindings that are not made, since an end of theirs is not as the file says.

use std::collections::HashSet;

use crate::objects::Binding;

use super::{Action, Named, Object, Observed, Plan};

impl Plan {
    /// The same plan without new bindings from or to what is in conflict or unsupported.
    ///
    /// A binding is a route for messages: through an exchange of another type they would go
    /// elsewhere, and in a queue with another TTL or dead-letter exchange they would wait for
    /// another time and leave for another place. Both look like success. So an exchange and a queue
    /// count alike, and the route is made when its ends are mended. One that is there already stays:
    /// nothing is taken away, also where a queue that is made again must get it back.
    #[must_use]
    pub fn leaving_out(mut self, observed: &Observed) -> Plan {
        let refused = |it: &Action| matches!(it, Action::Conflict(_) | Action::Unsupported);
        let unfit = self.steps.iter().filter(|step| refused(&step.action));
        let unfit: HashSet<_> = unfit.filter_map(|step| step.object.named()).collect();
        let is_there =
            |binding| observed.bindings.as_ref().is_some_and(|seen| seen.contains(binding));
        for step in &mut self.steps {
            if let Object::Binding(binding) = &step.object
                && !is_there(binding)
                && let Some(end) = unfit_end(binding, &unfit)
            {
                step.action = Action::LeaveOut(end);
            }
        }
        self
    }
}

/// The first end of a binding that is among these.
pub fn unfit_end(binding: &Binding, unfit: &HashSet<Named>) -> Option<Named> {
    let source = Named::Exchange(binding.source.clone());
    let ends = [source, Named::from(&binding.destination)];
    ends.into_iter().find(|end| unfit.contains(end))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::{Seen, plan};
    use super::*;
    use crate::objects::{Exchange, Objects, Queue};

    /// Exchanges `x` and `y`, queues `q` and `r`, and a binding from each exchange to each queue.
    fn wanted() -> Objects {
        let mut wanted = Objects::default();
        for exchange in ["x", "y"] {
            wanted.add_exchange(exchange, Exchange::durable("direct")).unwrap();
        }
        for queue in ["q", "r"] {
            wanted.add_queue(queue, Queue::default()).unwrap();
            for exchange in ["x", "y"] {
                wanted.add_binding(Binding::to_queue(exchange, queue, "k"));
            }
        }
        wanted
    }

    /// The bindings of the plan with what is to be done, when `x` and `q` are in conflict and these
    /// bindings are there.
    fn bindings(there: Option<&[Binding]>, again: &[&str]) -> Vec<String> {
        let wanted = wanted();
        let other = Queue::default().with("x-message-ttl", 5);
        let observed = Observed {
            exchanges: [("x".to_owned(), Seen::Known(Exchange::durable("topic")))].into(),
            queues: [("q".to_owned(), Seen::Known(other))].into(),
            bindings: there.map(|there| there.iter().cloned().collect()),
            ..Observed::default()
        };
        let again: BTreeSet<_> = again.iter().map(|name| (*name).to_owned()).collect();
        let plan = plan(&wanted, &observed).recreating(&again, &observed).leaving_out(&observed);
        let line = |step: &super::super::Step| match &step.object {
            Object::Binding(it) => {
                Some(format!("{} {} {:?}", it.source, it.destination.name(), step.action))
            }
            _ => None,
        };
        plan.steps.iter().filter_map(line).collect()
    }

    #[test]
    fn a_binding_with_an_end_in_conflict_is_left_out() {
        let fit = ["y r Create", "y r Confirm"];
        for (there, fit) in [(Some(&[][..]), fit[0]), (None, fit[1])] {
            assert_eq!(
                bindings(there, &[]),
                [
                    r#"x q LeaveOut(Exchange("x"))"#,
                    r#"y q LeaveOut(Queue("q"))"#,
                    r#"x r LeaveOut(Exchange("x"))"#,
                    fit,
                ]
            );
        }
    }

    #[test]
    fn one_that_is_there_stays_and_comes_back_with_its_queue() {
        let there = [Binding::to_queue("x", "q", "k")];
        let rest = [r#"x r LeaveOut(Exchange("x"))"#, "y r Create"];
        let kept = ["x q Keep", r#"y q LeaveOut(Queue("q"))"#, rest[0], rest[1]];
        assert_eq!(bindings(Some(&there), &[]), kept);
        let again = ["x q Create", "y q Create", rest[0], rest[1]];
        assert_eq!(bindings(Some(&there), &["q"]), again);
    }
}
