// SPDX-License-Identifier: Apache-2.0

import CHEIFShim
import HEVCBitstream
import ISOBaseMediaFile
import ImageCoderPlugin

/// Decoded items by their identifiers.
typealias DecodedItems = [UInt32: DecodedItem]

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
      try Self.push(coded, bytes: bytes, filler: filler, to: decoder)
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
      guard (result.planes.has_chroma == 0) == (coded.sequence.chromaFormat == .monochrome) else {
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

  /// Shows parameter sets and slices to the decoder, and nothing else: messages and delimiters change no pixel.
  ///
  /// - Parameter filler: Follows the last slice of a cut item, which is left out without it.
  private static func push(
    _ coded: CodedItem, bytes: ItemBytes, filler: UInt8?, to decoder: OpaquePointer
  ) throws(CoderError) {
    func push(_ unit: RawSpan) throws(CoderError) {
      let status = unit.withUnsafeBytes { raw in
        heif_decoder_push(decoder, raw.bindMemory(to: UInt8.self).baseAddress, raw.count)
      }
      guard status == HEIF_DECODE_OK else { throw .outOfMemory(bytes: unit.byteCount, for: "a NAL unit") }
    }
    try bytes.withBytes { raw throws(CoderError) in
      let payload = raw.bytes
      // Memory was announced for the size that the configuration states; sets of the item have to state the same.
      var configuration = coded.configuration
      try configuration.add(from: payload, isCut: bytes.isCut, at: bytes.offset)
      _ = try configuration.sequence()
      for unit in configuration.units { try push(unit.span.bytes) }
      var places = NALUnitPlaces(lengthBytes: configuration.lengthBytes, isCut: bytes.isCut, at: bytes.offset)
      while let place = try places.next(in: payload) {
        let unit = payload.extracting(place)
        guard let type = NALUnit.type(of: unit) else { continue }
        if NALUnitType.isSlice(type) {
          if !places.isUnitCut {
            try push(unit)
          } else if let filler {
            let filled = [UInt8](copying: unit) + [UInt8](repeating: filler, count: 1 << 10)
            try push(filled.span.bytes)
          }
        } else if NALUnitType.parameterSets.contains(type), !places.isUnitCut, !configuration.knows(unit) {
          throw .malformed(
            "a parameter set of item \(coded.item.id) changes after its first slice",
            at: bytes.offset + place.lowerBound)
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
    let found = try? bytes.withBytes { raw throws(CoderError) -> Bool in
      let payload = raw.bytes
      var places = NALUnitPlaces(lengthBytes: coded.configuration.lengthBytes, isCut: true, at: bytes.offset)
      while let place = try places.next(in: payload) {
        guard let type = NALUnit.type(of: payload.extracting(place)), NALUnitType.isSlice(type) else { continue }
        return places.isUnitCut
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
