//! What a broker says of itself before anybody logs in.

use std::time::Duration;

use futures_util::{AsyncReadExt, AsyncWriteExt};
use tokio::time::timeout;

use super::connection::Broker;
use super::dial::dial;
use super::endpoint::Endpoint;
use super::error::{BrokerError, Obstacle};
use super::server::{Server, stranger};
use super::settings::Settings;

/// The protocol header of AMQP 0-9-1.
const HEADER: &[u8] = b"AMQP\x00\x00\x09\x01";
/// No greeting is as long.
const LONGEST: usize = 64 * 1024;

impl Broker {
    /// Asks who is there, without logging in: for a vhost that does not exist yet nobody can.
    ///
    /// # Errors
    /// [`BrokerError::Unreachable`], or what is wrong with the URI or the certificates.
    pub async fn greeting(settings: &Settings) -> Result<Server, BrokerError> {
        let endpoint = settings.endpoint()?;
        let within = settings.connect_timeout;
        let asked = timeout(within, listen(settings, &endpoint)).await;
        asked.unwrap_or_else(|_| Err(unreachable(&endpoint, Obstacle::NoAnswer(within))))
    }

    /// Waits for a broker that is still starting to greet.
    ///
    /// # Errors
    /// The last attempt's.
    pub async fn greeting_within(
        settings: &Settings,
        within: Duration,
    ) -> Result<Server, BrokerError> {
        super::connection::again(within, || Self::greeting(settings)).await
    }
}

async fn listen(settings: &Settings, endpoint: &Endpoint) -> Result<Server, BrokerError> {
    let other = |error: std::io::Error| unreachable(endpoint, Obstacle::Other(error.to_string()));
    let mut line = dial(settings, endpoint).await?;
    line.write_all(HEADER).await.map_err(other)?;
    line.flush().await.map_err(other)?;
    let mut heard = Vec::new();
    let mut buffer = [0; 4096];
    while heard.len() < LONGEST {
        let length = line.read(&mut buffer).await.map_err(other)?;
        heard.extend_from_slice(&buffer[..length]);
        if let Some(obstacle) = stranger(&heard) {
            return Err(unreachable(endpoint, obstacle));
        }
        if let Some(server) = Server::of_greeting(&heard) {
            return Ok(server);
        }
        if length == 0 {
            break;
        }
    }
    let obstacle = Obstacle::Other("it closed the connection without a greeting".to_owned());
    Err(unreachable(endpoint, obstacle))
}

fn unreachable(endpoint: &Endpoint, obstacle: Obstacle) -> BrokerError {
    BrokerError::Unreachable { endpoint: endpoint.to_string(), obstacle }
}
