// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Waiting for the time of a frame.
enum Pause {
  /// Sleeps, or until a signal comes.
  static func sleep(for duration: Duration) {
    guard duration > .zero else { return }
    // Half a second at a time: a signal that comes just before the sleep is noticed then.
    let (seconds, attoseconds) = min(duration, .milliseconds(500)).components
    var time = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
    nanosleep(&time, nil)
  }
}
