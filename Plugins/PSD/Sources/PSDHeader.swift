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

  /// What the channels are that make a color.
  enum Model {
    case gray
    case indexed
    case rgb
    /// Stored as the light that an ink leaves: all of an ink is 0.
    case cmyk
    case lab

    /// Channels that make a color.
    var channels: Int {
      switch self {
      case .gray, .indexed: 1
      case .rgb, .lab: 3
      case .cmyk: 4
      }
    }
  }

  /// Whether it is a PSB, whose lengths are wider.
  let isLarge: Bool
  /// Alpha and spot colors among them.
  let channels: Int
  private(set) var canvas: Size
  /// Bits of a channel: 1, 8, 16, or 32 in floating point.
  let depth: Int
  let mode: Mode
  let model: Model

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
    // The specification allows 56; Photoshop itself writes one more.
    guard channels > 0 else { throw .malformed("0 channels, at least 1 is needed", at: 12) }
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
      throw .unsupported("\(depth) bits of a channel in mode \(mode.name)", at: 22)
    }
    model = Self.model(of: mode, channels: channels)
    guard channels >= model.channels else {
      throw .malformed("\(channels) channels in mode \(mode.name), \(model.channels) are needed", at: 12)
    }
  }

  /// Photoshop makes a multichannel file of RGB as cyan, magenta and yellow, which are stored as red, green and blue
  /// were, and one of CMYK as four inks. Of one with fewer channels, the first is shown.
  private static func model(of mode: Mode, channels: Int) -> Model {
    switch mode {
    case .bitmap, .gray, .duotone: .gray
    case .indexed: .indexed
    case .rgb: .rgb
    case .cmyk: .cmyk
    case .lab: .lab
    case .multichannel: channels >= 4 ? .cmyk : channels == 3 ? .rgb : .gray
    }
  }

  /// The same of a part of the picture, which is stored by itself.
  func ofPart(_ size: Size) -> PSDHeader {
    var header = self
    header.canvas = size
    return header
  }

  /// Bytes of a row of one channel.
  var rowBytes: Int { depth == 1 ? (canvas.width + 7) / 8 : canvas.width * (depth / 8) }

  /// Bytes of a number that says how long a large section is.
  var lengthBytes: Int { isLarge ? 8 : 4 }
}
