// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import TestSupport
import Testing

@Suite(.needs("ICNS")) struct ICNSWritingTests {
  static func coder() throws -> any ImageCoder {
    try CoderRegistry(
      searchPath: .only([StagedTree.plugins]),
      preferences: CoderPreferences()
    ).coder("org.imagecoders.icns")
  }

  private static func picture(_ side: Int) throws -> PixelBuffer {
    let buffer = try PixelBuffer(size: Size(width: side, height: side), format: .rgba8, alpha: .straight)
    for y in 0..<side {
      for x in 0..<side {
        // Runs of every length, and places without any.
        let sample = UInt8(truncatingIfNeeded: x / (1 + y % 7) * 41)
        let pixel = (sample, UInt8(truncatingIfNeeded: x ^ y), sample / 2, UInt8(truncatingIfNeeded: 255 - y))
        (buffer.row(y) + x * 4).storeBytes(of: pixel, as: (UInt8, UInt8, UInt8, UInt8).self)
      }
    }
    return buffer
  }

  @Test(arguments: [16, 32, 48, 128], [0, 1]) func writesWithoutLoss(_ side: Int, _ small: Int) throws {
    // PNG from 128 pixels on, which its own coder reads.
    guard !(side == 128 && small == 1) else { return }
    let picture = try Self.picture(side)
    var options = EncodeOptions()
    options.isLossless = true
    options.values = ["small": .number(Double(small))]
    let bytes = try Self.coder().encode(Image(picture), as: .icns, options: options)
    let image = try Self.coder().decode(.bytes(bytes))
    #expect(image.size == picture.size)
    for y in 0..<side {
      let rows = [image.pixels, picture].map { Array(UnsafeRawBufferPointer(start: $0.row(y), count: side * 4)) }
      #expect(rows[0] == rows[1], "row \(y)")
    }
  }

  @Test func otherSizesAreAnsweredWithTheKnown() throws {
    let picture = try Self.picture(50)
    let error = #expect(throws: CoderError.self) {
      try Self.coder().encode(Image(picture), as: .icns, options: EncodeOptions())
    }
    #expect(error?.code == .unsupported)
    #expect(error?.message.contains("16, 18, 24, 32, 36, 48, 64, 128, 256, 512, 1024") == true)
  }

  @Test func largerPicturesArePNG() throws {
    let bytes = try Self.coder().encode(Image(Self.picture(256)), as: .icns, options: EncodeOptions())
    let shown = Array("icnsTOC ic08".utf8)
    #expect(Array(bytes[0..<4] + bytes[8..<12] + bytes[16..<20]) == shown)
    #expect(Array(bytes[32..<36]) == [0x89, 0x50, 0x4E, 0x47])
  }
}
