// SPDX-License-Identifier: Apache-2.0

import ImageCoders

/// Puts a manifest store without any manifest into a file.
///
/// - Format: C2PA Technical Specification 2.1, Annex A; ISO/IEC 19566-5.
enum CredentialsFile {
  static func adding(to file: [UInt8], _ format: ImageFormat) -> [UInt8] {
    switch format {
    case .jpeg:
      file[..<2] + ApplicationDataFile.segment(0xEB, Array("JP".utf8) + [0, 1, 0, 0, 0, 1] + store) + file[2...]
    case .png: file[..<33] + ApplicationDataFile.chunk("caBX", store) + file[33...]
    case .webP: ApplicationDataFile.riff(file + Array("C2PA".utf8) + [UInt8(store.count), 0, 0, 0] + store)
    case .gif:
      file.dropLast() + [0x21, 0xFF, 11] + Array("C2PA_GIF".utf8) + [1, 0, 0, UInt8(store.count)] + store + [0, 0x3B]
    case .tiff: ApplicationDataFile.tiff(file, with: [(0xCD41, store)])
    case .heic, .avif: file + ApplicationDataFile.box("uuid", identifier + [0, 0, 0, 0] + purpose + store)
    default: file + store
    }
  }

  private static let identifier: [UInt8] = [
    0xD8, 0xFE, 0xC3, 0xD6, 0x1B, 0x0E, 0x48, 0x3C, 0x92, 0x97, 0x58, 0x28, 0x87, 0x7E, 0xC4, 0x81,
  ]
  /// The purpose, and where another box is.
  private static let purpose = Array("manifest\0".utf8) + [UInt8](repeating: 0, count: 8)

  /// A box with its description: the type of a manifest store, and that it may be asked for by its label.
  private static let store: [UInt8] = ApplicationDataFile.box(
    "jumb",
    ApplicationDataFile.box(
      "jumd", Array("c2pa".utf8) + [0, 0x11, 0, 0x10, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71, 3] + Array("c2pa\0".utf8)))
}
