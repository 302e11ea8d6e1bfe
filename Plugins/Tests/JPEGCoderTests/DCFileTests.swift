// SPDX-License-Identifier: Apache-2.0

import CJPEGShim
import CoderTestSupport
import ImageCoderPlugin
import Testing

@testable import JPEGCoder

/// DC coefficients that are read alone, held against libjpeg's picture of the same scale.
@Suite struct DCFileTests {
  /// Files of which every channel has a DC coefficient for each pixel at 1/8.
  static let whole: [DeepFileTests.Coding] = [
    .init(isGray: true, isProgressive: true), .init(isProgressive: true), .init(isProgressive: true, restartRows: 2),
    .init(isProgressive: true, size: Size(width: 1, height: 1)),
    .init(isProgressive: true, size: Size(width: 640, height: 9)),
    .init(isGray: true, isProgressive: true, restartRows: 1, size: Size(width: 17, height: 640)),
    .init(effort: CJPEG_EFFORT_SMALL, isProgressive: true),
  ]
  /// Files with less chroma.
  static let sparse: [DeepFileTests.Coding] = [
    .init(horizontal: 2, vertical: 2, isProgressive: true),
    .init(horizontal: 2, vertical: 2, isProgressive: true, restartRows: 1, size: Size(width: 401, height: 259)),
    .init(horizontal: 2, isProgressive: true, size: Size(width: 130, height: 70)),
    .init(vertical: 2, isProgressive: true, size: Size(width: 130, height: 70)),
    .init(horizontal: 4, isProgressive: true, size: Size(width: 130, height: 70)),
    .init(
      horizontal: 2, vertical: 2, effort: CJPEG_EFFORT_SMALL, isProgressive: true, size: Size(width: 401, height: 259)),
    .init(horizontal: 2, vertical: 2, isProgressive: true, size: Size(width: 1, height: 1)),
  ]

  /// What a reader gives for a thumbnail, and the error after it.
  private static func read(
    _ bytes: [UInt8], within size: Size, _ options: OpenOptions.Hints = [], format: PixelFormat? = nil
  ) throws(CoderError) -> (offer: DecodeOffer, pixels: [UInt8], rows: Int, problem: CoderError?) {
    let source = MemorySource(bytes)
    defer { withExtendedLifetime(source) {} }
    let reader = try JPEGReader(source.view, host: MemoryHost().host, options: OpenOptions(options))
    var request = DecodeRequest()
    request.size = size
    request.pixelFormat = format
    return try reader.delivered(for: request)
  }

  /// The picture of 1/8 by libjpeg alone.
  private static func libjpeg(
    _ bytes: [UInt8], like offer: DecodeOffer
  ) throws(CoderError) -> (pixels: [UInt8], problem: CoderError?) {
    let source = MemorySource(bytes)
    defer { withExtendedLifetime(source) {} }
    var offer = offer
    offer.scaleCode = 1
    let sink = MemorySink(offer)
    do throws(CoderError) {
      try LibJPEG.decode(
        source.view, canvas: try FileHeader(parsing: source.view).frame.size, offer: offer, isInks: false,
        into: sink.sink, host: MemoryHost().host, isIncremental: false)
    } catch {
      return (sink.pixels, error)
    }
    return (sink.pixels, nil)
  }

  private static func readsDCAlone(_ offer: DecodeOffer) -> Bool { offer.scaleCode == 0x101 }

  @Test(arguments: whole, [nil, PixelFormat.rgba8, .bgra8])
  func givesWhatLibjpegGives(_ coding: DeepFileTests.Coding, _ format: PixelFormat?) throws {
    let bytes = try DeepFileTests.file(coding)
    let found = try Self.read(bytes, within: Size(width: 1, height: 1), format: format)
    #expect(Self.readsDCAlone(found.offer) && found.problem == nil && found.rows == found.offer.size.height)
    #expect(found.pixels == (try Self.libjpeg(bytes, like: found.offer).pixels))
  }

  /// Of libjpeg's luma nothing differs; of its chroma, which has 2×2 samples where these have one, next to nothing where
  /// colors change slowly.
  @Test(arguments: sparse) func chromaIsInterpolated(_ coding: DeepFileTests.Coding) throws {
    let bytes = try DeepFileTests.file(coding) { x, y, channel in [60 + x / 4, 200 - y / 4, 100 + (x + y) / 6][channel]
    }
    let found = try Self.read(bytes, within: Size(width: 1, height: 1))
    guard Self.readsDCAlone(found.offer) else {
      #expect(coding.size.width < 16)
      return
    }
    #expect(found.problem == nil && found.rows == found.offer.size.height)
    let expected = try Self.libjpeg(bytes, like: found.offer).pixels
    let differences = zip(found.pixels, expected).map { abs(Int($0) - Int($1)) }
    #expect(differences.max() ?? 0 <= 4 && differences.reduce(0, +) <= differences.count)
  }

  /// A picture of one color has it at every place.
  @Test(arguments: [(UInt32(2), UInt32(2)), (2, 1), (1, 2), (4, 1), (4, 2)])
  func aColorStaysItself(_ horizontal: UInt32, _ vertical: UInt32) throws {
    let coding = DeepFileTests.Coding(
      horizontal: horizontal, vertical: vertical, isProgressive: true, size: Size(width: 333, height: 222))
    let bytes = try DeepFileTests.file(coding) { _, _, channel in [200, 40, 90][channel] }
    let found = try Self.read(bytes, within: Size(width: 5, height: 5))
    #expect(Self.readsDCAlone(found.offer))
    let expected = try Self.libjpeg(bytes, like: found.offer).pixels
    #expect(found.pixels == expected && Set(expected).count == 3)
  }

  /// 64 blocks across, 32 of chroma, are enough for 44 pixels, of which a host shows 22.
  @Test(arguments: [(44, true), (45, false)]) func chromaHasToBeFineEnough(_ width: Int, _ isEnough: Bool) throws {
    let coding = DeepFileTests.Coding(
      horizontal: 2, vertical: 2, isProgressive: true, size: Size(width: 512, height: 512))
    let bytes = try DeepFileTests.file(coding)
    let found = try Self.read(bytes, within: Size(width: width, height: 1))
    #expect(Self.readsDCAlone(found.offer) == isEnough && found.offer.size == Size(width: 64, height: 64))
    // Memory for 1 of 64 coefficients.
    #expect(!isEnough || found.offer.memory < 100_000)
  }

  @Test func arrivingFilesAreLibjpegs() throws {
    let bytes = try DeepFileTests.file(.init(isProgressive: true))
    let found = try Self.read(bytes, within: Size(width: 1, height: 1), .incremental)
    #expect(found.offer.scaleCode == 1)
  }

  /// Nothing is made of scans of other coefficients.
  @Test func otherScansAreNotRead() throws {
    var bytes = try DeepFileTests.file(
      .init(horizontal: 2, vertical: 2, isProgressive: true, size: Size(width: 400, height: 300)))
    let whole = try Self.read(bytes, within: Size(width: 5, height: 5))
    var place = 2
    var changed = 0
    while let marker = bytes[place...].indices.first(where: { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xDA }) {
      let length = Int(bytes[marker + 3])
      let isDC = bytes[marker + 2 + length - 3] == 0
      place = marker + 2 + length
      while bytes[place] != 0xFF || bytes[place + 1] == 0 {
        if !isDC, bytes[place] != 0xFF, bytes[place - 1] != 0xFF {
          bytes[place] = 0x55
          changed += 1
        }
        place += 1
      }
    }
    #expect(changed > 200)
    let found = try Self.read(bytes, within: Size(width: 5, height: 5))
    #expect(found.problem == nil && found.pixels == whole.pixels)
  }

  /// Where something is missing or wrong, libjpeg shows what there is, and says what is wrong.
  @Test(arguments: [whole[1], whole[2], sparse[1]]) func aDamagedFileIsLibjpegs(_ coding: DeepFileTests.Coding) throws {
    let bytes = try DeepFileTests.file(coding)
    // Also before scans, whose tables are there.
    let scans = bytes.indices.dropLast().filter { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xDA && $0 > 700 }
    for count in Array(stride(from: 700, to: bytes.count - 2, by: 61)) + scans {
      let cut = Array(bytes.prefix(count))
      guard let found = try? Self.read(cut, within: Size(width: 1, height: 1)) else { continue }
      let expected = try Self.libjpeg(cut, like: found.offer)
      #expect(found.problem == expected.problem && found.pixels == expected.pixels, "\(count) of \(bytes.count)")
      #expect(found.problem != nil)
    }
  }

  /// Bytes of a DC scan that are changed: no crash, and never more rows than there are.
  @Test func noByteOfAScanMatters() throws {
    let bytes = try DeepFileTests.file(Self.sparse[1])
    var seed: UInt32 = 4
    for _ in 0..<400 {
      var damaged = bytes
      for _ in 0..<3 {
        seed = seed &* 1_664_525 &+ 1_013_904_223
        damaged[20 + Int(seed >> 12) % (bytes.count - 20)] = UInt8(truncatingIfNeeded: seed >> 4)
      }
      guard let found = try? Self.read(damaged, within: Size(width: 1, height: 1)) else { continue }
      #expect(found.rows <= found.offer.size.height)
    }
  }

  /// Hand-made: of Lanczos' kernel of three lobes at distances of a quarter and on, divided by their sum.
  @Test func kernelsAreThoseOfLanczos() {
    let weights = LatticeKernel(factor: 2).weights
    #expect(weights.count == 2 && weights[0] == weights[1].reversed())
    let expected: [Float] = [0.007378, -0.067997, 0.271011, 0.892771, -0.133275, 0.030112, 0]
    for (found, wanted) in zip(weights[0], expected) { #expect(abs(found - wanted) < 2e-6) }
    for factor in [1, 2, 4] {
      for weights in LatticeKernel(factor: factor).weights { #expect(abs(weights.reduce(0, +) - 1) < 1e-6) }
    }
  }
}
