// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import ImageCoderModel
import ImageCoders
import TestSupport
import Testing

/// HEIF and AVIF files whose boxes and bitstreams state different sizes: what is decoded is what memory is counted for.
@Suite struct StatedSizeTests {
  private static func file(_ name: String, of format: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: "\(StagedTree.fixtures(format))/\(name)")))
  }

  /// Decodes where anything larger than a few pictures of the true size is refused.
  private static func answer(_ bytes: [UInt8], memory: Int = 16 << 20) -> Result<Size, CoderError> {
    var options = DecodeOptions()
    options.limits.maxMemory = memory
    return Result { () throws(CoderError) in
      let image = try EncodingPictures.registry.decode(.bytes(bytes), options: options)
      if let problem = image.problem { throw problem }
      return image.size
    }
  }

  private static func code(_ answer: Result<Size, CoderError>) -> CoderError.Code? {
    guard case .failure(let error) = answer else { return nil }
    return error.code
  }

  /// Puts another number of 32 bits in place of one that comes once.
  private static func replacing(_ old: [UInt8], with new: [UInt8], in bytes: [UInt8]) throws -> [UInt8] {
    let place = try #require(
      (0..<(bytes.count - old.count)).first { bytes[$0..<($0 + old.count)].elementsEqual(old) })
    return Array(bytes[..<place]) + new + bytes[(place + old.count)...]
  }

  private static func extents(_ width: UInt8, _ height: UInt8) -> [UInt8] {
    Array("ispe".utf8) + [0, 0, 0, 0, 0, 0, 0, width, 0, 0, 0, height]
  }

  /// 16384 × 16384.
  private static let large: [UInt8] = Array("ispe".utf8) + [0, 0, 0, 0, 0, 0, 0x40, 0, 0, 0, 0x40, 0]

  /// The parameter set counts, and the box takes no memory.
  @Test func aLargePropertyOfHEIFIsNotBelieved() throws {
    let bytes = try Self.replacing(
      Self.extents(64, 64), with: Self.large, in: try Self.file("valid/tone-map.heic", of: "heif"))
    #expect(try Self.answer(bytes).get() == Size(width: 64, height: 64))
  }

  @Test func aLargeParameterSetOfHEIFNeedsTheBytes() throws {
    let bytes = try Self.file("invalid/large-parameters.heic", of: "heif")
    #expect(Self.code(Self.answer(bytes, memory: 4 << 30)) == .malformed)
  }

  @Test func aLargePropertyOfAVIFIsMalformed() throws {
    for name in ["large-extents", "larger-extents"] {
      let bytes = try Self.file("invalid/\(name).avif", of: "avif")
      #expect(Self.code(Self.answer(bytes, memory: 4 << 30)) == .malformed, "\(name)")
    }
  }

  @Test func aLargeSequenceHeaderOfAVIFNeedsTheBytes() throws {
    let bytes = try Self.file("invalid/large-sequence-header.avif", of: "avif")
    #expect(Self.code(Self.answer(bytes, memory: 4 << 30)) == .malformed)
    let padded = try Self.padded(bytes, by: 1024)
    #expect(Self.code(Self.answer(padded)) == .limitExceeded)
  }

  /// A sequence whose sample entry and track say 16384 × 16384.
  @Test(arguments: ["avif", "heif"]) func aLargeTrackIsMalformed(_ format: String) throws {
    let name = format == "avif" ? "sequence.avif" : "plain.heics"
    var bytes = try Self.file("valid/\(name)", of: format)
    let (width, height): (UInt8, UInt8) = format == "avif" ? (16, 12) : (32, 24)
    var count = 0
    let (entry, header): ([UInt8], [UInt8]) = ([0, width, 0, height], [0, width, 0, 0, 0, height, 0, 0])
    for (old, new) in [(header, [0x40, 0, 0, 0, 0x40, 0, 0, 0] as [UInt8]), (entry, [0x40, 0, 0x40, 0])] {
      for place in 0..<(bytes.count - old.count) where bytes[place..<(place + old.count)].elementsEqual(old) {
        bytes.replaceSubrange(place..<(place + old.count), with: new)
        count += 1
      }
    }
    #expect(count >= 2)
    let code = Self.code(Self.answer(bytes, memory: 4 << 30))
    #expect(code == .malformed || code == .unsupported || code == .limitExceeded)
  }

  @Test func gridsThatLieAreMalformed() throws {
    for (name, format) in [
      ("grid-larger-tiles.avif", "avif"), ("grid-too-large.heic", "heif"), ("grid-too-small.heic", "heif"),
      ("grid-missing-tile.heic", "heif"),
    ] {
      #expect(Self.code(Self.answer(try Self.file("invalid/\(name)", of: format))) == .malformed, "\(name)")
    }
    #expect(
      Self.code(Self.answer(try Self.file("invalid/grid-huge.heic", of: "heif"), memory: 4 << 30)) == .limitExceeded)
  }

  // MARK: Other formats

  /// What is in the file counts, not what a box, chunk or directory around it says.
  @Test func aLargeImageHeaderOfJP2IsNotBelieved() throws {
    let bytes = try Self.file("valid/gray8.jp2", of: "jpeg2000")
    let size = try Self.answer(bytes).get()
    let place = try #require((0..<(bytes.count - 4)).first { bytes[$0..<($0 + 4)].elementsEqual("ihdr".utf8) })
    let large = Array(bytes[..<(place + 4)]) + [0, 0, 0x40, 0, 0, 0, 0x40, 0] + bytes[(place + 12)...]
    #expect(try Self.answer(large).get() == size)
  }

  @Test func aLargeCanvasOfWebPIsMalformed() throws {
    #expect(
      Self.code(Self.answer(try Self.file("invalid/canvas-differs.webp", of: "webp"), memory: 4 << 30)) == .malformed)
  }

  /// The directory has a byte for each side; the picture's own header counts.
  @Test func aDirectoryOfICOIsNotBelieved() throws {
    let bytes = try Self.file("valid/rgba32.ico", of: "ico")
    let size = try Self.answer(bytes).get()
    var changed = bytes
    (changed[6], changed[7]) = (200, 200)
    #expect(try Self.answer(changed).get() == size)
  }

  /// 16384 × 16384 and no bytes to fill them: what is asked for is refused with a budget of 16 MiB, and damage without one.
  @Test(arguments: [
    ("huge-canvas.gif", "gif"), ("huge-canvas.qoi", "qoi"), ("huge-canvas.bmp", "bmp"), ("huge-canvas.ppm", "pnm"),
    ("huge-canvas.ico", "ico"), ("huge-canvas.j2k", "jpeg2000"), ("huge-area.jxl", "jxl"), ("huge.tif", "tiff"),
    ("huge-canvas.webp", "webp"),
  ]) func aLargeCanvasIsRefusedBeforeMemoryIsTaken(_ name: String, _ format: String) throws {
    let bytes = try Self.file("invalid/\(name)", of: format)
    #expect(bytes.count < 4096)
    let code = Self.code(Self.answer(bytes))
    #expect(code == .limitExceeded || code == .malformed || code == .truncated, "\(String(describing: code))")
  }

  /// Zeros behind the last item, which is the last thing in the file.
  private static func padded(_ bytes: [UInt8], by count: Int) throws -> [UInt8] {
    // The item's length is the one of mdat's content: both become longer.
    let mark = try #require((0..<(bytes.count - 4)).first { bytes[$0..<($0 + 4)].elementsEqual("mdat".utf8) })
    let length = bytes.count - mark - 4
    func number(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }
    var longer = try replacing(
      number(length + 8) + Array("mdat".utf8), with: number(length + 8 + count) + Array("mdat".utf8), in: bytes)
    longer = try replacing(
      number(mark + 4) + number(length), with: number(mark + 4) + number(length + count), in: longer)
    return longer + [UInt8](repeating: 0, count: count)
  }
}
