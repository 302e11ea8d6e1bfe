// SPDX-License-Identifier: Apache-2.0

//! The boundary: results become statuses, and panics stop here (rule R2).

use crate::ffi::*;
use crate::host::{Host, Result};
#[cfg(feature = "std")]
use crate::message::Message;

/// Runs code of the plugin. A panic ends here: None, after its message was told.
#[cfg(feature = "std")]
pub(crate) fn caught<T>(body: impl FnOnce() -> T, tell: impl FnOnce(&str)) -> Option<T> {
    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(body)) {
        Ok(value) => Some(value),
        Err(payload) => {
            let text = payload
                .downcast_ref::<&str>()
                .copied()
                .or_else(|| payload.downcast_ref::<std::string::String>().map(|text| text.as_str()))
                .unwrap_or("no message");
            tell(text);
            // A payload whose destructor panics would leave through the boundary.
            std::mem::forget(payload);
            None
        }
    }
}

#[cfg(not(feature = "std"))]
pub(crate) fn caught<T>(body: impl FnOnce() -> T, _tell: impl FnOnce(&str)) -> Option<T> {
    Some(body())
}

/// Runs what a call of the interface asks for. A panic is an error of the call; `false` says that there was one.
pub(crate) fn guarded(host: &Host, body: impl FnOnce() -> Result<imgcoder_status>) -> (imgcoder_status, bool) {
    let tell = |text: &str| {
        host.fail(STATUS_LIBRARY, None, format_args!("the plugin panicked: {text}"));
    };
    match caught(body, tell) {
        Some(Ok(status)) => (status, true),
        Some(Err(error)) => (error.0, true),
        None => (STATUS_LIBRARY, false),
    }
}

/// Keeps panics from printing (rule R3). The hook is this library's own; the host and other plugins have theirs.
pub(crate) fn quiet_panics() {
    #[cfg(feature = "std")]
    std::panic::set_hook(std::boxed::Box::new(|_| {}));
}

/// Frees what a value holds; a panic in a destructor stops here.
pub(crate) fn dropped(host: &Host, body: impl FnOnce()) {
    guarded(host, || {
        body();
        Ok(STATUS_OK)
    });
}

/// The first panic among tasks that run on several threads.
#[derive(Default)]
pub(crate) struct FirstPanic {
    #[cfg(feature = "std")]
    message: std::sync::OnceLock<Message>,
}

impl FirstPanic {
    /// Runs a task, unless another one panicked before.
    #[cfg(feature = "std")]
    pub(crate) fn run(&self, body: impl FnOnce()) {
        if self.message.get().is_none() {
            caught(body, |text| {
                // Only the first message is kept.
                let _ = self.message.set(Message::new(format_args!("{text}")));
            });
        }
    }

    #[cfg(not(feature = "std"))]
    pub(crate) fn run(&self, body: impl FnOnce()) {
        body();
    }

    /// The error of the call that ran the tasks.
    pub(crate) fn check(&self, host: &Host) -> Result<()> {
        #[cfg(feature = "std")]
        if let Some(message) = self.message.get() {
            return Err(host.fail(STATUS_LIBRARY, None, format_args!("the plugin panicked: {message}")));
        }
        let _ = host;
        Ok(())
    }
}
