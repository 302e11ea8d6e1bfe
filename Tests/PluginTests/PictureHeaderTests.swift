// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import Synchronization
import TestSupport
import Testing

/// A header alone is that of the opened file, for less.
@Suite struct PictureHeaderTests {
  private static let registry: CoderRegistry = {
    // Second readers of HEIF are tried in it.
    precondition(IsolationWorker.isThere, "there is no worker; has `make stage` run?")
    return CoderRegistry(searchPath: .only([StagedTree.plugins]), preferences: CoderPreferences())
  }()

  /// What one of the two ways comes to.
  private struct Answer: Equatable, CustomStringConvertible {
    var header: ImageHeader?
    var code: CoderError.Code?
    var coder: String?
    var message: String?

    init(_ body: () throws(CoderError) -> ImageHeader) {
      do throws(CoderError) {
        header = try body()
      } catch {
        (code, coder, message) = (error.code, error.coder, error.message)
      }
    }

    var description: String { header.map { "\($0)" } ?? "\(code as Any) of \(coder ?? "nobody"): \(message ?? "")" }
  }

  private static func compare(
    _ source: ByteSource, _ options: DecodeOptions, _ name: String, by other: CoderRegistry = registry
  ) {
    let alone = Answer { () throws(CoderError) in try other.header(of: source, options: options) }
    let opened = Answer { () throws(CoderError) in try registry.open(source, options: options).header }
    // A drawing is described at any size, and opened only at one that can be drawn.
    if alone.header?.isScalable == true, opened.code == .limitExceeded || opened.code == .unsupported { return }
    #expect(alone == opened, "\(name)")
  }

  private static let options: [DecodeOptions] = [
    DecodeOptions(), DecodeOptions(firstFrameOnly: true), DecodeOptions(page: 1), DecodeOptions(page: 900),
    DecodeOptions(limits: Limits(maxPixels: 50)), DecodeOptions(allowedFormats: [.gif]),
    // Which of its coder's formats a file has, its header alone knows.
    DecodeOptions(allowedFormats: [.heif]), DecodeOptions(limits: Limits(maxFrames: 1)),
  ]

  @Test(arguments: StagedTree.fixtureFormats) func everyFixtureHasTheHeaderOfTheOpenedFile(_ format: String) {
    let paths = Command.run("ls -d '\(StagedTree.fixtures(format))'/*/* | grep -v '\\.json$'").output
      .split(separator: "\n").map(String.init)
    #expect(!paths.isEmpty)
    for path in paths {
      for options in Self.options { Self.compare(.file(path), options, path) }
    }
  }

  @Test(arguments: StagedTree.fixtureFormats) func aWorkerGivesTheSame(_ format: String) {
    let isolated = IsolationWorker.registry()
    let paths = Command.run("ls -d '\(StagedTree.fixtures(format))'/*/* | grep -v '\\.json$'").output
      .split(separator: "\n").map(String.init)
    for path in paths { Self.compare(.file(path), DecodeOptions(), path, by: isolated) }
  }

  /// Bytes that are read part by part, as those of a file.
  private static func parts(_ bytes: [UInt8]) -> ByteSource {
    .reading(size: bytes.count) { range in Array(bytes[range]) }
  }

  /// Files whose headers are read without the rest, and changed ones.
  @Test(arguments: [ImageFormat.gif, .avif, .heic, .png, .jpeg, .webP]) func aLargeFileHasTheSame(
    _ format: ImageFormat
  ) throws {
    var random = SplitMix(seed: 77)
    let size = Size(width: 320, height: 240)
    let frames = try (0..<(format == .gif ? 4 : 1)).map { _ in
      let pixels = try PixelBuffer(size: size, format: .rgb8, alpha: .opaque)
      for y in 0..<size.height {
        let row = pixels.row(y).assumingMemoryBound(to: UInt8.self)
        for x in 0..<pixels.rowBytes { row[x] = UInt8(random.below(6) * 51) }
      }
      return Frame(pixels: pixels, delay: FrameDelay(numerator: 1, denominator: 10))
    }
    let whole = try EncodingPictures.registry.encode(Image(frames: frames), as: format)
    #expect(whole.count > 10_000)
    Self.compare(Self.parts(whole), DecodeOptions(), "\(format)")
    for number in 0..<600 {
      var bytes = whole
      for _ in 0...random.below(3) {
        Mutation.allCases[random.below(Mutation.allCases.count)].apply(to: &bytes, &random)
      }
      if format == .png { PNGChecksums.repair(&bytes) }
      let options = DecodeOptions(firstFrameOnly: number % 2 == 0)
      Self.compare(Self.parts(bytes), options, "\(format), change \(number)")
    }
  }

  /// What the interface lets a host ask for besides.
  @Test(arguments: [ImageFormat.gif, .avif, .png, .webP]) func allElseIsThereToo(_ format: ImageFormat) throws {
    var image = Image(try EncodingPictures.photo(Size(width: 800, height: 600)))
    image.metadata[.xmp] = Array("<x:xmpmeta xmlns:x='adobe:ns:meta/'></x:xmpmeta>".utf8)
    let bytes = try EncodingPictures.registry.encode(image, as: format)
    let coder = try Self.registry.open(.bytes(bytes)).coderID
    let container = try Self.registry.loadPlugin(coder)
    func session() throws -> HostSession {
      HostSession(source: try OpenSource(Self.parts(bytes), limits: .standard), limits: .standard)
    }
    let alone = try container.openReader(try session(), options: [.headerOnly])
    let whole = try container.openReader(try session(), options: [])
    #expect(try alone.header(page: 0) == whole.header(page: 0))
    #expect(try alone.metadata(.xmp, page: 0) == image.metadata[.xmp])
    #expect(try alone.properties(page: 0, frame: nil) == whole.properties(page: 0, frame: nil))
    #expect(try alone.frame(0, page: 0) == whole.frame(0, page: 0))
  }

  /// How many bytes a header takes of a file.
  private static func bytesRead(_ bytes: [UInt8]) throws -> Int {
    let count = Mutex(0)
    let source = ByteSource.reading(size: bytes.count) { range in
      count.withLock { $0 += range.count }
      return Array(bytes[range])
    }
    _ = try registry.header(of: source)
    return count.withLock { $0 }
  }

  @Test(arguments: [ImageFormat.avif, .heic, .jpeg, .webP]) func theRestOfTheFileIsNotRead(_ format: ImageFormat) throws
  {
    var random = SplitMix(seed: 78)
    let pixels = try PixelBuffer(size: Size(width: 640, height: 480), format: .rgb8, alpha: .opaque)
    for y in 0..<480 {
      let row = pixels.row(y).assumingMemoryBound(to: UInt8.self)
      for x in 0..<pixels.rowBytes { row[x] = UInt8(random.below(256)) }
    }
    let bytes = try EncodingPictures.registry.encode(Image(pixels), as: format)
    #expect(bytes.count > 100_000)
    #expect(try Self.bytesRead(bytes) == 4096)
  }
}
