// SPDX-License-Identifier: Apache-2.0

import Hummingbird
import Synchronization

/// Those who wait for a picture, or have one made. One more than there may be is told to come again.
final class Crowd: Sendable {
  private let most: Int
  private let count = Atomic(0)

  init(_ most: Int) { self.most = most }

  /// - Throws: 503 if there are too many.
  func join<Answer>(_ work: () async throws -> Answer) async throws -> Answer {
    defer { count.subtract(1, ordering: .relaxed) }
    guard count.add(1, ordering: .relaxed).newValue <= most else {
      throw HTTPError(.serviceUnavailable, headers: [.retryAfter: "5"], message: "too many pictures at a time")
    }
    return try await work()
  }
}
