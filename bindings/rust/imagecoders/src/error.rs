// SPDX-License-Identifier: Apache-2.0

use crate::text::text;
use imagecoders_sys as sys;
use std::ffi::CStr;
use std::fmt;

/// What most functions of this crate return.
pub type Result<T> = std::result::Result<T, Error>;

macro_rules! statuses {
    ($($(#[$comment:meta])* $name:ident = $number:ident,)*) => {
        /// Why a call failed, or what is missing of a picture.
        #[non_exhaustive]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Status { $($(#[$comment])* $name,)* /// A status of a later version of the library.
            Other(u32) }

        impl Status {
            pub(crate) fn new(number: u32) -> Status {
                match number { $(sys::$number => Status::$name,)* other => Status::Other(other) }
            }

            /// The number that the library gives it; divided by 16 it says who has to act: 1 the file is bad, 2 that is not
            /// supported, 3 a limit, 4 a mistake of the caller, 5 the machine.
            pub fn number(self) -> u32 {
                match self { $(Status::$name => sys::$number,)* Status::Other(number) => number }
            }
        }
    };
}

statuses! {
    /// The file is not of the format that its signature says.
    WrongFormat = IC_WRONG_FORMAT,
    /// The file ends too early.
    Truncated = IC_TRUNCATED,
    /// The file breaks a rule of its format.
    Malformed = IC_MALFORMED,
    /// A checksum in the file is wrong.
    ChecksumMismatch = IC_CHECKSUM_MISMATCH,
    /// The coder does not support what is in the file, or what is asked for.
    Unsupported = IC_UNSUPPORTED,
    /// No coder knows the file, or writes the format.
    NoCoder = IC_NO_CODER,
    /// A limit is exceeded; [`Error::limit`] names it.
    LimitExceeded = IC_LIMIT_EXCEEDED,
    /// An argument is outside of its range.
    InvalidArgument = IC_INVALID_ARGUMENT,
    /// A call that may not follow the one before.
    OutOfOrder = IC_OUT_OF_ORDER,
    /// The system failed to read or write.
    Io = IC_IO,
    /// The system has no memory.
    OutOfMemory = IC_OUT_OF_MEMORY,
    /// A library failed without a reason.
    LibraryFailure = IC_LIBRARY_FAILURE,
    /// A plugin cannot be used.
    PluginRejected = IC_PLUGIN_REJECTED,
    /// [`Cancel::cancel`](crate::Cancel::cancel) was called.
    Cancelled = IC_CANCELLED,
    /// A coder crashed in its worker.
    CoderCrashed = IC_CODER_CRASHED,
    /// Too much work waits.
    Overloaded = IC_OVERLOADED,
}

impl Status {
    /// The name that every interface of the library gives it, such as `truncated`.
    pub fn name(self) -> &'static str {
        // Safety: names live as long as the library, and are ASCII.
        unsafe { CStr::from_ptr(sys::ic_status_name(self.number())) }.to_str().unwrap_or("unknown")
    }
}

/// A failure: what was found, and what was allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// What kind of failure it is.
    pub status: Status,
    /// One sentence for people.
    pub message: String,
    /// The identifier of the coder, or an empty text.
    pub coder: String,
    /// The limit that was exceeded, such as `maxPixels`, or an empty text.
    pub limit: String,
    /// The byte of the file where it was found.
    pub offset: Option<u64>,
}

impl Error {
    pub(crate) fn new(status: Status, message: impl Into<String>) -> Error {
        Error { status, message: message.into(), coder: String::new(), limit: String::new(), offset: None }
    }

    /// What the library says; None after a call that has nothing to say.
    pub(crate) fn said(error: &sys::ic_error) -> Option<Error> {
        (error.status != sys::IC_OK).then(|| Error {
            status: Status::new(error.status),
            message: text(&error.message),
            coder: text(&error.coder),
            limit: text(&error.limit),
            offset: u64::try_from(error.offset).ok(),
        })
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(if self.message.is_empty() { self.status.name() } else { &self.message })
    }
}

impl std::error::Error for Error {}

impl From<std::ffi::NulError> for Error {
    fn from(failure: std::ffi::NulError) -> Error {
        Error::new(Status::InvalidArgument, format!("a text has a null byte: {failure}"))
    }
}

/// Calls the library with a place for its error. The second value is what is missing of a result that is there.
pub(crate) fn call(function: impl FnOnce(*mut sys::ic_error) -> i32) -> Result<Option<Error>> {
    let mut error = sys::ic_error::new();
    let status = function(&mut error);
    let said = Error::said(&error);
    if status == sys::IC_OK as i32 {
        Ok(said)
    } else {
        Err(said.unwrap_or_else(|| Error::new(Status::new(status as u32), "")))
    }
}
