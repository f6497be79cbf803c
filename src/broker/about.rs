//! What is known beside an error: who asked, and what the broker said about the connection.

use std::sync::Arc;
use std::time::Duration;

use futures_util::{Stream, StreamExt};
use lapin::Event;
use tokio::sync::watch;
use tokio::time::timeout;

use super::endpoint::Endpoint;
use super::error::BrokerError;
use super::fault::{CHANNEL_CLOSED, Fault, loss};

/// How long to wait for the reason of an end that was noticed before its reason was.
const AFTERWORD: Duration = Duration::from_millis(500);

/// What every part of this room needs to word an error: cheap to clone, alive as long as needed.
#[derive(Clone)]
pub(super) struct About {
    endpoint: Arc<Endpoint>,
    news: watch::Receiver<News>,
}

/// What the broker said about the connection, unasked.
#[derive(Default)]
struct News {
    blocked: Option<String>,
    ended: Option<String>,
}

impl About {
    /// What is known of a connection to `endpoint`, with the future that keeps it up to date from
    /// the connection's events.
    pub fn of(
        endpoint: Endpoint,
        mut events: impl Stream<Item = Event> + Unpin,
    ) -> (Self, impl Future<Output = ()>) {
        let (sender, news) = watch::channel(News::default());
        let listen = async move {
            while let Some(event) = events.next().await {
                sender.send_modify(|news| news.hear(event));
            }
        };
        (About { endpoint: Arc::new(endpoint), news }, listen)
    }

    /// Where the connection goes.
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// What lapin's `error` means when `object` was asked for.
    pub fn fault(&self, error: &lapin::Error, object: &str) -> Fault {
        let mut fault = Fault::of(error, &self.endpoint.user, object);
        // Who waits on a channel hears of a lost connection at second hand; the broker's own
        // words, or the socket's, were told to the connection.
        if let BrokerError::Lost { reason } = &mut fault.error
            && let Some(ended) = &self.news.borrow().ended
        {
            reason.clone_from(ended);
            fault.connection_gone = true;
        }
        fault
    }

    /// The error alone.
    pub fn error(&self, error: &lapin::Error, object: &str) -> BrokerError {
        self.fault(error, object).error
    }

    /// Why the connection ended, asked by somebody who noticed it from the silence.
    pub async fn end(&self) -> BrokerError {
        let mut news = self.news.clone();
        let told = timeout(AFTERWORD, news.wait_for(|news| news.ended.is_some())).await;
        let reason = told.ok().and_then(Result::ok).and_then(|news| news.ended.clone());
        BrokerError::Lost { reason: reason.unwrap_or_else(|| CHANNEL_CLOSED.to_owned()) }
    }

    /// Why the broker takes no messages at the moment, when it does not.
    pub fn blocked(&self) -> Option<String> {
        self.news.borrow().blocked.clone()
    }
}

impl News {
    fn hear(&mut self, event: Event) {
        match event {
            Event::ConnectionBlocked(why) => self.blocked = Some(why),
            Event::ConnectionUnblocked => self.blocked = None,
            // Soft errors close a channel and are told here as well.
            Event::Error(error) if !error.is_amqp_soft_error() => {
                self.ended.get_or_insert_with(|| loss(&error));
            }
            _ => {}
        }
    }
}
