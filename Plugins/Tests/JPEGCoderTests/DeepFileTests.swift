// SPDX-License-Identifier: Apache-2.0

import CJPEGShim
import CoderTestSupport
import ImageCoderPlugin
import Testing

@testable import JPEGCoder

/// The decoder for what libjpeg does not read, held against libjpeg on files of 8 bits, which both decode.
@Suite struct DeepFileTests {
  /// A file of libjpeg's.
  struct Coding: CustomStringConvertible {
    var isGray = false
    var horizontal: UInt32 = 1
    var vertical: UInt32 = 1
    var effort = CJPEG_EFFORT_FAST
    var isProgressive = false
    var restartRows: UInt32 = 0
    var countedBytes: UInt32 = 16 << 20
    var size = Size(width: 83, height: 61)

    var description: String {
      "\(isGray ? "gray" : "\(horizontal)×\(vertical)")\(isProgressive ? " progressive" : "") \(restartRows) \(size)"
    }
  }

  static let codings: [Coding] = [
    Coding(isGray: true), Coding(isGray: true, isProgressive: true), Coding(), Coding(isProgressive: true),
    Coding(horizontal: 2, vertical: 2), Coding(horizontal: 2, vertical: 2, isProgressive: true),
    Coding(horizontal: 2), Coding(vertical: 2), Coding(horizontal: 4), Coding(restartRows: 1),
    Coding(horizontal: 2, vertical: 2, isProgressive: true, restartRows: 2),
    Coding(horizontal: 2, vertical: 2, size: Size(width: 1, height: 1)),
    Coding(horizontal: 2, vertical: 2, size: Size(width: 9, height: 17)),
  ]

  /// - Parameter sample: By column, row and channel: slopes, with a sharp edge.
  static func file(
    _ coding: Coding, isOptimized: Bool = false,
    sample: (Int, Int, Int) -> Int = { x, y, channel in
      x < y ? 40 + x * (channel + 1) : 200 - y * 2 + x * channel / 2
    }
  ) throws -> [UInt8] {
    let channels = coding.isGray ? 1 : 3
    var samples: [UInt8] = []
    for y in 0..<coding.size.height {
      for x in 0..<coding.size.width {
        for channel in 0..<channels {
          samples.append(UInt8(truncatingIfNeeded: sample(x, y, channel)))
        }
      }
    }
    let output = MemoryOutput()
    let options = cjpeg_encode_options(
      width: UInt32(coding.size.width), height: UInt32(coding.size.height),
      pixel_format: (coding.isGray ? PixelFormat.gray8 : .rgb8).rawValue, quality: 92, horizontal: coding.horizontal,
      vertical: coding.vertical, effort: coding.effort, is_progressive: coding.isProgressive ? 1 : 0,
      is_optimized: isOptimized ? 1 : 0, counted_bytes: coding.countedBytes, may_be_gray: 0,
      restart_rows: coding.restartRows, is_thumbnail: 0, density_unit: 0, density_x: 0, density_y: 0,
      segments: nil, segments_length: 0)
    try samples.withUnsafeMutableBytes { bytes in
      let pixels = PixelView(
        layout: PixelLayout(coding.isGray ? .gray8 : .rgb8, .opaque), size: coding.size,
        base: UnsafeRawPointer(try #require(bytes.baseAddress)), stride: coding.size.width * channels)
      try LibJPEG.encode(pixels, options: options, segments: [], to: output.output, host: MemoryHost().host)
    }
    return output.bytes
  }

  private static func offer(_ bytes: [UInt8], _ reader: JPEGReader) throws(CoderError) -> DecodeOffer {
    try reader.offer(for: DecodeRequest())
  }

  /// Rows of this decoder, and why there are no more.
  private static func decode(_ bytes: [UInt8]) throws(CoderError) -> (pixels: [UInt8], rows: Int, problem: CoderError?)
  {
    let source = MemorySource(bytes)
    defer { withExtendedLifetime(source) {} }
    let host = MemoryHost().host
    let frame = try FileHeader(parsing: source.view).frame
    let picture = try DeepFile(try source.view.contents(), frame: frame, host: host)
    try picture.decode()
    let format: PixelFormat = frame.channels.count == 1 ? .gray8 : .rgb8
    let sink = MemorySink(DecodeOffer(DecodeRequest(), size: frame.size, pixelFormat: format, alpha: .opaque))
    try DeepRows(picture, frame: frame, format: format).deliver(into: sink.sink, host: host)
    return (sink.pixels, sink.rowsDone, picture.problem)
  }

  @Test(arguments: codings) func givesWhatLibjpegGives(_ coding: Coding) throws {
    let bytes = try Self.file(coding)
    let source = MemorySource(bytes)
    let reader = try JPEGReader(source.view, host: MemoryHost().host, options: [])
    let offer = try Self.offer(bytes, reader)
    let expected = MemorySink(offer)
    try reader.decode(offer, into: expected.sink)
    let found = try Self.decode(bytes)
    #expect(found.problem == nil && found.rows == coding.size.height)
    let differences = zip(found.pixels, expected.pixels).map { abs(Int($0) - Int($1)) }
    // Transforms are rounded in other ways: by one in each channel of luma and chroma.
    #expect(found.pixels.count == expected.pixels.count)
    #expect(differences.max() ?? 0 <= 3)
    #expect(differences.reduce(0, +) * 10 <= differences.count)
    withExtendedLifetime(source) {}
  }

  @Test(arguments: [Coding(), Coding(isGray: true, isProgressive: true), Coding(restartRows: 1)])
  func aFileThatIsCutHasARowOrAnError(_ coding: Coding) throws {
    let bytes = try Self.file(coding)
    let whole = try Self.decode(bytes)
    for count in stride(from: 2, to: bytes.count - 2, by: 29) {
      do throws(CoderError) {
        let found = try Self.decode(Array(bytes.prefix(count)))
        #expect(found.problem?.code == .truncated || found.problem?.code == .malformed)
        // What is there is right, from the top, where one scan has all.
        if !coding.isProgressive {
          let rowBytes = whole.pixels.count / coding.size.height
          #expect(found.pixels.prefix(found.rows * rowBytes) == whole.pixels.prefix(found.rows * rowBytes))
        }
      } catch {
        #expect(error.code == .truncated || error.code == .malformed)
      }
    }
  }

  @Test(arguments: [Coding(), Coding(horizontal: 2, vertical: 2, isProgressive: true, restartRows: 2)])
  func mutantsAreAnswered(_ coding: Coding) throws {
    let bytes = try Self.file(coding)
    var state: UInt64 = 7
    func random(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    for _ in 0..<500 {
      var mutant = bytes
      for _ in 0...random(4) { mutant[2 + random(bytes.count - 2)] = UInt8(random(256)) }
      do throws(CoderError) {
        _ = try Self.decode(mutant)
      } catch {
        #expect([.file, .unsupported, .limits].contains(error.code.group))
      }
    }
  }
}
