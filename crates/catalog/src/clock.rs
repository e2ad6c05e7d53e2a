//! The time of day, which tests may set.

use std::fmt;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// Reads the time of day.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> i64 + Send + Sync>);

impl Clock {
    /// That of the system.
    pub fn of_system() -> Self {
        Self(Arc::new(|| match SystemTime::now().duration_since(UNIX_EPOCH) {
            Ok(since) => since.as_secs() as i64,
            Err(before) => -(before.duration().as_secs() as i64),
        }))
    }

    /// One that reads what a function returns, in seconds since 1970.
    pub fn new(now_s: impl Fn() -> i64 + Send + Sync + 'static) -> Self {
        Self(Arc::new(now_s))
    }

    /// Seconds since 1970.
    pub fn now_s(&self) -> i64 {
        (self.0)()
    }
}

impl Default for Clock {
    fn default() -> Self {
        Self::of_system()
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Clock({})", self.now_s())
    }
}
