// SPDX-License-Identifier: Apache-2.0

import CHEIFPlanes
import ISOBaseMediaFile
import ImageCoderPlugin

/// The planes of one coded item, decoded by libde265 on the thread that asks.
final class DecodedItem: @unchecked Sendable {
  private let decoder: OpaquePointer
  let decoded: heif_decoded
  /// What is wrong with the picture although it is there: some of its samples may be anything.
  let damage: CoderError?

  deinit { heif_decoder_free(decoder) }

  /// - Throws: ``CoderError/Code/malformed``, ``CoderError/Code/truncated``, ``CoderError/Code/unsupported``,
  ///   ``CoderError/Code/outOfMemory``.
  init(_ coded: CodedItem, bytes: ItemBytes, in file: HEIFFile, filler: UInt8? = nil) throws(CoderError) {
    guard let decoder = heif_decoder_new() else {
      throw .outOfMemory(bytes: coded.sequence.decodingMemory, for: "libde265's decoder")
    }
    var result = heif_decoded()
    do throws(CoderError) {
      try Self.push(coded, bytes: bytes, in: file, filler: filler, to: decoder)
      let sequence = coded.sequence
      let status = heif_decoder_run(
        decoder, sequence.codedSize.width, sequence.codedSize.height, sequence.blockSide, &result)
      let message = result.message.map { Self.sentence($0) } ?? "no picture"
      let place = bytes.offset
      switch Int(status) {
      case Int(HEIF_DECODE_OK): damage = nil
      case Int(HEIF_DECODE_DAMAGED):
        damage = .malformed("item \(coded.item.id) is damaged, libde265 says: \(message)", at: place)
      case Int(HEIF_DECODE_NO_MEMORY):
        throw .outOfMemory(bytes: coded.sequence.decodingMemory, for: "libde265's picture")
      default:
        throw bytes.isCut
          ? .truncated("item \(coded.item.id) is cut before its picture", at: place)
          : .malformed("item \(coded.item.id) does not decode, libde265 says: \(message)", at: place)
      }
      let size = coded.sequence.size
      guard result.width == size.width, result.height == size.height else {
        throw .malformed("a picture of \(result.width)×\(result.height), its parameters say \(size)", at: place)
      }
      guard result.chroma_bits == result.planes.bits, (8...16).contains(result.planes.bits) else {
        throw .unsupported("luma of \(result.planes.bits) bits and chroma of \(result.chroma_bits)", at: place)
      }
      guard (result.planes.has_chroma == 0) == (coded.sequence.chroma == .monochrome) else {
        throw .malformed("chroma that the parameters do not announce", at: place)
      }
    } catch {
      heif_decoder_free(decoder)
      throw error
    }
    self.decoder = decoder
    decoded = result
  }

  var size: Size { Size(width: decoded.width, height: decoded.height) }

  /// - Parameter filler: Stands behind the last unit of a cut item, which is left out without it.
  private static func push(
    _ coded: CodedItem, bytes: ItemBytes, in file: HEIFFile, filler: UInt8?, to decoder: OpaquePointer
  ) throws(CoderError) {
    func push(_ unit: UnsafeRawBufferPointer) throws(CoderError) {
      // H.265 table 7-1: units from 41 on are reserved or private, and to be left out.
      guard HEVCConfiguration.type(of: unit[0]) <= 40 else { return }
      let start = unit.bindMemory(to: UInt8.self).baseAddress
      guard heif_decoder_push(decoder, start, unit.count) == HEIF_DECODE_OK else {
        throw .outOfMemory(bytes: unit.count, for: "a NAL unit")
      }
    }
    for unit in coded.configuration.units { try push(file.contents.bytes(in: unit)) }
    try bytes.withBytes { payload throws(CoderError) in
      var units = UnitReader(
        payload, lengthSize: coded.configuration.lengthSize, isCut: bytes.isCut, at: bytes.offset)
      while let unit = try units.next() {
        if HEVCConfiguration.type(of: unit[0]) == HEVCConfiguration.sequenceUnit, !units.isUnitCut {
          // Memory was announced for the size that the configuration states.
          let sequence = try SequenceParameters(parsing: unit, at: bytes.offset)
          guard sequence.codedSize == coded.sequence.codedSize, sequence.size == coded.sequence.size else {
            throw .malformed(
              "parameters for \(sequence.size) in an item whose configuration says \(coded.sequence.size)",
              at: bytes.offset)
          }
        }
        if units.isUnitCut {
          guard let filler else { continue }
          let filled = [UInt8](unit) + [UInt8](repeating: filler, count: 1 << 10)
          var failure: CoderError?
          filled.withUnsafeBytes { whole in
            do throws(CoderError) { try push(whole) } catch { failure = error }
          }
          if let failure { throw failure }
        } else {
          try push(unit)
        }
      }
    }
  }

  private static func sentence(_ text: UnsafePointer<CChar>) -> String {
    let sentence = String(cString: text)
    return sentence.hasSuffix(".") ? String(sentence.dropLast()) : sentence
  }
}

extension DecodedItem {
  /// The rows of a cut item that are right for sure, decoded.
  ///
  /// The missing bytes are made up in two ways. Rows before the first one in which both pictures differ come from bytes
  /// that are there; two blocks above it are given up because filters look back that far.
  ///
  /// - Returns: nil when there are none.
  static func salvage(
    _ coded: CodedItem, bytes: ItemBytes, in file: HEIFFile
  ) -> (item: DecodedItem, rows: Int)? {
    guard isCutInFirstSlice(coded, bytes: bytes),
      let first = try? DecodedItem(coded, bytes: bytes, in: file, filler: 0),
      let second = try? DecodedItem(coded, bytes: bytes, in: file, filler: 0xFF)
    else { return nil }
    let same = first.equalRows(second)
    // The window may hide rows above; they make the number of decoded rows smaller than it is.
    let whole = [same, Int(clamping: first.decoded.rows), Int(clamping: second.decoded.rows)].min() ?? 0
    let rows = min(whole, first.size.height) - 2 * coded.sequence.blockSide
    return rows > 0 && same < first.size.height ? (first, rows) : nil
  }

  /// Whether the only slice that is there is the one that is cut.
  private static func isCutInFirstSlice(_ coded: CodedItem, bytes: ItemBytes) -> Bool {
    let found = try? bytes.withBytes { payload throws(CoderError) -> Bool in
      var units = UnitReader(payload, lengthSize: coded.configuration.lengthSize, isCut: true, at: bytes.offset)
      while let unit = try units.next() {
        // H.265 table 7-1: units below 32 are slices.
        if HEVCConfiguration.type(of: unit[0]) < 32 { return units.isUnitCut }
      }
      return false
    }
    return found ?? false
  }

  private func equalRows(_ other: DecodedItem) -> Int {
    var rows = size.height
    let planes = decoded.planes
    let sample = planes.bits > 8 ? 2 : 1
    func compare(
      _ mine: UnsafeMutablePointer<UInt8>?, _ theirs: UnsafeMutablePointer<UInt8>?, stride: Int, otherStride: Int,
      shiftX: Int, shiftY: Int
    ) {
      guard let mine, let theirs else { return }
      let bytes = ((size.width - 1) >> shiftX + 1) * sample
      for y in 0..<((rows - 1) >> shiftY + 1) {
        let row = UnsafeRawBufferPointer(start: mine + y * stride, count: bytes)
        guard row.elementsEqual(UnsafeRawBufferPointer(start: theirs + y * otherStride, count: bytes)) else {
          rows = min(rows, y << shiftY)
          return
        }
      }
    }
    let (a, b) = (planes, other.decoded.planes)
    compare(a.plane.0, b.plane.0, stride: a.stride.0, otherStride: b.stride.0, shiftX: 0, shiftY: 0)
    guard rows > 0, a.has_chroma != 0 else { return rows }
    let (x, y) = (Int(a.shift_x), Int(a.shift_y))
    compare(a.plane.1, b.plane.1, stride: a.stride.1, otherStride: b.stride.1, shiftX: x, shiftY: y)
    guard rows > 0 else { return rows }
    compare(a.plane.2, b.plane.2, stride: a.stride.2, otherStride: b.stride.2, shiftX: x, shiftY: y)
    return rows
  }
}
