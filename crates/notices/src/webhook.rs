//! Requests as Standard Webhooks 1.0 has them: signed, with a number and a time.

use data_encoding::BASE64;
use hashlane_config::{Secret, Webhook};
use ring::hmac::{HMAC_SHA256, Key, sign};

use crate::channel::Undelivered;
use crate::http::post;

/// How keys begin that are written as the standard has them.
const PREFIX: &str = "whsec_";

/// The signature of a request, as its header has it. `id` and `at_s`: those of the other headers, the time in seconds since 1970.
///
/// # Errors
/// The secret is not a key: not 24 to 64 bytes in base64 behind `whsec_`.
pub fn signature(secret: &Secret, id: &str, at_s: i64, body: &[u8]) -> Result<String, Undelivered> {
    let text = secret.expose();
    let key = BASE64.decode(text.strip_prefix(PREFIX).unwrap_or(text).as_bytes()).ok();
    let key = key.filter(|key| (24..=64).contains(&key.len())).ok_or_else(|| {
        Undelivered("its secret is not a key: 24 to 64 random bytes in base64, behind whsec_".to_owned())
    })?;
    let signed = [id.as_bytes(), b".", at_s.to_string().as_bytes(), b".", body].concat();
    Ok(format!("v1,{}", BASE64.encode(sign(&Key::new(HMAC_SHA256, &key), &signed).as_ref())))
}

/// Sends what a message says.
pub(crate) fn send(
    webhook: &Webhook,
    secret: &Secret,
    id: &str,
    now_s: i64,
    body: &[u8],
) -> Result<(), Undelivered> {
    let headers = [
        ("content-type", "application/json".to_owned()),
        ("webhook-id", id.to_owned()),
        ("webhook-timestamp", now_s.to_string()),
        ("webhook-signature", signature(secret, id, now_s, body)?),
    ];
    post(&webhook.url, "", &[], &headers, body)
}
