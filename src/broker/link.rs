//! One connection to a broker: greeting, login, goodbye.

use std::io;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use async_rs::util::RuntimeParts;
use async_rs::{Runtime, Tokio};
use lapin::uri::{AMQPAuthority, AMQPQueryString, AMQPScheme, AMQPUri, AMQPUserInfo};
use lapin::{AsyncTcpStream, Channel, Connection, ConnectionProperties, ErrorKind};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::about::About;
use super::dial::dial;
use super::endpoint::Endpoint;
use super::error::{BrokerError, Obstacle};
use super::fault::{Fault, loss};
use super::server::{Server, stranger};
use super::settings::Settings;
use super::tap::{Ear, Tap, TapReactor};

/// How long a broker may take to say goodbye. One that blocks publishers reads nothing at all.
pub(super) const GOODBYE: Duration = Duration::from_secs(2);

/// One connection, from open to closed.
pub(super) struct Link {
    /// lapin's side of it.
    pub connection: Connection,
    /// What the broker said of itself.
    pub server: Server,
    /// The means to word an error.
    pub about: About,
    ear: Ear,
    listener: JoinHandle<()>,
}

impl Link {
    /// Connects, greets and logs in, within the time that the settings allow.
    pub async fn open(settings: &Settings) -> Result<Self, BrokerError> {
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
            let none = || lapin::Error::from(io::Error::from(io::ErrorKind::NotConnected));
            tap.map(AsyncTcpStream::Plain).ok_or_else(none)
        };
        let name = ConnectionProperties::default()
            .with_connection_name("delayctl".into())
            .with_client_property("product".into(), "delayctl".into())
            .with_client_property("version".into(), env!("CARGO_PKG_VERSION").into());
        let connected = Connection::connector(uri(endpoint), Runtime::new(kit), hand_over, name);
        let connection = connected.await.map_err(|e| turned_away(&e, endpoint, &ear.take()))?;
        let server = Server::of_greeting(&ear.take()).unwrap_or_default();
        let (about, listen) = About::of(endpoint.clone(), connection.events_listener());
        let listener = tokio::spawn(listen);
        Ok(Link { connection, server, about, ear: ear.clone(), listener })
    }

    /// Says goodbye, and hangs up on a broker that does not answer. What lapin still has in its
    /// buffers is not sent any more then.
    pub async fn close(self) {
        if timeout(GOODBYE, self.connection.close(200, "OK".into())).await.is_err() {
            self.ear.cut();
        }
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
        let greeted = if Server::of_greeting(heard).is_some() { "during the login: " } else { "" };
        return unreachable(Obstacle::Other(format!("{greeted}{}", loss(error))));
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
