// SPDX-License-Identifier: Apache-2.0

import CoderTestSupport
import ImageCoderPlugin
import Testing

@testable import JXLCoder

/// JPEG files that are made again of files with more than libjxl has written.
@Suite struct ReconstructionTests {
  /// A JPEG with Exif, XMP and a comment.
  private static let jpeg: [UInt8] = {
    func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
      [0xff, marker, UInt8((content.count + 2) >> 8), UInt8((content.count + 2) & 255)] + content
    }
    // A TIFF header and a directory with an Orientation of 6.
    let exif: [UInt8] =
      Array("Exif".utf8) + [0, 0] + [0x4d, 0x4d, 0, 42, 0, 0, 0, 8, 0, 1]
      + [0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0]
    let xmp = Array("http://ns.adobe.com/xap/1.0/".utf8) + [0] + Array("<x:xmpmeta xmlns:x='adobe:ns:meta/'/>".utf8)
    return Array(SmallJPEG.bytes[..<2]) + segment(0xe1, exif) + segment(0xe1, xmp) + segment(0xfe, Array("words".utf8))
      + Array(SmallJPEG.bytes[2...])
  }()

  private func restored(_ file: [UInt8]) throws -> [UInt8] {
    try file.withUnsafeBytes { bytes in
      let buffer = try JXLTranscoder.reconstructed(bytes, isTruncated: false, host: MemoryHost().host)
      return withExtendedLifetime(buffer) { [UInt8](buffer.contents) }
    }
  }

  private static func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
    let size = content.count + 8
    return [UInt8(size >> 24 & 255), UInt8(size >> 16 & 255), UInt8(size >> 8 & 255), UInt8(size & 255)]
      + Array(type.utf8) + content
  }

  /// Where boxes begin in a file, and where the last one ends.
  private static func starts(_ file: [UInt8]) -> [Int] {
    var starts = [0]
    while let start = starts.last, start + 8 <= file.count {
      let size = file[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
      starts.append(size == 0 ? file.count : start + size)
    }
    return starts
  }

  @Test func metadataComesBack() throws {
    #expect(try restored(EncodedPicture.recompressed(Self.jpeg)) == Self.jpeg)
  }

  /// A Brotli stream of one block without compression: "abc" for a box of type `text`.
  private static let compressedText: [UInt8] = Array("text".utf8) + [0x0b, 0x01, 0x80, 0x61, 0x62, 0x63, 0x03]

  @Test(arguments: ["free", "abcd", "jumb", "brob"]) func otherBoxesDoNotMatter(type: String) throws {
    let file = try EncodedPicture.recompressed(Self.jpeg)
    let added = Self.box(type, type == "brob" ? Self.compressedText : [1, 2, 3, 4, 5])
    // The signature and the type of file come first.
    let places = Self.starts(file).dropFirst(2)
    try #require(places.count > 2)
    for place in places {
      #expect(try restored(file[..<place] + added + file[place...]) == Self.jpeg, "\(type) at \(place)")
    }
  }
}
