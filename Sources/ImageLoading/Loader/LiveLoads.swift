// SPDX-License-Identifier: Apache-2.0
#if Loading
  import ImageCoderModel

  /// The loads of a loader that have not ended, so that all can be given up.
  final class LiveLoads: Sendable {
    private let loads = Lock<[ObjectIdentifier: @Sendable () -> Void]>([:])

    /// Where a load is listed, until it leaves or is released.
    final class Place: Sendable {
      private enum State {
        case outside
        case inside(LiveLoads)
        case left
      }

      private let state = Lock(State.outside)

      deinit { leave() }

      /// - Returns: False if it was left before.
      fileprivate func enter(_ loads: LiveLoads, _ cancel: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
          guard case .outside = state else { return false }
          state = .inside(loads)
          loads.loads.withLock { $0[ObjectIdentifier(self)] = cancel }
          return true
        }
      }

      /// Takes the load from the list. It is not listed again.
      func leave() {
        let loads = state.withLock { state -> LiveLoads? in
          defer { state = .left }
          if case .inside(let loads) = state { return loads }
          return nil
        }
        loads?.loads.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(self)) }
      }
    }

    /// Lists a load, unless it has ended.
    ///
    /// - Parameter cancel: Gives it up.
    func add(_ place: Place, _ cancel: @escaping @Sendable () -> Void) { _ = place.enter(self, cancel) }

    func add(_ box: LoadBox) {
      guard !box.isFinished else { return }
      add(box.place) { [weak box] in box?.put(.outcome(.failure(.cancelled))) }
    }

    func cancelAll() {
      for cancel in loads.withLock({ Array($0.values) }) { cancel() }
    }

    /// Loads that have not ended.
    var count: Int { loads.withLock { $0.count } }
  }
#endif
