// SPDX-License-Identifier: Apache-2.0

import CoderTestSupport
import ImageCoderPlugin
import Testing

@testable import ICOCoder

/// Which pictures are PNG files.
@Suite struct ICOPicturesTests {
  private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  private func isPNG(side: Int, _ choice: ICOOption.PNGPictures?, _ format: ImageFormat) throws -> Bool {
    let file = MemoryFile()
    var options = WriteOptions(format: format)
    if let index = choice.flatMap(ICOOption.PNGPictures.allCases.firstIndex(of:)) {
      options.values[ICOOption.png.name] = .number(Double(index))
    }
    let writer = try ICOWriter(file.output, host: MemoryHost().host, options: options)
    let size = Size(width: side, height: side)
    try writer.setHeader(
      ImageHeader(format: format, canvas: size, pixelFormat: .rgba8, bitsPerChannel: 8, alpha: .straight))
    let pixels = [UInt8](repeating: 90, count: side * side * 4)
    try pixels.withUnsafeBytes { bytes in
      let base = try #require(bytes.baseAddress)
      try writer.add(
        PixelView(layout: PixelLayout(.rgba8, .straight), size: size, base: base, stride: side * 4),
        frame: FrameHeader(rect: Rect(covering: size)))
    }
    try writer.finish()
    let picture = file.bytes.dropFirst(22)
    // The directory says how long the picture is, and where.
    #expect(file.bytes[14..<22] == MemoryFile.bytes(Self.number(picture.count), Self.number(22))[...])
    return picture.starts(with: Self.signature)
  }

  private static func number(_ value: Int) -> [UInt8] {
    [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: value >> $0) }
  }

  @Test func largeIconsArePNGFiles() throws {
    #expect(try isPNG(side: 256, nil, .ico))
    #expect(try !isPNG(side: 255, nil, .ico))
    #expect(try !isPNG(side: 256, .never, .ico))
    #expect(try isPNG(side: 16, .always, .ico))
    #expect(try !isPNG(side: 256, nil, .cur))
    #expect(try isPNG(side: 256, .always, .cur))
  }
}
