//! Programs of providers that copy between stores.

use hashlane_objects::Service;

use crate::shell;

/// The command that copies between names with the endpoints of their stores, by the program of the provider; nothing where no program can.
pub(crate) fn transfer(sides: [(&[u8], Option<&str>); 2]) -> Option<String> {
    let in_stores = sides.iter().filter_map(|(name, endpoint)| Some((Service::of(name)?, *endpoint)));
    let stores: Vec<_> = in_stores.collect();
    let &store = stores.first()?;
    // One program asks one server.
    if stores.iter().any(|other| *other != store) {
        return None;
    }
    let [source, target] = sides.map(|(name, _)| shell::word(name));
    // It takes such a name for a pattern or for a generation of an object.
    let is_pattern = || sides.iter().any(|(name, _)| name.iter().any(|byte| b"*?[]{}#".contains(byte)));
    match store {
        (Service::S3, Some(endpoint)) => {
            let endpoint = shell::word(endpoint.as_bytes());
            Some(format!("aws s3 cp --endpoint-url {endpoint} {source} {target}"))
        }
        (Service::S3, None) => Some(format!("aws s3 cp {source} {target}")),
        (Service::Google, None) if !is_pattern() => Some(format!("gcloud storage cp {source} {target}")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_copies_from_and_to_stores() {
        let copied = |source: &str, of_source, target: &str, of_target| {
            transfer([(source.as_bytes(), of_source), (target.as_bytes(), of_target)])
        };
        let (here, there) = (Some("https://s3.example.org"), Some("https://other.example.org"));
        let to_s3 = |of_source, of_target| copied("s3://a/it's", of_source, "s3://b/two words", of_target);
        let words = r"'s3://a/it'\''s' 's3://b/two words'";
        assert_eq!(to_s3(None, None), Some(format!("aws s3 cp {words}")));
        let at_endpoint = format!("aws s3 cp --endpoint-url https://s3.example.org {words}");
        assert_eq!(to_s3(here, here), Some(at_endpoint));
        assert_eq!((to_s3(here, there), to_s3(here, None)), (None, None));
        // A tree has no endpoint, on either side.
        let down = copied("s3://a/b", here, "/tree/b", None);
        let expected = "aws s3 cp --endpoint-url https://s3.example.org s3://a/b /tree/b";
        assert_eq!(down.as_deref(), Some(expected));
        let up = copied("/tree/$(b)", None, "gs://a/b", None);
        assert_eq!(up.as_deref(), Some("gcloud storage cp '/tree/$(b)' gs://a/b"));
        for name in ["gs://a/b*", "gs://a/b?", "gs://a/b[1]", "gs://a/b#1"] {
            assert_eq!(copied(name, None, "/tree/b", None), None, "{name}");
        }
        for (source, target) in [("gs://a/b", "s3://a/b"), ("/tree/b", "az://a/b"), ("az://a/b", "az://c/b")]
        {
            assert_eq!(copied(source, None, target, None), None, "{source} {target}");
        }
        assert_eq!(copied("gs://a/b", here, "/tree/b", None), None);
    }
}
