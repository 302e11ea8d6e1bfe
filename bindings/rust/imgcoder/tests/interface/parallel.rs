// SPDX-License-Identifier: Apache-2.0

use crate::fake::{in_session, FakeHost, FakeSink, FakeSource};
use imgcoder::ffi::*;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

fn source() -> FakeSource {
    FakeSource::new(b"bytes")
}

#[test]
fn each_index_runs_once() {
    let host = FakeHost::new();
    let status = in_session(&host, &source(), |session| {
        for count in [0, 1, 2, 1000] {
            let runs: Vec<AtomicU32> = (0..count).map(|_| AtomicU32::new(0)).collect();
            session.host.parallel_for(count, |index| {
                runs[index].fetch_add(1, SeqCst);
            })?;
            assert!(runs.iter().all(|runs| runs.load(SeqCst) == 1), "{runs:?}");
        }
        Ok(())
    });
    assert_eq!((status, host.failures()), (STATUS_OK, vec![]));
}

#[test]
fn a_panic_becomes_the_error_of_the_call() {
    let host = FakeHost::new();
    let status = in_session(&host, &source(), |session| {
        let error = session.host.parallel_for(100, |index| assert!(index != 7, "task {index}")).unwrap_err();
        assert_eq!(error.status(), STATUS_LIBRARY);
        // The session is as it was: the caller passes the error on, or goes on without it.
        let count = AtomicU32::new(0);
        session.host.parallel_for(10, |_| {
            count.fetch_add(1, SeqCst);
        })?;
        assert_eq!(count.load(SeqCst), 10);
        Err(error)
    });
    assert_eq!(status, STATUS_LIBRARY);
    assert_eq!(host.failures(), [(STATUS_LIBRARY, -1, "the plugin panicked: task 7".into())]);
}

#[test]
fn many_panics_are_one_error() {
    let host = FakeHost::new();
    let status = in_session(&host, &source(), |session| {
        session.host.parallel_for(50, |_| std::panic::panic_any(crate::reader_panics::Bomb))
    });
    assert_eq!(status, STATUS_LIBRARY);
    assert_eq!(host.failures(), [(STATUS_LIBRARY, -1, "the plugin panicked: no message".into())]);
}

#[test]
fn items_and_rows_are_shared_out() {
    let host = FakeHost::new();
    let status = in_session(&host, &source(), |session| {
        let mut items = vec![0; 300];
        session.host.parallel_each(&mut items, |index, item| *item = index * 2)?;
        assert!(items.iter().enumerate().all(|(index, item)| *item == index * 2));
        let error = session.host.parallel_each(&mut items, |_, _| panic!("an item")).unwrap_err();
        assert_eq!(error.status(), STATUS_LIBRARY);
        Ok(())
    });
    assert_eq!(status, STATUS_OK, "{:?}", host.failures());
}

/// Rows reach a plugin only in `decode`.
#[test]
fn rows_are_written_in_parallel() {
    let (host, sink) = (FakeHost::new(), FakeSink::new(40, 16));
    assert_eq!(crate::reader::decode(&host, &source(), &sink), STATUS_OK, "{:?}", host.failures());
    assert_eq!(sink.done(), 16);
    for (y, row) in sink.memory().chunks(40).enumerate() {
        // 8 pixels of 4 bytes; what follows them is not the plugin's.
        assert!(row[..32].iter().all(|byte| usize::from(*byte) == y), "row {y}: {row:?}");
        assert!(row[32..].iter().all(|byte| *byte == 0xEE), "row {y}: {row:?}");
    }
}

#[test]
fn tasks_ask_what_any_thread_may_ask() {
    let host = FakeHost::new();
    host.cancel();
    let status = in_session(&host, &source(), |session| {
        let any_thread = session.host.any_thread();
        session.host.parallel_for(3, |_| {
            assert_eq!(any_thread.check_cancelled().unwrap_err().status(), STATUS_CANCELLED);
            assert!(any_thread.extension("org.example.answer/1").is_some());
            any_thread.log(LOG_INFO, "a task");
        })?;
        session.host.check_cancelled()
    });
    assert_eq!(status, STATUS_CANCELLED, "{:?}", host.failures());
    assert_eq!(host.notes(), ["1 a task"; 3]);
}
