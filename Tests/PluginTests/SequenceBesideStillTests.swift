// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import TestSupport
import Testing

/// What a file states twice is read where one of the two is enough: the track of a sequence and its first picture as an item, code
/// points of a container and of the bitstream.
@Suite(.needs("AVIF", "HEIF")) struct SequenceBesideStillTests {
  private static let registry = EncodingPictures.registry

  /// What is done to the track of a file with three frames. The tables are those of ISO/IEC 14496-12 §8.5.2, §8.7.3 and §8.7.5.
  enum Fault: CaseIterable {
    case startsAfterKeyFrame, hasOtherCodec, liesBeyondFile, lacksSizes

    func put(into file: inout [UInt8]) {
      func content(_ name: String, after start: Int = 0) -> Int {
        let name = Array(name.utf8)
        return (start..<(file.count - 4)).first { file[$0..<($0 + 4)].elementsEqual(name) }.map { $0 + 4 } ?? 0
      }
      func number(_ place: Int) -> Int { file[place..<(place + 4)].reduce(0) { $0 << 8 | Int($1) } }
      func put(_ value: Int, _ place: Int) {
        for index in 0..<4 { file[place + index] = UInt8(truncatingIfNeeded: value >> (24 - 8 * index)) }
      }
      let (sizes, chunks) = (content("stsz"), content("stco"))
      switch self {
      case .startsAfterKeyFrame:
        // One sample fewer: the first one is left out.
        let count = number(sizes + 8)
        put(number(chunks + 8) + number(sizes + 12), chunks + 8)
        for index in 1..<count { put(number(sizes + 12 + 4 * index), sizes + 8 + 4 * index) }
        put(count - 1, sizes + 8)
        put(count - 1, content("stsc") + 12)
      case .hasOtherCodec:
        let entry = content("av01", after: content("stsd"))
        file.replaceSubrange((entry - 4)..<entry, with: Array("vp09".utf8))
      case .liesBeyondFile: put(0x7FFF_FFFF, chunks + 8)
      case .lacksSizes: file.replaceSubrange((sizes - 4)..<sizes, with: Array("free".utf8))
      }
    }
  }

  @Test(arguments: Fault.allCases) func stillIsShownInPlaceOfASequence(_ fault: Fault) throws {
    var file = try ReportedLoss.animation([100, 100, 100], plays: .infinite, as: .avif)
    let whole = try Self.registry.open(.bytes(file))
    #expect(whole.frameCount == 3 && !whole.header.standsIn)
    fault.put(into: &file)
    let still = try Self.registry.open(.bytes(file))
    #expect(still.frameCount == 1 && still.header.standsIn && !still.header.isAnimated)
    #expect(
      EncodingPictures.rows(try still.frame(at: 0).pixels) == EncodingPictures.rows(try whole.frame(at: 0).pixels))
  }

  /// ITU-T H.273 table 4 reserves 3, and what is above 17: they say as little as 2.
  @Test(arguments: [ImageFormat.avif, .heic], [3, 18, 200]) func reservedMatrixSaysNothing(
    _ format: ImageFormat, _ matrix: UInt8
  ) throws {
    var file = try Self.registry.encode(Image(try EncodingPictures.photo(Size(width: 64, height: 48))), as: format)
    let name = Array("nclx".utf8)
    let place = try #require((0..<(file.count - 4)).first { file[$0..<($0 + 4)].elementsEqual(name) })
    func rows(_ matrix: UInt8) throws -> [[UInt8]] {
      file.replaceSubrange((place + 8)..<(place + 10), with: [0, matrix])
      return EncodingPictures.rows(try Self.registry.open(.bytes(file)).frame(at: 0).pixels)
    }
    let unspecified = try rows(2)
    #expect(try rows(matrix) == unspecified)
  }
}
