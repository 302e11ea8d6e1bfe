// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// A channel of a part.
///
/// - Format: OpenEXR File Layout, "chlist".
struct Channel: Hashable {
  /// How samples are stored.
  enum SampleType: Int {
    case uint = 0
    case half = 1
    case float = 2

    var bytes: Int { self == .half ? 2 : 4 }
    var name: String {
      switch self {
      case .uint: "uint"
      case .half: "half"
      case .float: "float"
      }
    }
  }

  /// `R`, or `diffuse.R` for a channel of a layer.
  let name: String
  let type: SampleType
  /// Whether B44 compresses samples as they are, and not their logarithms.
  let isPerceptuallyLinear: Bool
  /// Columns and rows of the picture for each sample.
  let sampling: Size

  /// The part of the name before its last point: the layer, or an empty text.
  var layer: String { name.lastIndex(of: ".").map { String(name[..<$0]) } ?? "" }
  /// The part after it.
  var baseName: String { name.lastIndex(of: ".").map { String(name[name.index(after: $0)...]) } ?? name }

  var isSubsampled: Bool { sampling != Size(width: 1, height: 1) }

  /// The most channels of a part.
  private static let most = 1_024
  /// The most columns or rows that one sample stands for.
  private static let coarsest = 16

  /// All channels of a part, in the order in which chunks have them: by the bytes of their names.
  static func list(parsing reader: inout ByteReader, longestName: Int) throws(CoderError) -> [Channel] {
    var channels: [Channel] = []
    while true {
      let place = reader.offset
      guard let name = try reader.text(most: longestName) else {
        throw .malformed("a channel's name of more than \(longestName) bytes", at: place)
      }
      if name.isEmpty { break }
      let stored = try reader.int32("a channel's type")
      guard let type = SampleType(rawValue: stored) else {
        throw .malformed("a channel of type \(stored), 0 to 2 are known", at: place)
      }
      let isLinear = try reader.uint8("a channel's flag") != 0
      try reader.skip(3, "a channel's reserved bytes")
      let sampling = Size(width: try reader.int32("xSampling"), height: try reader.int32("ySampling"))
      guard (1...coarsest).contains(sampling.width), (1...coarsest).contains(sampling.height) else {
        throw .malformed("a channel sampled by \(sampling), 1 to \(coarsest) are allowed", at: place)
      }
      guard channels.count < most else {
        throw .unsupported("a part of more than \(most) channels", at: place)
      }
      channels.append(Channel(name: name, type: type, isPerceptuallyLinear: isLinear, sampling: sampling))
    }
    guard !channels.isEmpty else { throw .malformed("a part without a channel", at: reader.offset) }
    channels.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    for (channel, next) in zip(channels, channels.dropFirst()) where channel.name == next.name {
      throw .malformed("two channels of one name", at: reader.offset)
    }
    return channels
  }
}
