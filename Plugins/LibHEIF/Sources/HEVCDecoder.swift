// SPDX-License-Identifier: Apache-2.0

import CHEIF
import CHEIFShim
import HEVCBitstream
import ImageCoderPlugin

/// A decoder of HEVC that libheif calls, in place of the one that is built into it.
///
/// That one hands out pictures of which libde265 decoded only a part, with what the memory held before in the rest: a
/// damaged file would show what is no part of it. This one refuses them. It is registered with each file, so that
/// nobody else who uses libheif in this process comes to it.
enum HEVCDecoder {
  /// What libheif keeps, for as long as the process lives; nothing changes it.
  nonisolated(unsafe) static let plugin: UnsafePointer<heif_decoder_plugin> = {
    let plugin = UnsafeMutablePointer<heif_decoder_plugin>.allocate(capacity: 1)
    // The struct grows from version to version of libheif; what the third one does not have stays null.
    var table = heif_decoder_plugin()
    table.plugin_api_version = 3
    table.get_plugin_name = { text("HEVC decoder of ImageCoders, libde265") }
    table.does_support_format = { $0 == heif_compression_HEVC ? 200 : 0 }
    table.new_decoder = { decoder in
      decoder?.pointee = Unmanaged.passRetained(Units()).toOpaque()
      return success
    }
    table.free_decoder = { decoder in
      if let decoder { Unmanaged<Units>.fromOpaque(decoder).release() }
    }
    table.push_data = { decoder, data, size in
      guard let decoder, let data else { return failure(heif_error_Usage_error, "no decoder or no data") }
      let units = Unmanaged<Units>.fromOpaque(decoder).takeUnretainedValue()
      do throws(CoderError) {
        try ArrayMemory.grow(&units.bytes, by: size, for: "units of a picture")
      } catch {
        return failure(heif_error_Memory_allocation_error, "no memory for units")
      }
      units.bytes += UnsafeRawBufferPointer(start: data, count: size)
      return success
    }
    table.decode_image = { decoder, image in
      guard let decoder, let image else { return failure(heif_error_Usage_error, "no decoder or no image") }
      return decode(Unmanaged<Units>.fromOpaque(decoder).takeUnretainedValue().bytes, into: image)
    }
    table.set_strict_decoding = { _, _ in }
    table.id_name = text("imagecoders")
    plugin.initialize(to: table)
    return UnsafePointer(plugin)
  }()

  /// Parameter sets and slices of one picture, each after its length in four bytes.
  private final class Units {
    var bytes: [UInt8] = []
  }

  private static func decode(_ units: [UInt8], into image: UnsafeMutablePointer<OpaquePointer?>) -> heif_error {
    guard let decoder = heif_decoder_new() else { return failure(heif_error_Memory_allocation_error, "no decoder") }
    defer { heif_decoder_free(decoder) }
    let sequence: SequenceParameters
    do throws(CoderError) {
      sequence = try push(units, to: decoder)
    } catch {
      // What is wrong was said when the items were checked, before libheif came to them.
      return failure(heif_error_Decoder_plugin_error, "parameter sets or units are damaged")
    }
    var decoded = heif_decoded()
    let coded = sequence.codedSize
    switch Int(heif_decoder_run(decoder, coded.width, coded.height, sequence.blockSide, &decoded)) {
    case Int(HEIF_DECODE_OK): return copy(&decoded, into: image)
    case Int(HEIF_DECODE_NO_MEMORY): return failure(heif_error_Memory_allocation_error, "no memory for a picture")
    default: return failure(heif_error_Decoder_plugin_error, decoded.message ?? text("no picture"))
    }
  }

  /// Shows parameter sets and slices to libde265.
  private static func push(_ units: [UInt8], to decoder: OpaquePointer) throws(CoderError) -> SequenceParameters {
    func push(_ unit: RawSpan) throws(CoderError) {
      let status = unit.withUnsafeBytes { raw in
        heif_decoder_push(decoder, raw.bindMemory(to: UInt8.self).baseAddress, raw.count)
      }
      guard status == HEIF_DECODE_OK else { throw .outOfMemory(bytes: unit.byteCount, for: "a NAL unit") }
    }
    let bytes = units.span.bytes
    var configuration = HEVCConfiguration(lengthBytes: 4)
    try configuration.add(from: bytes)
    let sequence = try configuration.sequence()
    for unit in configuration.units { try push(unit.span.bytes) }
    var places = NALUnitPlaces(lengthBytes: 4)
    while let place = try places.next(in: bytes) {
      let unit = bytes.extracting(place)
      if let type = NALUnit.type(of: unit), NALUnitType.isSlice(type) { try push(unit) }
    }
    return sequence
  }

  /// Makes a picture of libheif of libde265's planes.
  private static func copy(
    _ decoded: inout heif_decoded, into image: UnsafeMutablePointer<OpaquePointer?>
  ) -> heif_error {
    let planes = decoded.planes
    guard decoded.chroma_bits == planes.bits, (8...16).contains(planes.bits) else {
      return failure(heif_error_Unsupported_feature, "luma and chroma of different depths")
    }
    let chroma =
      switch (planes.has_chroma != 0, planes.shift_x, planes.shift_y) {
      case (false, _, _): heif_chroma_gray()
      case (true, 0, _): heif_chroma_444
      case (true, _, 0): heif_chroma_422
      default: heif_chroma_420
      }
    let space = planes.has_chroma != 0 ? heif_colorspace_YCbCr : heif_colorspace_monochrome
    var made: OpaquePointer?
    var error = heif_image_create(Int32(decoded.width), Int32(decoded.height), space, chroma, &made)
    guard error.code == heif_error_Ok, let made else { return error }
    func add(
      _ channel: heif_channel, _ plane: UnsafeMutablePointer<UInt8>?, _ stride: Int, _ width: Int, _ height: Int
    ) {
      guard error.code == heif_error_Ok, let plane else { return }
      error = heif_image_add_plane(made, channel, Int32(width), Int32(height), Int32(planes.bits))
      guard error.code == heif_error_Ok else { return }
      var rowBytes: Int32 = 0
      guard let rows = heif_image_get_plane(made, channel, &rowBytes) else {
        error = failure(heif_error_Memory_allocation_error, "no memory for a plane")
        return
      }
      for y in 0..<height {
        let row = UnsafeMutableRawPointer(rows + y * Int(rowBytes))
        row.copyMemory(from: plane + y * stride, byteCount: width * (planes.bits > 8 ? 2 : 1))
      }
    }
    add(heif_channel_Y, planes.plane.0, planes.stride.0, decoded.width, decoded.height)
    if planes.has_chroma != 0 {
      let width = (decoded.width - 1) >> Int(planes.shift_x) + 1
      let height = (decoded.height - 1) >> Int(planes.shift_y) + 1
      add(heif_channel_Cb, planes.plane.1, planes.stride.1, width, height)
      add(heif_channel_Cr, planes.plane.2, planes.stride.2, width, height)
    }
    guard error.code == heif_error_Ok else {
      heif_image_release(made)
      return error
    }
    describe(made, decoded)
    image.pointee = made
    return success
  }

  /// Colors as the bitstream states them, for files that do not.
  private static func describe(_ image: OpaquePointer, _ decoded: heif_decoded) {
    guard let colors = heif_nclx_color_profile_alloc() else { return }
    defer { heif_nclx_color_profile_free(colors) }
    // What H.273 does not know stays unspecified.
    _ = heif_nclx_color_profile_set_color_primaries(colors, UInt16(clamping: decoded.primaries))
    _ = heif_nclx_color_profile_set_transfer_characteristics(colors, UInt16(clamping: decoded.transfer))
    _ = heif_nclx_color_profile_set_matrix_coefficients(colors, UInt16(clamping: decoded.matrix))
    colors.pointee.full_range_flag = decoded.is_full_range != 0 ? 1 : 0
    _ = heif_image_set_nclx_color_profile(image, colors)
  }

  /// libheif keeps the address of a message: it is of a literal.
  private static func text(_ literal: StaticString) -> UnsafePointer<CChar> {
    UnsafeRawPointer(literal.utf8Start).assumingMemoryBound(to: CChar.self)
  }

  private static var success: heif_error { failure(heif_error_Ok, "success") }

  private static func failure(_ code: heif_error_code, _ message: StaticString) -> heif_error {
    failure(code, text(message))
  }

  private static func failure(_ code: heif_error_code, _ message: UnsafePointer<CChar>) -> heif_error {
    heif_error(code: code, subcode: heif_suberror_Unspecified, message: message)
  }
}
