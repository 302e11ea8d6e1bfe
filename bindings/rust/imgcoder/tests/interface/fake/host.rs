// SPDX-License-Identifier: Apache-2.0

use super::owned;
use imgcoder::ffi::*;
use std::alloc::Layout;
use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};
use std::sync::Mutex;

/// Records failures, log and progress, and counts memory that was not freed.
pub struct FakeHost {
    raw: Box<imgcoder_host>,
    limits: Box<imgcoder_limits>,
    state: Box<State>,
}

#[derive(Default)]
struct State {
    failures: Mutex<Vec<(u32, i64, String)>>,
    limits: Mutex<Vec<(u32, u64, u64)>>,
    notes: Mutex<Vec<String>>,
    memory: Mutex<HashMap<usize, Layout>>,
    is_exhausted: AtomicBool,
    is_cancelled: AtomicBool,
}

/// The table of the extension that the host has.
static ANSWER: u32 = 42;

impl FakeHost {
    pub fn new() -> Self {
        let limits = Box::new(imgcoder_limits {
            struct_size: size_of::<imgcoder_limits>() as u32,
            max_side: 1000,
            max_pixels: 1_000_000,
            max_memory: 1 << 20,
            max_metadata: 1 << 16,
            max_frames: 10,
            max_pages: 10,
            max_scans: 10,
            reserved: 0,
        });
        let state = Box::<State>::default();
        let raw = Box::new(imgcoder_host {
            struct_size: size_of::<imgcoder_host>() as u32,
            abi_minor: ABI_MINOR,
            context: (&raw const *state).cast_mut().cast(),
            limits: &raw const *limits,
            fail: Some(fail),
            allocate: Some(allocate),
            free: Some(free),
            log: Some(log),
            is_cancelled: Some(is_cancelled),
            progress: Some(progress),
            parallel_for: Some(parallel_for),
            get_extension: Some(get_extension),
            fail_with: Some(fail_with),
            spend: None,
        });
        FakeHost { raw, limits, state }
    }

    /// A host of before `fail_with`.
    pub fn without_data() -> Self {
        let mut host = FakeHost::new();
        host.raw.struct_size = std::mem::offset_of!(imgcoder_host, fail_with) as u32;
        host
    }

    /// A host of version 1.0.
    pub fn first() -> Self {
        let mut host = FakeHost::without_data();
        host.raw.abi_minor = 0;
        host
    }

    pub fn raw(&self) -> *const imgcoder_host {
        debug_assert!(std::ptr::eq(self.raw.limits, &*self.limits));
        &raw const *self.raw
    }

    /// What was reported since the last time: status, offset and message.
    pub fn failures(&self) -> Vec<(u32, i64, String)> {
        std::mem::take(&mut self.state.failures.lock().unwrap())
    }

    /// Limits that were reported as data since the last time: number, found and allowed.
    pub fn exceeded(&self) -> Vec<(u32, u64, u64)> {
        std::mem::take(&mut self.state.limits.lock().unwrap())
    }

    /// Log and progress, in their order.
    pub fn notes(&self) -> Vec<String> {
        std::mem::take(&mut self.state.notes.lock().unwrap())
    }

    /// Blocks of memory that were not freed.
    pub fn blocks(&self) -> usize {
        self.state.memory.lock().unwrap().len()
    }

    pub fn exhaust(&self) {
        self.state.is_exhausted.store(true, SeqCst);
    }

    pub fn cancel(&self) {
        self.state.is_cancelled.store(true, SeqCst);
    }
}

fn state<'a>(host: *const imgcoder_host) -> &'a State {
    // SAFETY: `FakeHost::new` put it there, and tests keep the host until their sessions are closed.
    unsafe { &*(*host).context.cast::<State>() }
}

unsafe extern "C" fn fail(host: *const imgcoder_host, status: u32, offset: i64, message: imgcoder_string) -> u32 {
    // SAFETY: the plugin's text lives during the call.
    let message = unsafe { owned(message) };
    state(host).failures.lock().unwrap().push((status, offset, message));
    status
}

unsafe extern "C" fn fail_with(host: *const imgcoder_host, failure: *const imgcoder_failure) -> u32 {
    // SAFETY: the plugin's struct and its text live during the call.
    let (failure, message) = unsafe { (*failure, owned((*failure).message)) };
    assert_eq!(failure.struct_size as usize, size_of::<imgcoder_failure>());
    state(host).failures.lock().unwrap().push((failure.status, failure.offset, message));
    state(host).limits.lock().unwrap().push((failure.limit, failure.found, failure.allowed));
    failure.status
}

unsafe extern "C" fn allocate(host: *const imgcoder_host, size: u64, alignment: u64) -> *mut c_void {
    if state(host).is_exhausted.load(SeqCst) {
        return std::ptr::null_mut();
    }
    let alignment = if alignment == 0 { 16 } else { alignment };
    assert!(alignment.is_power_of_two() && alignment <= 4096, "alignment {alignment}");
    let layout = Layout::from_size_align(size.max(1) as usize, alignment as usize).unwrap();
    // SAFETY: the size is not 0.
    let memory = unsafe { std::alloc::alloc(layout) };
    // A plugin that counts on cleared memory is found.
    // SAFETY: the block has this many bytes.
    unsafe { memory.write_bytes(0xA5, layout.size()) };
    state(host).memory.lock().unwrap().insert(memory as usize, layout);
    memory.cast()
}

unsafe extern "C" fn free(host: *const imgcoder_host, memory: *mut c_void) {
    if !memory.is_null() {
        let layout = state(host).memory.lock().unwrap().remove(&(memory as usize)).expect("memory of this host");
        // SAFETY: `allocate` returned it with this layout, and it was not freed before.
        unsafe { std::alloc::dealloc(memory.cast(), layout) };
    }
}

unsafe extern "C" fn log(host: *const imgcoder_host, severity: u32, message: imgcoder_string) {
    // SAFETY: the plugin's text lives during the call.
    let message = unsafe { owned(message) };
    state(host).notes.lock().unwrap().push(format!("{severity} {message}"));
}

unsafe extern "C" fn is_cancelled(host: *const imgcoder_host) -> u32 {
    u32::from(state(host).is_cancelled.load(SeqCst))
}

unsafe extern "C" fn progress(host: *const imgcoder_host, fraction: f64) {
    state(host).notes.lock().unwrap().push(format!("{fraction}"));
}

unsafe extern "C" fn parallel_for(
    _: *const imgcoder_host,
    count: u32,
    body: unsafe extern "C" fn(*mut c_void, u32),
    argument: *mut c_void,
) {
    struct Argument(*mut c_void);
    // SAFETY: the plugin answers for what its body does with the argument on several threads.
    unsafe impl Sync for Argument {}
    impl Argument {
        fn pointer(&self) -> *mut c_void {
            self.0
        }
    }
    let (argument, next) = (Argument(argument), AtomicU32::new(0));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| loop {
                let index = next.fetch_add(1, SeqCst);
                if index >= count {
                    break;
                }
                // SAFETY: the plugin's own function and argument.
                unsafe { body(argument.pointer(), index) };
            });
        }
    });
}

unsafe extern "C" fn get_extension(_: *const imgcoder_host, id: imgcoder_string) -> *const c_void {
    // SAFETY: the plugin's text lives during the call.
    let id = unsafe { owned(id) };
    if id == "org.example.answer/1" {
        (&raw const ANSWER).cast()
    } else {
        std::ptr::null()
    }
}
