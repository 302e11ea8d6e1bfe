// SPDX-License-Identifier: Apache-2.0

/// What an auxiliary picture is for.
public enum AuxiliaryKind {
  case alpha
  case depth
  case gainMap
  case other

  /// - Parameter type: The name in the item's `auxC` property.
  public init(_ type: String) {
    switch type {
    case "urn:mpeg:hevc:2015:auxid:1", "urn:mpeg:avc:2015:auxid:1", "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha":
      self = .alpha
    case "urn:mpeg:hevc:2015:auxid:2", "urn:mpeg:mpegB:cicp:systems:auxiliary:depth": self = .depth
    case "urn:com:apple:photo:2020:aux:hdrgainmap": self = .gainMap
    default: self = .other
    }
  }
}
