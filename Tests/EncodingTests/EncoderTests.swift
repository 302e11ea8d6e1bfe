// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoders
import Synchronization
import TestSupport
import Testing

/// Files that are written frame by frame.
@Suite struct EncoderTests {
  private static let registry = Staged.registry

  @Test func framesImagesAndFilesMakeOneAnimation() throws {
    let folder = TemporaryFolder()
    let path = "\(folder.path)/all.png"
    var options = EncodeOptions()
    options.loopCount = .plays(4)
    let encoder = try Self.registry.makeEncoder(as: .png, to: .file(path), options: options)
    try encoder.add(Pictures.walk(0), delay: .milliseconds(10))
    let two = [1, 2].map { Frame(pixels: try! Pictures.walk($0), delay: .milliseconds(UInt32($0 * 20))) }
    try encoder.add(Image(frames: two))
    try encoder.add(ByteSource.bytes(Self.registry.encode(Image(frames: two), as: .gif)), delay: .milliseconds(5))
    #expect(access(path, F_OK) != 0, "a file that is not finished has no name")
    let made = try encoder.finish()
    #expect(made.frameCount == 5 && made.bytes.isEmpty)
    let found = try Self.registry.decode(.file(path), options: Pictures.rgba)
    #expect(found.loopCount == .plays(4))
    #expect(found.frames.map { Int(($0.delay.seconds * 1000).rounded()) } == [10, 20, 40, 5, 5])
    let expected = try [0, 1, 2, 1, 2].map { try Pictures.walk($0).samples }
    #expect(found.frames.map(\.pixels.samples) == expected)
    #expect(throws: CoderError.self) { try encoder.add(Pictures.walk(0)) }
  }

  /// A third of a second is no whole number of hundredths or thousandths: what rounding leaves is carried on.
  @Test(arguments: [ImageFormat.gif, .webP, .png]) func delaysKeepTheirTotal(_ format: ImageFormat) throws {
    let third = FrameDelay(numerator: 1, denominator: 3)
    let frames = try (0..<30).map { Frame(pixels: try Pictures.walk($0 % 7), delay: third) }
    let bytes = try Self.registry.encode(Image(frames: frames), as: format)
    let total = try Self.registry.decode(.bytes(bytes)).frames.reduce(0) { $0 + $1.delay.seconds }
    #expect(abs(total - 10) < 0.0051, "\(total)")
  }

  @Test(arguments: [ImageFormat.gif, .webP, .png]) func framesThatShowTheSameBecomeOne(_ format: ImageFormat) throws {
    let frames = try [0, 0, 1, 1, 1, 0].map { Frame(pixels: try Pictures.walk($0), delay: .milliseconds(30)) }
    var options = EncodeOptions()
    options.isLossless = true
    let found = try Self.registry.decode(
      .bytes(Self.registry.encode(Image(frames: frames), as: format, options: options)))
    #expect(found.frames.map { Int(($0.delay.seconds * 1000).rounded()) } == [60, 90, 30])
    options.optimizesFrames = false
    let decoder = try Self.registry.open(
      .bytes(Self.registry.encode(Image(frames: frames), as: format, options: options)))
    #expect(decoder.frameCount == 6)
    for index in 0..<6 { #expect(try decoder.frameHeader(at: index).rect.size == Pictures.size) }
  }

  /// Frames that show the same become one, and an animation may have no others.
  @Test(arguments: [ImageFormat.avif, .gif, .jpegXL, .png, .webP]) func equalFramesAreOne(_ format: ImageFormat) throws
  {
    let frames = try [1, 1].map { Frame(pixels: try Pictures.walk($0), delay: .milliseconds(30)) }
    let decoder = try Self.registry.open(.bytes(Self.registry.encode(Image(frames: frames), as: format)))
    #expect(decoder.frameCount == 1)
  }

  @Test(arguments: [ImageFormat.jpeg, .webP]) func theLargestFileThatFits(_ format: ImageFormat) throws {
    let frames = try (1...3).map {
      Frame(pixels: try Pictures.photo(Size(width: 160, height: 120), seed: UInt64($0)), delay: .milliseconds(50))
    }
    let image = format == .jpeg ? Image(frames[0].pixels) : Image(frames: frames)
    var options = EncodeOptions()
    let largest = try Self.registry.encode(image, as: format, options: options).count
    options.quality = 0
    let smallest = try Self.registry.encode(image, as: format, options: options).count
    options.quality = nil
    let allowed = (largest + smallest) / 2
    options.maxFileSize = allowed
    let encoder = try Self.registry.makeEncoder(as: format, options: options)
    try encoder.add(image)
    let made = try encoder.finish()
    #expect(made.bytes.count <= allowed && made.bytes.count > smallest)
    let reached = try #require(made.quality)
    var next = EncodeOptions()
    next.quality = min(1, reached + 0.01)
    #expect(try Self.registry.encode(image, as: format, options: next).count > allowed)
    options.maxFileSize = smallest - 1
    let error = #expect(throws: CoderError.self) { try Self.registry.encode(image, as: format, options: options) }
    #expect(error?.code == .limitExceeded)
  }

  @Test(arguments: [Size(width: -5, height: 10), Size(width: 0, height: -1)])
  func aBoxWithASideBelowZeroIsRefused(_ box: Size) throws {
    var options = EncodeOptions()
    options.maxSize = box
    let refused = CoderError.invalidArgument("a box of \(box); a side is at least 1, or 0 where it is free")
    let image = Image(try Pictures.walk(0))
    let made = #expect(throws: CoderError.self) { try Self.registry.encode(image, as: .png, options: options) }
    #expect(made?.message == refused.message && made?.code == .invalidArgument)
    // What a coder of the application uses.
    #expect(throws: refused) { try options.applied(to: image, as: .png) }
  }

  @Test func whatCannotBeFollowedIsSaid() throws {
    let said = Mutex<[String]>([])
    var options = EncodeOptions()
    options.log = { _, text in said.withLock { $0.append(text) } }
    options.quality = 0.5
    options.isProgressive = true
    options.subsampling = .s420
    options.embeddedThumbnailSide = 16
    _ = try Self.registry.encode(
      Image(Pictures.flat(0)), as: Self.registry.format(forExtension: "qoi"), options: options)
    let texts = said.withLock { $0 }
    for word in ["quality", "progressive", "subsampling", "thumbnail"] {
      #expect(texts.contains { $0.contains(word) }, "\(word): \(texts)")
    }
    options.values = ["nonsense": 1]
    let error = #expect(throws: CoderError.self) {
      try Self.registry.encode(Image(Pictures.flat(0)), as: .jpeg, options: options)
    }
    #expect(error?.code == .invalidArgument && error?.message.contains("optimize") == true)
  }

  /// An encode that fails leaves nothing behind, and the file that was there as it was.
  @Test func aFailureHarmsNothing() throws {
    let folder = TemporaryFolder()
    let path = folder.write([1, 2, 3], to: "old.webp")
    let cancellation = Cancellation()
    var options = EncodeOptions()
    options.cancellation = cancellation
    let encoder = try Self.registry.makeEncoder(as: .webP, to: .file(path), options: options)
    try encoder.add(Pictures.walk(0), delay: .milliseconds(10))
    try encoder.add(Pictures.walk(1), delay: .milliseconds(10))
    cancellation.cancel()
    let error = #expect(throws: CoderError.self) {
      try encoder.add(Pictures.walk(2), delay: .milliseconds(10))
      try encoder.finish()
    }
    #expect(error?.code == .cancelled)
    do {
      let dropped = try Self.registry.makeEncoder(as: .png, to: .file("\(folder.path)/dropped.png"))
      try dropped.add(Pictures.walk(0))
    }
    // The encoder that failed is still here: it has let go of its file at once.
    defer { withExtendedLifetime(encoder) {} }
    let listing = Command.run("ls -A '\(folder.path)' && od -An -tu1 '\(path)'").output
    #expect(listing.split(whereSeparator: \.isWhitespace) == ["old.webp", "1", "2", "3"])
  }

  /// Blocks with their offsets make the file that memory gets; a TIFF puts bytes right that were given before.
  @Test(arguments: [ImageFormat.tiff, .png, .bmp]) func callersTakeTheBytesOfAFile(_ format: ImageFormat) throws {
    let picture = try Pictures.noise(.rgba8, seed: 5, size: Size(width: 200, height: 200))
    let taken = Mutex((bytes: [UInt8](), earlier: 0))
    let encoder = try Self.registry.makeEncoder(
      as: format,
      to: .writing { bytes, offset in
        taken.withLock {
          #expect(offset <= $0.bytes.count && !bytes.isEmpty)
          if offset < $0.bytes.count { $0.earlier += 1 }
          $0.bytes.replaceSubrange(offset..<min($0.bytes.count, offset + bytes.count), with: bytes)
        }
      })
    try encoder.add(picture)
    let made = try encoder.finish()
    let found = taken.withLock { $0 }
    #expect(try found.bytes == Self.registry.encode(Image(picture), as: format))
    #expect(made.bytes.isEmpty && made.byteCount == found.bytes.count)
    #expect((found.earlier > 0) == (format == .tiff))
  }

  @Test func whatACallerThrowsEndsTheFile() throws {
    struct Full: Error {}
    let encoder = try Self.registry.makeEncoder(as: .bmp, to: .writing { _, _ in throw Full() })
    let error = #expect(throws: CoderError.self) {
      try encoder.add(Pictures.walk(0))
      try encoder.finish()
    }
    #expect(error?.code == .io && error?.message == "the file's bytes were not taken: Full()")
    #expect(throws: try #require(error)) { try encoder.finish() }
  }

  @Test func aNewFileKeepsLinksAndModes() throws {
    let folder = TemporaryFolder()
    let path = folder.write([9], to: "real.bin")
    _ = Command.run("chmod 600 '\(path)' && ln -s real.bin '\(folder.path)/link.bin'")
    try NewFile.write([1, 2], to: "\(folder.path)/link.bin")
    let result = Command.run(
      "cd '\(folder.path)' && readlink link.bin && stat -c %a real.bin && od -An -tu1 real.bin && ls -A | wc -l")
    #expect(result.output.split(whereSeparator: \.isWhitespace) == ["real.bin", "600", "1", "2", "2"])
    let error = #expect(throws: CoderError.self) { try NewFile.write([1], to: "\(folder.path)/none/x") }
    #expect(error?.code == .io)
  }

  @Test func formatsAreChosenForPictures() throws {
    #expect(Self.registry.format(for: Image(try Pictures.photo(Pictures.size))) == .jpeg)
    #expect(Self.registry.format(for: Image(try Pictures.walk(0))) == .png)
    #expect(Self.registry.format(for: Image(try Pictures.noise(.gray16, seed: 1))) == .png)
    let frames = [Frame(pixels: try Pictures.walk(0)), Frame(pixels: try Pictures.walk(1))]
    #expect(Self.registry.format(for: Image(frames: frames)) == .webP)
  }
}
