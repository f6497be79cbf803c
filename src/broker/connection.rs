//! The connection to a broker, which can be opened again when it is gone.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use async_rs::util::RuntimeParts;
use async_rs::{Runtime, Tokio};
use futures_util::StreamExt;
use lapin::uri::{AMQPAuthority, AMQPQueryString, AMQPScheme, AMQPUri, AMQPUserInfo};
use lapin::{AsyncTcpStream, Channel, Connection, ConnectionProperties, ErrorKind, Event};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use super::dial::dial;
use super::endpoint::Endpoint;
use super::error::{BrokerError, Obstacle};
use super::fault::{Fault, loss};
use super::management::Management;
use super::server::{Server, stranger};
use super::settings::Settings;
use super::tap::{Ear, Tap, TapReactor};

/// Between two attempts of [`Broker::wait`].
const RETRY: Duration = Duration::from_millis(300);
/// How long a broker may take to say goodbye. One that blocks publishers reads nothing at all.
const GOODBYE: Duration = Duration::from_secs(2);

/// A connection to a broker.
pub struct Broker {
    settings: Settings,
    management: Option<Management>,
    link: Link,
}

/// One connection, from open to closed.
struct Link {
    connection: Connection,
    server: Server,
    about: About,
    listener: JoinHandle<()>,
}

/// What every part of this room needs to word an error: cheap to clone, alive as long as needed.
#[derive(Clone)]
pub(super) struct About {
    endpoint: Arc<Endpoint>,
    news: Arc<Mutex<News>>,
}

/// What the broker said about the connection, unasked.
#[derive(Default)]
struct News {
    blocked: Option<String>,
    ended: Option<String>,
}

impl About {
    /// What lapin's `error` means when `object` was asked for.
    pub fn fault(&self, error: &lapin::Error, object: &str) -> Fault {
        let mut fault = Fault::of(error, &self.endpoint.user, object);
        // Who waits on a channel hears of a lost connection at second hand; the broker's own
        // words, or the socket's, were told to the connection.
        if let (BrokerError::Lost { reason }, Some(ended)) =
            (&mut fault.error, self.news().ended.clone())
        {
            *reason = ended;
            fault.connection_gone = true;
        }
        fault
    }

    /// The error alone.
    pub fn error(&self, error: &lapin::Error, object: &str) -> BrokerError {
        self.fault(error, object).error
    }

    /// Why the broker takes no messages at the moment, when it does not.
    pub fn blocked(&self) -> Option<String> {
        self.news().blocked.clone()
    }

    fn news(&self) -> std::sync::MutexGuard<'_, News> {
        self.news.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn hear(&self, event: Event) {
        match event {
            Event::ConnectionBlocked(why) => self.news().blocked = Some(why),
            Event::ConnectionUnblocked => self.news().blocked = None,
            // Soft errors close a channel and are told here as well.
            Event::Error(error) if !error.is_amqp_soft_error() => {
                self.news().ended.get_or_insert_with(|| loss(&error));
            }
            _ => {}
        }
    }
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
        let end = Instant::now() + within;
        loop {
            match Self::connect(settings).await {
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
        &self.link.about.endpoint
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

    /// A new channel, on a new connection when the old one is gone.
    pub(super) async fn channel_again(&mut self) -> Result<Channel, BrokerError> {
        if self.is_connected()
            && let Ok(channel) = self.channel().await
        {
            return Ok(channel);
        }
        self.reconnect().await?;
        self.channel().await
    }
}

impl Link {
    async fn open(settings: &Settings) -> Result<Self, BrokerError> {
        let endpoint = settings.endpoint()?;
        let within = match endpoint.connect_timeout {
            Some(own) => own.min(settings.connect_timeout),
            None => settings.connect_timeout,
        };
        let ear = Ear::default();
        let opened = timeout(within, Self::greet(settings, &endpoint, &ear)).await;
        opened.unwrap_or_else(|_| {
            ear.cut();
            let obstacle = stranger(&ear.take()).unwrap_or(Obstacle::NoAnswer(within));
            Err(BrokerError::Unreachable { endpoint: endpoint.to_string(), obstacle })
        })
    }

    async fn greet(
        settings: &Settings,
        endpoint: &Endpoint,
        ear: &Ear,
    ) -> Result<Self, BrokerError> {
        let tap = Tap::new(dial(settings, endpoint).await?, ear.clone());
        let slot = Mutex::new(Some(tap));
        let kit = RuntimeParts::new(Tokio::current(), TapReactor(Tokio::current()));
        // lapin asks for a stream again when it reconnects, which it is not told to do here.
        let hand_over = async move |_: AMQPUri, _: Runtime<_>| {
            let tap = slot.lock().unwrap_or_else(PoisonError::into_inner).take();
            let none =
                || lapin::Error::from(std::io::Error::from(std::io::ErrorKind::NotConnected));
            tap.map(AsyncTcpStream::Plain).ok_or_else(none)
        };
        let name = ConnectionProperties::default()
            .with_connection_name("delayctl".into())
            .with_client_property("product".into(), "delayctl".into())
            .with_client_property("version".into(), env!("CARGO_PKG_VERSION").into());
        let connected = Connection::connector(uri(endpoint), Runtime::new(kit), hand_over, name);
        let connection = connected.await.map_err(|e| turned_away(&e, endpoint, &ear.take()))?;
        let server = Server::of_greeting(&ear.take()).unwrap_or_default();
        let about = About { endpoint: Arc::new(endpoint.clone()), news: Arc::default() };
        let listener = tokio::spawn(listen(about.clone(), connection.events_listener()));
        Ok(Link { connection, server, about, listener })
    }

    async fn close(self) {
        let _ = timeout(GOODBYE, self.connection.close(200, "OK".into())).await;
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.listener.abort();
    }
}

/// Closes a channel, if it is not closed already and the broker answers in time.
pub(super) async fn close_channel(channel: &Channel) {
    let _ = timeout(GOODBYE, channel.close(200, "OK".into())).await;
}

async fn listen(about: About, mut events: impl futures_util::Stream<Item = Event> + Unpin) {
    while let Some(event) = events.next().await {
        about.hear(event);
    }
}

fn uri(endpoint: &Endpoint) -> AMQPUri {
    AMQPUri {
        scheme: if endpoint.tls { AMQPScheme::AMQPS } else { AMQPScheme::AMQP },
        authority: AMQPAuthority {
            userinfo: AMQPUserInfo {
                username: endpoint.user.clone(),
                password: endpoint.password.clone(),
            },
            host: endpoint.host.clone(),
            port: endpoint.port,
        },
        vhost: endpoint.vhost.clone(),
        query: AMQPQueryString {
            frame_max: Some(endpoint.frame_max),
            channel_max: Some(endpoint.channel_max),
            heartbeat: Some(endpoint.heartbeat),
            connection_timeout: None,
            auth_mechanism: endpoint.mechanism,
        },
    }
}

/// Why the greeting failed. Before a connection is open, RabbitMQ tells a missing vhost from a
/// forbidden one by its words alone: both are 530 NOT_ALLOWED.
fn turned_away(error: &lapin::Error, endpoint: &Endpoint, heard: &[u8]) -> BrokerError {
    let unreachable =
        |obstacle| BrokerError::Unreachable { endpoint: endpoint.to_string(), obstacle };
    if let Some(obstacle) = stranger(heard) {
        return unreachable(obstacle);
    }
    let ErrorKind::ProtocolError(_) = error.kind() else {
        return unreachable(Obstacle::Other(loss(error)));
    };
    match Fault::of(error, &endpoint.user, "").error {
        BrokerError::Refused { code: 530, words, .. } if words.contains("not found") => {
            BrokerError::VhostMissing { vhost: endpoint.vhost.clone(), words }
        }
        BrokerError::Refused { code: 530, words, .. } => {
            let object = format!("vhost `{}`", endpoint.vhost);
            BrokerError::AccessRefused { user: endpoint.user.clone(), object, words }
        }
        BrokerError::Refused { code, words, .. } => {
            BrokerError::Refused { object: "the connection".to_owned(), code, words }
        }
        other => other,
    }
}
