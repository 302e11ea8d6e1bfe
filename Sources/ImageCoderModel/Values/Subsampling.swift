// SPDX-License-Identifier: Apache-2.0

/// Chroma subsampling of a stored picture; the raw value has the same digits, 420 for 4:2:0.
public enum Subsampling: UInt32, Sendable, CaseIterable {
  case s444 = 444
  case s422 = 422
  case s420 = 420
  case s440 = 440
  case s411 = 411
  case s400 = 400
}

extension Subsampling: CustomStringConvertible {
  public var description: String { "\(rawValue / 100):\(rawValue / 10 % 10):\(rawValue % 10)" }
}
