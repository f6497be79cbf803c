//! What answers at the other end, from the first bytes it sends.

use lapin::protocol::{AMQPClass, connection, parse_class};
use lapin::types::FieldTable;

use super::error::Obstacle;

/// What a broker says of itself when it greets a client.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Server {
    /// `RabbitMQ`.
    pub product: String,
    /// Its version, such as `4.0.5`; empty when it did not say.
    pub version: String,
    /// The name of its cluster.
    pub cluster: String,
}

/// First byte of a frame that carries a method.
const METHOD_FRAME: u8 = 1;
/// Frame type, channel and payload size come before the payload.
const FRAME_HEADER: usize = 7;
/// First byte of a TLS record that carries an alert.
const TLS_ALERT: u8 = 0x15;

impl Server {
    /// Reads `connection.start`, the first frame of every AMQP 0-9-1 connection.
    pub(super) fn of_greeting(bytes: &[u8]) -> Option<Self> {
        if bytes.first() != Some(&METHOD_FRAME) {
            return None;
        }
        let size = u32::from_be_bytes(bytes.get(3..FRAME_HEADER)?.try_into().ok()?);
        let payload = bytes.get(FRAME_HEADER..)?.get(..usize::try_from(size).ok()?)?;
        let (_, class) = parse_class(payload).ok()?;
        let AMQPClass::Connection(connection::AMQPMethod::Start(start)) = class else {
            return None;
        };
        let said = |name| text(&start.server_properties, name);
        Some(Server {
            product: said("product"),
            version: said("version"),
            cluster: said("cluster_name"),
        })
    }
}

fn text(table: &FieldTable, name: &str) -> String {
    let value = table.inner().get(name).and_then(|value| value.as_long_string());
    value.map(ToString::to_string).unwrap_or_default()
}

/// What answered, when it was not AMQP 0-9-1.
pub(super) fn stranger(bytes: &[u8]) -> Option<Obstacle> {
    match bytes {
        [] | [METHOD_FRAME, ..] => None,
        [TLS_ALERT, 3, ..] => Some(Obstacle::WantsTls),
        // A broker that speaks another AMQP sends that version's protocol header and hangs up.
        [b'A', b'M', b'Q', b'P', id, major, minor, revision, ..] => {
            Some(Obstacle::NotAmqp(format!("AMQP {id} {major}.{minor}.{revision}")))
        }
        _ => {
            let line = bytes.split(|byte| *byte == b'\n').next().unwrap_or(bytes);
            let text = String::from_utf8_lossy(&line[..line.len().min(60)]);
            Some(Obstacle::NotAmqp(text.trim().escape_debug().to_string()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strangers_are_named() {
        for (bytes, expected) in [
            (
                &b"HTTP/1.1 400 Bad Request\r\nx: y"[..],
                "it answers `HTTP/1.1 400 Bad Request`, which is not AMQP 0-9-1",
            ),
            (
                b"SSH-2.0-OpenSSH_9.2\r\n",
                "it answers `SSH-2.0-OpenSSH_9.2`, which is not AMQP 0-9-1",
            ),
            (b"\x15\x03\x01\x00\x02", "it answers with TLS"),
            (b"AMQP\x00\x01\x00\x00", "it answers `AMQP 0 1.0.0`, which is not AMQP 0-9-1"),
        ] {
            assert_eq!(stranger(bytes).unwrap().to_string(), expected);
        }
        assert_eq!(stranger(b""), None);
        assert_eq!(Server::of_greeting(b"\x01\x00\x00\xff\xff\xff\xff"), None);
    }
}
