//! Runs: requests for an audit, and the stints in which processes did them.

use hashlane_record::Escaped;
use rusqlite::{OptionalExtension as _, params};

use crate::catalog::Catalog;
use crate::collections::CollectionId;
use crate::error::Result;

/// A run's number in its catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunId(pub(crate) i64);

/// A stint's number in its catalogue: later ones have higher numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StintId(pub(crate) i64);

/// Bytes of the secret of a run.
const SECRET_BYTES: usize = 32;

/// What a run is asked for, and by whom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// What is to be done. A run that was interrupted goes on with a request of the same words.
    pub what: String,
    /// Who asks.
    pub actor: String,
    /// Why, if that was said.
    pub reason: String,
}

/// A stint that is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stint {
    /// Its number.
    pub id: StintId,
    /// The run that it is a part of.
    pub run: RunId,
    /// The run was begun by an earlier process, which did not end it.
    pub goes_on: bool,
}

impl Catalog {
    /// Begins a stint: of the last run of a collection, if that was interrupted and is asked for the same, else of a new run.
    /// `since_s`: what was begun earlier is not gone on with.
    ///
    /// # Errors
    /// The catalogue does not take it, or there are no random bytes.
    pub fn begin_stint(
        &mut self,
        collection: CollectionId,
        request: &Request,
        now_s: i64,
        since_s: i64,
    ) -> Result<Stint> {
        let host = Escaped(rustix::system::uname().nodename().to_bytes()).to_string();
        let transaction = self.begin()?;
        let interrupted: Option<i64> = transaction
            .query_row(
                "SELECT id FROM run WHERE collection = ?1 AND ended_s IS NULL AND request = ?2 AND started_s >= ?3
                 AND id = (SELECT max(id) FROM run WHERE collection = ?1)",
                params![collection.0, request.what, since_s],
                |row| row.get(0),
            )
            .optional()?;
        let run = match interrupted {
            Some(run) => run,
            None => {
                transaction.execute(
                    "INSERT INTO run (collection, request, actor, reason, started_s, secret, leaf_base)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, (SELECT coalesce(max(leaf_base + leaves), 0) FROM run))",
                    params![
                        collection.0,
                        request.what,
                        request.actor,
                        request.reason,
                        now_s,
                        secret()?.as_slice()
                    ],
                )?;
                transaction.last_insert_rowid()
            }
        };
        transaction.execute(
            "INSERT INTO stint (run, started_s, host, pid) VALUES (?1, ?2, ?3, ?4)",
            params![run, now_s, host, std::process::id()],
        )?;
        let id = StintId(transaction.last_insert_rowid());
        transaction.commit()?;
        Ok(Stint { id, run: RunId(run), goes_on: interrupted.is_some() })
    }

    /// Ends a stint, and its run with it if `outcome` says what became of that.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn end_stint(&mut self, stint: Stint, outcome: Option<&str>, now_s: i64) -> Result<()> {
        let transaction = self.begin()?;
        transaction.execute("UPDATE stint SET ended_s = ?2 WHERE id = ?1", params![stint.id.0, now_s])?;
        if let Some(outcome) = outcome {
            transaction.execute(
                "UPDATE run SET ended_s = ?2, outcome = ?3 WHERE id = ?1",
                params![stint.run.0, now_s, outcome],
            )?;
        }
        transaction.commit()?;
        Ok(())
    }
}

/// Bytes that nobody can guess.
fn secret() -> Result<[u8; SECRET_BYTES]> {
    let mut secret = [0; SECRET_BYTES];
    let mut filled = 0;
    while filled < SECRET_BYTES {
        filled += rustix::rand::getrandom(&mut secret[filled..], rustix::rand::GetRandomFlags::empty())
            .map_err(|error| crate::error::Error::Random(error.into()))?;
    }
    Ok(secret)
}
