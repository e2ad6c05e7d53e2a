//! Builds that later steps need, begun beside the tests. Tests wait often: what builds at the lowest priority meanwhile costs them little,
//! and the steps find it built.

use std::process::{Command, Stdio};
use std::thread::{self, JoinHandle};

/// Builds that go on, one after the other.
pub(super) struct Ahead(JoinHandle<()>);

impl Ahead {
    /// Starts them. Nothing is shown of them, and none of them fails anything: the step that needs one builds it again, which takes a moment
    /// or says what is wrong.
    pub(super) fn start(builds: Vec<Command>) -> Self {
        Self(thread::spawn(move || {
            for build in builds {
                let _ = yielding(&build).status();
            }
        }))
    }

    /// Waits for them.
    pub(super) fn end(self) {
        // A thread that has panicked builds nothing more either.
        let _ = self.0.join();
    }
}

/// The same command, which lets all others go first.
fn yielding(command: &Command) -> Command {
    let mut nice = Command::new("nice");
    nice.args(["-n", "19"]).arg(command.get_program()).args(command.get_args());
    if let Some(directory) = command.get_current_dir() {
        nice.current_dir(directory);
    }
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => nice.env(name, value),
            None => nice.env_remove(name),
        };
    }
    nice.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    nice
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_yields_is_the_same_but_for_its_priority() {
        let folder = tempfile::tempdir().expect("a directory");
        let mut command = Command::new("sh");
        let script = "nice > told; printf '%s %s' \"$1\" \"${GIVEN}${HOME-}\" >> told";
        command.args(["-c", script, "sh", "a b"]).current_dir(folder.path());
        command.env("GIVEN", "c").env_remove("HOME");
        Ahead::start(vec![command]).end();
        let told = std::fs::read_to_string(folder.path().join("told")).expect("it has run");
        assert_eq!(told, "19\na b c");
    }
}
