//! From an endpoint to an open line: name resolution, TCP, TLS.
//!
//! lapin could do this too, but it does not know IPv6 literals (it goes to `localhost` instead),
//! and it cannot tell a name without an address from a failed handshake.

use std::io;
use std::net::SocketAddr;
use std::path::Path;

use async_rs::Tokio;
use async_rs::traits::Reactor;
use lapin::tcp::{OwnedIdentity, OwnedTLSConfig};

use super::endpoint::Endpoint;
use super::error::{BrokerError, Obstacle};
use super::settings::Settings;
use super::tap::Line;

/// Opens the line.
///
/// # Errors
/// [`BrokerError::Unreachable`], or [`BrokerError::File`] for certificates.
pub(super) async fn dial(settings: &Settings, endpoint: &Endpoint) -> Result<Line, BrokerError> {
    let unreachable =
        |obstacle| BrokerError::Unreachable { endpoint: endpoint.to_string(), obstacle };
    let tls = if endpoint.tls { Some(tls_config(settings).await?) } else { None };
    let addresses = resolve(endpoint).await.map_err(unreachable)?;
    let line = Line::Plain(connect(addresses).await.map_err(unreachable)?);
    let Some(tls) = tls else { return Ok(line) };
    let secured = line.into_tls(&endpoint.host, tls.as_ref()).await;
    secured.map_err(|error| unreachable(Obstacle::Tls(error.to_string())))
}

async fn resolve(endpoint: &Endpoint) -> Result<Vec<SocketAddr>, Obstacle> {
    let found = tokio::net::lookup_host((endpoint.host.as_str(), endpoint.port)).await;
    let addresses: Vec<_> = found.map_err(|e| Obstacle::NoAddress(e.to_string()))?.collect();
    if addresses.is_empty() {
        return Err(Obstacle::NoAddress("the name has none".to_owned()));
    }
    Ok(addresses)
}

/// Tries the addresses in turn: `localhost` is often both IPv6 and IPv4, and the broker listens
/// on one of them.
async fn connect(addresses: Vec<SocketAddr>) -> Result<<Tokio as Reactor>::TcpStream, Obstacle> {
    let mut last = io::Error::from(io::ErrorKind::AddrNotAvailable);
    for address in addresses {
        match Tokio::current().tcp_connect_addr(address).await {
            Ok(stream) => return Ok(stream),
            Err(error) => last = error,
        }
    }
    Err(match last.kind() {
        io::ErrorKind::ConnectionRefused => Obstacle::NobodyListens,
        _ => Obstacle::Other(last.to_string()),
    })
}

async fn tls_config(settings: &Settings) -> Result<OwnedTLSConfig, BrokerError> {
    let cert_chain = match &settings.ca_cert {
        Some(path) => Some(read_pem(path, "CERTIFICATE").await?),
        None => None,
    };
    let identity = match (&settings.cert, &settings.key) {
        (Some(cert), Some(key)) => Some(OwnedIdentity::PKCS8 {
            pem: read_pem(cert, "CERTIFICATE").await?.into_bytes(),
            key: read_pem(key, "PRIVATE KEY").await?.into_bytes(),
        }),
        (None, None) => None,
        (Some(path), None) => return Err(lonely(path, "a certificate needs its private key too")),
        (None, Some(path)) => return Err(lonely(path, "a private key needs its certificate too")),
    };
    Ok(OwnedTLSConfig { identity, cert_chain })
}

/// Reads a PEM file. A file without the section it should hold would be ignored further on, so it
/// is refused here.
async fn read_pem(path: &Path, section: &str) -> Result<String, BrokerError> {
    let wrong = |reason: String| BrokerError::File { path: path.to_owned(), reason };
    let text = tokio::fs::read_to_string(path).await.map_err(|error| wrong(error.to_string()))?;
    if !text.contains(&format!("{section}-----")) {
        return Err(wrong(format!("it holds no `{section}` in PEM form")));
    }
    Ok(text)
}

fn lonely(path: &Path, reason: &str) -> BrokerError {
    BrokerError::File { path: path.to_owned(), reason: reason.to_owned() }
}
