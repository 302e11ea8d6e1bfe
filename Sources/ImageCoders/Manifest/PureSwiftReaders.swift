// SPDX-License-Identifier: Apache-2.0

/// Readers that wrap no library.
///
/// A manifest cannot claim this: its author would decide how far it is trusted.
enum PureSwiftReaders {
  static let reasons = [
    "org.imagecoders.bmp": "headers, run lengths and rows are read in Swift, by checked offsets",
    "org.imagecoders.gif":
      "blocks and LZW are read in Swift; its tables are pointers with bounds that are checked once",
    "org.imagecoders.hdr": "headers and scanlines are read in Swift, by checked offsets",
    "org.imagecoders.icns":
      "directory and packed bits are read in Swift; zlib only writes, and pages of other formats go to their coders",
    "org.imagecoders.ico": "directory and bitmaps are read in Swift; pages that are PNG go to the coder of that",
    "org.imagecoders.pnm": "headers and samples are read in Swift, by checked offsets",
    "org.imagecoders.qoi": "chunks are read in Swift, through pointers whose bounds are checked for each row",
  ]

  /// Why a bundled coder counts as one, or nil.
  static func reason(_ id: String) -> String? { reasons[id] }
}
