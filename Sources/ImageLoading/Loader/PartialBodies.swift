// SPDX-License-Identifier: Apache-2.0
#if Loading
  import ImageCoderModel

  /// Bodies of downloads that broke or were cancelled, to be continued.
  ///
  /// They are kept as they are, in memory or in a file, the newest up to a number of bytes.
  final class PartialBodies: Sendable {
    struct Partial: Sendable {
      let body: Body
      let validator: String
      let total: Int?
    }

    private struct State {
      var partials: [String: Partial] = [:]
      /// The oldest first.
      var order: [String] = []
      var bytes = 0

      mutating func remove(_ key: String) -> Partial? {
        guard let partial = partials.removeValue(forKey: key) else { return nil }
        order.removeAll { $0 == key }
        bytes -= partial.body.count
        return partial
      }
    }

    private let state = Lock(State())
    private let limit: Int

    init(limit: Int) { self.limit = max(0, limit) }

    var byteCount: Int { state.withLock { $0.bytes } }

    /// Takes what is there of a body.
    func take(_ key: String) -> Partial? { state.withLock { $0.remove(key) } }

    /// Keeps what is there of a body, if it fits.
    func keep(_ partial: Partial, _ key: String) {
      let count = partial.body.count
      guard count > 0, count <= limit else { return }
      // Bodies that have to go are released after the lock.
      let gone = state.withLock { state -> [Partial] in
        var gone = [state.remove(key)].compactMap { $0 }
        while state.bytes + count > limit, let oldest = state.order.first, let partial = state.remove(oldest) {
          gone.append(partial)
        }
        state.partials[key] = partial
        state.order.append(key)
        state.bytes += count
        return gone
      }
      _ = gone
    }

    func remove(_ key: String?) {
      state.withLock { state in
        if let key { _ = state.remove(key) } else { state = State() }
      }
    }
  }
#endif
