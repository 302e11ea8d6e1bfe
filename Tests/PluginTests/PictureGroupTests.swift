// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import ImageCoders
import TestSupport
import Testing

/// Pictures of a HEIF file that belong together: the two of a stereo pair, as phones write it, and those of a burst.
@Suite(.needs("HEIF", "JPEG", "TIFF"))
struct PictureGroupTests {
  private static let registry = EncodingPictures.registry

  private static func file(_ type: String) throws -> [UInt8] {
    BoxEdit.grouping([1, 2], as: type, in: try ReportedLoss.fixture("pages.heic", of: "heif"))
  }

  @Test(arguments: [("ster", FilePart.Kind.stereo), ("brst", .burst)])
  func theOtherPictureIsAPart(_ type: String, _ kind: FilePart.Kind) throws {
    let decoder = try Self.registry.open(.bytes(Self.file(type)))
    #expect(decoder.parts().filter { $0.kind == kind }.count == 1)
    #expect(try decoder.image().problem == nil)
  }

  /// The second page is the primary one, and the right picture: JPEG has no place for a left one after it.
  @Test(arguments: [("ster", "stereo pair"), ("brst", "burst")])
  func otherFormatsNameWhatTheyWere(_ type: String, _ words: String) throws {
    for target in [ImageFormat.jpeg, .tiff] {
      let made = try Self.convert(try Self.file(type), to: target)
      let pages = made.changes.filter { $0.fact == .pages && $0.outcome == .dropped }
      #expect(pages.count == 1 && pages[0].reason.contains(words), "\(target): \(made.changes)")
      #expect(try Self.registry.open(.bytes(made.bytes)).header.pageCount == (target == .jpeg ? 1 : 2))
    }
  }

  @Test(arguments: [nil, Size(width: 20, height: 20)]) func pairOfHEICIsOneInJPEG(_ size: Size?) throws {
    let source = BoxEdit.grouping([2, 1], as: "ster", in: try ReportedLoss.fixture("pages.heic", of: "heif"))
    let made = try Self.convert(source, to: .jpeg) {
      $0.isStrict = true
      $0.maxSize = size
    }
    #expect(made.changes.contains { $0.fact == .pages && $0.outcome == .moved })
    let pair = try Self.registry.open(.bytes(made.bytes))
    let partner = try #require(try pair.auxiliaryPictures().first)
    #expect(partner.typeName == "MPF disparity")
    let (found, left) = try (pair.decodeAuxiliary(partner).pixels, pair.image().pixels)
    #expect(found.size == left.size)
    let right = try Self.registry.open(.bytes(source)).page(0).image().pixels.resampled(to: found.size)
    func mean(_ pixels: PixelBuffer) throws -> Int {
      let gray = try pixels.converted(to: PixelLayout(.gray8, .opaque))
      let rows = (0..<gray.size.height).map { y in
        (0..<gray.size.width).reduce(0) { $0 + Int(gray.row(y).load(fromByteOffset: $1, as: UInt8.self)) }
      }
      return rows.reduce(0, +) / gray.size.pixelCount
    }
    #expect(try abs(mean(found) - mean(right)) <= 2)
    #expect(try mean(found) != mean(left))
    // And back.
    #expect(Self.group(in: try Self.convert(made.bytes, to: .heic).bytes) == Self.box("ster", [1, 2]))
  }

  /// Pages that are nothing to each other are only counted.
  @Test func otherPagesAreNoGroup() throws {
    let source = try ReportedLoss.fixture("pages.heic", of: "heif")
    for target in [ImageFormat.tiff, .heic] {
      let made = try Self.convert(source, to: target)
      #expect(!made.changes.contains { $0.fact == .pages })
      #expect(Self.group(in: made.bytes) == nil)
    }
  }

  /// ISO/IEC 14496-12 §8.18.3: sizes, names, version and flags, the number of the group, that of items, and the items.
  private static func box(_ type: String, _ items: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = [0, 0, 0, 36] + Array("grpl".utf8) + [0, 0, 0, 28] + Array(type.utf8)
    bytes += [0, 0, 0, 0, 0x20, 0, 0, 0, 0, 0, 0, 2]
    for item in items { bytes += [0, 0, 0, item] }
    return bytes
  }

  private static func group(in bytes: [UInt8]) -> [UInt8]? {
    let name = Array("grpl".utf8)
    guard let place = (4..<(bytes.count - 32)).first(where: { bytes[$0..<($0 + 4)].elementsEqual(name) }) else {
      return nil
    }
    return Array(bytes[(place - 4)..<(place + 32)])
  }

  private static func convert(
    _ bytes: [UInt8], to format: ImageFormat, _ change: (inout EncodeOptions) -> Void = { _ in }
  ) throws -> EncodedFile {
    var options = EncodeOptions(allowsCopy: false)
    change(&options)
    return try registry.convert(.bytes(bytes), to: format, at: .memory, options: options)
  }

  @Test(arguments: ["ster", "brst"], [[1, 2], [2, 1]])
  func heicKeepsTheGroup(_ type: String, _ order: [Int]) throws {
    let source = BoxEdit.grouping(order, as: type, in: try ReportedLoss.fixture("pages.heic", of: "heif"))
    let made = try Self.convert(source, to: .heic) { $0.isStrict = true }
    #expect(!made.changes.contains { $0.fact == .pages })
    #expect(Self.group(in: made.bytes) == Self.box(type, order.map(UInt8.init)))
    let decoder = try Self.registry.open(.bytes(made.bytes))
    #expect(decoder.parts().filter { $0.kind == (type == "ster" ? .stereo : .burst) }.count == 1)
    let before = try Self.registry.open(.bytes(source)).properties()["{Groups}"]
    #expect(try decoder.properties()["{Groups}"] == before && before != nil)
  }

  /// Eyes are beside each other, so that pictures which lie on their side are no pair; a burst stays one.
  @Test func turnedPairsAreNone() throws {
    let pair = try Self.convert(try Self.file("ster"), to: .heic) { $0.edit.turns = [.right] }
    #expect(pair.changes.contains { $0.fact == .pages && $0.outcome == .dropped && $0.reason.contains("stereo") })
    #expect(Self.group(in: pair.bytes) == nil)
    let burst = try Self.convert(try Self.file("brst"), to: .heic) { $0.edit.turns = [.right] }
    #expect(!burst.changes.contains { $0.fact == .pages })
    #expect(Self.group(in: burst.bytes) == Self.box("brst", [1, 2]))
  }

  @Test(arguments: [
    "pair 1 2", "stereo", "stereo 1", "stereo 1 1", "stereo 1 3", "stereo 1-3", "burst 2-1", "burst 0 1", "burst 1 x",
    "burst 1-99999999",
  ])
  func wrongGroupsAreRefused(_ text: String) throws {
    let source = try ReportedLoss.fixture("pages.heic", of: "heif")
    #expect(throws: CoderError.self) {
      try Self.convert(source, to: .heic) { $0.values["groups"] = .word(text) }
    }
  }

  @Test func statedGroupsAreWritten() throws {
    let source = try ReportedLoss.fixture("pages.heic", of: "heif")
    let made = try Self.convert(source, to: .heic) { $0.values["groups"] = .word("stereo 2 1, burst 1-2") }
    let (pair, burst) = (Self.box("ster", [2, 1]), Self.box("brst", [1, 2]))
    var both: [UInt8] = [0, 0, 0, 64] + Array(pair[4...])
    both += Array(burst[8..<20]) + [0x20, 0, 0, 1] + Array(burst[24...])
    #expect(made.bytes.indices.contains { made.bytes[$0...].starts(with: both) })
  }

  /// A JPEG file as cameras with two lenses write it: the second picture has the type 0x020002 in the index.
  @Test func pairOfJPEGIsAGroupInHEIC() throws {
    let size = Size(width: 64, height: 48)
    let (left, right) = (try Self.flat(40, size), try Self.flat(200, size))
    let parts = AuxiliaryParts(file: right, typeName: "MPF disparity", xmp: nil)
    let source = try #require(try Self.registry.apply(.attachAuxiliary(parts), to: .bytes(left)).file).bytes
    let made = try Self.convert(source, to: .heic) { $0.isStrict = true }
    #expect(made.changes.filter { $0.fact == .auxiliaries }.map(\.outcome) == [.moved])
    #expect(Self.group(in: made.bytes) == Self.box("ster", [1, 2]))
    let decoder = try Self.registry.open(.bytes(made.bytes))
    #expect(decoder.header.pageCount == 2)
    #expect(try decoder.auxiliaryPictures().isEmpty)
    for (page, level) in [(0, 40), (1, 200)] {
      let pixels = try decoder.page(page).image().pixels
      let sample = Int(pixels.row(20).load(fromByteOffset: 30, as: UInt8.self))
      #expect(pixels.size == size && abs(sample - level) <= 3, "page \(page + 1): \(sample)")
    }
    // A file of items has no other name for what a pair is once it is turned.
    let turned = try Self.convert(source, to: .heic) { $0.edit.turns = [.right] }
    #expect(Self.group(in: turned.bytes) == nil)
    #expect(turned.changes.contains { $0.fact == .auxiliaries && $0.outcome == .dropped })
  }

  private static func flat(_ level: UInt8, _ size: Size) throws -> [UInt8] {
    let pixels = try PixelBuffer(size: size, format: .rgb8, alpha: .opaque)
    for y in 0..<size.height {
      let row = pixels.row(y).assumingMemoryBound(to: UInt8.self)
      for x in 0..<(3 * size.width) { row[x] = level }
    }
    return try registry.encode(Image(pixels), as: .jpeg)
  }
}
