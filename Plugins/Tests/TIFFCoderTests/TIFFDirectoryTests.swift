// SPDX-License-Identifier: Apache-2.0

import CoderTestSupport
import ImageCoderPlugin
import Testing

@testable import TIFFCoder

@Suite struct TIFFDirectoryTests {
  private func directory(
    _ bytes: [UInt8], _ kind: MemorySource.Kind = .complete
  ) throws(CoderError) -> TIFFDirectory {
    let source = try TIFFSource(MemorySource(bytes, kind).view)
    return try TIFFDirectory(source, at: source.firstDirectory)
  }

  @Test(arguments: [ByteOrder.littleEndian, .bigEndian], [MemorySource.Kind.complete, .incremental])
  func readsValuesInBothByteOrders(_ order: ByteOrder, _ kind: MemorySource.Kind) throws {
    var file = SmallFile(width: 70_000, height: 2)
    file.set(258, [8, 16, 32], type: 3)
    file.set(282, [300, 2], type: 5)
    file.set(305, [0x41_42_43_00], type: 4)
    let directory = try directory(file.bytes(order), kind)
    #expect(directory.file.order == order)
    #expect(try directory.number(Tag.imageWidth) == 70_000)
    #expect(try directory.numbers(Tag.bitsPerSample) == [8, 16, 32])
    #expect(try directory.numbers(Tag.bitsPerSample, limit: 2) == [8, 16])
    #expect(try directory.number(Tag.orientation) == nil)
    #expect(try directory.text(Tag.software) == nil, "numbers are no text")
    let width = try #require(directory[Tag.imageWidth])
    #expect(width == TIFFDirectory.Entry(tag: 256, type: .long, count: 1, place: 18, length: 4))
  }

  @Test func readsBigTIFF() throws {
    let writer = TIFFFieldWriter(order: .bigEndian, isBigTIFF: true)
    let fields = [
      writer.long(Tag.imageWidth, 5), writer.offsets(Tag.stripOffsets, [1 << 40, 3]),
      writer.undefined(Tag.software, Array("ten bytes!\0".utf8), type: .ascii),
    ]
    let bytes = try writer.header(firstDirectory: 16) + writer.directory(fields, at: 16)
    let directory = try directory(bytes)
    #expect(directory.file.isBigTIFF)
    #expect(try directory.number(Tag.imageWidth) == 5)
    #expect(try directory.numbers(Tag.stripOffsets) == [1 << 40, 3])
    #expect(try directory.text(Tag.software) == "ten bytes!")
  }

  @Test func readsRationalsAndFloats() throws {
    let writer = TIFFFieldWriter(order: .littleEndian)
    var values = ByteWriter(order: .littleEndian)
    for value in [7, 2, 1, 0] as [UInt32] { values.put(value) }
    var signed = ByteWriter(order: .littleEndian)
    for value in [-7, 2] as [Int32] { signed.put(value) }
    var single = ByteWriter(order: .littleEndian)
    single.put(Float(0.25).bitPattern)
    var double = ByteWriter(order: .littleEndian)
    double.put(Double(0.1).bitPattern)
    let fields = [
      TIFFField(tag: 1, type: .rational, count: 2, value: values.bytes),
      TIFFField(tag: 2, type: .signedRational, count: 1, value: signed.bytes),
      TIFFField(tag: 3, type: .float, count: 1, value: single.bytes),
      TIFFField(tag: 4, type: .double, count: 1, value: double.bytes),
      writer.shorts(5, [9]),
    ]
    let directory = try directory(writer.header(firstDirectory: 8) + writer.directory(fields, at: 8))
    #expect(try directory.reals(1) == [3.5, 0], "a denominator of 0 is 0")
    #expect(try directory.reals(2) == [-3.5])
    #expect(try directory.reals(3) == [0.25])
    #expect(try directory.reals(4) == [0.1])
    #expect(try directory.reals(5) == [9])
    #expect(try directory.reals(6) == nil)
  }

  @Test func isTruncatedWhereverItIsCut() throws {
    let whole = SmallFile(width: 4, height: 4).bytes()
    // The link to the next directory is not read here.
    for count in 0..<whole.count - 4 {
      for kind in [MemorySource.Kind.complete, .incremental] {
        #expect("\(count) bytes") { _ = try directory(Array(whole.prefix(count)), kind) } throws: {
          ($0 as? CoderError)?.code == .truncated
        }
      }
    }
    _ = try directory(Array(whole.dropLast(4)))
  }

  private static let faults: [([UInt8], CoderError)] = [
    ([0x49, 0x4D, 42, 0] as [UInt8], CoderError.wrongFormat("no byte order, II or MM", at: 0)),
    ([0x49, 0x49, 44, 0], .wrongFormat("version 44, 42 and 43 are known", at: 2)),
    ([0x4D, 0x4D, 0, 43, 0, 4], .wrongFormat("offsets of 4 bytes, 8 are known", at: 4)),
    ([0x49, 0x49, 42, 0, 7, 0, 0, 0], .malformed("a first directory at 7, 8 is the first place it can have", at: 4)),
    ([0x49, 0x49, 42, 0, 8, 0, 0, 0, 0, 0], .malformed("a directory of 0 entries, 1 to 65535 are allowed", at: 8)),
    (
      [0x49, 0x49, 42, 0, 8, 0, 0, 0, 1, 0, 0],
      .truncated("a directory of 1 entries needs 12 bytes at 10, the file has 11", at: 11)
    ),
  ]

  @Test(arguments: faults)
  func saysWhatIsWrongAndWhere(_ bytes: [UInt8], _ error: CoderError) {
    let padded =
      bytes.count < 10 && bytes.count > 4 && bytes[3] == 43 ? bytes + [UInt8](repeating: 0, count: 10) : bytes
    #expect(throws: error) { _ = try directory(padded) }
  }

  /// Offsets of BigTIFF near 2⁶⁴ and 2⁶³ end as errors, not as traps.
  @Test(arguments: [UInt64.max, UInt64(Int64.max), UInt64(Int64.max) - 1, 1 << 62])
  func theLargestOffsetsDoNotTrap(_ offset: UInt64) {
    var writer = ByteWriter(order: .littleEndian)
    writer.put("II")
    for value in [43, 8, 0] as [UInt16] { writer.put(value) }
    writer.put(offset)
    #expect { _ = try directory(writer.bytes) } throws: { ($0 as? CoderError)?.code == .truncated }
    #expect { _ = try directory(writer.bytes, .incremental) } throws: { ($0 as? CoderError)?.code == .truncated }
  }
}
