//! How to reach a broker.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use super::endpoint::Endpoint;
use super::error::BrokerError;
use super::management::ManagementAddress;

/// How to reach a broker, and as whom. `Debug` shows no password.
#[derive(Clone)]
pub struct Settings {
    /// An AMQP URI, `amqp://user:password@host:port/vhost`.
    pub uri: String,
    /// The vhost; it overrides the URI's.
    pub vhost: Option<String>,
    /// A PEM file of certificate authorities to trust beside the system's.
    pub ca_cert: Option<PathBuf>,
    /// A PEM file with the client's certificate; it needs `key`.
    pub cert: Option<PathBuf>,
    /// A PEM file with the client's private key.
    pub key: Option<PathBuf>,
    /// The password; it overrides the URI's.
    pub password: Option<String>,
    /// How long connecting may take, from name resolution to the broker's greeting; and how long
    /// the management API may be silent.
    pub connect_timeout: Duration,
    /// The management API, which shows what AMQP does not.
    pub management: ManagementAddress,
}

impl Default for Settings {
    /// A broker on this machine with its default user, five seconds to connect, and AMQP alone.
    fn default() -> Self {
        Settings {
            uri: "amqp://guest:guest@127.0.0.1:5672/%2f".to_owned(),
            vhost: None,
            ca_cert: None,
            cert: None,
            key: None,
            password: None,
            connect_timeout: Duration::from_secs(5),
            management: ManagementAddress::Off,
        }
    }
}

impl Settings {
    /// The default settings with another URI.
    pub fn of_uri(uri: &str) -> Self {
        Settings { uri: uri.to_owned(), ..Settings::default() }
    }

    /// The URI taken apart, with the overrides applied.
    ///
    /// # Errors
    /// [`BrokerError::Uri`] when it is not an AMQP URI; [`BrokerError::File`] when certificates are
    /// given for a connection without TLS, which would quietly not use them.
    pub fn endpoint(&self) -> Result<Endpoint, BrokerError> {
        let mut endpoint = Endpoint::parse(&self.uri)?;
        if let Some(vhost) = &self.vhost {
            endpoint.vhost.clone_from(vhost);
        }
        if let Some(password) = &self.password {
            endpoint.password.clone_from(password);
        }
        let certificates = [&self.ca_cert, &self.cert, &self.key];
        let is_tls = endpoint.tls || self.management.is_tls();
        if let (false, Some(path)) = (is_tls, certificates.into_iter().flatten().next()) {
            let path = path.display();
            let reason =
                format!("`{path}` is for TLS, which the scheme `amqps` uses and `amqp` does not");
            return Err(BrokerError::Uri { reason });
        }
        Ok(endpoint)
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let endpoint = match Endpoint::parse(&self.uri) {
            Ok(endpoint) => endpoint.to_string(),
            Err(_) => "(not an AMQP URI)".to_owned(),
        };
        f.debug_struct("Settings")
            .field("endpoint", &endpoint)
            .field("vhost", &self.vhost)
            .field("ca_cert", &self.ca_cert)
            .field("cert", &self.cert)
            .field("key", &self.key)
            .field("connect_timeout", &self.connect_timeout)
            .field("management", &self.management)
            .finish_non_exhaustive()
    }
}
