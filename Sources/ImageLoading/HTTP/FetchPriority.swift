// SPDX-License-Identifier: Apache-2.0
#if Loading
  import Synchronization

  /// How soon a request is sent when others wait. It may change while the request waits: those who want the same bytes
  /// share one, and set it to the highest of theirs.
  public final class FetchPriority: Sendable {
    private let stored: Atomic<Int>

    /// - Parameter value: Larger is sooner; 0 is usual.
    public init(_ value: Int = 0) { stored = Atomic(value) }

    /// Larger is sooner. What waits is reordered by the next request that ends.
    public var value: Int {
      get { stored.load(ordering: .relaxed) }
      set { stored.store(newValue, ordering: .relaxed) }
    }
  }
#endif
