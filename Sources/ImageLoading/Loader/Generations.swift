// SPDX-License-Identifier: Apache-2.0
#if Loading
  import ImageCoderModel

  /// Numbers downloads in the order in which they begin, so that an answer that comes late never replaces a newer one in a
  /// cache, nor brings back what was removed.
  final class Generations: Sendable {
    private struct State {
      var last = 0
      /// What is older may not be kept.
      var oldest = 0
      /// The same for single sources, as long as downloads of them run or are written.
      var oldestOf: [String: Int] = [:]
      var running: [String: Int] = [:]
    }

    private let state = Lock(State())

    /// A download of a source, until it is released.
    final class Download: Sendable {
      let number: Int
      private let generations: Generations
      private let source: String

      fileprivate init(_ generations: Generations, _ source: String, _ number: Int) {
        self.generations = generations
        self.source = source
        self.number = number
      }

      deinit { generations.end(source) }

      /// Whether what came with it may be kept. From then on, nothing older may.
      func claim() -> Bool { generations.claim(number, source) }
    }

    /// Begins a download.
    func begin(_ source: String) -> Download {
      let number = state.withLock { state in
        state.last += 1
        state.running[source, default: 0] += 1
        return state.last
      }
      return Download(self, source, number)
    }

    private func end(_ source: String) {
      state.withLock { state in
        state.running[source, default: 1] -= 1
        guard state.running[source] == 0 else { return }
        state.running[source] = nil
        state.oldestOf[source] = nil
      }
    }

    private func claim(_ number: Int, _ source: String) -> Bool {
      state.withLock { state in
        guard number >= max(state.oldest, state.oldestOf[source] ?? 0) else { return false }
        state.oldestOf[source] = number
        return true
      }
    }

    /// Forbids that running downloads of some sources are kept.
    func invalidate(where isGone: (String) -> Bool) {
      state.withLock { state in
        for source in state.running.keys where isGone(source) { state.oldestOf[source] = state.last + 1 }
      }
    }

    /// Forbids that running downloads are kept.
    func invalidateAll() { state.withLock { $0.oldest = $0.last + 1 } }

    /// Sources of which downloads run.
    var count: Int { state.withLock { $0.running.count } }
  }
#endif
