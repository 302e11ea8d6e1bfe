// SPDX-License-Identifier: Apache-2.0
#if Loading
  import ImageCoderModel

  /// The memory that bodies may hold while they arrive and are decoded, for all downloads of a loader.
  final class BodyMemory: Sendable {
    /// Bytes that may be held.
    let limit: Int

    private struct State {
      var used = 0
      var peak = 0
      var spilled = 0
    }

    private let state = Lock(State())

    init(limit: Int) { self.limit = max(0, limit) }

    /// Bytes that are held now.
    var used: Int { state.withLock { $0.used } }
    /// The most bytes that were held at a time.
    var peak: Int { state.withLock { $0.peak } }
    /// Bodies that went to a file.
    var spilledCount: Int { state.withLock { $0.spilled } }

    /// Takes memory, if there is so much.
    func take(_ bytes: Int) -> Bool {
      state.withLock { state in
        guard bytes <= limit - state.used else { return false }
        state.used += bytes
        state.peak = max(state.peak, state.used)
        return true
      }
    }

    func give(_ bytes: Int) { state.withLock { $0.used -= bytes } }

    func noteSpill() { state.withLock { $0.spilled += 1 } }
  }
#endif
