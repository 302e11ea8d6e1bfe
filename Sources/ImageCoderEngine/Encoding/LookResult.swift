// SPDX-License-Identifier: Apache-2.0

/// How a file came to look as it was asked to.
public struct LookResult: Sendable, Hashable {
  /// SSIMULACRA2 of the file beside the picture: 100 is the same. Of an animation, or of
  /// pages, the lowest of three of them.
  public let score: Double
  /// Files that were encoded to find this one, those of a part of the picture included.
  public let tries: Int
}
