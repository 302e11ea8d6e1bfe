// SPDX-License-Identifier: Apache-2.0

import CHEIF
import ImageCoderPlugin

/// libheif's reader: handles that free themselves.
///
/// `heif_init` and `heif_deinit` are not called: the decoders that are built in register themselves when the library is
/// loaded, and the last `heif_deinit` in a process would take them away from everyone else who uses libheif.
enum LibHEIF {
  static let version = "libheif \(String(cString: heif_get_version()))"

  /// An open file.
  ///
  /// - Lifetime: The bytes outlive it.
  final class File {
    private let context: OpaquePointer

    /// Reads all boxes, and the bytes of all items.
    init(_ bytes: UnsafeRawBufferPointer) throws(CoderError) {
      guard let context = heif_context_alloc() else { throw .outOfMemory(bytes: 0, for: "libheif's own tables") }
      self.context = context
      heif_context_set_max_decoding_threads(context, 0)
      // Not by its name, which libheif 1.15 passes over for the tiles of a grid.
      try check(heif_register_decoder(context, HEVCDecoder.plugin))
      try check(heif_context_read_from_memory_without_copy(context, bytes.baseAddress, bytes.count, nil))
    }

    deinit { heif_context_free(context) }

    /// The items that are pictures in their own right, by their number.
    var pages: [UInt32] {
      let count = heif_context_get_number_of_top_level_images(context)
      var ids = [heif_item_id](repeating: 0, count: Int(max(0, count)))
      let filled = heif_context_get_list_of_top_level_image_IDs(context, &ids, count)
      return ids.prefix(Int(max(0, filled))).sorted()
    }

    func picture(_ id: UInt32) throws(CoderError) -> Picture {
      var handle: OpaquePointer?
      try check(heif_context_get_image_handle(context, id, &handle))
      guard let handle else { throw .libraryFailure("libheif: no handle for item \(id)") }
      return Picture(handle)
    }
  }

  /// A picture that is not decoded yet.
  final class Picture {
    private let handle: OpaquePointer

    fileprivate init(_ handle: OpaquePointer) { self.handle = handle }

    deinit { heif_image_handle_release(handle) }

    /// After the transformations, which libheif applies.
    var size: Size {
      Size(width: Int(heif_image_handle_get_width(handle)), height: Int(heif_image_handle_get_height(handle)))
    }
    var hasAlpha: Bool { heif_image_handle_has_alpha_channel(handle) != 0 }
    var isPremultiplied: Bool { heif_image_handle_is_premultiplied_alpha(handle) != 0 }
    /// Bits per channel, or nil when the file does not say.
    var bits: Int? {
      let bits = Int(heif_image_handle_get_luma_bits_per_pixel(handle))
      return bits > 0 ? bits : nil
    }

    /// Code points that the file states outside the bitstream.
    var points: CodingIndependentCodePoints? {
      var profile: UnsafeMutablePointer<heif_color_profile_nclx>?
      let error = heif_image_handle_get_nclx_color_profile(handle, &profile)
      defer { heif_nclx_color_profile_free(profile) }
      guard error.code == heif_error_Ok, let found = profile?.pointee else { return nil }
      return CodingIndependentCodePoints(
        primaries: UInt8(clamping: found.color_primaries.rawValue),
        transfer: UInt8(clamping: found.transfer_characteristics.rawValue),
        matrix: UInt8(clamping: found.matrix_coefficients.rawValue), isFullRange: found.full_range_flag != 0)
    }

    /// Bytes of the ICC profile, 0 without one.
    var profileSize: Int { heif_image_handle_get_raw_color_profile_size(handle) }

    func profile() throws(CoderError) -> [UInt8] {
      var bytes = [UInt8](repeating: 0, count: profileSize)
      try check(heif_image_handle_get_raw_color_profile(handle, &bytes))
      return bytes
    }

    /// Items that describe the picture, by their types: `Exif`, or `mime` with a content type.
    func metadata(_ type: String, contentType: String) -> [UInt32] {
      let count = heif_image_handle_get_number_of_metadata_blocks(handle, type)
      var ids = [heif_item_id](repeating: 0, count: Int(max(0, count)))
      let filled = heif_image_handle_get_list_of_metadata_block_IDs(handle, type, &ids, count)
      return ids.prefix(Int(max(0, filled))).filter { id in
        heif_image_handle_get_metadata_content_type(handle, id).map { String(cString: $0) } ?? "" == contentType
      }
    }

    func metadataSize(_ id: UInt32) -> Int { heif_image_handle_get_metadata_size(handle, id) }

    func metadata(_ id: UInt32) throws(CoderError) -> [UInt8] {
      var bytes = [UInt8](repeating: 0, count: metadataSize(id))
      try check(heif_image_handle_get_metadata(handle, id, &bytes))
      return bytes
    }

    func decode() throws(CoderError) -> DecodedPicture {
      var image: OpaquePointer?
      // Planes of a color each: libheif makes interleaved rows by a way that trusts all planes to be of one size.
      try check(heif_decode_image(handle, &image, heif_colorspace_undefined, heif_chroma_undefined, nil))
      guard let image else { throw .libraryFailure("libheif: no picture and no error") }
      return DecodedPicture(image)
    }
  }

  /// Planes of samples: red, green and blue, or gray, and perhaps alpha.
  final class DecodedPicture {
    private let image: OpaquePointer

    fileprivate init(_ image: OpaquePointer) { self.image = image }

    deinit { heif_image_release(image) }

    /// - Lifetime: As long as the picture.
    struct Plane {
      let base: UnsafeRawPointer
      let stride: Int
      let bits: Int
    }

    /// Red, green and blue, or gray once or three times.
    ///
    /// - Throws: ``CoderError/Code/malformed`` for planes of another size, or colors where gray was announced.
    func colors(isGray: Bool, _ size: Size) throws(CoderError) -> [Plane] {
      if let gray = try plane(heif_channel_Y, size) {
        return [Plane](repeating: gray, count: isGray ? 1 : 3)
      }
      guard !isGray, let red = try plane(heif_channel_R, size), let green = try plane(heif_channel_G, size),
        let blue = try plane(heif_channel_B, size)
      else { throw .malformed("libheif decodes other channels than the file announces") }
      return [red, green, blue]
    }

    func alpha(_ size: Size) throws(CoderError) -> Plane? { try plane(heif_channel_Alpha, size) }

    private func plane(_ channel: heif_channel, _ size: Size) throws(CoderError) -> Plane? {
      guard heif_image_has_channel(image, channel) != 0 else { return nil }
      let width = Int(heif_image_get_width(image, channel))
      let height = Int(heif_image_get_height(image, channel))
      let bits = Int(heif_image_get_bits_per_pixel_range(image, channel))
      var stride: Int32 = 0
      let base = heif_image_get_plane_readonly(image, channel, &stride)
      guard width == size.width, height == size.height else {
        throw .malformed("libheif decodes \(width)×\(height) pixels of a picture of \(size)")
      }
      guard let base, (1...16).contains(bits), Int(stride) >= width * (bits > 8 ? 2 : 1) else {
        throw .libraryFailure("libheif: a plane of \(bits) bits and \(stride) bytes a row for \(width) pixels")
      }
      return Plane(base: UnsafeRawPointer(base), stride: Int(stride), bits: bits)
    }
  }

  fileprivate static func check(_ error: heif_error) throws(CoderError) {
    guard error.code != heif_error_Ok else { return }
    let message = error.message.map { String(cString: $0) } ?? ""
    throw CoderError(libheif: error.code, error.subcode, message)
  }
}

private func check(_ error: heif_error) throws(CoderError) { try LibHEIF.check(error) }

extension CoderError {
  /// What libheif's error codes are for the host.
  init(libheif code: heif_error_code, _ detail: heif_suberror_code, _ message: String) {
    let line = message.prefix { !$0.isNewline }
    let text = "libheif: \(line.hasSuffix(".") ? line.dropLast() : line)"
    self =
      switch (code, detail) {
      case (heif_error_Invalid_input, heif_suberror_End_of_data): .truncated(text)
      case (heif_error_Invalid_input, heif_suberror_No_ftyp_box): .wrongFormat(text)
      // libheif asks for properties that a reader can do without.
      case (heif_error_Invalid_input, heif_suberror_No_properties_assigned_to_item): .unsupported(text)
      case (heif_error_Invalid_input, _), (heif_error_Decoder_plugin_error, _): .malformed(text)
      // The limits are libheif's own.
      case (heif_error_Memory_allocation_error, heif_suberror_Security_limit_exceeded): .unsupported(text)
      case (heif_error_Memory_allocation_error, _): .outOfMemory(bytes: 0, for: text)
      case (heif_error_Unsupported_filetype, _), (heif_error_Unsupported_feature, _): .unsupported(text)
      default: .libraryFailure(text)
      }
  }
}
