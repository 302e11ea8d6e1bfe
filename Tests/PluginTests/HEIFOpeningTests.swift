// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import Synchronization
import TestSupport
import Testing

/// A HEIC is opened by its boxes, whatever its pictures take.
@Suite(.needs("HEIF")) struct HEIFOpeningTests {
  @Test func noPictureIsReadBeforeItIsAskedFor() throws {
    var random = SplitMix(seed: 7)
    let pixels = try PixelBuffer(size: Size(width: 640, height: 480), format: .rgb8, alpha: .opaque)
    for y in 0..<480 {
      let row = pixels.row(y).assumingMemoryBound(to: UInt8.self)
      for x in 0..<pixels.rowBytes { row[x] = UInt8(random.below(256)) }
    }
    var writing = EncodeOptions()
    writing.values["preset"] = "ultrafast"
    let file = try EncodingPictures.registry.encode(Image(pixels), as: .heic, options: writing)
    #expect(file.count > 40_000)
    let end = Mutex(0)
    let source = ByteSource.reading(size: file.count) { range in
      end.withLock { $0 = max($0, range.upperBound) }
      return Array(file[range])
    }
    let opened = try EncodingPictures.registry.open(source)
    #expect(opened.header.canvas == Size(width: 640, height: 480))
    #expect(!opened.header.isTruncated)
    // The first read of a source.
    #expect(end.withLock { $0 } == 4096)
    let whole = try EncodingPictures.registry.decode(.bytes(file))
    let isSame = try opened.image().pixels.copyBytes() == whole.pixels.copyBytes()
    #expect(isSame)

    // What is missing is known without a look at it.
    let cut = file.dropLast(1000)
    #expect(try EncodingPictures.registry.open(.bytes(cut)).header.isTruncated)
  }
}
