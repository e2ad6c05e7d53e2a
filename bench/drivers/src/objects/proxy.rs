//! A server on the way that passes on a limited number of bytes a second, whoever asks and however often.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Result;

/// Bytes passed on at a time.
const PIECE: usize = 64 << 10;

/// When the next piece may go.
struct Rate {
    bytes_a_second: f64,
    next: Mutex<Instant>,
}

impl Rate {
    /// Waits until `bytes` bytes may go. Time that nobody used is gone.
    fn wait(&self, bytes: usize) {
        let takes = Duration::from_secs_f64(bytes as f64 / self.bytes_a_second);
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let turn = (*next).max(Instant::now());
        *next = turn + takes;
        drop(next);
        thread::sleep(turn.saturating_duration_since(Instant::now()));
    }
}

/// Starts one in front of a server. Its threads end with the process.
pub(super) fn limited(server: SocketAddr, bytes_a_second: u64) -> Result<SocketAddr> {
    let listener = TcpListener::bind(("127.0.0.1", 0))?;
    let address = listener.local_addr()?;
    let rate = Arc::new(Rate { bytes_a_second: bytes_a_second as f64, next: Mutex::new(Instant::now()) });
    thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let Ok(server) = TcpStream::connect(server) else { continue };
            let (Ok(asking), Ok(asked)) = (client.try_clone(), server.try_clone()) else { continue };
            let rate = Arc::clone(&rate);
            thread::spawn(move || pass(asking, asked, |_| ()));
            thread::spawn(move || pass(server, client, |bytes| rate.wait(bytes)));
        }
    });
    Ok(address)
}

/// Passes on what comes until it ends.
fn pass(mut from: TcpStream, mut to: TcpStream, wait: impl Fn(usize)) {
    let mut room = vec![0; PIECE];
    while let Ok(count) = from.read(&mut room) {
        if count == 0 {
            break;
        }
        wait(count);
        if to.write_all(&room[..count]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Write);
}
