//! What is there. The management API shows it whole; where it does not, AMQP shows the names, and
//! it counts what can be delivered at this very moment.

use crate::objects::{Objects, predeclared_type};
use crate::plan::{Gap, Live, Observed, Seen};

use super::connection::Broker;
use super::declare::{find_exchange, find_queue};
use super::error::BrokerError;
use super::fan_out::fan_out;
use super::management::ManagementError;

/// A name to look for.
enum Probe {
    Exchange(String),
    Queue(String),
}

impl Broker {
    /// Looks for every exchange, queue, binding and policy of `objects`, and for what is bound to
    /// them besides. What the management API does not show is looked for over AMQP: a passive
    /// declare checks the name alone, so what is there is [`Seen::Present`], and bindings are not
    /// seen at all. [`Observed::gaps`] says why. The exchanges that every vhost is born with are
    /// not looked for.
    ///
    /// # Errors
    /// When the connection is lost and cannot be opened again.
    pub async fn observe(&mut self, objects: &Objects) -> Result<Observed, BrokerError> {
        let mut observed = match self.management() {
            Some(management) => management.observe(objects, self.server()).await,
            None => {
                let text = "saw names only, not arguments or bindings: the management API is \
                            turned off";
                let gap = Gap { text: text.to_owned(), expected: true };
                Observed { gaps: vec![gap], ..Observed::default() }
            }
        };
        let exchanges = objects.exchanges.keys().filter(|name| predeclared_type(name).is_none());
        let exchanges = exchanges.filter(|name| !observed.exchanges.contains_key(*name));
        let exchanges = exchanges.map(|name| Probe::Exchange(name.clone()));
        let queues = objects.queues.keys().filter(|name| !observed.queues.contains_key(*name));
        let queues = queues.map(|name| Probe::Queue(name.clone()));
        let probes: Vec<_> = exchanges.chain(queues).collect();
        self.probe(probes, &mut observed).await?;
        Ok(observed)
    }

    /// The same, with what the queues of `objects` hold.
    ///
    /// # Errors
    /// As [`Broker::observe`].
    pub async fn observe_live(&mut self, objects: &Objects) -> Result<Observed, BrokerError> {
        let mut observed = self.observe(objects).await?;
        let there = |name: &&String| !matches!(observed.queues.get(*name), Some(Seen::Absent));
        let names: Vec<_> = objects.queues.keys().filter(there).cloned().collect();
        let uncounted = names.iter().filter(|name| !observed.live.contains_key(*name));
        let probes: Vec<_> = uncounted.map(|name| Probe::Queue(name.clone())).collect();
        self.probe(probes, &mut observed).await?;
        // Who could not be asked for arguments is not asked again.
        if observed.exchange_types.is_some() {
            self.count(objects, &names, &mut observed).await;
        }
        Ok(observed)
    }

    /// Adds what AMQP does not count.
    async fn count(&self, objects: &Objects, names: &[String], observed: &mut Observed) {
        let Some(management) = self.management() else { return };
        let names: Vec<_> = names.iter().map(String::as_str).collect();
        let mut gap = |what: &str, error: ManagementError| {
            observed.gaps.push(Gap { text: format!("{what}: {error}"), expected: false });
        };
        match management.live(&names).await {
            Ok(live) => {
                for (name, counted) in live {
                    if let Some(fresh) = observed.live.get_mut(&name) {
                        *fresh = counted.updated(fresh);
                    }
                }
            }
            Err(error) => gap("could not count unacknowledged messages", error),
        }
        match management.delayed(objects).await {
            Ok(delayed) => observed.delayed = delayed,
            Err(error) => gap("could not count delayed messages", error),
        }
    }

    /// What one queue holds, as far as it can be seen.
    pub(super) async fn live(&mut self, name: &str) -> Result<Live, BrokerError> {
        let fresh = self.queue_depth(name).await?;
        let Some(management) = self.management() else { return Ok(fresh) };
        let counted = management.live(&[name]).await.ok();
        let counted = counted.and_then(|mut all| all.remove(name)).unwrap_or_default();
        Ok(counted.updated(&fresh))
    }

    async fn probe(
        &mut self,
        probes: Vec<Probe>,
        observed: &mut Observed,
    ) -> Result<(), BrokerError> {
        let about = self.about();
        let asked = fan_out(
            self,
            probes,
            async |channel, probe| match probe {
                Probe::Exchange(name) => {
                    find_exchange(channel, name, &about).await.map(|()| Live::default())
                }
                Probe::Queue(name) => find_queue(channel, name, &about).await,
            },
            |probe, found| match probe {
                Probe::Exchange(name) => {
                    observed.exchanges.insert(name, seen(&found));
                }
                Probe::Queue(name) => {
                    // What is known whole stays so; it may be gone by now.
                    let known = matches!(observed.queues.get(&name), Some(Seen::Known(_)));
                    let seen = seen(&found);
                    if !known || seen == Seen::Absent {
                        observed.queues.insert(name.clone(), seen);
                    }
                    if let Ok(live) = found {
                        observed.live.insert(name, live);
                    }
                }
            },
        );
        asked.await.map_err(|stranded| stranded.reason)
    }
}

fn seen<T>(found: &Result<Live, BrokerError>) -> Seen<T> {
    match found {
        Ok(_) | Err(BrokerError::ResourceLocked { .. }) => Seen::Present,
        Err(BrokerError::NotFound { words, .. }) if is_absent(words) => Seen::Absent,
        // A queue whose node is down answers 404 as well, and is there all the same.
        Err(BrokerError::NotFound { .. }) => Seen::Present,
        Err(_) => Seen::Unseen,
    }
}

fn is_absent(words: &str) -> bool {
    words.contains("no queue '") || words.contains("no exchange '")
}
