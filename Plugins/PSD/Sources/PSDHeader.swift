// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// The header of a file.
///
/// - Format: Adobe Photoshop File Formats Specification, "File Header Section". Big-endian, as all of the file.
struct PSDHeader: Equatable {
  /// How colors are stored.
  enum Mode: UInt16 {
    case bitmap = 0
    case gray = 1
    case indexed = 2
    case rgb = 3
    case cmyk = 4
    case multichannel = 7
    case duotone = 8
    case lab = 9

    /// Channels that make a color. Of a multichannel file, one is shown.
    var colors: Int {
      switch self {
      case .bitmap, .gray, .indexed, .multichannel, .duotone: 1
      case .rgb, .lab: 3
      case .cmyk: 4
      }
    }

    var name: String {
      switch self {
      case .bitmap: "bitmap"
      case .gray: "grayscale"
      case .indexed: "indexed"
      case .rgb: "RGB"
      case .cmyk: "CMYK"
      case .multichannel: "multichannel"
      case .duotone: "duotone"
      case .lab: "Lab"
      }
    }

    /// The bits of a channel that Photoshop has for this mode.
    fileprivate var depths: [Int] {
      switch self {
      case .bitmap: [1]
      case .indexed: [8]
      case .gray, .rgb: [8, 16, 32]
      case .cmyk, .multichannel, .duotone, .lab: [8, 16]
      }
    }
  }

  /// Whether it is a PSB, whose lengths are wider.
  let isLarge: Bool
  /// Alpha and spot colors among them.
  let channels: Int
  let canvas: Size
  /// Bits of a channel: 1, 8, 16, or 32 in floating point.
  let depth: Int
  let mode: Mode

  /// Bytes of it.
  static let byteCount = 26

  init(parsing reader: inout ByteReader) throws(CoderError) {
    let lead = try reader.array(min(6, reader.remaining))
    let known = [[0x38, 0x42, 0x50, 0x53, 0, 1], [0x38, 0x42, 0x50, 0x53, 0, 2] as [UInt8]]
    guard !lead.isEmpty, known.contains(where: { $0.starts(with: lead) }) else {
      throw .wrongFormat("no \"8BPS\" with version 1 or 2", at: 0)
    }
    guard lead.count == 6 else { throw .truncated("\(lead.count) bytes of the header", at: lead.count) }
    isLarge = lead[5] == 2
    try reader.skip(6, "the reserved bytes")
    channels = Int(try reader.uint16("the number of channels"))
    let height = Int(try reader.uint32("the height"))
    let width = Int(try reader.uint32("the width"))
    depth = Int(try reader.uint16("the depth"))
    let stored = try reader.uint16("the color mode")
    guard (1...56).contains(channels) else {
      throw .malformed("\(channels) channels, 1 to 56 are allowed", at: 12)
    }
    canvas = Size(width: width, height: height)
    let longest = isLarge ? 300_000 : 30_000
    guard !canvas.isEmpty, width <= longest, height <= longest else {
      throw .malformed("a canvas of \(canvas), sides of 1 to \(longest) are allowed", at: 14)
    }
    guard let mode = Mode(rawValue: stored) else {
      throw .unsupported("color mode \(stored); 0 to 4 and 7 to 9 are known", at: 24)
    }
    self.mode = mode
    guard mode.depths.contains(depth) else {
      throw .unsupported("\(depth) bits of a channel in a \(mode.name) file", at: 22)
    }
    guard channels >= mode.colors else {
      throw .malformed("\(channels) channels in a \(mode.name) file, \(mode.colors) are needed", at: 12)
    }
  }

  /// Bytes of a row of one channel.
  var rowBytes: Int { depth == 1 ? (canvas.width + 7) / 8 : canvas.width * (depth / 8) }

  /// Bytes of a number that says how long a large section is.
  var lengthBytes: Int { isLarge ? 8 : 4 }
}
