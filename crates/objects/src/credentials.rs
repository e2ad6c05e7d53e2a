//! Credentials as a value: what stands for those of the environment.

use std::collections::HashMap;
use std::fmt;

/// Where credentials are looked for: variables by the names that the providers' own programs know, such as `AWS_PROFILE`, or
/// `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`. By default they are those of the environment. Those that are given stand for all
/// of the environment whose names begin with `AWS_`, `AZURE_` or `GOOGLE_`: what is set there belongs to other credentials.
#[derive(Clone, Default)]
pub struct Credentials(HashMap<String, String>);

impl Credentials {
    /// What is looked for under a name. `of_environment`: what is there.
    pub(crate) fn find(
        &self,
        name: &str,
        of_environment: impl FnOnce(&str) -> Option<String>,
    ) -> Option<String> {
        let given = self.0.get(name).cloned();
        given.or_else(|| if self.hides(name) { None } else { of_environment(name) })
    }

    /// All that may be looked for, given all of the environment.
    pub(crate) fn all(&self, of_environment: HashMap<String, String>) -> HashMap<String, String> {
        let seen = of_environment.into_iter().filter(|(name, _)| !self.hides(name));
        seen.chain(self.0.clone()).collect()
    }

    fn hides(&self, name: &str) -> bool {
        !self.0.is_empty() && ["AWS_", "AZURE_", "GOOGLE_"].iter().any(|provider| name.starts_with(provider))
    }
}

impl FromIterator<(String, String)> for Credentials {
    fn from_iter<T: IntoIterator<Item = (String, String)>>(variables: T) -> Self {
        Self(variables.into_iter().collect())
    }
}

impl fmt::Debug for Credentials {
    /// Names only: the values are secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_that_are_given_stand_for_those_of_the_environment() {
        let of_environment = || [("AWS_ACCESS_KEY_ID", "own"), ("AWS_PROFILE", "own"), ("HOME", "/home/me")];
        let of_environment = || of_environment().map(|(name, value)| (name.to_owned(), value.to_owned()));
        let find = |credentials: &Credentials, name: &str| {
            credentials.find(name, |name| HashMap::from(of_environment()).remove(name))
        };
        let given = Credentials::from_iter([("AWS_PROFILE".to_owned(), "backup".to_owned())]);
        assert_eq!(find(&given, "AWS_PROFILE").as_deref(), Some("backup"));
        // Keys of another profile would be found before it.
        assert_eq!(find(&given, "AWS_ACCESS_KEY_ID"), None);
        assert_eq!(find(&given, "HOME").as_deref(), Some("/home/me"));
        let all = given.all(HashMap::from(of_environment()));
        assert_eq!((all.len(), &*all["AWS_PROFILE"], &*all["HOME"]), (2, "backup", "/home/me"));
        let none = Credentials::default();
        assert_eq!(find(&none, "AWS_ACCESS_KEY_ID").as_deref(), Some("own"));
        assert_eq!(none.all(HashMap::from(of_environment())).len(), 3);
        let secret = Credentials::from_iter([("AWS_SECRET_ACCESS_KEY".to_owned(), "secret".to_owned())]);
        assert_eq!(format!("{secret:?}"), r#"{"AWS_SECRET_ACCESS_KEY"}"#);
    }
}
