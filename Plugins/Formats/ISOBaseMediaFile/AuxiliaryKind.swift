// SPDX-License-Identifier: Apache-2.0

public import ImageCoderPlugin

/// What an auxiliary picture is for.
public enum AuxiliaryKind {
  case alpha
  case depth
  case gainMap
  case matte
  case other

  /// - Parameter type: The name in the item's `auxC` property.
  public init(_ type: String) {
    switch type {
    case "urn:mpeg:hevc:2015:auxid:1", "urn:mpeg:avc:2015:auxid:1", "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha":
      self = .alpha
    case "urn:mpeg:hevc:2015:auxid:2", "urn:mpeg:mpegB:cicp:systems:auxiliary:depth": self = .depth
    // Apple's, and Samsung's, whose XMP packet says how it is read.
    case _ where type.hasSuffix(":aux:hdrgainmap"): self = .gainMap
    case "urn:com:apple:photo:2018:aux:portraiteffectsmatte": self = .matte
    default: self = Self.isSemanticMatte(type) ? .matte : .other
    }
  }

  /// Whether it is one of Apple's mattes of skin, hair, teeth, glasses and sky, of whatever year.
  private static func isSemanticMatte(_ type: String) -> Bool {
    type.hasPrefix("urn:com:apple:photo:") && type.utf8.hasText(":aux:semantic") && type.hasSuffix("matte")
  }

  /// What the host knows such a picture as. Alpha is none: it is in the pixels of its picture.
  public var picture: PageKind {
    switch self {
    case .depth: .depth
    case .matte: .matte
    case .gainMap: .gainMap
    case .alpha, .other: .other
    }
  }
}

extension ReaderSession {
  /// Whether a picture of depth holds disparity, which has the same type: the XMP packet beside it says so, Apple's by the
  /// name of the kind, or of the numbers that were stored, half and full floats.
  public func isDisparity(page: Int) -> Bool {
    guard let packet = (try? metadata(.xmp, page: page)) ?? nil else { return false }
    return ["disparity", "hdis", "fdis"].contains { packet.prefix(1 << 16).hasText($0) }
  }
}
