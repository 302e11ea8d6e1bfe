// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin
import Testing

@testable import PSDCoder

@Suite struct PSDHeaderTests {
  private func header(_ bytes: [UInt8]) throws(CoderError) -> PSDHeader {
    var reader = ByteReader(bytes.span.bytes, of: "the header")
    return try PSDHeader(parsing: &reader)
  }

  @Test func readsAllFields() throws {
    let file = SmallFile(version: 2, channels: 5, width: 300_000, height: 7, depth: 16, mode: .cmyk)
    let header = try header(Array(file.bytes.prefix(26)))
    #expect(header.isLarge && header.channels == 5 && header.canvas == Size(width: 300_000, height: 7))
    #expect(header.depth == 16 && header.mode == .cmyk && header.model == .cmyk)
    #expect(header.rowBytes == 600_000 && header.lengthBytes == 8)
  }

  @Test func rowsOfBitsAreFilledUp() throws {
    let file = SmallFile(channels: 1, width: 9, depth: 1, mode: .bitmap)
    #expect(try header(file.bytes).rowBytes == 2)
  }

  @Test(arguments: [(UInt16(1), PSDHeader.Model.gray), (2, .gray), (3, .rgb), (4, .cmyk), (5, .cmyk)])
  func multichannelFilesAreInks(_ channels: UInt16, _ model: PSDHeader.Model) throws {
    #expect(try header(SmallFile(channels: channels, mode: .multichannel).bytes).model == model)
  }

  @Test func isTruncatedWhereverItIsCut() {
    for count in 1..<26 {
      #expect("\(count) bytes") { _ = try header(Array(SmallFile().bytes.prefix(count))) } throws: {
        ($0 as? CoderError)?.code == .truncated
      }
    }
  }

  private static let faults: [(SmallFile, CoderError)] = [
    (SmallFile(version: 3), .wrongFormat("no \"8BPS\" with version 1 or 2", at: 0)),
    (SmallFile(channels: 0), .malformed("0 channels, at least 1 is needed", at: 12)),
    (SmallFile(width: 30_001), .malformed("a canvas of 30001×1, sides of 1 to 30000 are allowed", at: 14)),
    (SmallFile(height: 0), .malformed("a canvas of 2×0, sides of 1 to 30000 are allowed", at: 14)),
    (SmallFile(depth: 1), .unsupported("1 bits of a channel in mode RGB", at: 22)),
    (SmallFile(channels: 2), .malformed("2 channels in mode RGB, 3 are needed", at: 12)),
  ]

  @Test(arguments: faults.indices) func saysWhatIsWrongAndWhere(_ index: Int) {
    let (file, error) = Self.faults[index]
    #expect(throws: error) { _ = try header(file.bytes) }
  }

  @Test func otherModesAreUnsupported() {
    var bytes = SmallFile().bytes
    bytes[25] = 5
    #expect(throws: CoderError.unsupported("color mode 5; 0 to 4 and 7 to 9 are known", at: 24)) {
      _ = try header(bytes)
    }
  }
}
