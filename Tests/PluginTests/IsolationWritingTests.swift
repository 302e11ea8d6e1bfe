// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import TestSupport
import Testing

/// Every format is written in a worker to the same bytes as in this process, and every file changed to the same.
@Suite struct IsolationWritingTests {
  private static let here = EncodingPictures.registry
  private static let isolated = IsolationWorker.registry()

  static let formats: [ImageFormat] = [
    .png, .jpeg, .gif, .webP, .avif, .jpegXL, .tiff, .bmp, .qoi, .ico, .icns, .jpeg2000, .heic,
  ]

  private static func result(_ body: () throws(CoderError) -> [UInt8]?) -> Result<[UInt8]?, CoderError> {
    Result(catching: body)
  }

  /// The same bytes, or the same error.
  private static func expectSame(
    _ what: String, _ body: (CoderRegistry) throws(CoderError) -> [UInt8]?,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    switch (result { () throws(CoderError) in try body(here) }, result { () throws(CoderError) in try body(isolated) })
    {
    case (.success(let one), .success(let other)):
      #expect(
        one == other, "\(what): \(one?.count ?? -1) and \(other?.count ?? -1) bytes", sourceLocation: sourceLocation)
    case (.failure(let one), .failure(let other)):
      #expect(one == other, "\(what)", sourceLocation: sourceLocation)
    case (.success, .failure(let error)): Issue.record("\(what): \(error)", sourceLocation: sourceLocation)
    case (.failure(let error), .success):
      Issue.record("\(what): only in this process \(error)", sourceLocation: sourceLocation)
    }
  }

  private static let metadata: [MetadataKind: [UInt8]] = [
    .icc: MatrixProfile.displayP3.bytes, .xmp: Array("<x:xmpmeta xmlns:x='adobe:ns:meta/'/>".utf8),
  ]

  @Test(arguments: formats) func writesTheSameStill(_ format: ImageFormat) throws {
    var photo = Image(try EncodingPictures.photo(Size(width: 64, height: 48)))
    photo.metadata = Self.metadata
    var gray = Image(try EncodingPictures.photo(Size(width: 33, height: 21), gray: true))
    // More than goes with a message.
    gray.metadata = [.xmp: Array("<x:xmpmeta xmlns:x='adobe:ns:meta/'>".utf8) + [UInt8](repeating: 32, count: 40_000)]
    let clear = Image(try EncodingPictures.walk(1))
    let deep = try Self.here.decode(.bytes(EncodingPictures.map(bits: 16, isGray: false)))
    for (name, image) in [("photo", photo), ("gray", gray), ("clear", clear), ("deep", deep)] {
      for options in [EncodeOptions(), EncodingPictures.lossless, EncodeOptions(quality: 0.3)] {
        Self.expectSame("\(name) as \(format)") { (registry) throws(CoderError) in
          try registry.encode(image, as: format, options: options)
        }
      }
    }
  }

  /// A picture that does not fit into the bands, and bytes that do not fit into the slots.
  @Test(arguments: [ImageFormat.png, .bmp, .qoi, .tiff, .jpeg]) func writesTheSameLargePicture(
    _ format: ImageFormat
  ) throws {
    let image = Image(try EncodingPictures.photo(Size(width: 1501, height: 1207)))
    Self.expectSame("\(format)") { (registry) throws(CoderError) in try registry.encode(image, as: format) }
  }

  @Test(arguments: [ImageFormat.gif, .png, .webP, .avif, .jpegXL, .heic]) func writesTheSameAnimation(
    _ format: ImageFormat
  ) throws {
    let frames = try (0..<7).map {
      Frame(pixels: try EncodingPictures.walk($0), delay: FrameDelay(numerator: 7, denominator: 100))
    }
    let image = Image(frames: frames, loopCount: .plays(3))
    Self.expectSame("\(format)") { (registry) throws(CoderError) in try registry.encode(image, as: format) }
  }

  @Test func writesToFiles() throws {
    let folder = TemporaryFolder()
    let source = ByteSource.file("\(StagedTree.fixtures("png"))/valid/all-filters.png")
    for format in [ImageFormat.jpeg, .tiff] {
      try Self.here.convert(source, to: format, at: .file("\(folder.path)/here"))
      try Self.isolated.convert(source, to: format, at: .file("\(folder.path)/there"))
      #expect(Command.run("cmp '\(folder.path)/here' '\(folder.path)/there'").status == 0)
    }
  }

  private static func files(_ format: String) -> [String] {
    Command.run("find '\(StagedTree.fixtures(format))/valid' '\(StagedTree.fixtures(format))/invalid' -type f | sort")
      .output.split(separator: "\n").map(String.init)
  }

  @Test(arguments: ["jpeg", "png", "webp", "tiff", "jxl", "heif", "avif"]) func editsMetadataToTheSame(
    _ folder: String
  ) {
    var edit = MetadataEdit(removing: MetadataEdit.publishing)
    edit.removed.insert(.icc)
    for file in Self.files(folder) {
      Self.expectSame(file) { (registry) throws(CoderError) in
        try registry.editMetadata(.file(file), edit).bytes
      }
    }
  }

  @Test func convertsWithoutDecodingToTheSame() {
    for file in Self.files("jpeg") {
      Self.expectSame(file) { (registry) throws(CoderError) in try registry.transcode(.file(file), to: .jpegXL) }
    }
    for file in Self.files("jxl") {
      Self.expectSame(file) { (registry) throws(CoderError) in try registry.transcode(.file(file), to: .jpeg) }
    }
  }

  @Test func turnsJPEGToTheSame() {
    var options = EncodeOptions()
    options.edit.turns = [.right]
    for file in Self.files("jpeg") {
      Self.expectSame(file) { (registry) throws(CoderError) in
        try registry.convert(.file(file), to: .jpeg, at: .memory, options: options).bytes
      }
    }
  }

  @Test func makesTheSameGainMap() {
    var options = EncodeOptions()
    options.edit.turns = [.down]
    for file in Self.files("jpeg") + Self.files("avif") where file.contains("gain") {
      Self.expectSame(file) { (registry) throws(CoderError) in
        try registry.convert(.file(file), to: .jpeg, at: .memory, options: options).bytes
      }
    }
  }

  /// The second coder of HEIF works on threads of its own.
  @Test func decodesWithLibHEIFToTheSame() {
    for file in Self.files("heif") where file.hasSuffix(".heic") {
      Self.expectSame(file) { (registry) throws(CoderError) in
        try registry.decode(.file(file), coder: "org.imagecoders.heif.libheif").pixels.copyBytes()
      }
    }
  }

  @Test func writesInFreshWorkers() throws {
    let registry = IsolationWorker.registry(Isolation(.required, usesFreshWorkers: true))
    let image = Image(try EncodingPictures.photo(Size(width: 8, height: 8)))
    #expect(try registry.encode(image, as: .png) == Self.here.encode(image, as: .png))
  }
}
