// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// The writer's options: manifest, help, validation and documentation come from this table.
enum TIFFOption {
  /// How strips and tiles are compressed.
  enum Scheme: String, CaseIterable {
    case uncompressed = "none"
    case lzw, deflate, packbits, zstd, webp, jpeg
    case group4 = "ccitt-g4"

    var compression: Compression {
      switch self {
      case .uncompressed: .none
      case .lzw: .lzw
      case .deflate: .adobeDeflate
      case .packbits: .packBits
      case .zstd: .zstd
      case .webp: .webP
      case .jpeg: .jpeg
      case .group4: .group4
      }
    }
  }

  /// Whether offsets have 8 bytes.
  enum BigTIFF: String, CaseIterable {
    case automatic = "auto"
    case no, yes
  }

  static let compression = CoderOption.choice(
    "compression", default: Scheme.deflate,
    "How strips or tiles are compressed: webp and jpeg lose something, ccitt-g4 is for black and white.")
  static let predictor = CoderOption.boolean(
    "predictor", default: true,
    "Store differences of neighbors before lzw, deflate and zstd, which makes most pictures smaller.")
  static let tile = CoderOption.integer(
    "tile", 0...1024, default: 0, "Side of square tiles, rounded up to a multiple of 16; 0 writes strips.")
  static let bigTIFF = CoderOption.choice(
    "bigtiff", default: BigTIFF.automatic,
    "Offsets of 64 bits, which few programs read; auto uses them for files that may reach 4 GiB.")
  static let level = CoderOption.integer(
    "level", 0...22, default: 0, "Effort of deflate (1 to 9) and zstd (1 to 22); 0 is 6 of deflate and 3 of zstd.")
  static let quality = CoderOption.quality(default: 0.85)
  static let subsampling = CoderOption.subsampling([.s444, .s422, .s420, .s440, .s411], default: .s420)

  static let table = [
    compression.description, predictor.description, tile.description, bigTIFF.description, level.description,
    quality.description, subsampling.description,
  ]
}
