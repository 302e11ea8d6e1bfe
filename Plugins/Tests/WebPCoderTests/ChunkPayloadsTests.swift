// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin
import Testing

@testable import WebPCoder

/// What chunks say beside their bitstreams: their fields, their bytes, and what is said of a cut.
@Suite struct ChunkPayloadsTests {
  /// Animation and alpha, 300×2 pixels.
  private static let extended: [UInt8] = [0x12, 0, 0, 0, 43, 1, 0, 1, 0, 0]
  /// Blue 1, green 2, red 3, alpha 4; 515 plays.
  private static let animation: [UInt8] = [1, 2, 3, 4, 3, 2]
  /// At 4,6, 65537×2 pixels, 66051 ms, cleared afterwards, not blended.
  private static let frame: [UInt8] = [2, 0, 0, 3, 0, 0, 0, 0, 1, 1, 0, 0, 3, 2, 1, 3]

  private func parse<Value>(
    _ bytes: [UInt8], _ body: (inout ByteReader) throws(CoderError) -> Value
  ) throws(CoderError) -> Value {
    var reader = ByteReader(bytes.span.bytes, order: .littleEndian, of: "a chunk")
    return try body(&reader)
  }

  private func written(_ write: (inout ByteWriter) -> Void) -> [UInt8] {
    var writer = ByteWriter(order: .littleEndian)
    write(&writer)
    return writer.bytes
  }

  @Test func readsAndWritesVP8X() throws {
    let header = try parse(Self.extended, ExtendedHeader.init(parsing:))
    #expect(header == ExtendedHeader(flags: [.animation, .alpha], canvas: Size(width: 300, height: 2)))
    #expect(written(header.write(to:)) == Self.extended)
  }

  @Test func readsAndWritesANIM() throws {
    let header = try parse(Self.animation, AnimationHeader.init(parsing:))
    #expect(header.background == [1, 2, 3, 4])
    #expect(header.plays == 515)
    #expect(written(header.write(to:)) == Self.animation)
  }

  @Test func readsAndWritesANMF() throws {
    let frame = try parse(Self.frame, StoredFrame.init(parsing:))
    #expect(frame.rect == Rect(x: 4, y: 6, width: 65_537, height: 2))
    #expect(frame.milliseconds == 66_051)
    #expect(frame.disposal == .restoreBackground)
    #expect(frame.blend == .source)
    #expect(written(frame.write(to:)) == Self.frame)
  }

  @Test func saysWhichFieldIsCutOff() {
    for count in 0..<ExtendedHeader.size {
      #expect(
        isTruncated { () throws(CoderError) in
          _ = try parse(Array(Self.extended.prefix(count)), ExtendedHeader.init(parsing:))
        })
    }
    for count in 0..<AnimationHeader.size {
      #expect(
        isTruncated { () throws(CoderError) in
          _ = try parse(Array(Self.animation.prefix(count)), AnimationHeader.init(parsing:))
        })
    }
    for count in 0..<StoredFrame.size {
      #expect(
        isTruncated { () throws(CoderError) in
          _ = try parse(Array(Self.frame.prefix(count)), StoredFrame.init(parsing:))
        })
    }
    #expect(throws: CoderError.truncated("the canvas height of a chunk needs 3 bytes, 2 are left", at: 7)) {
      _ = try parse(Array(Self.extended.prefix(9)), ExtendedHeader.init(parsing:))
    }
  }

  /// Whether `body` throws that bytes are missing.
  private func isTruncated(_ body: () throws(CoderError) -> Void) -> Bool {
    do throws(CoderError) { try body() } catch { return error.code == .truncated }
    return false
  }
}
