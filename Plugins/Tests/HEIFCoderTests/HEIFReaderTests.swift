// SPDX-License-Identifier: Apache-2.0

import CoderTestSupport
import ImageCoderPlugin
import Testing

@testable import HEIFCoder

/// Which of its readers the coder opens a file with.
@Suite struct HEIFReaderTests {
  static let slice: [UInt8] = [0, 0, 0, 5, 0x26, 1, 0xAF, 0, 0]

  private func open(_ bytes: [UInt8]) throws(CoderError) -> HEIFReader {
    let source = MemorySource(bytes)
    defer { withExtendedLifetime(source) {} }
    return try HEIFReader(source.view, host: MemoryHost().host, options: [])
  }

  private func still(_ brands: [FourCC]) -> [UInt8] {
    StillFile(configuration: ParameterSets().record, data: Self.slice, brands: brands).bytes
  }

  private func opensStill(_ brands: [FourCC]) throws(CoderError) -> Bool {
    let header = try open(still(brands)).header(page: 0)
    return !header.isAnimated && header.canvas == Size(width: 64, height: 64)
  }

  @Test func stillsMayNameTheBrandsOfSequences() throws {
    #expect(try opensStill([FourCC("heic"), FourCC("mif1"), FourCC("hevc")]))
    #expect(try opensStill([FourCC("mif1"), FourCC("msf1"), FourCC("heic")]))
    #expect(try opensStill([FourCC("msf1"), FourCC("heic")]))
    #expect(try opensStill([FourCC("hevx"), FourCC("mif1")]))
  }

  @Test func otherBrandsAreAWrongFormat() {
    #expect(throws: CoderError.wrongFormat("the brand avif, which is none of HEIF's", at: 0)) {
      _ = try open(still([FourCC("avif")]))
    }
  }

  /// A movie without a track of pictures.
  @Test func itemsBesideAMovieThatIsNotReadAreStills() throws {
    let file = still([FourCC("hevc"), FourCC("mif1"), FourCC("heic")])
    var movie = ByteWriter()
    movie.box(FourCC("moov")) { _ in }
    // After the items, so that places stay as they are.
    let header = try open(file + movie.bytes).header(page: 0)
    #expect(!header.isAnimated && !header.standsIn)
    #expect(header.canvas == Size(width: 64, height: 64))
  }

  /// A movie whose track cannot be read.
  @Test func itemsStandInForASequenceThatCannotBeRead() throws {
    let file = still([FourCC("hevc"), FourCC("mif1"), FourCC("heic")])
    var movie = ByteWriter()
    movie.box(FourCC("moov")) { movie in
      movie.box(FourCC("trak")) { track in
        track.box(FourCC("mdia")) { media in
          media.box(FourCC("hdlr")) { $0.put("\0\0\0\0\0\0\0\0pict\0\0\0\0\0\0\0\0\0\0\0\0\0") }
        }
      }
    }
    let header = try open(file + movie.bytes).header(page: 0)
    #expect(header.standsIn && !header.isLossless && !header.isAnimated)
    #expect(header.canvas == Size(width: 64, height: 64))
  }

  @Test func aSequenceThatIsDamagedIsNotTakenForStills() {
    // The movie announces 100 bytes.
    let cut: [UInt8] = [0, 0, 0, 100, 0x6D, 0x6F, 0x6F, 0x76]
    var head = ByteWriter()
    head.box(FourCC("ftyp")) { $0.put("hevc\0\0\0\0hevc") }
    #expect(throws: CoderError.truncated("the movie needs 92 bytes, 0 are there", at: 28)) {
      _ = try open(head.bytes + cut)
    }
  }
}
