//! What is known of each server: whether it has answered, and whether it was waited for in vain.
//!
//! A run asks for many objects. If each of them waited in vain for a server that is away, the run would take hours. So the first one
//! waits as long as it may. From then on each request is made once, until the server answers one of them. And while such a request
//! is on its way to a server that says nothing, all others fail at once.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use http::Uri;
use rustix::io::Errno;

use crate::refusal::{Refusal, numbered};

/// The servers of a service, by scheme, host and port.
#[derive(Debug, Default)]
pub(crate) struct Standings(Mutex<HashMap<String, Arc<Standing>>>);

impl Standings {
    /// The server that a URL is asked of.
    pub(crate) fn of(&self, uri: &Uri) -> Arc<Standing> {
        let authority = uri.authority().map_or("", |authority| authority.as_str());
        let server = format!("{}://{authority}", uri.scheme_str().unwrap_or_default()).to_ascii_lowercase();
        let mut servers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(servers.entry(server).or_default())
    }
}

/// What is known of one server.
#[derive(Debug, Default)]
pub(crate) struct Standing(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// It has answered a request, if only to say that it cannot serve.
    has_answered: bool,
    /// How often it has served, or refused for good.
    answers: u64,
    given_up: Option<GivenUp>,
}

/// It was waited for in vain, and has not served since.
#[derive(Debug)]
struct GivenUp {
    /// What the system said, if nothing came from the server.
    silence: Option<Errno>,
    /// Somebody finds out whether it is back.
    is_tried: bool,
}

/// A request that is on its way. If its server was given up, it is the one that finds out.
#[derive(Debug)]
pub(crate) struct Underway<'a>(Option<&'a Standing>);

impl Drop for Underway<'_> {
    fn drop(&mut self) {
        if let Some(standing) = self.0
            && let Some(given_up) = &mut standing.lock().given_up
        {
            given_up.is_tried = false;
        }
    }
}

impl Standing {
    /// Begins a request; an error if another one is finding out whether the server is back.
    pub(crate) fn begin(&self) -> Result<Underway<'_>, Refusal> {
        match &mut self.lock().given_up {
            Some(GivenUp { silence: Some(silence), is_tried: true }) => {
                Err(Refusal::Transport(io::Error::from(*silence)))
            }
            Some(given_up @ GivenUp { silence: Some(_), .. }) => {
                given_up.is_tried = true;
                Ok(Underway(Some(self)))
            }
            _ => Ok(Underway(None)),
        }
    }

    /// Takes note of an answer. `serves`: it is what was asked for, or says that this cannot be had.
    pub(crate) fn answered(&self, serves: bool) {
        let mut state = self.lock();
        state.has_answered = true;
        if serves {
            state.answers += 1;
            state.given_up = None;
        }
    }

    /// Whether it has answered a request.
    pub(crate) fn has_answered(&self) -> bool {
        self.lock().has_answered
    }

    /// How often it has served, or refused for good.
    pub(crate) fn answers(&self) -> u64 {
        self.lock().answers
    }

    /// Whether it was waited for in vain, and has not served since.
    pub(crate) fn is_given_up(&self) -> bool {
        self.lock().given_up.is_some()
    }

    /// Gives it up after a refusal, unless it has served others since it had served so often: then only one object is out of reach.
    pub(crate) fn give_up(&self, refusal: &Refusal, answers: u64) {
        let silence = match refusal {
            Refusal::Transport(error) => Errno::from_io_error(&numbered(error)),
            _ => None,
        };
        let mut state = self.lock();
        if state.answers == answers && state.given_up.is_none() {
            state.given_up = Some(GivenUp { silence, is_tried: false });
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::refusal::Status;

    fn timed_out() -> Refusal {
        Refusal::Transport(io::ErrorKind::TimedOut.into())
    }

    #[test]
    fn servers_are_told_apart_by_scheme_host_and_port() {
        let standings = Standings::default();
        let of = |url: &str| standings.of(&url.parse().expect("a URL"));
        of("https://a/k").answered(true);
        assert!(of("HTTPS://A/other?x").has_answered());
        for other in ["https://b/k", "http://a/k", "https://a:1/k"] {
            assert!(!of(other).has_answered(), "{other}");
        }
        of("https://b/k").give_up(&timed_out(), 0);
        of("https://a/k").answered(true);
        assert!(of("https://b/k").is_given_up() && !of("https://a/k").is_given_up());
    }

    #[test]
    fn one_request_at_a_time_finds_out_whether_a_silent_server_is_back() {
        let standing = Standing::default();
        let (_one, _another) = (standing.begin().expect("the first"), standing.begin().expect("the second"));
        standing.give_up(&timed_out(), 0);
        let trial = standing.begin().expect("it is tried");
        let refused = standing.begin().expect_err("only once");
        assert!(refused.is_silence(), "{refused:?}");
        drop(trial);
        let trial = standing.begin().expect("it is tried again");
        standing.answered(true);
        assert!(standing.begin().is_ok() && !standing.is_given_up());
        drop(trial);
    }

    #[test]
    fn a_server_that_serves_others_is_not_given_up_and_a_busy_one_stays_so() {
        let standing = Standing::default();
        let busy = Refusal::Status(Status { status: 503, ..Status::default() });
        let before = standing.answers();
        standing.answered(true);
        standing.give_up(&busy, before);
        assert!(!standing.is_given_up());
        standing.give_up(&busy, standing.answers());
        standing.answered(false);
        assert!(standing.is_given_up());
        // It says so at once.
        let (_one, another) = (standing.begin(), standing.begin());
        assert!(another.is_ok());
    }
}
