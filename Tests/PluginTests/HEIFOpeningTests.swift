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

  /// The still is the picture of the recipe, 12×8 gray, and the sequence, 32×24, begins with a picture that refers to another.
  @Test func sequenceThatCannotBeStartedGivesWayToTheStill() throws {
    let said = Mutex<[String]>([])
    var options = DecodeOptions()
    options.log = { _, text in said.withLock { $0.append(text) } }
    let path = StagedTree.fixtures("heif") + "/other/not-startable.heics"
    let image = try EncodingPictures.registry.decode(.file(path), options: options)
    #expect(image.size == Size(width: 12, height: 8) && image.frames.count == 1)
    #expect(
      try image.pixels.converted(to: PixelLayout(.gray8, .opaque)).copyBytes().prefix(12)
        == [0, 11, 23, 34, 46, 57, 69, 81, 92, 104, 115, 127])
    #expect(said.withLock { !$0.isEmpty })
  }
}
