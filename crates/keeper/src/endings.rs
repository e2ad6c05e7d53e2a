//! What the names of files have in common.

use std::collections::BTreeMap;

/// Counts files by the ends of their names.
#[derive(Clone, Debug, Default)]
pub struct Endings {
    files: u64,
    by_ending: BTreeMap<Vec<u8>, u64>,
}

impl Endings {
    /// Takes a path. A name that begins with its only dot has no ending.
    pub fn add(&mut self, path: &[u8]) {
        self.files += 1;
        let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or(path);
        let dot = name.iter().rposition(|byte| *byte == b'.').filter(|dot| *dot > 0);
        let ending = dot.map(|dot| &name[dot + 1..]).filter(|ending| is_plain(ending));
        if let Some(ending) = ending {
            *self.by_ending.entry(ending.to_vec()).or_default() += 1;
        }
    }

    /// How many there were.
    pub fn files(&self) -> u64 {
        self.files
    }

    /// A glob that takes most of them, and how many: of several files, two thirds at least.
    pub fn glob(&self) -> Option<(String, u64)> {
        let (ending, files) = self.by_ending.iter().max_by_key(|(_, files)| **files)?;
        let is_most = *files >= 2 && files.saturating_mul(3) >= self.files.saturating_mul(2);
        is_most.then(|| (format!("*.{}", String::from_utf8_lossy(ending)), *files))
    }
}

/// Whether an ending needs no quoting in a glob or a shell.
fn is_plain(ending: &[u8]) -> bool {
    (1..=16).contains(&ending.len()) && ending.iter().all(u8::is_ascii_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn most_of_several_files_have_a_glob() {
        let glob = |paths: &[&str]| {
            let mut endings = Endings::default();
            paths.iter().for_each(|path| endings.add(path.as_bytes()));
            endings.glob()
        };
        assert_eq!(glob(&[]), None);
        assert_eq!(glob(&["a.xmp"]), None);
        assert_eq!(glob(&["a.xmp", "d.e/b.xmp"]), Some(("*.xmp".into(), 2)));
        assert_eq!(glob(&["a.xmp", "b.xmp", "c"]), Some(("*.xmp".into(), 2)));
        assert_eq!(glob(&["a.xmp", "b.xmp", "c.jpg", "d.jpg"]), None);
        assert_eq!(glob(&["d/.xmp", "e/.xmp", "a.x y", "b.x y"]), None);
    }
}
