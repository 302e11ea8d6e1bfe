// SPDX-License-Identifier: Apache-2.0

import ImageCoders

/// Files of formats that are read and not written, with a text and with data of programs.
enum FactTexts {
  /// - Returns: Nil for other formats.
  static func file(_ format: ImageFormat) throws -> [UInt8]? {
    switch format {
    case .openEXR: exr
    case .radiance:
      Array("#?RADIANCE\nSOFTWARE=pfilt 1.0\nVIEW=rvu -vtv\nFORMAT=32-bit_rle_rgbe\n\n-Y 1 +X 1\n".utf8) + [
        128, 128, 128, 129,
      ]
    case .pnm: Array("P5 1 1\n# a comment\n255\n".utf8) + [128]
    case .svg:
      Array("<svg xmlns='http://www.w3.org/2000/svg' width='8' height='8'><title>Harbour</title></svg>".utf8)
    // Caption, 1008: a text that begins with its length.
    case .psd: ApplicationDataFile.photoshopFile(ApplicationDataFile.resource(1008, [3] + Array("sea".utf8)))
    default: nil
    }
  }

  /// One pixel of half precision: OpenEXR File Layout.
  private static let exr: [UInt8] = {
    func bytes(_ number: Int, _ count: Int = 4) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
    func attribute(_ name: String, _ type: String, _ value: [UInt8]) -> [UInt8] {
      Array(name.utf8) + [0] + Array(type.utf8) + [0] + bytes(value.count) + value
    }
    let window = bytes(0) + bytes(0) + bytes(0) + bytes(0)
    let header: [UInt8] =
      [0x76, 0x2F, 0x31, 0x01, 2, 0, 0, 0]
      + attribute("channels", "chlist", [0x59, 0] + bytes(1) + [0, 0, 0, 0] + bytes(1) + bytes(1) + [0])
      + attribute("comments", "string", Array("a comment".utf8)) + attribute("compression", "compression", [0])
      + attribute("acme", "string", Array("a program's".utf8))
      + attribute("dataWindow", "box2i", window) + attribute("displayWindow", "box2i", window)
      + attribute("lineOrder", "lineOrder", [0]) + attribute("pixelAspectRatio", "float", [0, 0, 0x80, 0x3F])
      + attribute("screenWindowCenter", "v2f", bytes(0) + bytes(0))
      + attribute("screenWindowWidth", "float", [0, 0, 0x80, 0x3F]) + [0]
    // The table of one line, and the line: its row, its bytes, 1.0.
    return header + bytes(header.count + 8, 8) + bytes(0) + bytes(2) + [0, 0x3C]
  }()
}
