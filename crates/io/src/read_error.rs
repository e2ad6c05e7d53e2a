//! Why something could not be read.

use std::io;

use crate::directory::NotAFile;
use crate::obstacle::MediumObstacle;

/// Why a request did not come to its end.
#[derive(Debug, thiserror::Error)]
#[error("{step}: {cause}")]
pub struct ReadError {
    /// What was being done.
    pub step: ReadStep,
    /// What stopped it.
    pub cause: ReadCause,
}

/// What stopped a request.
#[derive(Debug, thiserror::Error)]
pub enum ReadCause {
    /// The system refused.
    #[error(transparent)]
    System(io::Error),
    /// A pipe, socket or device stands where only files are read.
    #[error("not a regular file")]
    Special,
    /// The bytes would not have come from the device.
    #[error("{0}")]
    Obstacle(#[from] MediumObstacle),
    /// A store on the network answered with a status that is not success.
    #[error("status {0}")]
    Remote(u16),
    /// A store on the network has it in an archive, from which it has to be restored first.
    #[error("archived")]
    Archived,
    /// A store on the network keeps another checksum for it than its content has, however often it is read.
    #[error("another checksum")]
    OtherChecksum,
    /// A store on the network keeps another checksum for it than what came has, and it was read once.
    #[error("another checksum, by one reading")]
    DoubtfulChecksum,
    /// There are no valid credentials to ask a store on the network with.
    #[error("no valid credentials")]
    Unsigned,
    /// As many requests were made of a store on the network as there were to be.
    #[error("no more requests")]
    RequestsUsedUp,
    /// It was deleted in a store on the network that may keep older versions of it.
    #[error("deleted")]
    Deleted,
    /// What came is not what a store on the network keeps.
    #[error("damaged on the way")]
    DamagedOnWay,
}

impl From<io::Error> for ReadCause {
    fn from(error: io::Error) -> Self {
        let is_special = error.get_ref().is_some_and(|carried| carried.is::<NotAFile>());
        if is_special { Self::Special } else { Self::System(error) }
    }
}

impl ReadError {
    /// The system's refusal of a step, or the reason of ours that its error carries.
    pub fn system(step: ReadStep, error: impl Into<io::Error>) -> Self {
        Self { step, cause: ReadCause::from(error.into()) }
    }

    /// The system's number of the error, if the system refused.
    pub fn raw_os_error(&self) -> Option<i32> {
        match &self.cause {
            ReadCause::System(error) => error.raw_os_error(),
            _ => None,
        }
    }
}

/// The steps of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadStep {
    /// Opening the file.
    Open,
    /// Asking for its facts.
    Stat,
    /// Reading.
    Read,
    /// Making sure that what is read comes from the device.
    FromMedium,
}

impl std::fmt::Display for ReadStep {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Open => "open",
            Self::Stat => "stat",
            Self::Read => "read",
            Self::FromMedium => "read from the medium",
        })
    }
}
