// SPDX-License-Identifier: Apache-2.0

import CoderTestSupport
import Foundation
import ImageCoderPlugin
import Testing

@testable import AVIFCoder

/// Stills that dav1d decodes without libavif, held against libavif's.
@Suite struct StillDecoderTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../../Tests/Fixtures/avif/valid")

  static let names: [String] = ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
    .filter { $0.hasSuffix(".avif") }.sorted()

  static func file(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: folder.appending(path: name)))
  }

  private struct Decoded: Equatable, CustomStringConvertible {
    var pixels: [UInt8] = []
    var rows = 0
    var problem: CoderError?

    var description: String { "\(rows) rows, \(pixels.hashValue), \(problem.map { "\($0)" } ?? "whole")" }
  }

  /// - Returns: What is decoded, and whether it is without libavif; nil for what is put together from several pictures, and
  ///   what cannot be opened.
  private static func read(
    _ bytes: [UInt8], byLibavif: Bool = false, arriving: Bool = false
  ) throws -> (decoded: Decoded, isDirect: Bool)? {
    let source = MemorySource(bytes, arriving ? .incremental : .complete)
    let host = MemoryHost()
    defer { withExtendedLifetime((source, host)) {} }
    guard
      let reader = try? AVIFReader(source.view, host: host.host, options: arriving ? [.incremental] : []),
      case .coded(let open) = reader.shown
    else { return nil }
    if byLibavif { open.still?.isGivenUp = true }
    let offer = try reader.offer(for: DecodeRequest())
    let sink = MemorySink(offer)
    var decoded = Decoded()
    do throws(CoderError) { try reader.decode(offer, into: sink.sink) } catch { decoded.problem = error }
    (decoded.pixels, decoded.rows) = (sink.pixels, sink.rowsDone)
    return (decoded, open.still.map { !$0.isGivenUp } ?? false)
  }

  @Test func fixturesAreThere() { #expect(Self.names.contains("grid.avif") && Self.names.contains("alpha-420.avif")) }

  /// Sequences are libavif's.
  @Test(arguments: names) func samplesAreLibavifs(_ name: String) throws {
    let bytes = try Self.file(name)
    guard let direct = try Self.read(bytes), let library = try Self.read(bytes, byLibavif: true) else { return }
    #expect(direct.decoded == library.decoded)
    #expect(direct.decoded.problem == nil)
    #expect(direct.isDirect == !name.hasPrefix("sequence"))
    let arriving = try #require(try Self.read(bytes, arriving: true))
    #expect(arriving.decoded == direct.decoded)
    #expect(arriving.isDirect == direct.isDirect)
  }

  /// What is wrong with a file is libavif's to say, and what can be shown of it the same.
  @Test(arguments: names) func damageIsLibavifs(_ name: String) throws {
    let bytes = try Self.file(name)
    var state: UInt64 = 1
    func random(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    for round in 0..<60 {
      var damaged = bytes
      if round % 3 == 0 {
        damaged.removeLast(random(damaged.count - 20))
      } else {
        for _ in 0...random(4) { damaged[20 + random(damaged.count - 20)] = UInt8(random(256)) }
      }
      guard let direct = try? Self.read(damaged), let library = try? Self.read(damaged, byLibavif: true) else {
        continue
      }
      #expect(direct.decoded == library.decoded, "round \(round)")
      let ways = [false, true].map { try? Self.read(damaged, byLibavif: $0, arriving: true) }
      #expect(ways[0]?.decoded == ways[1]?.decoded, "round \(round), arriving")
    }
  }
}
