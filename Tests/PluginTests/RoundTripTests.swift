// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoders
import TestSupport
import Testing

/// How often a program waits for a worker. Each wait costs what it takes to wake a processor.
@Suite(.serialized) struct RoundTripTests {
  private static let isolated = IsolationWorker.registry()

  private static func file(_ format: ImageFormat, _ size: Size) throws -> [UInt8] {
    try EncodingPictures.registry.encode(Image(try EncodingPictures.photo(size)), as: format)
  }

  /// Waits of this process for workers while `body` runs. Other suites have workers too, so that the fewest of several
  /// runs count.
  private static func waits(_ body: () throws -> Void) throws -> Int {
    try body()
    return try (0..<20).map { _ in
      let before = WorkerPool.roundTrips
      try body()
      return WorkerPool.roundTrips - before
    }.min() ?? 0
  }

  @Test(arguments: [ImageFormat.qoi, .jpeg, .png, .bmp, .pnm]) func oneForADecode(_ format: ImageFormat) throws {
    for size in [Size(width: 64, height: 64), Size(width: 700, height: 500)] {
      let bytes = try Self.file(format, size)
      let here = try EncodingPictures.registry.decode(.bytes(bytes))
      let waits = try Self.waits {
        let image = try Self.isolated.decode(.bytes(bytes))
        #expect(EncodingPictures.rows(image.pixels) == EncodingPictures.rows(here.pixels))
      }
      #expect(waits == 1, "\(size)")
    }
  }

  /// Whoever asks for another layout says so at once.
  @Test func oneForALayout() throws {
    let bytes = try Self.file(.jpeg, Size(width: 64, height: 64))
    var options = DecodeOptions()
    options.pixelFormat = .rgba8
    let here = try EncodingPictures.registry.decode(.bytes(bytes), options: options)
    let waits = try Self.waits {
      let image = try Self.isolated.decode(.bytes(bytes), options: options)
      #expect(EncodingPictures.rows(image.pixels) == EncodingPictures.rows(here.pixels))
    }
    #expect(waits == 1)
  }

  /// What the worker has begun without being asked is thrown away where something else is asked for.
  @Test func aHeaderAloneIsOne() throws {
    let bytes = try Self.file(.jpeg, Size(width: 700, height: 500))
    let waits = try Self.waits {
      let decoder = try Self.isolated.open(.bytes(bytes))
      #expect(decoder.header.canvas.width == 700)
    }
    #expect(waits == 1)
    var options = DecodeOptions()
    options.metadata = [.exif]
    for _ in 0..<3 {
      #expect(try Self.isolated.decode(.bytes(bytes), options: options).size == Size(width: 700, height: 500))
    }
  }
}
