// SPDX-License-Identifier: Apache-2.0

/// How a file came to look as it was asked to.
public struct LookResult: Sendable, Hashable {
  /// SSIMULACRA2 of the file beside the picture: 100 is the same. Of an animation, or of
  /// pages, the lowest of three of them.
  public let score: Double
  /// Files of the whole picture that were encoded to find this one, which is among them.
  public let tries: Int
  /// Files of nine tiles of a large picture that were encoded first. Each has at most an eighth of the picture's pixels.
  public let partTries: Int
}
