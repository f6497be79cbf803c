//! What is there, as far as AMQP shows it: names, and what the queues hold.

use crate::objects::{Objects, predeclared_type};
use crate::plan::{Live, Observed, Seen};

use super::connection::Broker;
use super::declare::{find_exchange, find_queue};
use super::error::BrokerError;
use super::fan_out::fan_out;

/// A name to look for.
enum Probe {
    Exchange(String),
    Queue(String),
}

impl Broker {
    /// Looks for every exchange and queue of `objects`. A passive declare checks the name alone,
    /// so what is there is [`Seen::Present`], and bindings are not seen at all. The exchanges that
    /// every vhost is born with are not looked for.
    ///
    /// # Errors
    /// When the connection is lost and cannot be opened again.
    pub async fn observe(&mut self, objects: &Objects) -> Result<Observed, BrokerError> {
        let about = self.about();
        let exchanges = objects.exchanges.keys().filter(|name| predeclared_type(name).is_none());
        let exchanges = exchanges.map(|name| Probe::Exchange(name.clone()));
        let queues = objects.queues.keys().map(|name| Probe::Queue(name.clone()));
        let mut observed = Observed::default();
        let asked = fan_out(
            self,
            exchanges.chain(queues),
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
                    observed.queues.insert(name.clone(), seen(&found));
                    if let Ok(live) = found {
                        observed.live.insert(name, live);
                    }
                }
            },
        );
        asked.await.map_err(|stranded| stranded.reason)?;
        Ok(observed)
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
