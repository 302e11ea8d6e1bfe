// SPDX-License-Identifier: Apache-2.0

import CJPEGShim
import CoderTestSupport
import ImageCoderPlugin
import Testing

@testable import JPEGCoder

/// Files with Huffman tables of their own, held against those that libjpeg optimizes by keeping all coefficients.
@Suite struct RecodeTests {
  static let codings: [DeepFileTests.Coding] = [
    .init(isGray: true), .init(), .init(horizontal: 2, vertical: 2), .init(horizontal: 2), .init(vertical: 2),
    .init(horizontal: 4), .init(horizontal: 2, vertical: 2, size: Size(width: 1, height: 1)),
    .init(isGray: true, size: Size(width: 8, height: 8)),
    // More than one piece of what is kept, and of what is written.
    .init(size: Size(width: 1400, height: 900)),
  ]

  /// Slopes and noise, so that all lengths of codes come up.
  private static func sample(_ x: Int, _ y: Int, _ channel: Int) -> Int {
    let noise = (x &* 7919 &+ y &* 104_729 &+ channel &* 31) &* 2_654_435_761 >> 7 & 0x7F
    return x < y ? 40 + x / 8 + (channel + 1) * 9 : (x / 64 + y / 64) % 3 == 0 ? noise + x / 16 : 200 - y / 5
  }

  private static func file(_ coding: DeepFileTests.Coding, isOptimized: Bool) throws -> [UInt8] {
    try DeepFileTests.file(coding, isOptimized: isOptimized, sample: sample)
  }

  private static func decode(_ bytes: [UInt8]) throws -> [UInt8] {
    let source = MemorySource(bytes)
    defer { withExtendedLifetime(source) {} }
    let reader = try JPEGReader(source.view, host: MemoryHost().host, options: [])
    let offer = try reader.offer(for: DecodeRequest())
    let sink = MemorySink(offer)
    try reader.decode(offer, into: sink.sink)
    return sink.pixels
  }

  /// From the quantization tables on.
  private static func coded(_ bytes: [UInt8]) throws -> ArraySlice<UInt8> {
    bytes[try #require(bytes.firstRange(of: [0xFF, 0xDB])?.lowerBound)...]
  }

  @Test(arguments: codings) func isWhatLibjpegMakes(_ coding: DeepFileTests.Coding) throws {
    let source = MemorySource(try Self.file(coding, isOptimized: false))
    defer { withExtendedLifetime(source) {} }
    let same = cjpeg_geometry(
      x: 0, y: 0, width: UInt32(coding.size.width), height: UInt32(coding.size.height), height_place: 0,
      stored_height: 0, is_transposed: 0, mirrors_columns: 0, mirrors_rows: 0, segments: nil, segments_length: 0)
    let output = MemoryOutput()
    try LibJPEG.changeGeometry(
      of: source.view, same, segments: [], to: output.output, host: MemoryHost().host, memory: 0)
    let (found, expected) = try (Self.coded(Self.file(coding, isOptimized: true)), Self.coded(output.bytes))
    // Of files that differ much, a difference takes longer to find than anybody waits.
    #expect(found.elementsEqual(expected))
  }

  /// Tables that the first 48 of some 2,000 KB chose, with a code for all that came later.
  @Test(arguments: [UInt32(0), 1]) func restIsWrittenByTablesOfTheFirstPart(_ restartRows: UInt32) throws {
    let size = Size(width: 1400, height: 900)
    var coding = DeepFileTests.Coding(horizontal: 2, vertical: 2, restartRows: restartRows, size: size)
    let (plain, whole) = try (Self.file(coding, isOptimized: false), Self.file(coding, isOptimized: true))
    coding.countedBytes = 0
    let part = try Self.file(coding, isOptimized: true)
    let (found, expected) = try (Self.decode(part), Self.decode(plain))
    #expect(found.elementsEqual(expected))
    #expect(part.count > whole.count && part.count < whole.count * 21 / 20)
  }

  @Test(arguments: [UInt32(1), 2, 9]) func keepsRestartMarkers(_ rows: UInt32) throws {
    let coding = DeepFileTests.Coding(
      horizontal: 2, vertical: 2, restartRows: rows, size: Size(width: 333, height: 500))
    let (plain, optimized) = try (Self.file(coding, isOptimized: false), Self.file(coding, isOptimized: true))
    #expect(optimized.count < plain.count)
    let (found, expected) = try (Self.decode(optimized), Self.decode(plain))
    #expect(found.elementsEqual(expected))
    func markers(_ bytes: [UInt8]) -> [UInt8] {
      zip(bytes, bytes.dropFirst()).filter { $0 == 0xFF && (0xD0...0xD7).contains($1) }.map(\.1)
    }
    #expect(markers(optimized) == markers(plain) && markers(plain).count == (32 + Int(rows) - 1) / Int(rows) - 1)
  }
}
