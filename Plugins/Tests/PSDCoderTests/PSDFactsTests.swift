// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin
import Testing

@testable import PSDCoder

/// Density, IPTC and the caption.
@Suite struct PSDFactsTests {
  private func reader(_ resources: [(UInt16, [UInt8])]) throws(CoderError) -> PSDReader {
    try SmallFile(resources: resources, data: [0, 0, 0, 0, 0, 0]).reader()
  }

  /// 300.5 pixels per inch across, whatever the units for display are.
  @Test func densityIsForAnInch() throws {
    let across: [UInt8] = [1, 0x2C, 0x80, 0, 0, 2, 0, 1]
    let down: [UInt8] = [2, 0x59, 0, 0, 0, 1, 0, 1]
    let square = try reader([(1005, across + across)]).header(page: 0)
    #expect(square.resolution == 300.5 && square.pixelAspect == nil)
    let wide = try reader([(1005, across + down)]).header(page: 0)
    #expect(wide.resolution == 300.5 && wide.pixelAspect == 2)
    let none = try reader([(1005, [UInt8](repeating: 0, count: 16))]).header(page: 0)
    #expect(none.resolution == nil && none.pixelAspect == nil)
  }

  @Test func iptcAndCaptionAreResources() throws {
    let iptc: [UInt8] = [0x1C, 2, 120, 0, 1, 0x61]
    let reader = try reader([(1028, iptc), (1008, [3, 0x61, 0x62, 0x63])])
    #expect(try reader.header(page: 0).metadata == [.iptc, .text])
    #expect(try reader.metadata(.iptc, page: 0) == iptc)
    #expect(try reader.metadata(.text, page: 0) == Array("Description\0abc\0".utf8))
    #expect(try self.reader([(1008, [0])]).header(page: 0).metadata.isEmpty)
  }
}
