//! The root of a Merkle tree, of leaves that come one after the other.

use hashlane_digest::{Algorithm, Hasher};

/// Bytes of a hash: a leaf's, a node's, the root's.
pub const HASH_BYTES: usize = 32;

/// The hash of a leaf, of a node, or of a whole tree.
pub type Hash = [u8; HASH_BYTES];

/// What stands before the data of a leaf, and before the two hashes of a node: neither can pose as the other.
const LEAF: &[u8] = &[0];
const NODE: &[u8] = &[1];

/// A Merkle tree that grows at its end. It keeps one hash for each full subtree, not the leaves.
///
/// Source: RFC 9162, section 2.1.1, with SHA-256.
#[derive(Debug)]
pub struct Tree {
    sha256: Hasher,
    leaves: u64,
    /// The full subtrees, the largest first: one for each bit of the number of leaves that is set.
    subtrees: Vec<Hash>,
}

impl Tree {
    /// A tree without leaves.
    ///
    /// # Panics
    /// Never: SHA-256 is registered.
    pub fn new() -> Self {
        let sha256 = Algorithm::SHA256.hasher();
        Self { sha256, leaves: 0, subtrees: Vec::new() }
    }

    /// Adds a leaf behind the last one.
    pub fn push(&mut self, leaf: &[u8]) {
        let mut hash = self.hash(&[LEAF, leaf]);
        // Each bit that the number carries over joins two subtrees of the same size.
        for _ in 0..self.leaves.trailing_ones() {
            if let Some(left) = self.subtrees.pop() {
                hash = self.hash(&[NODE, &left, &hash]);
            }
        }
        self.subtrees.push(hash);
        self.leaves += 1;
    }

    /// How many leaves it has.
    pub fn leaves(&self) -> u64 {
        self.leaves
    }

    /// The root over all leaves so far.
    pub fn root(&mut self) -> Hash {
        let mut subtrees = std::mem::take(&mut self.subtrees);
        let mut root = subtrees.last().copied();
        for left in subtrees.iter().rev().skip(1) {
            root = root.map(|right| self.hash(&[NODE, left, &right]));
        }
        std::mem::swap(&mut self.subtrees, &mut subtrees);
        root.unwrap_or_else(|| self.hash(&[]))
    }

    fn hash(&mut self, parts: &[&[u8]]) -> Hash {
        for part in parts {
            self.sha256.update(part);
        }
        self.sha256.finish().as_bytes().try_into().expect("SHA-256 has 32 bytes")
    }
}

impl Default for Tree {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use data_encoding::HEXLOWER_PERMISSIVE as HEX;

    use super::*;

    /// The tree of RFC 9162, section 2.1.5 and of the implementations of certificate transparency: leaves, and the roots of its
    /// beginnings.
    const LEAVES: [&str; 8] =
        ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"];
    const ROOTS: [&str; 9] = [
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
        "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
        "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
        "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
        "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
        "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
        "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
    ];

    fn sha256(parts: &[&[u8]]) -> Hash {
        let algorithm = Algorithm::SHA256;
        algorithm.digest(&parts.concat()).as_bytes().try_into().expect("32 bytes")
    }

    /// As the RFC defines it: split at the largest power of two below the number of leaves.
    fn by_definition(leaves: &[Vec<u8>]) -> Hash {
        match leaves {
            [] => sha256(&[]),
            [leaf] => sha256(&[LEAF, leaf]),
            leaves => {
                let split = leaves.len().next_power_of_two() / 2;
                sha256(&[NODE, &by_definition(&leaves[..split]), &by_definition(&leaves[split..])])
            }
        }
    }

    #[test]
    fn the_published_roots() {
        let mut tree = Tree::new();
        assert_eq!(HEX.encode(&tree.root()), ROOTS[0]);
        for (leaf, root) in LEAVES.iter().zip(&ROOTS[1..]) {
            tree.push(&HEX.decode(leaf.as_bytes()).expect("hexadecimal"));
            assert_eq!(HEX.encode(&tree.root()), *root, "{}", tree.leaves());
        }
    }

    #[test]
    fn every_number_of_leaves_has_the_root_of_the_definition() {
        let leaves: Vec<Vec<u8>> = (0..300_u32).map(|number| number.to_le_bytes().to_vec()).collect();
        let mut tree = Tree::new();
        for number in 0..leaves.len() {
            assert_eq!(tree.root(), by_definition(&leaves[..number]), "{number}");
            tree.push(&leaves[number]);
        }
        assert_eq!(tree.subtrees.len(), 300_u64.count_ones() as usize);
    }
}
