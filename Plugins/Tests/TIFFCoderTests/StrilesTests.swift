// SPDX-License-Identifier: Apache-2.0

import CTIFFShim
import CoderTestSupport
import ImageCoderPlugin
import Testing

@testable import TIFFCoder

@Suite struct StrilesTests {
  /// Old-style JPEG in planes: 16×16 pixels of three samples, strips of 4 rows.
  private static func oldJPEG() -> SmallFile {
    var file = SmallFile(width: 16, height: 16)
    file.set(258, [8, 8, 8], type: 3)
    file.set(259, [6], type: 3)
    file.set(262, [2], type: 3)
    file.set(277, [3], type: 3)
    file.set(278, [4])
    file.set(284, [2], type: 3)
    file.set(273, Array(repeating: 8, count: 12))
    file.set(279, Array(repeating: 16, count: 12))
    return file
  }

  private func picture(_ file: SmallFile, _ limits: Limits = .standard) throws -> TIFFPicture {
    let source = MemorySource(file.bytes())
    let tiff = try TIFFSource(source.view)
    return try TIFFPicture(TIFFDirectory(tiff, at: tiff.firstDirectory), limits: limits)
  }

  @Test func oldJPEGHasAnEntryForEachStripOfEachPlane() throws {
    let picture = try picture(Self.oldJPEG())
    let striles = try Striles(oldJPEG: picture)
    #expect(picture.planes == 3)
    #expect(striles.offsets.count == 3 * 4)
    #expect(striles.lengths.count == 3 * 4)
  }

  @Test func oldJPEGInPlanesIsRefusedAboveTheBound() throws {
    var file = Self.oldJPEG()
    file.set(257, [1 << 16 - 1])
    file.set(256, [64])
    file.set(278, [1])
    file.set(277, [40], type: 3)
    file.set(258, Array(repeating: 8, count: 40), type: 3)
    let picture = try picture(file)
    #expect(throws: CoderError.unsupported("2621400 strips or tiles of old-style JPEG, 2²⁰ at most")) {
      _ = try Striles(oldJPEG: picture)
    }
  }

  @Test func zstdIsOfLevelThreeUnlessAskedOtherwise() throws {
    func level(_ scheme: TIFFOption.Scheme, _ level: Int? = nil) throws -> Int32 {
      var options = WriteOptions(format: .tiff)
      options.values["compression"] = .number(Double(try #require(TIFFOption.Scheme.allCases.firstIndex(of: scheme))))
      options.values["level"] = level.map { .number(Double($0)) }
      return try WritingPlan(options).level
    }
    #expect(try level(.zstd) == 3)
    #expect(try level(.zstd, 9) == 9)
    #expect(try level(.deflate) == -1)
  }

  @Test func rowsComeInTheOrderThatIsWanted() throws {
    var file = SmallFile(width: 2, height: 6)
    file.set(273, [8, 12, 8])
    file.set(278, [2])
    file.set(279, [4, 4, 4])
    let source = MemorySource(file.bytes())
    let memory = MemoryHost()
    let reader = try TIFFReader(source.view, host: memory.host, options: [])
    let any = try reader.delivered(for: DecodeRequest())
    let topDown = try reader.delivered(for: DecodeRequest(rowOrder: .topDown))
    #expect(any.offer.rowOrder == .any && topDown.offer.rowOrder == .topDown)
    #expect(any.pixels == topDown.pixels && topDown.rows == 6 && topDown.problem == nil)
  }

  @Test func damagedOldJPEGInPlanesIsMalformed() throws {
    let source = MemorySource(Self.oldJPEG().bytes())
    let memory = MemoryHost()
    let reader = try TIFFReader(source.view, host: memory.host, options: [])
    let offer = try reader.offer(for: DecodeRequest())
    let sink = MemorySink(offer)
    #expect { try reader.decode(offer, into: sink.sink) } throws: { ($0 as? CoderError)?.code == .malformed }
    #expect(sink.rowsDone == 0)
  }

  @Test(arguments: [0, 11, 13]) func cRefusesAnotherNumberOfStrips(_ count: UInt64) throws {
    let picture = try picture(Self.oldJPEG())
    let layout = try DecodeLayout(picture, output: .rgb8, isTopDown: true, limits: .standard)
    layout.withPicture { picture in
      #expect(picture.strile_count == 12)
      picture.strile_count = count
      #expect(refusal(of: picture) == "another number of strips or tiles than the size needs")
    }
  }

  @Test func cRefusesAPaletteThatIsTooShort() throws {
    var file = SmallFile(width: 2, height: 2)
    file.set(262, [3], type: 3)
    file.set(320, Array(repeating: 0, count: 768), type: 3)
    let layout = try DecodeLayout(picture(file), output: .rgb8, isTopDown: true, limits: .standard)
    layout.withPicture { picture in
      picture.palette_length -= 1
      #expect(refusal(of: picture) == "a palette of another size than the indexes need")
    }
  }

  /// What the C part says of a picture before it reads a byte.
  private func refusal(of picture: ctiff_picture) -> String {
    var failure = ctiff_failure()
    var picture = picture
    let memory = MemoryHost()
    picture.host = memory.host.raw
    #expect(ctiff_decode(&picture, nil, &failure) == CoderError.Code.invalidArgument.rawValue)
    return withUnsafeBytes(of: failure.message) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }
}
