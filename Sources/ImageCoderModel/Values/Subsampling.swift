// SPDX-License-Identifier: Apache-2.0

/// Chroma subsampling of a stored picture; the raw value has the same digits, 420 for 4:2:0.
public enum Subsampling: UInt32, Sendable, CaseIterable {
  /// 4:4:4: one sample of each chroma channel for each pixel.
  case s444 = 444
  /// 4:2:2: one for 2 columns of a row.
  case s422 = 422
  /// 4:2:0: one for 2 columns of 2 rows.
  case s420 = 420
  /// 4:4:0: one for 2 rows of a column.
  case s440 = 440
  /// 4:1:1: one for 4 columns of a row.
  case s411 = 411
  /// 4:0:0: no chroma, gray only.
  case s400 = 400
}

extension Subsampling: CustomStringConvertible {
  public var description: String { "\(rawValue / 100):\(rawValue / 10 % 10):\(rawValue % 10)" }
}
