//! Where bytes came from, and how many.

use std::ops::AddAssign;

/// Where a byte came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// It was in the page cache when it was asked for.
    Cache,
    /// The device had to bring it.
    Device,
    /// A store on the network had to bring it.
    Network,
    /// That could not be observed.
    Unknown,
}

/// Numbers of bytes by where they came from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sources {
    /// Bytes found in the page cache.
    pub cache_bytes: u64,
    /// Bytes that the device had to bring.
    pub device_bytes: u64,
    /// Bytes that a store on the network had to bring.
    pub network_bytes: u64,
    /// Bytes where it could not be observed.
    pub unknown_bytes: u64,
}

impl Sources {
    /// Counts bytes from one source.
    pub fn add(&mut self, source: Source, bytes: usize) {
        let counter = match source {
            Source::Cache => &mut self.cache_bytes,
            Source::Device => &mut self.device_bytes,
            Source::Network => &mut self.network_bytes,
            Source::Unknown => &mut self.unknown_bytes,
        };
        *counter += bytes as u64;
    }

    /// All bytes.
    pub fn total_bytes(&self) -> u64 {
        self.cache_bytes + self.device_bytes + self.network_bytes + self.unknown_bytes
    }
}

impl AddAssign for Sources {
    fn add_assign(&mut self, other: Self) {
        self.cache_bytes += other.cache_bytes;
        self.device_bytes += other.device_bytes;
        self.network_bytes += other.network_bytes;
        self.unknown_bytes += other.unknown_bytes;
    }
}
