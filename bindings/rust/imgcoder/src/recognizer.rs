// SPDX-License-Identifier: Apache-2.0

//! Formats that no signature tells apart: a trait, and its function as C calls it.

use crate::ffi::*;
use crate::guard::caught;

/// What the first bytes of a file say about its format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recognition {
    /// The file may be of one of the coder's formats.
    Yes,
    /// It is of none of them.
    No,
    /// More bytes are needed, if the file has more.
    NeedMore,
}

/// Looks at files that no coder's signature agrees with. The manifest has the capability `recognize`.
pub trait Recognizer {
    /// `prefix` is the first 4096 bytes of the file, or all of a smaller one; twice as many each time that the answer is
    /// [`Recognition::NeedMore`]. `file_size` is None while it is not known.
    fn recognize(prefix: &[u8], file_size: Option<u64>) -> Recognition;
}

pub(crate) unsafe extern "C" fn recognize<R: Recognizer>(
    _coder: *const imgcoder_coder,
    prefix: *const u8,
    length: u64,
    file_size: u64,
) -> imgcoder_status {
    let prefix = if length == 0 {
        &[]
    } else {
        // SAFETY: the bytes live during the call; of an empty file there may be none.
        unsafe { core::slice::from_raw_parts(prefix, length as usize) }
    };
    let file_size = (file_size != u64::MAX).then_some(file_size);
    match caught(|| R::recognize(prefix, file_size), |_| ()) {
        Some(Recognition::Yes) => STATUS_OK,
        Some(Recognition::No) => STATUS_WRONG_FORMAT,
        Some(Recognition::NeedMore) => STATUS_NEED_MORE,
        // There is no host to tell of a panic. For an application it is a no; `coders check` reports the status.
        None => STATUS_LIBRARY,
    }
}
