// SPDX-License-Identifier: Apache-2.0

/// How chunks are compressed.
///
/// - Format: OpenEXR File Layout, "compression" and "Scan Line Blocks".
enum Compression: Int {
  case uncompressed = 0
  case rle = 1
  case zips = 2
  case zip = 3
  case piz = 4
  case pxr24 = 5
  case b44 = 6
  case b44a = 7
  case dwaa = 8
  case dwab = 9

  var name: String {
    switch self {
    case .uncompressed: "none"
    case .rle: "rle"
    case .zips: "zips"
    case .zip: "zip"
    case .piz: "piz"
    case .pxr24: "pxr24"
    case .b44: "b44"
    case .b44a: "b44a"
    case .dwaa: "dwaa"
    case .dwab: "dwab"
    }
  }

  /// Rows of a chunk of scan lines.
  var rows: Int {
    switch self {
    case .uncompressed, .rle, .zips: 1
    case .zip, .pxr24: 16
    case .piz, .b44, .b44a, .dwaa: 32
    case .dwab: 256
    }
  }

  /// Whether samples of a type come back as they were.
  func keeps(_ type: Channel.SampleType) -> Bool {
    switch self {
    case .uncompressed, .rle, .zips, .zip, .piz: true
    case .pxr24: type != .float
    case .b44, .b44a: type != .half
    case .dwaa, .dwab: false
    }
  }
}
