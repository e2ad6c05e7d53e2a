//! How an intact copy is put in the place of a file.

use std::os::unix::ffi::OsStrExt as _;

use hashlane_catalog::{Collection, IntactCopy, Reported, Verdict};
use hashlane_objects::Service;

/// A program to be run, with its arguments. Who shows it quotes them for a shell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invocation {
    /// The words before the names: the program, what it is to do, and its options.
    pub words: Vec<&'static str>,
    /// The arguments behind them, which may be any bytes.
    pub names: Vec<Vec<u8>>,
}

/// What puts an intact copy in the place of a file, if anything does. Whatever stands there by now, it writes into no directory of a tree
/// where it copies from another; and where the file was missing it does not write through a symbolic link.
pub fn restore(collection: &Collection, reported: &Reported, copy: &IntactCopy) -> Option<Invocation> {
    let place = |collection: &Collection, path: &[u8]| {
        let root = collection.terms.root.as_os_str().as_bytes();
        [root.strip_suffix(b"/").unwrap_or(root), b"/", path].concat()
    };
    let (from, to) = (&copy.collection, collection);
    let names = [place(from, &copy.path), place(to, &reported.path)];
    if from.terms.is_in_store() || to.terms.is_in_store() {
        return transfer(names, [from, to].map(|of| of.terms.store.endpoint.as_deref()));
    }
    let mut words = vec!["cp", "-T"];
    // Else it keeps its owner, its mode and its other names.
    words.extend((reported.finding.verdict == Verdict::Missing).then_some("--remove-destination"));
    words.extend(["--preserve=timestamps", "--"]);
    Some(Invocation { words, names: names.into() })
}

/// What copies between names with the endpoints of their stores, by the program of the provider; nothing where no program can.
fn transfer(names: [Vec<u8>; 2], endpoints: [Option<&str>; 2]) -> Option<Invocation> {
    let stores: Vec<_> = names
        .iter()
        .zip(endpoints)
        .filter_map(|(name, endpoint)| Some((Service::of(name)?, endpoint)))
        .collect();
    let &store = stores.first()?;
    // One program asks one server.
    if stores.iter().any(|other| *other != store) {
        return None;
    }
    // It takes such a name for a pattern or for a generation of an object.
    let is_pattern = names.iter().flatten().any(|byte| b"*?[]{}#".contains(byte));
    let words = match store {
        (Service::S3, Some(_)) => vec!["aws", "s3", "cp", "--endpoint-url"],
        (Service::S3, None) => vec!["aws", "s3", "cp"],
        (Service::Google, None) if !is_pattern => vec!["gcloud", "storage", "cp"],
        _ => return None,
    };
    let endpoint = store.1.map(|endpoint| endpoint.as_bytes().to_vec());
    Some(Invocation { words, names: endpoint.into_iter().chain(names).collect() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_copies_from_and_to_stores() {
        let copied = |source: &str, of_source, target: &str, of_target| {
            let names = [source, target].map(|name| name.as_bytes().to_vec());
            let Invocation { words, names } = transfer(names, [of_source, of_target])?;
            let names = names.into_iter().map(|name| String::from_utf8(name).expect("text"));
            Some(words.into_iter().map(str::to_owned).chain(names).collect::<Vec<_>>())
        };
        let words = |text: &str| Some(text.split('|').map(str::to_owned).collect::<Vec<_>>());
        let (here, there) = (Some("https://s3.example.org"), Some("https://other.example.org"));
        let to_s3 = |of_source, of_target| copied("s3://a/it's", of_source, "s3://b/two words", of_target);
        assert_eq!(to_s3(None, None), words("aws|s3|cp|s3://a/it's|s3://b/two words"));
        let at_endpoint = "aws|s3|cp|--endpoint-url|https://s3.example.org|s3://a/it's|s3://b/two words";
        assert_eq!(to_s3(here, here), words(at_endpoint));
        assert_eq!((to_s3(here, there), to_s3(here, None)), (None, None));
        // A tree has no endpoint, on either side.
        let down = copied("s3://a/b", here, "/tree/b", None);
        assert_eq!(down, words("aws|s3|cp|--endpoint-url|https://s3.example.org|s3://a/b|/tree/b"));
        let up = copied("/tree/$(b)", None, "gs://a/b", None);
        assert_eq!(up, words("gcloud|storage|cp|/tree/$(b)|gs://a/b"));
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
