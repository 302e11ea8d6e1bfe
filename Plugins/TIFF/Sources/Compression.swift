// SPDX-License-Identifier: Apache-2.0

/// How strips and tiles are compressed: the values of the tag Compression.
struct Compression: Equatable {
  let code: Int

  static let none = Compression(code: 1)
  static let group3 = Compression(code: 3)
  static let group4 = Compression(code: 4)
  static let lzw = Compression(code: 5)
  static let oldJPEG = Compression(code: 6)
  static let jpeg = Compression(code: 7)
  static let adobeDeflate = Compression(code: 8)
  static let huffmanWords = Compression(code: 32771)
  static let packBits = Compression(code: 32773)
  static let pixarLog = Compression(code: 32909)
  static let deflate = Compression(code: 32946)
  static let jbig = Compression(code: 34661)
  static let sgiLog = Compression(code: 34676)
  static let sgiLog24 = Compression(code: 34677)
  static let lerc = Compression(code: 34887)
  static let lzma = Compression(code: 34925)
  static let zstd = Compression(code: 50000)
  static let webP = Compression(code: 50001)

  private static let names = [
    1: "none", 2: "CCITT modified Huffman", 3: "CCITT Group 3", 4: "CCITT Group 4", 5: "LZW", 6: "old-style JPEG",
    7: "JPEG", 8: "deflate", 9: "JBIG T.85", 10: "JBIG T.43", 32766: "NeXT", 32771: "CCITT modified Huffman, words",
    32773: "PackBits", 32809: "ThunderScan", 32895: "IT8 CTPAD", 32896: "IT8 LW", 32897: "IT8 MP", 32898: "IT8 BL",
    32908: "Pixar film", 32909: "Pixar log", 32946: "deflate", 32947: "Kodak DCS", 33003: "Aperio JPEG 2000 YCbCr",
    33005: "Aperio JPEG 2000 RGB", 34661: "JBIG", 34676: "SGI log", 34677: "SGI log 24", 34712: "JPEG 2000",
    34713: "Nikon NEF", 34887: "LERC", 34892: "lossy JPEG of DNG", 34925: "LZMA", 50000: "Zstandard", 50001: "WebP",
    50002: "JPEG XL", 52546: "JPEG XL of DNG",
  ]

  /// For messages.
  var name: String { Self.names[code] ?? "unknown" }

  var isFax: Bool { (2...4).contains(code) || self == .huffmanWords }
  var isBilevel: Bool { isFax || self == .jbig }
  var isLog: Bool { self == .sgiLog || self == .sgiLog24 }

  /// Whether the codec takes samples of every layout as they are.
  var isPlain: Bool {
    [.none, .lzw, .adobeDeflate, .deflate, .packBits, .lzma, .zstd].contains(self)
  }
}

/// What the samples of a picture mean: the values of the tag PhotometricInterpretation.
enum Photometric: Int {
  case minIsWhite = 0
  case minIsBlack = 1
  case rgb = 2
  case palette = 3
  case mask = 4
  case separated = 5
  case yCbCr = 6
  case cieLab = 8
  case iccLab = 9
  case ituLab = 10
  case logL = 32844
  case logLuv = 32845

  private static let others = [32803: "CFA", 34892: "LinearRaw", 51177: "depth map"]

  /// For messages.
  static func name(_ code: Int) -> String { others[code] ?? "unknown" }

  /// Samples that make a color.
  var channelCount: Int {
    switch self {
    case .minIsWhite, .minIsBlack, .palette, .mask, .logL: 1
    case .rgb, .yCbCr, .cieLab, .iccLab, .ituLab, .logLuv: 3
    case .separated: 4
    }
  }

  /// As ImageIO names it.
  var colorModel: String {
    switch self {
    case .minIsWhite, .minIsBlack, .mask, .logL: "Gray"
    case .rgb, .palette, .yCbCr, .logLuv: "RGB"
    case .separated: "CMYK"
    case .cieLab, .iccLab, .ituLab: "Lab"
    }
  }
}
