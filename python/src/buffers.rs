//! The bytes of Python objects, held while something is computed from them.
//!
//! Owns the only unsafe code of the binding.

#![allow(unsafe_code)]

use pyo3::buffer::PyUntypedBuffer;
use pyo3::exceptions::{PyBufferError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyMemoryView, PyString};

/// The bytes of an object, which it cannot give up meanwhile.
pub(crate) enum Held<'py> {
    /// They never change.
    Bytes(Bound<'py, PyBytes>),
    /// An object with the buffer protocol: it keeps its memory as long as somebody holds the buffer.
    Buffer(PyUntypedBuffer),
}

impl<'py> Held<'py> {
    /// Holds the bytes of an object.
    ///
    /// # Errors
    /// It is text, has no buffer, or its bytes do not lie one behind the other.
    pub(crate) fn new(object: &Bound<'py, PyAny>) -> PyResult<Self> {
        if let Ok(bytes) = object.cast::<PyBytes>() {
            return Ok(Self::Bytes(bytes.clone()));
        }
        if object.is_instance_of::<PyString>() {
            return Err(PyTypeError::new_err("text must be encoded before it is hashed"));
        }
        let buffer = match PyUntypedBuffer::get(object) {
            Ok(buffer) => buffer,
            Err(error) => return number(object).map(Self::Bytes).ok_or(error),
        };
        if !buffer.is_c_contiguous() {
            return Err(PyBufferError::new_err("the bytes of the buffer are not contiguous; pass a copy"));
        }
        Ok(Self::Buffer(buffer))
    }

    /// The bytes as they are now, whatever is written to the object later.
    pub(crate) fn kept(self, py: Python<'py>) -> Self {
        match self {
            Self::Bytes(_) => self,
            Self::Buffer(_) => Self::Bytes(PyBytes::new(py, self.bytes())),
        }
    }

    /// The bytes. If another thread writes to them meanwhile, what is computed from them is of no content that they ever had.
    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            Self::Bytes(bytes) => bytes.as_bytes(),
            Self::Buffer(buffer) if buffer.len_bytes() == 0 => &[],
            Self::Buffer(buffer) => {
                // SAFETY: the exporter promises that this many bytes lie there, one behind the other, as was asked above, and that they
                // stay there until the buffer is released, which takes `self`. It does not promise that nobody writes to them: whoever
                // shares a mutable buffer with a thread that writes breaks the promise that the documentation of the module asks for.
                // hashlib has the same gap. Digests are computed without a branch or an address that depends on the bytes.
                unsafe { std::slice::from_raw_parts(buffer.buf_ptr().cast::<u8>(), buffer.len_bytes()) }
            }
        }
    }
}

/// The bytes of one number, such as those of `ctypes`: a buffer without dimensions, whose shape PyO3 asks for in vain.
fn number<'py>(object: &Bound<'py, PyAny>) -> Option<Bound<'py, PyBytes>> {
    let view = PyMemoryView::from(object).ok()?;
    let dimensions: usize = view.getattr("ndim").ok()?.extract().ok()?;
    (dimensions == 0).then(|| view.call_method0("tobytes").ok()?.cast_into().ok())?
}
