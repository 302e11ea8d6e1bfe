// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import ImageCoders
import Synchronization
import TestSupport
import Testing

/// Depth, mattes and the like of a picture follow it into other files, cut, turned and scaled as it is.
@Suite(.needs("JPEG", "PNG", "HEIF", "AVIF", "JXL"))
struct AuxiliaryWritingTests {
  private static let registry = EncodingPictures.registry
  private static let formats: [ImageFormat] = [.jpeg, .heic, .avif]

  /// 32×24 samples, 8 more in each column.
  private static func slope() throws -> PixelBuffer {
    let pixels = try PixelBuffer(size: Size(width: 32, height: 24), format: .gray8, alpha: .opaque)
    for y in 0..<24 {
      let row = pixels.row(y).assumingMemoryBound(to: UInt8.self)
      for x in 0..<32 { row[x] = UInt8(8 * x) }
    }
    return pixels
  }

  /// A picture of 64×48 with a slope of each of some kinds, half as large.
  private static func file(
    _ format: ImageFormat, _ kinds: [PageKind] = [.depth], orientation: Orientation = .up
  ) throws -> [UInt8] {
    var image = Image(try EncodingPictures.photo(Size(width: 64, height: 48)))
    image.orientation = orientation
    var options = EncodeOptions()
    options.preservesOrientation = true
    var edit = MetadataEdit()
    for kind in kinds { edit.pictures[kind] = try registry.encode(Image(try slope()), as: .png) }
    return try registry.editMetadata(.bytes(try registry.encode(image, as: format, options: options)), edit).bytes
  }

  private static func depth(_ bytes: [UInt8], _ kind: PageKind = .depth) throws -> PixelBuffer {
    let file = try registry.open(.bytes(bytes))
    let found = try #require(try file.auxiliaryPictures().first { $0.kind == kind })
    return try file.decodeAuxiliary(found).pixels
  }

  /// - Parameter wanted: The value in a column of a row.
  private static func expect(
    _ pixels: PixelBuffer, _ size: Size, within most: Int = 4, _ wanted: (_ x: Int, _ y: Int) -> Int,
    _ comment: Comment
  ) {
    #expect(pixels.format == .gray8 && pixels.size == size, comment)
    for (y, row) in EncodingPictures.rows(pixels).enumerated() {
      let isNear = row.enumerated().allSatisfy { x, value in abs(Int(value) - wanted(x, y)) <= most }
      #expect(isNear, "\(comment): row \(y) is \(row)")
    }
  }

  private static func convert(
    _ bytes: [UInt8], to format: ImageFormat, _ change: (inout EncodeOptions) -> Void = { _ in }
  ) throws -> EncodedFile {
    var options = EncodeOptions(allowsCopy: false)
    change(&options)
    return try registry.convert(.bytes(bytes), to: format, at: .memory, options: options)
  }

  /// The recipe of the fixture has 255, and 100 in columns 3 to 14 of rows 4 to 8.
  @Test(arguments: formats) func depthChannelOfJPEGXLGoesAlong(_ format: ImageFormat) throws {
    let source = try ReportedLoss.fixture("extra-depth.jxl", of: "jxl")
    let wanted = { (x: Int, y: Int) in (3..<15).contains(x) && (4..<9).contains(y) ? 100 : 255 }
    let size = Size(width: 23, height: 17)
    Self.expect(try Self.depth(source), size, within: 0, wanted, "in JPEG XL")
    let made = try Self.convert(source, to: format) { $0.isStrict = true }
    #expect(!made.changes.contains { $0.fact == .auxiliaries })
    Self.expect(try Self.depth(made.bytes), size, within: 24, wanted, "\(format)")
  }

  @Test(arguments: formats, formats)
  func picturesFollowTheirOwner(_ first: ImageFormat, _ second: ImageFormat) throws {
    let source = try Self.file(first, [.depth, .disparity, .matte])
    let made = try Self.convert(source, to: second) { $0.isStrict = true }
    #expect(!made.changes.contains { $0.fact == .auxiliaries })
    let found = try Self.registry.open(.bytes(made.bytes)).auxiliaryPictures()
    #expect(found.map(\.kind) == [.depth, .disparity, .matte], "\(first) to \(second)")
    // Each format's own name of depth: H.265 annex G, and MIAF §7.3.5.2.
    let depth = second == .heic ? "urn:mpeg:hevc:2015:auxid:2" : "urn:mpeg:mpegB:cicp:systems:auxiliary:depth"
    if second != .jpeg { #expect(found.first?.typeName == depth) }
    for kind in [PageKind.depth, .disparity, .matte] {
      Self.expect(
        try Self.depth(made.bytes, kind), Size(width: 32, height: 24), { x, _ in 8 * x },
        "\(first) to \(second), \(kind)")
    }
  }

  @Test(arguments: formats)
  func depthIsCutTurnedAndScaled(_ format: ImageFormat) throws {
    let source = try Self.file(.heic)
    let cut = try Self.convert(source, to: format) { $0.edit.crop = Rect(x: 16, y: 8, width: 32, height: 24) }
    Self.expect(try Self.depth(cut.bytes), Size(width: 16, height: 12), { x, _ in 64 + 8 * x }, "cut, \(format)")
    let turned = try Self.convert(source, to: format) { $0.edit.turns = [.right] }
    // A quarter to the right: what was at the left is above.
    Self.expect(try Self.depth(turned.bytes), Size(width: 24, height: 32), { _, y in 8 * y }, "turned, \(format)")
    let small = try Self.convert(source, to: format) { $0.maxSize = Size(width: 32, height: 24) }
    // Two columns become one, apart from the edges.
    Self.expect(
      try Self.depth(small.bytes), Size(width: 16, height: 12), within: 6, { x, _ in 16 * x + 4 }, "small, \(format)")
  }

  @Test(arguments: formats)
  func depthOfATurnedPictureIsTurnedOnce(_ format: ImageFormat) throws {
    // Stored on its side: shown, the slope goes from the left to the right, and so it does in every copy.
    let source = try Self.file(format, orientation: .right)
    let wanted = Size(width: 32, height: 24)
    Self.expect(try Self.depth(source), wanted, { x, _ in 8 * x }, "\(format)")
    let upright = try Self.convert(source, to: .avif)
    Self.expect(try Self.depth(upright.bytes), wanted, { x, _ in 8 * x }, "upright, \(format)")
    let kept = try Self.convert(source, to: .heic) { $0.preservesOrientation = true }
    Self.expect(try Self.depth(kept.bytes), wanted, { x, _ in 8 * x }, "kept, \(format)")
  }

  @Test func losslessTurnsOfJPEGKeepDepth() throws {
    let source = try Self.file(.jpeg)
    let turned = try Self.registry.convert(
      .bytes(source), to: .jpeg, at: .memory,
      options: {
        var options = EncodeOptions()
        (options.edit.turns, options.isLossless) = ([.right], true)
        return options
      }())
    #expect(turned.frameCount == 0)
    Self.expect(try Self.depth(turned.bytes), Size(width: 24, height: 32), { _, y in 8 * y }, "turned")
  }

  @Test func bytesOfDepthThatStaysAreKeptInJPEG() throws {
    let source = try Self.file(.jpeg)
    let made = try Self.convert(source, to: .jpeg) { $0.quality = 0.3 }.bytes
    #expect(made.count < source.count && made.suffix(300) == source.suffix(300))
  }

  /// A gain map is the second picture of the file, where readers look for it, and the directory counts what follows.
  @Test func depthFollowsTheGainMap() throws {
    let folder = "\(StagedTree.fixtures("avif"))/valid/gain-map.avif"
    let source = try Self.registry.convert(.file(folder), to: .jpeg, at: .memory).bytes
    var edit = MetadataEdit()
    edit.pictures[.depth] = try Self.registry.encode(Image(try Self.slope()), as: .png)
    let made = try Self.registry.editMetadata(.bytes(source), edit).bytes
    let file = try Self.registry.open(.bytes(made))
    #expect(try file.auxiliaryPictures().map(\.kind) == [.gainMap, .depth])
    let old = try #require(try Self.registry.open(.bytes(source)).gainMap())
    let new = try #require(try file.gainMap())
    #expect(new.parameters == old.parameters && EncodingPictures.rows(new.pixels) == EncodingPictures.rows(old.pixels))
    // Without the index, the directory is all that there is.
    let name = Array("MPF\0".utf8)
    let place = try #require((0..<made.count).first { made[$0...].starts(with: name) })
    var bare = made
    bare[place] = UInt8(ascii: "X")
    #expect(
      EncodingPictures.rows(try #require(try Self.registry.open(.bytes(bare)).gainMap()).pixels)
        == EncodingPictures.rows(old.pixels))
    let further = try Self.convert(made, to: .heic).bytes
    #expect(try Self.registry.open(.bytes(further)).auxiliaryPictures().map(\.kind) == [.gainMap, .depth])
  }

  @Test func formatsWithoutAPlaceNameWhatTheyLeaveOut() throws {
    let source = try Self.file(.heic, [.depth, .matte])
    let said = Mutex<[String]>([])
    let made = try Self.convert(source, to: .png) { options in
      options.log = { severity, text in if severity == .warning { said.withLock { $0.append(text) } } }
    }
    let wanted = FactChange(
      .auxiliaries, .dropped, because: "2 (depth, matte): public.png is written without; --auxiliary writes one of them"
    )
    #expect(made.changes.filter { $0.fact == .auxiliaries } == [wanted])
    #expect(said.withLock { $0 }.contains { $0.hasPrefix("auxiliary pictures left out: 2 (depth, matte)") })
    #expect(throws: CoderError.self) { try Self.convert(source, to: .jpegXL) { $0.isStrict = true } }
    // Who leaves metadata out does not publish how far away everything is.
    let web = try Self.convert(source, to: .jpeg) { $0.metadata = [.icc] }
    #expect(try Self.registry.open(.bytes(web.bytes)).auxiliaryPictures().isEmpty && web.changes.isEmpty)
  }

  @Test func picturesOfOtherKindsAreKeptOrNamed() throws {
    let path = "\(StagedTree.fixtures("heif"))/valid/auxiliary-kinds.heic"
    for format in Self.formats {
      let made = try Self.registry.convert(
        .file(path), to: format, at: .memory, options: EncodeOptions(allowsCopy: false))
      #expect(!made.changes.contains { $0.fact == .auxiliaries })
      let found = try Self.registry.open(.bytes(made.bytes)).auxiliaryPictures()
      #expect(found.map(\.kind) == [.depth, .disparity, .matte, .other], "\(format)")
      #expect(found.last?.typeName == "tag:apple.com,2023:photo:aux:styledeltamap", "\(format)")
    }
    let bare = try Self.registry.convert(.file(path), to: .webP, at: .memory)
    #expect(bare.changes.contains { $0.reason.hasPrefix("4 (depth, disparity, matte, other)") })
  }

  @Test func editsRefuseWhatIsThereAlready() throws {
    let source = try Self.file(.heic)
    var edit = MetadataEdit()
    edit.pictures[.depth] = try Self.registry.encode(Image(try Self.slope()), as: .png)
    #expect(throws: CoderError.self) { try Self.registry.editMetadata(.bytes(source), edit) }
    #expect(throws: CoderError.self) {
      try Self.registry.editMetadata(.bytes(try Self.registry.encode(Image(try Self.slope()), as: .png)), edit)
    }
    edit.pictures = [.gainMap: edit.pictures[.depth] ?? []]
    #expect(throws: CoderError.self) { try Self.registry.editMetadata(.bytes(source), edit) }
  }

  @Test(arguments: formats)
  func filesThatAreCutGiveAnError(_ format: ImageFormat) throws {
    let source = try Self.registry.encode(Image(try EncodingPictures.photo(Size(width: 16, height: 16))), as: format)
    let picture = try Self.registry.encode(Image(try Self.slope()), as: format)
    for count in [0, 3, 19, picture.count - 1] {
      let parts = AuxiliaryParts(file: Array(picture.prefix(count)), typeName: "urn:mpeg:hevc:2015:auxid:2", xmp: nil)
      #expect(throws: CoderError.self, "\(count) bytes") {
        try Self.registry.apply(.attachAuxiliary(parts), to: .bytes(source))
      }
    }
    for name in ["a\"b", String(repeating: "a", count: 129)] {
      let parts = AuxiliaryParts(file: picture, typeName: name, xmp: nil)
      #expect(throws: CoderError.self) { try Self.registry.apply(.attachAuxiliary(parts), to: .bytes(source)) }
    }
  }
}
