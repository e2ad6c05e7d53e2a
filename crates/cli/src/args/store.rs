//! The arguments that say how object stores are reached.

use std::time::Duration;

use clap::Args;
use hashlane_objects::{Connection, Patience};
use hashlane_report::written::time_span;

use super::given;

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Object stores")]
pub(crate) struct StoreArgs {
    /// URL of the server of a store [default: what the environment names, else the provider's]
    ///
    /// For S3, the environment names it as AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL; for Google, as STORAGE_EMULATOR_HOST. For
    /// Azure, it is the URL of an account, by default of the one that AZURE_STORAGE_ACCOUNT or AZURE_STORAGE_CONNECTION_STRING
    /// names.
    #[arg(long, value_name = "URL", hide_short_help = true)]
    pub(crate) endpoint: Option<String>,

    /// Region of buckets of S3 [default: AWS_REGION or AWS_DEFAULT_REGION, else us-east-1]
    ///
    /// A bucket that says it is in another region is asked there.
    #[arg(long, value_name = "REGION", hide_short_help = true)]
    pub(crate) region: Option<String>,

    /// Ask without credentials, for objects that everybody may read
    ///
    /// By default, credentials come from the environment, files, logins or the instance, as the own programs of Amazon, Google and
    /// Microsoft find them. They are neither printed nor kept.
    #[arg(long, hide_short_help = true)]
    pub(crate) no_sign_request: bool,

    /// Agree to pay for requests and transfer where the owner of a bucket of S3 asks for that
    #[arg(long, hide_short_help = true)]
    pub(crate) requester_pays: bool,
}

/// What may be asked of object stores.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Object stores")]
pub(crate) struct RequestArgs {
    /// Make at most N requests of an object store
    ///
    /// Listings and repetitions count. What is left then is not read, and fails.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), hide_short_help = true)]
    pub(crate) max_requests: Option<u64>,

    #[command(flatten)]
    pub(crate) patience: PatienceArgs,
}

/// How long object stores are waited for.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Object stores")]
pub(crate) struct PatienceArgs {
    /// Make a request that fails for the moment again, N times at most [default: 7 times, within some ten seconds]
    ///
    /// That is: the store is away or busy, or breaks off. A server that takes a request and says nothing for a minute is asked again
    /// once, unless this option is given.
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub(crate) retries: Option<u32>,

    /// Make a request that fails for the moment again for TIME, such as 10m
    ///
    /// With --retries, whatever ends first counts.
    #[arg(long, value_name = "TIME", value_parser = time_span, hide_short_help = true)]
    pub(crate) retry_for: Option<Duration>,
}

impl PatienceArgs {
    pub(crate) fn patience(self) -> Patience {
        let mut patience = Patience::default();
        (patience.retries, patience.time) = (self.retries, self.retry_for);
        patience
    }
}

impl RequestArgs {
    /// The option that was given, if any was.
    pub(crate) fn given(&self) -> Option<&'static str> {
        let PatienceArgs { retries, retry_for } = self.patience;
        given(&[
            (self.max_requests.is_some(), "--max-requests"),
            (retries.is_some(), "--retries"),
            (retry_for.is_some(), "--retry-for"),
        ])
    }
}

impl StoreArgs {
    pub(crate) fn connection(&self) -> Connection {
        let mut connection = Connection::new();
        connection.endpoint.clone_from(&self.endpoint);
        connection.region.clone_from(&self.region);
        connection.anonymous = self.no_sign_request;
        connection.requester_pays = self.requester_pays;
        connection
    }

    /// The option that was given, if any was.
    pub(crate) fn given(&self) -> Option<&'static str> {
        given(&[
            (self.endpoint.is_some(), "--endpoint"),
            (self.region.is_some(), "--region"),
            (self.no_sign_request, "--no-sign-request"),
            (self.requester_pays, "--requester-pays"),
        ])
    }
}
