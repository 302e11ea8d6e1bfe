// SPDX-License-Identifier: Apache-2.0
#if Loading
  /// How fast bytes come, as a mean over ten seconds of waiting for them: the time in which nobody asks for bytes is not the
  /// server's.
  struct RateWindow {
    static let length: Duration = .seconds(10)

    private let least: Int
    private var waited: Duration = .zero
    private var count = 0
    /// How long there was nothing.
    private var silence: Duration = .zero
    /// Bytes of the last whole window.
    private(set) var lastCount = 0

    /// Whether nothing came for half a window: the connection broke without a word, and another one may do better. A server
    /// that sends little and often does so on purpose.
    var isSilent: Bool { silence >= Self.length / 2 }

    /// - Parameter least: Bytes per second; 0 or less: any rate will do.
    init(least: Int) { self.least = least }

    /// The time of waiting after which the window ends.
    var timeLeft: Duration { least > 0 ? Self.length - waited : .seconds(1 << 32) }

    /// Notes bytes and how long they were waited for.
    ///
    /// - Returns: Whether a window ended in which there were too few.
    mutating func add(_ bytes: Int, _ time: Duration) -> Bool {
      count += bytes
      waited += time
      silence = bytes > 0 ? .zero : silence + time
      guard least > 0, waited >= Self.length else { return false }
      // More than ten seconds may have passed: the mean is over all of them.
      let isSlow = Double(count) < Double(least) * (waited / .seconds(1))
      lastCount = count
      (count, waited) = (0, .zero)
      return isSlow
    }
  }
#endif
