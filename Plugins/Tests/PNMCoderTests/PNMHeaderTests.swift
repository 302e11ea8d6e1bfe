// SPDX-License-Identifier: Apache-2.0

import CoderTestSupport
import ImageCoderPlugin
import Testing

@testable import PNMCoder

@Suite struct PNMHeaderTests {
  private func header(_ text: String, _ kind: MemorySource.Kind = .complete) throws(CoderError) -> PNMHeader {
    try PNMHeader(reading: MemorySource(Array("??".utf8) + Array(text.utf8), kind).view, at: 2)
  }

  @Test(arguments: [MemorySource.Kind.complete, .incremental]) func readsAHeaderOfNumbers(_ kind: MemorySource.Kind)
    throws
  {
    let header = try header("P6# a comment\n300\t20#another\n255\nXYZ", kind)
    #expect(header.kind == "P6")
    #expect(header.canvas == Size(width: 300, height: 20))
    #expect(header.storage == .raw(bytes: 1))
    #expect(header.depth == 3 && header.colors == 3 && !header.hasAlpha && header.maximum == 255)
    #expect(header.raster == 2 + 33)
  }

  @Test func readsAHeaderOfLines() throws {
    let text = "P7\nWIDTH 3\n# HEIGHT 9\nHEIGHT 2\n\nDEPTH 4\nMAXVAL 1000\nTUPLTYPE RGB_ALPHA\nENDHDR\n"
    let header = try header(text)
    #expect(header.canvas == Size(width: 3, height: 2))
    #expect(header.storage == .raw(bytes: 2) && header.depth == 4 && header.hasAlpha && header.maximum == 1000)
    #expect(header.tupleType == "RGB_ALPHA" && header.raster == 2 + text.utf8.count)
  }

  /// Each line of comments is looked at once for each byte that it has.
  @Test func aHeaderHasALargestSize() throws {
    let comment = "# a comment of some length\n"
    func text(_ count: Int) -> String {
      "P7\n" + String(repeating: comment, count: count) + "WIDTH 1\nHEIGHT 1\nDEPTH 1\nMAXVAL 9\nENDHDR\n"
    }
    #expect(try header(text(9_000)).canvas == Size(width: 1, height: 1))
    let error = #expect(throws: CoderError.self) { try header(text(20_000)) }
    #expect(error?.code == .malformed && error?.offset == 2)
    #expect(error?.message == "a header of more than 262144 bytes, comments among them")
  }

  @Test func readsTheHeaderOfAFloatMap() throws {
    let header = try header("Pf 2 3\n-0.5\n")
    #expect(header.storage == .float(isLittleEndian: true) && header.scale == 0.5 && header.raster == 2 + 12)
  }

  @Test(arguments: [
    "P6# a\n300 20\n255\n", "P7\nWIDTH 3\nHEIGHT 2\nDEPTH 4\nMAXVAL 9\nENDHDR\n", "PF 2 3\n1.0\n", "P4\n8 8\n",
  ])
  func isTruncatedWhereverItIsCut(_ text: String) {
    for count in 1..<text.utf8.count {
      #expect("\(count) bytes") { _ = try header(String(text.prefix(count))) } throws: {
        ($0 as? CoderError)?.code == .truncated
      }
    }
  }

  private static let faults: [(String, CoderError)] = [
    ("P8 1 1\n", CoderError.wrongFormat("no \"P\" with 1 to 7, F or f and white space", at: 2)),
    ("P51 1 1\n", .wrongFormat("no \"P\" with 1 to 7, F or f and white space", at: 2)),
    ("P5 a", .malformed("byte 97 where the width is expected", at: 5)),
    ("P5 1x", .malformed("byte 120 after the width", at: 6)),
    ("P5 1 1 0 ", .malformed("a maxval of 0, 1 to 65535 is allowed", at: 11)),
    ("P5 1 1 65536 ", .malformed("a maxval of 65536, 1 to 65535 is allowed", at: 15)),
    ("P5 0 1 255 ", .malformed("a canvas of 0×1, at least 1×1 is needed", at: 2)),
    ("P5 1", .truncated("the file ends in the width", at: 6)),
    ("P7\nWIDTH x\n", .malformed("WIDTH is not one number", at: 13)),
    ("P7\nENDHDR\n", .malformed("a header without WIDTH", at: 12)),
    ("PF 1 1\nnan\n", .malformed("a scale that is not a number other than 0", at: 13)),
  ]

  @Test(arguments: faults)
  func saysWhatIsWrongAndWhere(_ text: String, _ error: CoderError) {
    #expect(throws: error) { _ = try header(text) }
  }
}
