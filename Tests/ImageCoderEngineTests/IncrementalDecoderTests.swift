// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoderEngine
import ImageCoderModel
import Synchronization
import Testing

/// Bytes that arrive over time: when the reader gets them, and what is shown of them.
@Suite struct IncrementalDecoderTests {
  /// A still picture of 100 × 200 with a gray for each row.
  private static let still: [UInt8] =
    [0x73, 100, 200, 0, 0, 200, 0] + (0..<200).flatMap { y in [UInt8](repeating: UInt8(y + 1), count: 100) }
  private static let stillHeader = 7

  private static func append(_ bytes: some Sequence<UInt8>, to decoder: IncrementalDecoder, by size: Int) throws {
    let bytes = Array(bytes)
    for start in stride(from: 0, to: bytes.count, by: size) {
      try bytes[start..<min(start + size, bytes.count)].withUnsafeBytes { try decoder.append($0) }
    }
  }

  private static func reds(_ pixels: PixelBuffer) -> [UInt8] { (0..<pixels.size.height).map { pixels.red(0, $0) } }

  @Test func theHeaderComesWithItsLastByte() throws {
    let decoder = StripContainer().decoder()
    for count in 1...Self.stillHeader {
      try Self.append([Self.still[count - 1]], to: decoder, by: 1)
      #expect((decoder.header != nil) == (count == Self.stillHeader))
      #expect(decoder.status == (count < Self.stillHeader ? .readingHeader : .incomplete))
    }
  }

  @Test func singleBytesAreGatheredAndALookSeesThemAll() throws {
    let container = StripContainer()
    let decoder = container.decoder()
    try Self.append(Self.still.prefix(Self.stillHeader + 15_050), to: decoder, by: 1)
    let sent = container.rowsSent.value
    #expect(sent > 130 && sent < 150)
    #expect(decoder.progress.finalRows == 150)
    #expect(container.rowsSent.value == 150)
    let shown = try #require(try decoder.picture())
    #expect(Self.reds(shown.pixels).prefix(151).elementsEqual((1...150).map { UInt8($0) } + [0]))
  }

  @Test func aLargeShareIsReadAtOnce() throws {
    let container = StripContainer()
    let decoder = container.decoder()
    try Self.append(Self.still.prefix(Self.stillHeader + 15_000), to: decoder, by: 1)
    try Self.append(Self.still.dropFirst(Self.stillHeader + 15_000).prefix(4_000), to: decoder, by: 4_000)
    #expect(container.rowsSent.value == 190)
  }

  @Test(arguments: [1, 7, 1000, 100_000]) func chunksOfEverySizeGiveTheSame(_ size: Int) throws {
    let decoder = StripContainer().decoder()
    try Self.append(Self.still, to: decoder, by: size)
    #expect(Self.reds(try decoder.finish().pixels) == (1...200).map { UInt8($0) })
    #expect(decoder.status == .complete)
  }

  @Test func moreBytesThanAllowedAreRefused() throws {
    var options = DecodeOptions()
    options.limits.maxMemory = 200_000
    let decoder = StripContainer().decoder(options)
    try Self.append(Self.still.prefix(10_000), to: decoder, by: 1)
    let error = #expect(throws: CoderError.self) {
      try Self.append([UInt8](repeating: 1, count: 200_000), to: decoder, by: 200_000)
    }
    #expect(error?.code == .limitExceeded)
  }

  @Test func bytesBehindTheLastOneThatIsNeededAreNotKept() throws {
    var options = DecodeOptions()
    options.limits.maxMemory = 200_000
    let decoder = StripContainer().decoder(options)
    try Self.append(Self.still, to: decoder, by: 1000)
    #expect(decoder.status == .complete)
    for _ in 0..<10 { try Self.append([UInt8](repeating: 1, count: 50_000), to: decoder, by: 50_000) }
    #expect(Self.reds(try decoder.finish().pixels).count == 200)
  }

  @Test func aReaderThatWaitsSeesThatItIsCancelled() throws {
    var options = DecodeOptions()
    let cancellation = Cancellation()
    options.cancellation = cancellation
    let decoder = StripContainer().decoder(options)
    try Self.append(Self.still.prefix(5_000), to: decoder, by: 1000)
    cancellation.cancel()
    let error = #expect(throws: CoderError.self) {
      try Self.append([UInt8](repeating: 1, count: 2_000), to: decoder, by: 2_000)
    }
    #expect(error?.code == .cancelled)
    #expect(throws: CoderError.self) { try decoder.finish() }
  }

  @Test func finalRowsOfAThumbnailAreRowsOfTheThumbnail() throws {
    let options = DecodeOptions.thumbnail(width: 25, height: 50)
    let whole = StripContainer().decoder(options)
    try Self.append(Self.still, to: whole, by: 100_000)
    let expected = Self.reds(try whole.finish().pixels)
    let decoder = StripContainer().decoder(options)
    var last = 0
    for start in stride(from: 0, to: Self.still.count, by: 1100) {
      try Self.append(Self.still[start..<min(start + 1100, Self.still.count)], to: decoder, by: 1100)
      guard decoder.status == .incomplete, let shown = try decoder.picture() else { continue }
      let final = decoder.progress.finalRows
      #expect(final >= last && final <= 50)
      last = final
      #expect(Self.reds(shown.pixels).prefix(final).elementsEqual(expected.prefix(final)))
    }
    #expect(last > 30)
  }

  @Test(arguments: [false, true]) func rowsOfAFrameAreShownOnTheCanvas(_ blends: Bool) throws {
    // Every other row of the second frame is transparent.
    let first: [UInt8] = [0, 10, 0] + [UInt8](repeating: 50, count: 200)
    let second: [UInt8] =
      [2, 6, blends ? 1 : 0] + (0..<6).flatMap { y in [UInt8](repeating: y % 2 == 0 ? 90 : 0, count: 20) }
    let decoder = StripContainer().decoder()
    try Self.append([0x73, 20, 10, 1] + first + second.dropLast(50), to: decoder, by: 5)
    #expect(decoder.progress.framesComplete == 1)
    #expect(decoder.progress.finalRows == 5)
    let shown = try #require(try decoder.picture())
    #expect(shown.frames.count == 2)
    let gap: UInt8 = blends ? 50 : 0
    #expect(Self.reds(shown.frames[1].pixels) == [50, 50, 90, gap, 90, 50, 50, 50, 50, 50])
    try Self.append(second.suffix(50), to: decoder, by: 50)
    let image = try decoder.finish()
    #expect(image.frames.count == 2)
    #expect(Self.reds(image.frames[1].pixels) == [50, 50, 90, gap, 90, gap, 90, gap, 50, 50])
  }

  @Test func framesThatCoverTheCanvasAndFramesThatDoNotTakeTurns() throws {
    var file: [UInt8] = [0x73, 20, 10, 1]
    var expected: [[UInt8]] = []
    var canvas = [UInt8](repeating: 0, count: 10)
    for index in 0..<9 {
      let value = UInt8(10 * (index + 1))
      let covers = index % 3 != 2
      let rows = covers ? 0..<10 : 3..<6
      file += [UInt8(rows.lowerBound), UInt8(rows.count), index % 2 == 0 ? 1 : 0]
      file += [UInt8](repeating: value, count: rows.count * 20)
      for y in rows { canvas[y] = value }
      expected.append(canvas)
    }
    for size in [1, 30, 10_000] {
      let decoder = StripContainer().decoder()
      try Self.append(file, to: decoder, by: size)
      #expect(try decoder.finish().frames.map { Self.reds($0.pixels) } == expected)
    }
  }

  /// What stands behind the frame may still say how it is to be shown.
  @Test func theFirstFrameIsThereBeforeTheEnd() throws {
    var options = DecodeOptions()
    options.firstFrameOnly = true
    let frame: [UInt8] = [0, 10, 0] + [UInt8](repeating: 50, count: 200)
    let decoder = StripContainer().decoder(options)
    try Self.append([0x73, 20, 10, 1] + frame + frame.prefix(10), to: decoder, by: 1)
    #expect(decoder.status == .incomplete)
    #expect(try decoder.picture()?.frames.count == 1)
    #expect(try decoder.finish().frames.count == 1)
    #expect(decoder.status == .complete && decoder.progress.quality == 1)
  }

  /// A library that works on and on is left alone: if it were waited for, this would not end.
  @Test func cancellingDoesNotWaitForALibrary() throws {
    let isReleased = Mutex(false)
    var options = DecodeOptions()
    let cancellation = Cancellation()
    options.cancellation = cancellation
    let decoder = IncrementalDecoder(options: options) { (_) throws(CoderError) in
      nil
    } body: { (_) throws(CoderError) in
      while !isReleased.withLock({ $0 }) { usleep(1_000) }
      throw .libraryFailure("nobody is to hear this")
    }
    cancellation.cancel()
    let error = #expect(throws: CoderError.self) { try Self.append([1, 2, 3], to: decoder, by: 3) }
    #expect(error?.code == .cancelled && decoder.status == .invalid)
    #expect(decoder.header == nil && decoder.coderID == nil && decoder.progress.framesComplete == 0)
    #expect(try decoder.picture() == nil)
    #expect(throws: CoderError.cancelled) { try decoder.finish() }
    isReleased.withLock { $0 = true }
  }
}
