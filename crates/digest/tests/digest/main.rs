//! The algorithms from outside: published vectors, oracles by other authors, properties of every state, and the registry.

mod calibration;
mod forced;
mod oracles;
mod registry;
mod states;
mod vectors;
