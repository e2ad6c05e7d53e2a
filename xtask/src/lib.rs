//! What developer commands have in common: how they call cargo and other programs, and what is installed for them.

pub mod aarch64;
pub mod cargo;
pub mod dependencies;
pub mod python;
pub mod setup;

use std::process::ExitCode;

/// How a command ends: true if all went well; what did not has been reported, unless it is the error.
pub fn ended(outcome: anyhow::Result<bool>) -> ExitCode {
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
