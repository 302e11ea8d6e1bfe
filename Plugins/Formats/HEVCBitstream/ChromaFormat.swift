// SPDX-License-Identifier: Apache-2.0

public import ImageCoderPlugin

/// chroma_format_idc (ITU-T H.265 §6.2).
public enum ChromaFormat: Int, Sendable {
  case monochrome = 0
  case half = 1
  case halfWidth = 2
  case full = 3

  /// Columns that share a chroma sample.
  public var width: Int { self == .half || self == .halfWidth ? 2 : 1 }
  /// Rows that share a chroma sample.
  public var height: Int { self == .half ? 2 : 1 }

  public var subsampling: Subsampling {
    switch self {
    case .monochrome: .s400
    case .half: .s420
    case .halfWidth: .s422
    case .full: .s444
    }
  }
}
