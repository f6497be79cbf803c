//! A byte stream that remembers what the broker says first.
//!
//! lapin reads the broker's greeting, with its product and version, and throws it away; and when
//! something else answers than AMQP, it says only that it could not parse it. So the stream given
//! to lapin keeps a copy of the first bytes. It can also be cut off from outside, which is the
//! only way to end lapin's I/O thread while it waits for a greeting that never comes.

use std::future::{self, Future};
use std::io::{self, Read, Write};
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use async_rs::Tokio;
use async_rs::traits::Reactor;
use futures_util::Stream;
use futures_util::io::{AsyncRead, AsyncWrite};
use futures_util::task::AtomicWaker;
use lapin::AsyncTcpStream;

/// A plain or TLS connection, as it comes from the socket.
pub(super) type Line = AsyncTcpStream<<Tokio as Reactor>::TcpStream>;

/// Enough for any broker's greeting, which is about 500 bytes.
const KEPT: usize = 8 * 1024;

/// What a [`Tap`] has heard, and the means to cut it off.
#[derive(Clone, Default)]
pub(super) struct Ear(Arc<Heard>);

#[derive(Default)]
struct Heard {
    first: Mutex<Vec<u8>>,
    full: AtomicBool,
    cut: AtomicBool,
    reader: AtomicWaker,
}

impl Ear {
    /// The first bytes, and no more are kept from now on.
    pub fn take(&self) -> Vec<u8> {
        self.0.full.store(true, Ordering::Relaxed);
        std::mem::take(&mut *self.0.first.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Makes every further read fail.
    pub fn cut(&self) {
        self.0.cut.store(true, Ordering::SeqCst);
        self.0.reader.wake();
    }

    fn hear(&self, bytes: &[u8]) {
        if self.0.full.load(Ordering::Relaxed) {
            return;
        }
        let mut first = self.0.first.lock().unwrap_or_else(PoisonError::into_inner);
        let room = KEPT.saturating_sub(first.len());
        first.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }
}

/// A connection with an [`Ear`].
pub(super) struct Tap {
    line: Line,
    ear: Ear,
}

impl Tap {
    /// The same connection, listened to.
    pub fn new(line: Line, ear: Ear) -> Self {
        Tap { line, ear }
    }
}

impl AsyncRead for Tap {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut [u8],
    ) -> Poll<io::Result<usize>> {
        self.ear.0.reader.register(cx.waker());
        if self.ear.0.cut.load(Ordering::SeqCst) {
            return Poll::Ready(Err(io::ErrorKind::ConnectionAborted.into()));
        }
        let read = Pin::new(&mut self.line).poll_read(cx, buffer);
        if let Poll::Ready(Ok(length)) = read {
            self.ear.hear(&buffer[..length]);
        }
        read
    }
}

impl AsyncWrite for Tap {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.line).poll_write(cx, buffer)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.line).poll_flush(cx)
    }

    fn poll_close(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.line).poll_close(cx)
    }
}

/// tokio's timers for lapin, with [`Tap`] as the type of its connections. It opens none itself:
/// `dial` does.
#[derive(Clone, Debug)]
pub(super) struct TapReactor(pub Tokio);

impl Reactor for TapReactor {
    type TcpStream = Tap;
    type Sleep = <Tokio as Reactor>::Sleep;

    fn register<H: Read + Write + Send + 'static>(
        &self,
        _: H,
    ) -> io::Result<impl AsyncRead + AsyncWrite + Send + Unpin + 'static> {
        Err::<Tap, _>(io::ErrorKind::Unsupported.into())
    }

    fn sleep(&self, duration: Duration) -> Self::Sleep {
        self.0.sleep(duration)
    }

    fn interval(&self, duration: Duration) -> impl Stream<Item = Instant> + Send + 'static {
        self.0.interval(duration)
    }

    fn tcp_connect_addr(
        &self,
        _: SocketAddr,
    ) -> impl Future<Output = io::Result<Tap>> + Send + 'static {
        future::ready(Err(io::ErrorKind::Unsupported.into()))
    }
}
