//! A relay between the binary and the broker, whose connections can be cut.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use crate::scene::Scene;

/// A relay to a scene's broker.
pub struct Relay {
    /// The broker's URI through the relay.
    pub uri: String,
    line: Arc<Line>,
}

#[derive(Default)]
struct Line {
    sockets: Mutex<Vec<TcpStream>>,
    /// No connection is taken any more.
    closed: AtomicBool,
    /// Bytes go nowhere.
    mute: AtomicBool,
    /// Bytes that may still go to the broker before the line is cut; none set: any number.
    allowed: Mutex<Option<u64>>,
    carried: AtomicU64,
}

impl Relay {
    /// Listens on a port of its own.
    pub fn to(scene: &Scene) -> Self {
        let mut uri = url::Url::parse(&scene.broker.uri).unwrap();
        let broker = format!("{}:{}", uri.host_str().unwrap(), uri.port().unwrap_or(5672));
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        uri.set_host(Some("127.0.0.1")).unwrap();
        uri.set_port(Some(listener.local_addr().unwrap().port())).unwrap();
        let line = Arc::new(Line::default());
        let own = Arc::clone(&line);
        std::thread::spawn(move || {
            while let Ok((near, _)) = listener.accept() {
                if !own.closed.load(Ordering::SeqCst) {
                    own.connect(near, &broker);
                }
            }
        });
        Relay { uri: uri.to_string(), line }
    }

    /// Cuts all connections. New ones can be made.
    pub fn cut(&self) {
        self.line.cut();
    }

    /// Cuts all connections for good.
    pub fn close(&self) {
        self.line.closed.store(true, Ordering::SeqCst);
        self.line.cut();
    }

    /// Cuts all connections for good after so many more bytes to the broker.
    pub fn close_after(&self, bytes: u64) {
        let carried = self.line.carried.load(Ordering::SeqCst);
        *self.line.allowed.lock().unwrap() = Some(carried + bytes);
    }

    /// Keeps the connections and carries nothing any more.
    pub fn mute(&self) {
        self.line.mute.store(true, Ordering::SeqCst);
    }
}

impl Line {
    fn connect(self: &Arc<Self>, near: TcpStream, broker: &str) {
        let far = TcpStream::connect(broker).expect("the broker answers");
        let pairs = [(&near, &far, true), (&far, &near, false)];
        for (from, to, outward) in pairs {
            let (from, to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
            let line = Arc::clone(self);
            std::thread::spawn(move || line.carry(from, to, outward));
        }
        self.sockets.lock().unwrap().extend([near, far]);
    }

    fn carry(&self, mut from: TcpStream, mut to: TcpStream, outward: bool) {
        let mut buffer = [0; 16 << 10];
        while let Ok(length @ 1..) = from.read(&mut buffer) {
            if self.mute.load(Ordering::SeqCst) {
                continue;
            }
            if to.write_all(&buffer[..length]).is_err() {
                break;
            }
            if outward {
                let carried = self.carried.fetch_add(length as u64, Ordering::SeqCst);
                let allowed = *self.allowed.lock().unwrap();
                if allowed.is_some_and(|allowed| carried >= allowed) {
                    self.closed.store(true, Ordering::SeqCst);
                    self.cut();
                }
            }
        }
        let _ = to.shutdown(Shutdown::Both);
    }

    fn cut(&self) {
        for socket in self.sockets.lock().unwrap().drain(..) {
            let _ = socket.shutdown(Shutdown::Both);
        }
    }
}
