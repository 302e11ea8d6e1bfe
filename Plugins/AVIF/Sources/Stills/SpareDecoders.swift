// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Decoders that wait for their next tile, for the threads of one picture.
///
/// Swift's `Mutex` would end a child of `fork()` in which two threads meet at it.
final class SpareDecoders: @unchecked Sendable {
  // Unchecked: the decoders are used under the lock alone.
  private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private var decoders: [AV1Decoder] = []

  init() {
    lock.initialize(to: pthread_mutex_t())
    pthread_mutex_init(lock, nil)
  }

  deinit {
    pthread_mutex_destroy(lock)
    lock.deallocate()
  }

  func take() -> AV1Decoder? {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    return decoders.popLast()
  }

  func give(_ decoder: AV1Decoder) {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    decoders.append(decoder)
  }
}
