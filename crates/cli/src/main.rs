//! The `hashlane` command.
fn main() {}
