// SPDX-License-Identifier: Apache-2.0

import CoderTestSupport
import ImageCoderPlugin
import Testing

@testable import HEIFCoder

/// A still picture is held to the same ranges as a picture of a sequence.
@Suite struct ParameterSetTests {
  private func open(_ sets: ParameterSets, inItem: [[UInt8]] = []) throws(CoderError) -> HEIFReader {
    let units = inItem + [[0x26, 1, 0xAF, 0, 0]]
    let data = units.flatMap { unit -> [UInt8] in [0, 0, 0, UInt8(unit.count)] + unit }
    let source = MemorySource(StillFile(configuration: sets.record, data: data).bytes)
    defer { withExtendedLifetime(source) {} }
    return try HEIFReader(source.view, host: MemoryHost().host, options: [])
  }

  private func refusal(of sets: ParameterSets) -> CoderError? {
    do throws(CoderError) {
      _ = try open(sets)
      return nil
    } catch {
      return error
    }
  }

  @Test func opensWhatIsInRange() throws {
    let header = try open(ParameterSets()).header(page: 0)
    #expect(header.canvas == Size(width: 64, height: 64))
    #expect(header.bitsPerChannel == 8)
  }

  @Test func refusesPulsesOfMoreBitsThanTheSamples() {
    var sets = ParameterSets()
    sets.sequence.pulse = [15, 15, 0, 2]
    #expect(
      refusal(of: sets)
        == .malformed(
          "the SPS has PCM samples of 16 and 16 bits in blocks of 2^3 to 2^5; 8 bits and 2^3 to 2^5 are allowed"))
  }

  @Test func refusesSetsOfReferencesThatAreLargerThanTheBuffer() {
    var sets = ParameterSets()
    sets.sequence.referenceSets = [15]
    #expect(refusal(of: sets) == .malformed("a set of 15 reference pictures, and 1 are buffered"))
  }

  @Test func refusesSamplesOf16Bits() {
    var sets = ParameterSets()
    sets.sequence.depths = [8, 8]
    #expect(
      refusal(of: sets)
        == .unsupported("16 bits of luma and 16 of chroma; 8 to 12 are read, the same of both"))
  }

  @Test func refusesTilesThatArePartsOfABlock() {
    var sets = ParameterSets()
    sets.picture.tiles = (columns: 19, rows: 0, sizes: nil)
    #expect(refusal(of: sets)?.code == .malformed)
    #expect(refusal(of: sets)?.message == "num_tile_columns_minus1 of the PPS is 19, 0 is the most")
  }

  /// Parameter sets inside the item are seen by libde265 as well.
  @Test func refusesSetsInsideTheItem() throws {
    var other = ParameterSets()
    other.sequence.pulse = [15, 15, 0, 2]
    let reader = try open(ParameterSets(), inItem: [other.sequence.unit])
    let offer = try reader.offer(for: DecodeRequest(page: 0))
    #expect(throws: CoderError.self) { try reader.decode(offer, into: MemorySink(offer).sink) }
    do throws(CoderError) {
      try reader.decode(offer, into: MemorySink(offer).sink)
    } catch {
      #expect(error.code == .malformed)
      #expect(error.message.hasPrefix("the SPS has PCM samples of 16 and 16 bits"))
    }
  }
}

/// The smallest file of one picture (ISO/IEC 23008-12 Annex B.4).
private struct StillFile {
  let bytes: [UInt8]

  init(configuration: [UInt8], data: [UInt8]) {
    var head = ByteWriter()
    head.box(FourCC("ftyp")) { $0.put("heic\0\0\0\0mif1heic") }
    var measured = ByteWriter()
    Self.putMeta(configuration, at: 0, count: data.count, to: &measured)
    Self.putMeta(configuration, at: head.count + measured.count + 8, count: data.count, to: &head)
    head.box(FourCC("mdat")) { $0.put(data) }
    bytes = head.bytes
  }

  private static func putMeta(_ configuration: [UInt8], at offset: Int, count: Int, to writer: inout ByteWriter) {
    writer.fullBox(FourCC("meta")) { meta in
      meta.fullBox(FourCC("pitm")) { $0.put(UInt16(1)) }
      meta.fullBox(FourCC("iloc")) { box in
        for number in [0x4400, 1, 1, 0, 1] as [UInt16] { box.put(number) }
        box.put(UInt32(offset))
        box.put(UInt32(count))
      }
      meta.fullBox(FourCC("iinf")) { box in
        box.put(UInt16(1))
        box.fullBox(FourCC("infe"), version: 2) { entry in
          entry.put(UInt16(1))
          entry.put(UInt16(0))
          entry.put("hvc1\0")
        }
      }
      meta.box(FourCC("iprp")) { box in
        box.box(FourCC("ipco")) { inner in inner.box(FourCC("hvcC")) { $0.put(configuration) } }
        box.fullBox(FourCC("ipma")) { inner in
          inner.put(UInt32(1))
          inner.put(UInt16(1))
          inner.put([1, 0x81])
        }
      }
    }
  }
}
