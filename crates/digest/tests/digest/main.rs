//! The algorithms from outside: published vectors, oracles by other authors, properties of every state, and the registry.

mod oracles;
mod registry;
mod states;
mod vectors;
