// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import ImageCoders
import TestSupport
import Testing

/// Calls that take too long, or read too often, end with an error that names the limit.
@Suite struct CallBudgetTests {
  /// Frames of one pixel each on a large canvas.
  private static func animation(_ frames: Int, side: Int) -> [UInt8] {
    let sides = [UInt8(side & 255), UInt8(side >> 8), UInt8(side & 255), UInt8(side >> 8)]
    var bytes = Array("GIF89a".utf8) + sides + [0x80, 0, 0, 0, 0, 0, 255, 255, 255]
    for _ in 0..<frames {
      bytes += [0x21, 0xF9, 4, 4, 5, 0, 0, 0]
      bytes += [0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x4C, 1, 0]
    }
    return bytes + [0x3B]
  }

  @Test func aCallThatTakesTooLongEnds() throws {
    // Each frame is made small from a canvas of its own: half a minute in all.
    let source = ByteSource.bytes(Self.animation(3000, side: 2000))
    var options = DecodeOptions(size: .fitting(Size(width: 8, height: 8)))
    options.limits.maxMilliseconds = 60
    let decoder = try EncodingPictures.registry.open(source, options: options)
    let clock = ContinuousClock()
    let start = clock.now
    let error = try #require(throws: CoderError.self) { try decoder.image() }
    #expect(error.limit == .maxMilliseconds, "\(error)")
    #expect(error.message.hasSuffix("is over the limit maxMilliseconds of 60"))
    #expect(clock.now - start < .seconds(10))
    // A caller who cancels is told that, whatever the time.
    let cancellation = Cancellation()
    cancellation.cancel()
    options.cancellation = cancellation
    options.limits.maxMilliseconds = 0
    let cancelled = try #require(throws: CoderError.self) {
      try EncodingPictures.registry.decode(source, options: options)
    }
    #expect(cancelled.code == .cancelled)
  }

  /// Waiting for bytes is not the file's fault.
  @Test func waitingForBytesTakesNoTime() throws {
    let size = Size(width: 64, height: 64)
    let bytes = try EncodingPictures.registry.encode(Image(try EncodingPictures.photo(size)), as: .png)
    var options = DecodeOptions()
    options.limits.maxMilliseconds = 400
    let decoder = EncodingPictures.registry.makeIncrementalDecoder(options: options)
    for part in stride(from: 0, to: bytes.count, by: bytes.count / 4 + 1) {
      try decoder.append(bytes[part..<min(bytes.count, part + bytes.count / 4 + 1)])
      _ = decoder.header
      _ = Command.run("sleep 0.3")
    }
    #expect(try decoder.finish().size == size)
  }

  @Test(arguments: [
    "png", "gif", "bmp", "tiff", "pnm", "qoi", "ico", "jpeg", "webp", "avif", "jpeg2000", "jxl", "heif",
  ])
  func readsAreCounted(_ format: String) throws {
    let folder = "\(StagedTree.fixtures(format))/valid"
    let name = try #require(Command.run("ls '\(folder)'").output.split(separator: "\n").first { !$0.hasSuffix(".txt") })
    let source = ByteSource.file("\(folder)/\(name)")
    _ = try EncodingPictures.registry.decode(source)
    var options = DecodeOptions()
    options.limits.maxReads = 0
    let error = try #require(throws: CoderError.self) {
      try EncodingPictures.registry.decode(source, options: options)
    }
    #expect(error.limit == .maxReads, "\(error)")
    #expect(error.message == "a number of reads of the file of 1 is over the limit maxReads of 0")
  }

  @Test func aHeaderOfManyLinesIsGivenUp() throws {
    var lines = Array("P7\n".utf8)
    for _ in 0..<200_000 { lines += Array("TUPLTYPE RGB\n".utf8) }
    var options = DecodeOptions()
    options.limits.maxReads = 1000
    let clock = ContinuousClock()
    let start = clock.now
    #expect(throws: CoderError.self) { try EncodingPictures.registry.decode(.bytes(lines), options: options) }
    #expect(clock.now - start < .seconds(5))
  }
}
