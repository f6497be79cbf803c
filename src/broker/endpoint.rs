//! An AMQP URI, taken apart.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use lapin::uri::SASLMechanism;
use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};
use url::{Host, Url};

use super::error::BrokerError;

/// Seconds between heartbeats when the URI does not say. A peer that is silent for twice as long
/// is given up; the broker's own proposal, 60, would let a dead link go unnoticed for two minutes.
const HEARTBEAT: u16 = 15;

/// What must be escaped in a vhost for the URI to be read back.
const VHOST: &AsciiSet = &CONTROLS.add(b' ').add(b'/').add(b'%').add(b'?').add(b'#');

/// Where a broker listens and how to log in. Shown with its user and without its password.
#[derive(Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// Whether the connection uses TLS (`amqps`).
    pub tls: bool,
    /// The host's name or address; an IPv6 address without its brackets.
    pub host: String,
    /// The TCP port.
    pub port: u16,
    /// The user.
    pub user: String,
    /// The password.
    pub(super) password: String,
    /// The vhost.
    pub vhost: String,
    /// Seconds between heartbeats; 0 leaves it to the broker.
    pub(super) heartbeat: u16,
    /// The most channels, 0 for the broker's limit.
    pub(super) channel_max: u16,
    /// The largest frame in bytes, 0 for the broker's limit.
    pub(super) frame_max: u32,
    /// How long connecting may take, when the URI says so.
    pub(super) connect_timeout: Option<Duration>,
    /// How to log in; plain when the URI does not say.
    pub(super) mechanism: Option<SASLMechanism>,
}

impl Endpoint {
    /// Takes a URI apart. Defaults: user and password `guest`, the scheme's port, vhost `/`.
    ///
    /// The AMQP URI specification reads `amqp://host/` as the vhost with the empty name. Nobody
    /// means that one, so here it is `/`, as without the slash.
    ///
    /// # Errors
    /// [`BrokerError::Uri`] with the reason, never with the URI, which may hold a password.
    pub fn parse(uri: &str) -> Result<Self, BrokerError> {
        let url = Url::parse(uri).map_err(|error| wrong(format!("it is not a URI: {error}")))?;
        let tls = match url.scheme() {
            "amqp" => false,
            "amqps" => true,
            other => return Err(wrong(format!("its scheme is `{other}`, not `amqp` or `amqps`"))),
        };
        if url.cannot_be_a_base() {
            return Err(wrong("after the scheme it needs `//` and a host".to_owned()));
        }
        let (user, password) = credentials(&url)?;
        let timeout = number(&url, "connection_timeout")?.map(Duration::from_millis);
        Ok(Endpoint {
            tls,
            host: host(&url)?,
            port: url.port().unwrap_or(if tls { 5671 } else { 5672 }),
            user,
            password,
            vhost: vhost(url.path())?,
            heartbeat: number(&url, "heartbeat")?.unwrap_or(HEARTBEAT),
            channel_max: number(&url, "channel_max")?.unwrap_or(0),
            frame_max: number(&url, "frame_max")?.unwrap_or(0),
            connect_timeout: timeout.filter(|timeout| !timeout.is_zero()),
            mechanism: number(&url, "auth_mechanism")?,
        })
    }

    /// The host and port as a socket address is written, with brackets around IPv6.
    pub fn authority(&self) -> String {
        if self.host.contains(':') {
            format!("[{}]:{}", self.host, self.port)
        } else {
            format!("{}:{}", self.host, self.port)
        }
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.tls { "amqps" } else { "amqp" };
        let vhost = utf8_percent_encode(&self.vhost, VHOST);
        write!(f, "{scheme}://{}@{}/{vhost}", self.user, self.authority())
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Endpoint({self})")
    }
}

fn wrong(reason: String) -> BrokerError {
    BrokerError::Uri { reason }
}

fn decode(part: &str, what: &str) -> Result<String, BrokerError> {
    let text = percent_decode_str(part).decode_utf8();
    text.map(String::from).map_err(|_| wrong(format!("its {what} is not UTF-8")))
}

/// `guest`'s password is known; any other user without a password has the empty one.
fn credentials(url: &Url) -> Result<(String, String), BrokerError> {
    let user = match url.username() {
        "" => "guest".to_owned(),
        user => decode(user, "user")?,
    };
    let password = match url.password() {
        Some(password) => decode(password, "password")?,
        None if user == "guest" => "guest".to_owned(),
        None => String::new(),
    };
    Ok((user, password))
}

fn host(url: &Url) -> Result<String, BrokerError> {
    match url.host() {
        None | Some(Host::Domain("")) => Ok("localhost".to_owned()),
        Some(Host::Domain(name)) => decode(name, "host"),
        Some(Host::Ipv4(address)) => Ok(address.to_string()),
        Some(Host::Ipv6(address)) => Ok(address.to_string()),
    }
}

fn vhost(path: &str) -> Result<String, BrokerError> {
    let name = path.strip_prefix('/').unwrap_or(path);
    if name.is_empty() {
        return Ok("/".to_owned());
    }
    if name.contains('/') && name != "/" {
        return Err(wrong("a `/` in the vhost's name is written `%2f`".to_owned()));
    }
    decode(name, "vhost")
}

fn number<T: FromStr>(url: &Url, key: &str) -> Result<Option<T>, BrokerError> {
    let Some((_, value)) = url.query_pairs().find(|(name, _)| name == key) else {
        return Ok(None);
    };
    value.parse().map(Some).map_err(|_| wrong(format!("`{key}` is `{value}`")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(uri: &str) -> String {
        match Endpoint::parse(uri) {
            Ok(endpoint) => format!("{endpoint} {:?}", endpoint.password),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn a_uri_is_taken_apart() {
        for (uri, expected) in [
            ("amqp://localhost", r#"amqp://guest@localhost:5672/%2F "guest""#),
            ("amqp://localhost/", r#"amqp://guest@localhost:5672/%2F "guest""#),
            ("amqp://localhost//", r#"amqp://guest@localhost:5672/%2F "guest""#),
            ("amqp://localhost/%2f", r#"amqp://guest@localhost:5672/%2F "guest""#),
            ("amqp://", r#"amqp://guest@localhost:5672/%2F "guest""#),
            ("amqps://h/shop", r#"amqps://guest@h:5671/shop "guest""#),
            ("amqp://app:s%2Fecret@h:1/a%20b", r#"amqp://app@h:1/a%20b "s/ecret""#),
            ("amqp://app@h", r#"amqp://app@h:5672/%2F """#),
            ("amqp://u%40x:p@10.0.0.1", r#"amqp://u@x@10.0.0.1:5672/%2F "p""#),
            ("amqp://[::1]:5673", r#"amqp://guest@[::1]:5673/%2F "guest""#),
            ("http://h", "the broker's URI is wrong: its scheme is `http`, not `amqp` or `amqps`"),
            (
                "localhost:5672",
                "the broker's URI is wrong: its scheme is `localhost`, not `amqp` or `amqps`",
            ),
            ("amqp:h", "the broker's URI is wrong: after the scheme it needs `//` and a host"),
            (
                "amqp://h/a/b",
                "the broker's URI is wrong: a `/` in the vhost's name is written `%2f`",
            ),
            ("amqp://h:port", "the broker's URI is wrong: it is not a URI: invalid port number"),
            ("amqp://h?heartbeat=x", "the broker's URI is wrong: `heartbeat` is `x`"),
        ] {
            assert_eq!(shown(uri), expected, "{uri}");
        }
    }

    #[test]
    fn no_password_is_shown() {
        let endpoint = Endpoint::parse("amqp://app:hunter2@h").unwrap();
        assert!(!format!("{endpoint} {endpoint:?}").contains("hunter2"));
    }

    #[test]
    fn the_query_is_heeded() {
        let uri = "amqp://h?heartbeat=5&frame_max=8192&auth_mechanism=external&verify=none";
        let endpoint = Endpoint::parse(uri).unwrap();
        assert_eq!((endpoint.heartbeat, endpoint.frame_max), (5, 8192));
        assert_eq!(endpoint.mechanism, Some(SASLMechanism::External));
    }
}
