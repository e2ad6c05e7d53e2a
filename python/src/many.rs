//! `hashlane.digest_many`: many messages that are in memory, side by side in the lanes.

use hashlane_digest::Algorithm;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyTuple};

use crate::buffers::Held;
use crate::hash::algorithm;

/// Messages that are digested before somebody may interrupt, and their bytes.
const AT_A_TIME: usize = 8192;
const BYTES_AT_A_TIME: usize = 64 << 20;

/// The digests of buffers, in their order.
#[pyfunction]
pub(crate) fn digest_many<'py>(
    py: Python<'py>,
    buffers: &Bound<'py, PyAny>,
    algorithm_name: &str,
) -> PyResult<Bound<'py, PyList>> {
    let algorithm = algorithm(algorithm_name)?;
    let digests = PyList::empty(py);
    let mut waiting = Vec::new();
    let mut bytes = 0;
    // An iterator may fill the same buffer again and again: what it has yielded is copied before it goes on.
    let is_made = !(buffers.is_instance_of::<PyList>() || buffers.is_instance_of::<PyTuple>());
    for buffer in buffers.try_iter()? {
        let held = Held::new(&buffer?)?;
        bytes += held.bytes().len();
        let is_enough = waiting.len() + 1 == AT_A_TIME || bytes >= BYTES_AT_A_TIME;
        waiting.push(if is_made && !is_enough { held.kept(py) } else { held });
        if is_enough {
            digest(py, algorithm, &waiting, &digests)?;
            waiting.clear();
            bytes = 0;
            py.check_signals()?;
        }
    }
    digest(py, algorithm, &waiting, &digests)?;
    Ok(digests)
}

fn digest(
    py: Python<'_>,
    algorithm: Algorithm,
    held: &[Held<'_>],
    digests: &Bound<'_, PyList>,
) -> PyResult<()> {
    let messages: Vec<&[u8]> = held.iter().map(Held::bytes).collect();
    let length = algorithm.length();
    let mut bytes = vec![0; messages.len() * length];
    py.detach(|| match algorithm.lanes() {
        Some(lanes) => hashlane_lanes::digest_many(lanes, &messages, &mut bytes),
        None => {
            let mut hasher = algorithm.hasher();
            for (message, digest) in messages.iter().zip(bytes.chunks_exact_mut(length)) {
                hasher.update(message);
                digest.copy_from_slice(hasher.finish().as_bytes());
            }
        }
    });
    bytes.chunks_exact(length).try_for_each(|digest| digests.append(PyBytes::new(py, digest)))
}
