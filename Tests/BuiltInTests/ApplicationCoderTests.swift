// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import ImageCodersBuiltIn
import Synchronization
import Testing

/// Gray pictures as text, with a character for each pixel, and an empty line between the frames of an animation.
private struct TextCoder: ImageCoder {
  static let format = ImageFormat(rawValue: "org.example.text-picture")
  /// From black to white.
  private static let shades = Array("@%#*+=-:. ".utf8)
  private static let newline = UInt8(ascii: "\n")

  let id = "org.example.text"
  let formats = [format]
  let writerFeatures = WriterFeatures.frames

  func canDecode(_ prefix: UnsafeRawBufferPointer, fileSize: Int?) -> Recognition {
    let isText = prefix.allSatisfy { $0 == Self.newline || Self.shades.contains($0) }
    return isText && !prefix.isEmpty ? .yes(strength: 1) : .no
  }

  func makeDecoder(_ context: DecodeContext) throws(CoderError) -> ImageDecoder {
    var frames: [Frame] = []
    var (samples, width, height) = ([UInt8](), 0, 0)
    for line in try context.contents().split(separator: Self.newline, omittingEmptySubsequences: false) {
      guard line.isEmpty else {
        guard height == 0 || line.count == width else {
          throw .malformed("a row of \(line.count) characters, the one before has \(width)")
        }
        for character in line {
          guard let shade = Self.shades.firstIndex(of: character) else {
            throw .malformed("character \(character) is no shade")
          }
          samples.append(UInt8(shade * 255 / (Self.shades.count - 1)))
        }
        (width, height) = (line.count, height + 1)
        continue
      }
      guard height > 0 else { continue }
      let size = Size(width: width, height: height)
      try context.options.limits.check(canvas: size)
      frames.append(
        Frame(
          pixels: try PixelBuffer(copying: samples, size: size, format: .gray8),
          delay: FrameDelay(numerator: 1, denominator: 10)))
      (samples, height) = ([], 0)
    }
    guard !frames.isEmpty else { throw .truncated("a text without a whole picture") }
    return try ImageDecoder(Image(frames: frames), format: Self.format, coder: id, context: context)
  }

  func canEncode(_ format: ImageFormat) -> Bool { format == Self.format }

  func encode(_ pages: [Image], as format: ImageFormat, options: EncodeOptions) throws(CoderError) -> [UInt8] {
    var text: [UInt8] = []
    for frame in try options.applied(to: pages[0], as: format).frames {
      let gray = try frame.pixels.flattened(on: options.background).converted(to: PixelLayout(.gray8, .opaque))
      for y in 0..<gray.size.height {
        let row = gray.samples(inRow: y)
        for x in row.indices { text.append(Self.shades[(Int(row[x]) * (Self.shades.count - 1) + 127) / 255]) }
        text.append(Self.newline)
      }
      text.append(Self.newline)
    }
    return text
  }
}

/// Files of another coder that nobody else can read.
private struct SealedCoder: ImageCoder {
  static let format = ImageFormat(rawValue: "org.example.sealed-picture")
  private static let mark = Array("SEALED".utf8)

  let id = "org.example.sealed"
  let formats = [format]
  let signatures = [FormatSignature(mark)]
  let inner: any ImageCoder

  /// Files of the first version have no mark, and end in an x.
  func canDecode(_ prefix: UnsafeRawBufferPointer, fileSize: Int?) -> Recognition {
    prefix.count == fileSize && prefix.last == UInt8(ascii: "x") ? .yes(strength: 1) : .no
  }

  func makeDecoder(_ context: DecodeContext) throws(CoderError) -> ImageDecoder {
    let contents = try context.contents()
    let sealed = contents.starts(with: Self.mark) ? contents.dropFirst(Self.mark.count) : contents.dropLast()
    let bytes = sealed.map { $0 ^ 0x5A }
    return try inner.makeDecoder(try context.reading(bytes, as: Self.format))
  }

  func canEncode(_ format: ImageFormat) -> Bool { format == Self.format }

  func encode(_ pages: [Image], as format: ImageFormat, options: EncodeOptions) throws(CoderError) -> [UInt8] {
    Self.mark + (try inner.encode(pages, as: inner.formats[0], options: options)).map { $0 ^ 0x5A }
  }
}

/// A coder that knows what it writes only from the registry that it is registered in.
private struct BorrowingCoder: ImageCoder {
  static let format = ImageFormat(rawValue: "org.example.borrowed-picture")

  let id = "org.example.borrowing"
  let formats = [format]
  let registry: CoderRegistry

  var writesPages: Bool { (try? registry.coder("org.imagecoders.qoi"))?.writesPages ?? true }

  func makeDecoder(_ context: DecodeContext) throws(CoderError) -> ImageDecoder { throw .wrongFormat("written only") }

  func canEncode(_ format: ImageFormat) -> Bool { format == Self.format }

  /// What the options want of a picture, in place of a file: its width, and the metadata that is left.
  func encode(_ pages: [Image], as format: ImageFormat, options: EncodeOptions) throws(CoderError) -> [UInt8] {
    let image = try options.applied(to: pages[0], as: format)
    return [UInt8(image.size.width), UInt8(image.frames.count)] + (image.metadata[.exif] ?? [])
  }
}

/// Coders that are types of the application: what a registry and a conversion do with every coder works with them.
@Suite struct ApplicationCoderTests {
  private static let text = Array(
    """
    @@@@
    @  @
    @  @
    @@@@

    """.utf8)
  private static let animation = Array("@ \n @\n\n  \n  \n\n".utf8)

  private let registry = CoderRegistry(builtIn: .all, searchPath: .only([]), preferences: CoderPreferences())
  private let sealed: SealedCoder

  init() throws {
    sealed = SealedCoder(inner: try registry.coder("org.imagecoders.qoi"))
    registry.register(TextCoder())
    registry.register(sealed)
  }

  private static let border: [UInt8] = [0, 0, 0, 0, 0, 255, 255, 0, 0, 255, 255, 0, 0, 0, 0, 0]

  @Test func aFileIsRecognizedAndDecoded() throws {
    let image = try registry.decode(.bytes(Self.text))
    #expect(image.coderID == "org.example.text")
    #expect(image.header?.format == TextCoder.format)
    #expect(image.pixels.format == .gray8)
    #expect(image.pixels.copyBytes() == Self.border)
    #expect(try registry.header(of: .bytes(Self.text)).canvas == Size(width: 4, height: 4))
  }

  @Test func aCoderMayAskTheRegistryThatItIsRegisteredIn() throws {
    registry.register(BorrowingCoder(registry: registry))
    let animation = try registry.decode(.bytes(Self.animation))
    let log = Mutex<[String]>([])
    var options = EncodeOptions(maxSize: Size(width: 1, height: 1))
    options.log = { _, message in log.withLock { $0.append(message) } }
    options.metadata = [.exif]
    // Little endian, one entry: orientation 6.
    let exif: [UInt8] = [0x49, 0x49, 42, 0, 8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0]
    var turned = animation
    turned.orientation = .right
    turned.metadata = [.exif: exif, .xmp: Array("<x:xmpmeta/>".utf8)]
    var upright = exif
    upright[18] = 1
    #expect(try registry.encode(turned, as: BorrowingCoder.format, options: options) == [1, 1] + upright)
    #expect(
      log.withLock { $0 } == [
        "org.example.borrowed-picture is written without animation: the first of 2 frames is written"
      ])
    let error = #expect(throws: CoderError.self) {
      try registry.encode([turned, turned], as: BorrowingCoder.format, options: options)
    }
    #expect(error?.message == "org.example.borrowed-picture holds 1 page, 2 were given")
  }

  @Test func bytesAreAskedForOnlyWithoutASignature() throws {
    var steps: [SelectionStep] = []
    _ = try registry.open(.bytes(Self.text)) { steps.append($0) }
    #expect(Set(steps.filter { $0.code == .asked }.map(\.coder)) == ["org.example.text", "org.example.sealed"])
    steps = []
    let file = try registry.encode(
      Image(try PixelBuffer(copying: Self.border, size: .init(width: 4, height: 4), format: .gray8)),
      as: SealedCoder.format)
    _ = try registry.open(.bytes(file)) { steps.append($0) }
    #expect(steps.allSatisfy { $0.code != .asked })
    // A coder with a signature may know files that do not begin with it.
    let old = Array(file.dropFirst(6)) + Array("x".utf8)
    #expect(try registry.decode(.bytes(old)).header?.format == SealedCoder.format)
    let error = #expect(throws: CoderError.self) { try registry.decode(.bytes(Array("@#y".utf8))) }
    #expect(error?.code == .noCoder)
  }

  @Test func thumbnailsAndLayoutsAreMade() throws {
    let small = try registry.decode(.bytes(Self.text), options: .thumbnail(width: 2, height: 2))
    #expect(small.size == Size(width: 2, height: 2))
    let wide = try registry.decode(.bytes(Self.text), options: DecodeOptions(pixelFormat: .rgba8))
    #expect(wide.pixels.copyBytes().prefix(4) == [0, 0, 0, 255])
  }

  @Test func anAnimationHasFramesAndAFirstOne() throws {
    let image = try registry.decode(.bytes(Self.animation))
    #expect(image.frames.count == 2)
    #expect(image.frames[1].delay == FrameDelay(numerator: 1, denominator: 10))
    let gray = PixelLayout(.gray8, .opaque)
    #expect(
      try image.frames.map { try $0.pixels.converted(to: gray).copyBytes() } == [
        [0, 255, 255, 0], [255, 255, 255, 255],
      ])
    let first = try registry.decode(.bytes(Self.animation), options: DecodeOptions(firstFrameOnly: true))
    #expect(first.frames.count == 1)
    #expect(try registry.open(.bytes(Self.animation)).frame(at: 1).pixels.size == Size(width: 2, height: 2))
  }

  @Test(arguments: [1, 3, 1000]) func bytesArrive(_ chunk: Int) throws {
    let decoder = registry.makeIncrementalDecoder()
    for start in stride(from: 0, to: Self.text.count, by: chunk) {
      try decoder.append(Self.text[start..<min(start + chunk, Self.text.count)])
    }
    let image = try decoder.finish()
    #expect(image.pixels.copyBytes() == Self.border)
    #expect(image.problem == nil)
    #expect(decoder.status == .complete)
  }

  @Test func limitsAndErrorsAreThoseOfEveryCoder() throws {
    var options = DecodeOptions()
    options.limits.maxPixels = 15
    let large = #expect(throws: CoderError.self) { try registry.decode(.bytes(Self.text), options: options) }
    #expect(large?.limit == .maxPixels)
    #expect(large?.coder == "org.example.text")
    let cut = #expect(throws: CoderError.self) { try registry.decode(.bytes(Array("@@@".utf8))) }
    #expect(cut?.code == .truncated)
    let uneven = #expect(throws: CoderError.self) { try registry.decode(.bytes(Array("@\n\n@@\n@@\n\n".utf8))) }
    #expect(uneven?.code == .libraryFailure)
    #expect(uneven?.message == "the coder gives frame 1 as 2×2 gray8, the first one as 1×1 gray8")
  }

  @Test func filesAreConvertedAndBack() throws {
    let qoi = try registry.convert(.bytes(Self.text), to: .qoi, at: .memory).bytes
    #expect(qoi.prefix(4) == Array("qoif".utf8)[...])
    #expect(try registry.convert(.bytes(qoi), to: TextCoder.format, at: .memory).bytes == Self.text + [0x0A])
    let gif = try registry.convert(.bytes(Self.animation), to: .gif, at: .memory)
    #expect(gif.frameCount == 2)
    #expect(try registry.convert(.bytes(gif.bytes), to: TextCoder.format, at: .memory).bytes == Self.animation)
  }

  @Test func aCoderWrapsAnother() throws {
    let file = try registry.convert(.bytes(Self.text), to: SealedCoder.format, at: .memory).bytes
    #expect(file.prefix(6) == Array("SEALED".utf8)[...])
    let image = try registry.decode(.bytes(file))
    // What it is a file of is what its signature says, and not what is inside.
    #expect(image.header?.format == SealedCoder.format)
    #expect(try registry.header(of: .bytes(file)).format == SealedCoder.format)
    #expect(image.coderID == "org.imagecoders.qoi")
    #expect(try image.pixels.converted(to: PixelLayout(.gray8, .opaque)).copyBytes() == Self.border)
    #expect(
      try registry.decode(.bytes(file), options: .thumbnail(width: 2, height: 2)).size == Size(width: 2, height: 2))
    let decoder = registry.makeIncrementalDecoder()
    for byte in file { try decoder.append([byte]) }
    #expect(try decoder.finish().pixels.copyBytes() == image.pixels.copyBytes())
    let qoi = try registry.convert(.bytes(file), to: .qoi, at: .memory).bytes
    #expect(qoi.prefix(4) == Array("qoif".utf8)[...])
  }

  /// A coder that says nothing of pages and frames writes one picture.
  @Test func oneFrameIsWrittenUnlessTheCoderSaysMore() throws {
    let file = try registry.convert(.bytes(Self.animation), to: SealedCoder.format, at: .memory)
    #expect(file.frameCount == 1)
    let error = #expect(throws: CoderError.self) {
      try registry.makeEncoder(as: SealedCoder.format, pageCount: 2)
    }
    #expect(error?.message == "org.example.sealed-picture holds 1 page, 2 were given")
    var options = EncodeOptions()
    options.maxFileSize = 3
    let large = #expect(throws: CoderError.self) {
      try registry.convert(.bytes(Self.text), to: TextCoder.format, at: .memory, options: options)
    }
    #expect(large?.limit == .maxFileSize)
  }

  @Test func picturesAreBroughtToWhatTheOptionsWant() throws {
    var image = Image(
      try PixelBuffer(copying: [0, 0, 255, 255, 255, 255], size: Size(width: 3, height: 2), format: .gray8))
    image.orientation = .right
    #expect(try registry.encode(image, as: TextCoder.format) == Array(" @\n @\n  \n\n".utf8))
    var options = EncodeOptions()
    options.maxSize = Size(width: 1, height: 0)
    let white = Image(try PixelBuffer(copying: [255, 255, 255, 255], size: Size(width: 2, height: 2), format: .gray8))
    #expect(try registry.encode(white, as: TextCoder.format, options: options) == Array(" \n\n".utf8))
  }

  @Test func formatsAreListed() {
    #expect(registry.readableFormats.contains(TextCoder.format))
    #expect(registry.writableFormats.contains(SealedCoder.format))
  }

  /// Code of the program itself cannot be moved to a worker.
  @Test func isolationIsRefused() throws {
    let file = try registry.convert(.bytes(Self.text), to: SealedCoder.format, at: .memory).bytes
    registry.setIsolation(Isolation(.required))
    let error = #expect(throws: CoderError.self) { try registry.decode(.bytes(file)) }
    #expect(error?.code == .pluginRejected)
    #expect(error?.message.hasSuffix("org.example.sealed is a coder of the program itself") == true)
    // Nor may it look at bytes.
    let unknown = #expect(throws: CoderError.self) { try registry.decode(.bytes(Self.text)) }
    #expect(unknown?.code == .noCoder)
  }
}
