// SPDX-License-Identifier: Apache-2.0

import Foundation
import ImageCoders
import TestSupport
import Testing

/// Uncompressed HEIF of which a part cannot be read: the rows before it are shown. Pixels are those of `unci-pixels.heif`, which
/// has the same picture without compression.
@Suite struct UncompressedRowTests {
  private static let width = 12

  private static func file(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: "\(StagedTree.fixtures("heif"))/\(name).heif")))
  }

  private static func picture(_ bytes: [UInt8]) throws -> (rows: [[UInt8]], problem: CoderError.Code?) {
    var options = DecodeOptions()
    options.pixelFormat = .rgb8
    let path = PluginSearchPath.only([StagedTree.plugins]).trusting([StagedTree.plugins])
    let registry = CoderRegistry(searchPath: path, preferences: CoderPreferences())
    let image = try registry.decode(.bytes(bytes), options: options)
    let pixels = image.pixels.copyBytes()
    let rows = stride(from: 0, to: pixels.count, by: 3 * Self.width).map { Array(pixels[$0..<$0 + 3 * Self.width]) }
    return (rows, image.problem?.code)
  }

  @Test func damagedUnitKeepsTheRowsBefore() throws {
    let whole = try Self.picture(Self.file("valid/unci-pixels")).rows
    let (rows, problem) = try Self.picture(Self.file("invalid/unci-unit-damaged"))
    #expect(problem == .malformed)
    #expect(rows[..<5] == whole[..<5])
    #expect(rows[5...].allSatisfy { $0.allSatisfy { $0 == 0 } })
  }

  @Test func shortUnitKeepsTheRowsBefore() throws {
    let whole = try Self.picture(Self.file("valid/unci-pixels")).rows
    let (rows, problem) = try Self.picture(Self.file("invalid/unci-unit-short"))
    #expect(problem == .malformed)
    #expect(rows[..<7] == whole[..<7])
  }

  /// The samples are the last bytes of the file, 36 of them a row.
  @Test func cutItemKeepsItsWholeRows() throws {
    let bytes = try Self.file("valid/unci-pixels")
    let whole = try Self.picture(bytes).rows
    let (rows, problem) = try Self.picture(Array(bytes.dropLast(2 * 36 + 1)))
    #expect(problem == .truncated)
    #expect(rows[..<5] == whole[..<5])
    #expect(rows[5...].allSatisfy { $0.allSatisfy { $0 == 0 } })
  }

  /// A wrong checksum is known at the end, and costs no rows.
  @Test func wrongChecksumKeepsAllRows() throws {
    var bytes = try Self.file("valid/unci-zlib")
    bytes[bytes.count - 1] ^= 1
    let (rows, problem) = try Self.picture(bytes)
    #expect(problem == .checksumMismatch)
    #expect(rows == (try Self.picture(Self.file("valid/unci-pixels")).rows))
  }
}
