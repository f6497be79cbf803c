//! The connection to a broker, which can be opened again when it is gone.

use std::time::{Duration, Instant};

use lapin::Channel;
use tokio::time::sleep;

use super::about::About;
use super::endpoint::Endpoint;
use super::error::BrokerError;
use super::link::Link;
use super::management::Management;
use super::server::Server;
use super::settings::Settings;

/// Between two attempts of [`Broker::wait`].
const RETRY: Duration = Duration::from_millis(300);

/// A connection to a broker.
pub struct Broker {
    settings: Settings,
    management: Option<Management>,
    link: Link,
}

impl Broker {
    /// Connects.
    ///
    /// # Errors
    /// Any [`BrokerError`] about the URI, certificates, reachability, or the login.
    pub async fn connect(settings: &Settings) -> Result<Self, BrokerError> {
        let management = Management::of(settings).await?;
        Ok(Broker { link: Link::open(settings).await?, management, settings: settings.clone() })
    }

    /// Connects, and while the broker cannot be reached tries again for as long as `within`. Only
    /// that is tried again: a login that is refused once is refused for good.
    ///
    /// # Errors
    /// The last attempt's.
    pub async fn wait(settings: &Settings, within: Duration) -> Result<Self, BrokerError> {
        again(within, || Self::connect(settings)).await
    }

    /// Closes what is left of the connection and opens another.
    ///
    /// # Errors
    /// As [`Broker::connect`].
    pub async fn reconnect(&mut self) -> Result<(), BrokerError> {
        let link = Link::open(&self.settings).await?;
        std::mem::replace(&mut self.link, link).close().await;
        Ok(())
    }

    /// Says goodbye to the broker. A connection that is gone, or a broker that does not answer,
    /// is no error: there is nothing left to do about it.
    pub async fn close(self) {
        self.link.close().await;
    }

    /// Where the broker is, without the password.
    pub fn endpoint(&self) -> &Endpoint {
        self.link.about.endpoint()
    }

    /// What the broker said of itself.
    pub fn server(&self) -> &Server {
        &self.link.server
    }

    /// The broker's management API, unless it is turned off.
    pub fn management(&self) -> Option<&Management> {
        self.management.as_ref()
    }

    /// The broker's version, such as `4.0.5`; empty when it did not say.
    pub fn version(&self) -> &str {
        &self.link.server.version
    }

    /// Why the broker takes no messages at the moment (an alarm for memory or disk), when it does
    /// not.
    pub fn blocked(&self) -> Option<String> {
        self.link.about.blocked()
    }

    /// Whether the connection is open, as far as anybody noticed.
    pub fn is_connected(&self) -> bool {
        self.link.connection.status().connected()
    }

    /// The means to word an error.
    pub(super) fn about(&self) -> About {
        self.link.about.clone()
    }

    /// A new channel.
    pub(super) async fn channel(&self) -> Result<Channel, BrokerError> {
        let channel = self.link.connection.create_channel().await;
        channel.map_err(|error| self.link.about.error(&error, "a channel"))
    }

    /// A new channel, on a new connection when the old one is gone, or when the broker reads
    /// nothing more from it: an alarm stops the connections that have published, and no others.
    pub(super) async fn channel_again(&mut self) -> Result<Channel, BrokerError> {
        if self.is_connected()
            && self.blocked().is_none()
            && let Ok(channel) = self.channel().await
        {
            return Ok(channel);
        }
        self.reconnect().await?;
        self.channel().await
    }
}

/// Tries again for as long as `within`, while the broker cannot be reached.
pub(super) async fn again<T, F>(within: Duration, attempt: impl Fn() -> F) -> Result<T, BrokerError>
where
    F: Future<Output = Result<T, BrokerError>>,
{
    let end = Instant::now() + within;
    loop {
        match attempt().await {
            // A broker that starts refuses connections, or drops them half-way.
            Err(BrokerError::Unreachable { .. } | BrokerError::Lost { .. })
                if Instant::now() + RETRY < end =>
            {
                sleep(RETRY).await;
            }
            result => return result,
        }
    }
}
