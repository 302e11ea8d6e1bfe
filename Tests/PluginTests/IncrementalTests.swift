// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import TestSupport
import Testing

/// Bytes that arrive over time, through the plugins: what is shown early is right, and the end is that of a whole file.
@Suite struct IncrementalTests {
  private static let registry = CoderRegistry(
    searchPath: .only([StagedTree.plugins]),
    preferences: CoderPreferences())

  /// Rows of a picture as arrays of bytes.
  private static func rows(_ pixels: PixelBuffer) -> [[UInt8]] {
    (0..<pixels.size.height).map { y in pixels.withRow(y) { [UInt8]($0) } }
  }

  private static func feed(
    _ bytes: [UInt8], by size: Int, _ options: DecodeOptions = DecodeOptions(),
    _ look: (IncrementalDecoder) throws -> Void = { _ in }
  ) throws -> Image {
    let decoder = registry.makeIncrementalDecoder(options: options)
    for start in stride(from: 0, to: bytes.count, by: size) {
      try bytes[start..<min(start + size, bytes.count)].withUnsafeBytes { try decoder.append($0) }
      try look(decoder)
    }
    return try decoder.finish()
  }

  /// A picture of 200 × 300 with noise, so that its file is large enough to come in parts.
  private static func photo() throws -> Image {
    var random = SplitMix(seed: 5)
    let pixels = try PixelBuffer(size: Size(width: 200, height: 300), format: .rgb8, alpha: .opaque)
    for y in 0..<300 {
      let row = pixels.row(y).assumingMemoryBound(to: UInt8.self)
      for x in 0..<600 { row[x] = UInt8((x / 3 + y) / 4 + random.below(60)) }
    }
    return Image(pixels)
  }

  // Images without delays are parts of one picture, whose number grows while bytes arrive.
  @Test func partsThatArriveLateAreDrawn() throws {
    let frames = try (0..<4).map { index in
      let pixels = try PixelBuffer(size: Size(width: 64, height: 64), format: .rgba8, alpha: .straight)
      for y in 0..<64 {
        for x in (index * 16)..<(index * 16 + 16) {
          for channel in 0..<4 {
            pixels.row(y).storeBytes(
              of: channel == 3 ? 255 : UInt8(x * y % 251), toByteOffset: x * 4 + channel, as: UInt8.self)
          }
        }
      }
      return Frame(pixels: pixels, delay: .zero)
    }
    var bytes = try Self.registry.encode(Image(frames: frames), as: .gif)
    // Neither a loop nor delays.
    let loop = try #require(bytes.firstRange(of: Array("NETSCAPE2.0".utf8)))
    bytes.removeSubrange((loop.lowerBound - 3)..<(loop.upperBound + 5))
    for place in bytes.indices.dropLast(8) where bytes[place...].starts(with: [0x21, 0xF9, 4]) {
      bytes[place + 4] = 0
      bytes[place + 5] = 0
    }
    let whole = try Self.registry.open(.bytes(bytes))
    #expect(whole.header.frameCount == 4 && !whole.header.isAnimated && whole.frameCount == 1)
    let image = try Self.feed(bytes, by: 100) { _ = try $0.picture() }
    let expected = try whole.image()
    #expect(image.problem == nil && Self.rows(image.pixels) == Self.rows(expected.pixels))
  }

  @Test(arguments: [ImageFormat.png, .jpeg, .webP]) func rowsThatAreFinalStay(_ format: ImageFormat) throws {
    let bytes = try Self.registry.encode(try Self.photo(), as: format)
    let whole = Self.rows(try Self.registry.decode(.bytes(bytes)).pixels)
    var seen: [Int] = []
    let image = try Self.feed(bytes, by: 4096) { decoder in
      let final = decoder.progress.finalRows
      guard final > 0, let picture = try decoder.picture() else { return }
      #expect(final >= seen.last ?? 0)
      seen.append(final)
      #expect(Self.rows(picture.pixels).prefix(final).elementsEqual(whole.prefix(final)))
    }
    #expect(seen.count > 3, "\(format): \(seen)")
    #expect(Self.rows(image.pixels) == whole)
  }

  @Test func aProgressiveJPEGIsShownCoarseFirst() throws {
    var options = EncodeOptions()
    options.isProgressive = true
    let bytes = try Self.registry.encode(try Self.photo(), as: .jpeg, options: options)
    var passes: Set<Int> = []
    var qualities: [Double] = []
    let image = try Self.feed(bytes, by: 2048) { decoder in
      #expect(decoder.progress.finalRows == 0)
      guard try decoder.picture(blur: 0.02) != nil else { return }
      passes.insert(decoder.progress.pass)
      qualities.append(decoder.progress.quality)
    }
    #expect(passes.count >= 2)
    #expect(qualities == qualities.sorted())
    #expect(Self.rows(image.pixels) == Self.rows(try Self.registry.decode(.bytes(bytes)).pixels))
  }

  @Test func framesComeOneByOne() throws {
    var frames: [Frame] = []
    for index in 0..<5 {
      let pixels = try Self.photo().pixels.resampled(to: Size(width: 60, height: 90))
      // Frames that show the same would be written as one.
      let turned = try pixels.oriented(by: index.isMultiple(of: 2) ? .up : .upMirrored)
      frames.append(Frame(pixels: turned, delay: .milliseconds(40)))
    }
    for format in [ImageFormat.png, .gif, .webP] {
      let bytes = try Self.registry.encode(Image(frames: frames, loopCount: .plays(3)), as: format)
      var counts: Set<Int> = []
      let image = try Self.feed(bytes, by: 1024) { counts.insert($0.progress.framesComplete) }
      let whole = try Self.registry.decode(.bytes(bytes))
      #expect(counts.count > 2, "\(format): \(counts)")
      #expect(image.frames.count == whole.frames.count)
      #expect(image.loopCount == whole.loopCount)
      #expect(zip(image.frames, whole.frames).allSatisfy { Self.rows($0.pixels) == Self.rows($1.pixels) })
    }
  }

  @Test func thumbnailsAndFirstFramesArriveToo() throws {
    let bytes = try Self.registry.encode(try Self.photo(), as: .png)
    let options = DecodeOptions.thumbnail(width: 50, height: 50)
    let image = try Self.feed(bytes, by: 1000, options)
    #expect(Self.rows(image.pixels) == Self.rows(try Self.registry.decode(.bytes(bytes), options: options).pixels))
  }

  @Test func aDecoderThatIsDroppedEndsItsThread() async {
    await #expect(processExitsWith: .success) {
      let bytes = try await Self.registry.async.encode(try Self.photo(), as: .png)
      func drop() throws {
        for count in [0, 1, 100, bytes.count / 2, bytes.count - 1, bytes.count] {
          let decoder = Self.registry.makeIncrementalDecoder()
          try bytes.prefix(count).withUnsafeBytes { try decoder.append($0) }
        }
      }
      try drop()
      let threads = ProcessThreads.count
      for _ in 0..<20 { try drop() }
      #expect(ProcessThreads.countLeft(atMost: threads) <= threads)
    }
  }

  @Test func cancellingEndsTheDecode() throws {
    let bytes = try Self.registry.encode(try Self.photo(), as: .png)
    var options = DecodeOptions()
    let cancellation = Cancellation()
    options.cancellation = cancellation
    let decoder = Self.registry.makeIncrementalDecoder(options: options)
    try bytes.prefix(bytes.count / 2).withUnsafeBytes { try decoder.append($0) }
    cancellation.cancel()
    let error = #expect(throws: CoderError.self) {
      try bytes.dropFirst(bytes.count / 2).withUnsafeBytes { try decoder.append($0) }
      _ = try decoder.finish()
    }
    #expect(error?.code == .cancelled)
  }

  @Test func aWrongGuessIsNotFinal() throws {
    let decoder = Self.registry.makeIncrementalDecoder()
    try Array("RIFF".utf8).withUnsafeBytes { try decoder.append($0) }
    #expect(decoder.status == .unknownType)
    Array("nothing that anybody reads".utf8).withUnsafeBytes { bytes in
      // Whether the error comes now or at the end, it says that nobody reads this.
      _ = try? decoder.append(bytes)
    }
    let error = #expect(throws: CoderError.self) { try decoder.finish() }
    #expect(error?.code == .noCoder)
  }

  /// However few bytes come at a time, what nobody reads is refused in the words of one call.
  @Test(
    arguments: [1, 5, 8, 11, 15, 16, 100], ["screen width 480, and nothing else", "no image", "RIFF0000AVI LIST", "#!"])
  func isRefusedInTheSameWords(_ step: Int, _ text: String) throws {
    let bytes = Array(text.utf8)
    let whole = #expect(throws: CoderError.self) { try Self.registry.decode(.bytes(bytes)) }
    let decoder = Self.registry.makeIncrementalDecoder()
    let pieces = #expect(throws: CoderError.self) {
      for start in stride(from: 0, to: bytes.count, by: step) {
        try bytes[start..<min(start + step, bytes.count)].withUnsafeBytes { try decoder.append($0) }
      }
      _ = try decoder.finish()
    }
    #expect(pieces?.code == whole?.code && pieces?.message == whole?.message)
  }
}
