//! `hashlane.new`: one message, as hashlib has it.

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use hashlane_digest::{Algorithm, BackendChoice, Hasher};
use hashlane_profile::{Backends, program};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::MutexExt as _;
use pyo3::types::PyBytes;

use crate::buffers::Held;
use crate::reading::cache;

/// Up to this many bytes other threads wait: to let them run would take longer. hashlib has the same limit.
const SHORT_BYTES: usize = 2047;

/// The registered algorithm of a name.
///
/// # Errors
/// There is none: `ValueError`, as from hashlib.
pub(crate) fn algorithm(name: &str) -> PyResult<Algorithm> {
    Algorithm::named(name).ok_or_else(|| {
        PyValueError::new_err(format!(
            "unsupported algorithm {name}; hashlane.algorithms_available lists those that are supported"
        ))
    })
}

/// Several of them, each once.
///
/// # Errors
/// One is none, or none is named.
pub(crate) fn algorithms(names: &[String]) -> PyResult<Vec<Algorithm>> {
    let mut algorithms = Vec::with_capacity(names.len());
    for name in names {
        let algorithm = algorithm(name)?;
        if !algorithms.contains(&algorithm) {
            algorithms.push(algorithm);
        }
    }
    match algorithms.is_empty() {
        true => Err(PyValueError::new_err("no algorithm is named; name one, such as sha256")),
        false => Ok(algorithms),
    }
}

/// What was measured on this CPU, as runs take it too; read once.
fn kept() -> &'static BackendChoice {
    static KEPT: OnceLock<BackendChoice> = OnceLock::new();
    KEPT.get_or_init(|| Backends::kept(cache(), &program()).choice())
}

/// The state of one message. Its methods may be called by several threads at once; updates then come in any order.
#[pyclass(frozen, module = "hashlane._hashlane")]
pub(crate) struct Hash {
    algorithm: Algorithm,
    state: Mutex<Hasher>,
}

#[pymethods]
impl Hash {
    #[new]
    #[pyo3(signature = (name, data=None))]
    fn new(py: Python<'_>, name: &str, data: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let algorithm = algorithm(name)?;
        let hash = Self { algorithm, state: Mutex::new(algorithm.hasher_by(kept())) };
        if let Some(data) = data {
            hash.update(py, data)?;
        }
        Ok(hash)
    }

    /// Takes in the next bytes.
    fn update(&self, py: Python<'_>, data: &Bound<'_, PyAny>) -> PyResult<()> {
        let held = Held::new(data)?;
        let bytes = held.bytes();
        if bytes.len() > SHORT_BYTES {
            py.detach(|| self.state.lock().unwrap_or_else(PoisonError::into_inner).update(bytes));
        } else {
            self.lock(py).update(bytes);
        }
        Ok(())
    }

    /// The digest of all bytes so far; more may follow.
    fn digest<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.so_far(py).as_bytes())
    }

    /// The same in hexadecimal.
    fn hexdigest(&self, py: Python<'_>) -> String {
        self.so_far(py).to_string()
    }

    /// Another state of the same bytes.
    fn copy(&self, py: Python<'_>) -> Self {
        Self { algorithm: self.algorithm, state: Mutex::new(self.lock(py).clone()) }
    }

    /// The name of the algorithm.
    #[getter]
    fn name(&self) -> &'static str {
        self.algorithm.name()
    }

    /// Length of the digest in bytes.
    #[getter]
    fn digest_size(&self) -> usize {
        self.algorithm.length()
    }

    /// Bytes that the algorithm takes in at once: what HMAC asks for.
    #[getter]
    fn block_size(&self) -> usize {
        block_bytes(self.algorithm)
    }

    fn __repr__(&self) -> String {
        format!("<{} hashlane.Hash>", self.algorithm.name())
    }
}

impl Hash {
    fn so_far(&self, py: Python<'_>) -> hashlane_digest::Digest {
        let mut state = self.lock(py).clone();
        state.finish()
    }

    /// A state that a panic has left is as good as any: it is fresh, or has taken in a part.
    fn lock(&self, py: Python<'_>) -> MutexGuard<'_, Hasher> {
        self.state.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }
}

fn block_bytes(algorithm: Algorithm) -> usize {
    match algorithm.name() {
        "sha384" | "sha512" | "sha512-224" | "sha512-256" | "c4" => 128,
        name if name.starts_with("blake2b") => 128,
        // The rate of the sponge: 200 bytes without twice the digest.
        "sha3-224" => 144,
        "sha3-256" => 136,
        "sha3-384" => 104,
        "sha3-512" => 72,
        "shake128" => 168,
        "shake256" => 136,
        "xxh32" => 16,
        "xxh64" => 32,
        "xor32" => 4,
        "crc32" | "crc32c" | "crc64nvme" => 1,
        _ => 64,
    }
}
