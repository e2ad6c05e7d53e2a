//! Requests to those who are told.

use std::time::Duration;

use hashlane_config::Hidden;
use ureq::Agent;

use crate::channel::Undelivered;

/// How long a request may take, from the name of the host to the end of the answer.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// As many bytes of an answer are read.
const MOST_BYTES: u64 = 64 << 10;

/// Sends a request with a body; an answer with a status of 200 to 299 has taken it. `path`: what is added to that of the URL.
pub(crate) fn post(
    url: &Hidden,
    path: &str,
    query: &[(&str, &str)],
    headers: &[(&str, String)],
    body: &[u8],
) -> Result<(), Undelivered> {
    let mut target = url.expose().clone();
    if !path.is_empty() {
        let joined = format!("{}/{path}", target.path().trim_end_matches('/'));
        target.set_path(&joined);
    }
    for (name, value) in query {
        target.query_pairs_mut().append_pair(name, value);
    }
    // A redirection is not followed: it could lead anywhere, with what is signed for one receiver.
    let agent: Agent = Agent::config_builder()
        .timeout_global(Some(PATIENCE))
        .max_redirects(0)
        .max_redirects_will_error(false)
        .http_status_as_error(false)
        .build()
        .into();
    let mut request = agent.post(target.as_str());
    for (name, value) in headers {
        request = request.header(*name, value);
    }
    let mut answer = request.send(body).map_err(|error| Undelivered(words(url, &error)))?;
    let status = answer.status();
    // What it says is of no use, but the connection is left in order.
    let _ = answer.body_mut().with_config().limit(MOST_BYTES).read_to_vec();
    match status.as_u16() {
        200..=299 => Ok(()),
        300..=399 => Err(Undelivered(format!(
            "{url}: answers {status}, which leads elsewhere: name that place as its url"
        ))),
        _ => Err(Undelivered(format!("{url}: answers {status}"))),
    }
}

/// What went wrong. A URL is not shown whole, as it may hold a secret.
fn words(url: &Hidden, error: &ureq::Error) -> String {
    match error {
        ureq::Error::Timeout(_) => format!("{url}: no answer within {} s", PATIENCE.as_secs()),
        ureq::Error::HostNotFound => format!("{url}: there is no such host"),
        ureq::Error::ConnectionFailed => format!("{url}: nobody takes connections there"),
        ureq::Error::Io(error) => format!("{url}: {}", hashlane_record::system_text(error)),
        ureq::Error::BadUri(_) => format!("{url}: cannot be asked"),
        error => format!("{url}: {}", Undelivered::of(error)),
    }
}
