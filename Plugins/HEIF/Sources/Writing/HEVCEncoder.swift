// SPDX-License-Identifier: Apache-2.0

import CHEIFLibrary
import CHEIFShim
import HEVCBitstream
import ISOBaseMediaFile
import ImageCoderPlugin

/// One picture as HEVC: what an item and its properties hold of it.
struct EncodedPicture {
  /// The payload of its `hvcC` box.
  let configuration: [UInt8]
  let data: [UInt8]
  /// The coded size of what the bitstream holds, which the encoder may have enlarged to the right and below.
  let codedSize: Size
  let size: Size
  /// Bits of each channel.
  let depths: [UInt8]
}

/// Encodes planes through libheif, whose x265 plugin gives one HEVC picture.
///
/// libheif writes a file into memory, of which the bitstream and its configuration are taken: the boxes of the file
/// that is written are made here. x265 gets no pool of threads; the one thread that it starts ends before a call returns.
struct HEVCEncoder {
  let settings: EncodingSettings
  /// The bits of a sample.
  let bits: Int
  let host: CoderHost
  private let heif: heif_library

  /// - Throws: ``CoderError/Code/libraryFailure`` if libheif is not there.
  init(settings: EncodingSettings, bits: Int, host: CoderHost) throws(CoderError) {
    self.settings = settings
    self.bits = bits
    self.host = host
    heif = try LibHEIF.library()
  }

  /// What is encoded of the pixels.
  enum Part {
    case color(CodingIndependentCodePoints)
    case alpha
  }

  /// - Throws: ``CoderError/Code/unsupported`` when libheif has no encoder; ``CoderError/Code/libraryFailure``;
  ///   ``CoderError/Code/outOfMemory``; ``CoderError/Code/cancelled``.
  func encode(_ pixels: PixelView, _ part: Part) throws(CoderError) -> EncodedPicture {
    if host.isCancelled { throw .cancelled }
    guard let context = heif.context_alloc() else { throw .outOfMemory(bytes: 1 << 12, for: "libheif's context") }
    defer { heif.context_free(context) }
    var made: OpaquePointer?
    try check(heif.context_get_encoder_for_format(context, heif_compression_HEVC, &made), "finding an HEVC encoder")
    guard let encoder = made else { throw .unsupported("libheif has no HEVC encoder") }
    defer { heif.encoder_release(encoder) }
    let isGray: Bool
    switch part {
    case .alpha: isGray = true
    case .color: isGray = pixels.layout.format.isGray
    }
    try configure(encoder, size: pixels.size, isGray: isGray)
    let image = try image(of: pixels, part, isGray: isGray)
    defer { heif.image_release(image) }
    guard let options = heif.encoding_options_alloc() else {
      throw .outOfMemory(bytes: 1 << 8, for: "libheif's options")
    }
    defer { heif.encoding_options_free(options) }
    options.pointee.macOS_compatibility_workaround = 0
    try check(heif.context_encode_image(context, image, encoder, options, nil), "encoding a picture of \(pixels.size)")
    if host.isCancelled { throw .cancelled }
    let file = try written(context)
    return try Self.picture(in: file, size: pixels.size, bits: bits, limits: host.limits)
  }

  private func configure(_ encoder: OpaquePointer, size: Size, isGray: Bool) throws(CoderError) {
    try check(heif.encoder_set_logging_level(encoder, 0), "silencing the encoder")
    if settings.isLossless {
      try check(heif.encoder_set_lossless(encoder, 1), "asking for lossless coding")
    } else {
      try check(heif.encoder_set_lossless(encoder, 0), "asking for lossy coding")
      try check(heif.encoder_set_lossy_quality(encoder, Int32(100 - 2 * settings.rateFactor)), "setting the quality")
    }
    let chroma =
      switch settings.subsampling {
      case .s422: "422"
      case .s444: "444"
      default: "420"
      }
    var parameters = [
      ("chroma", chroma), ("preset", settings.preset), ("x265:pools", "none"), ("x265:frame-threads", "1"),
      ("x265:wpp", "0"), ("tune", settings.tune),
    ]
    if !settings.isLossless, settings.chromaOffset != 0 {
      let offset = String(settings.chromaOffset)
      parameters += [("x265:cbqpoffs", offset), ("x265:crqpoffs", offset)]
    }
    // libheif encodes small pictures in blocks of 16 × 16, in which x265 takes three levels of transforms; the preset
    // placebo asks for four.
    if min(size.width, size.height) < 32, settings.preset == HEIFOption.Preset.placebo.rawValue {
      parameters += [("x265:tu-intra-depth", "3"), ("x265:tu-inter-depth", "3")]
    }
    // In such blocks x265 takes no side over 4216: the levels of larger pictures want blocks of 32 (ITU-T H.265 §A.4.1).
    if min(size.width, size.height) < 64, max(size.width, size.height) > 4_096 { parameters.append(("x265:ctu", "32")) }
    for (name, value) in parameters {
      try check(heif.encoder_set_parameter_string(encoder, name, value), "setting \(name) to \(value)")
    }
  }

  /// The planes that are encoded.
  private func image(of pixels: PixelView, _ part: Part, isGray: Bool) throws(CoderError) -> OpaquePointer {
    let chroma =
      isGray
      ? heif_chroma_gray()
      : settings.subsampling == .s444
        ? heif_chroma_444 : settings.subsampling == .s422 ? heif_chroma_422 : heif_chroma_420
    let width = Int32(clamping: pixels.size.width)
    let height = Int32(clamping: pixels.size.height)
    var made: OpaquePointer?
    try check(
      heif.image_create(
        width, height, isGray ? heif_colorspace_monochrome : heif_colorspace_YCbCr, chroma, &made),
      "making a picture of \(pixels.size)")
    guard let image = made else { throw .outOfMemory(bytes: pixels.size.pixelCount, for: "libheif's picture") }
    do throws(CoderError) {
      let shiftX: Int32 = chroma == heif_chroma_444 ? 0 : 1
      let shiftY: Int32 = chroma == heif_chroma_420 ? 1 : 0
      var planes = heif_planes()
      planes.bits = UInt32(bits)
      planes.has_chroma = isGray ? 0 : 1
      planes.shift_x = UInt32(shiftX)
      planes.shift_y = UInt32(shiftY)
      let channels = isGray ? [heif_channel_Y] : [heif_channel_Y, heif_channel_Cb, heif_channel_Cr]
      for (index, channel) in channels.enumerated() {
        let columns = index == 0 ? width : (width + shiftX) >> shiftX
        let rows = index == 0 ? height : (height + shiftY) >> shiftY
        try check(heif.image_add_plane(image, channel, columns, rows, Int32(bits)), "making a plane")
        var stride: Int32 = 0
        guard let plane = heif.image_get_plane(image, channel, &stride) else {
          throw .outOfMemory(bytes: pixels.size.pixelCount, for: "a plane")
        }
        switch index {
        case 0: (planes.plane.0, planes.stride.0) = (plane, Int(stride))
        case 1: (planes.plane.1, planes.stride.1) = (plane, Int(stride))
        default: (planes.plane.2, planes.stride.2) = (plane, Int(stride))
        }
      }
      try fill(planes, with: pixels, part)
      try state(part, of: image)
    } catch {
      heif.image_release(image)
      throw error
    }
    return image
  }

  private func fill(_ given: heif_planes, with pixels: PixelView, _ part: Part) throws(CoderError) {
    var planes = given
    let format = pixels.layout.format
    var layout = heif_layout(
      channels: UInt32(format.channelCount), bytes_per_channel: UInt32(format.bytesPerChannel),
      is_bgr: format == .bgra8 ? 1 : 0)
    let base = pixels.base.assumingMemoryBound(to: UInt8.self)
    switch part {
    case .alpha: heif_write_alpha(&planes, pixels.size.width, pixels.size.height, &layout, base, pixels.stride)
    case .color(let points):
      var colors = try heif_colors(storing: points, isGray: given.has_chroma == 0)
      guard
        heif_write_planes(
          &planes, &colors, pixels.size.width, pixels.size.height, &layout, base, pixels.stride) != 0
      else { throw .outOfMemory(bytes: pixels.size.width * 8, for: "a row of chroma") }
    }
  }

  /// Puts code points into the bitstream too.
  private func state(_ part: Part, of image: OpaquePointer) throws(CoderError) {
    guard case .color(let points) = part else { return }
    guard let nclx = heif.nclx_color_profile_alloc() else { throw .outOfMemory(bytes: 64, for: "code points") }
    defer { heif.nclx_color_profile_free(nclx) }
    // Code points that libheif does not know become unspecified in the bitstream; the box has them all.
    _ = heif.nclx_color_profile_set_color_primaries(nclx, UInt16(points.primaries))
    _ = heif.nclx_color_profile_set_transfer_characteristics(nclx, UInt16(points.transfer))
    _ = heif.nclx_color_profile_set_matrix_coefficients(nclx, UInt16(points.matrix))
    nclx.pointee.full_range_flag = points.isFullRange ? 1 : 0
    try check(heif.image_set_nclx_color_profile(image, nclx), "setting code points")
  }

  private func written(_ context: OpaquePointer) throws(CoderError) -> [UInt8] {
    var bytes: [UInt8] = []
    var writer = heif_writer()
    writer.writer_api_version = 1
    writer.write = { _, data, size, target in
      if let data, let target {
        target.assumingMemoryBound(to: [UInt8].self).pointee
          .append(contentsOf: UnsafeRawBufferPointer(start: data, count: size))
      }
      return heif_error(code: heif_error_Ok, subcode: heif_suberror_Unspecified, message: nil)
    }
    let result = withUnsafeMutablePointer(to: &bytes) { heif.context_write(context, &writer, $0) }
    try check(result, "writing the picture")
    return bytes
  }

  private func check(_ error: heif_error, _ what: String) throws(CoderError) {
    guard error.code != heif_error_Ok else { return }
    let message = error.message.map { String(cString: $0) } ?? "nothing"
    switch error.code {
    case heif_error_Unsupported_filetype, heif_error_Unsupported_feature, heif_error_Usage_error:
      throw .unsupported("\(what): libheif says \(message)")
    case heif_error_Memory_allocation_error:
      throw CoderError(code: .outOfMemory, message: "\(what): libheif says \(message)")
    default: throw .libraryFailure("\(what): libheif says \(message)")
    }
  }

  /// The bitstream of the only coded item of a file that libheif wrote.
  private static func picture(
    in file: [UInt8], size: Size, bits: Int, limits: Limits
  ) throws(CoderError) -> EncodedPicture {
    var result: Result<EncodedPicture, CoderError>?
    file.withUnsafeBytes { bytes in
      do throws(CoderError) {
        let contents = FileBytes(whole: bytes)
        let parsed = try HEIFFile(parsing: contents, limits: limits)
        guard let id = parsed.meta.primary, let item = parsed.meta.item(id),
          let box = try parsed.properties(of: item).configuration
        else { throw .libraryFailure("libheif writes a file without a picture") }
        let sequence = try parsed.configuration(in: box).sequence()
        let data = try parsed.bytes(of: item).withBytes { [UInt8]($0) }
        let channels = sequence.chromaFormat == .monochrome ? 1 : 3
        result = .success(
          EncodedPicture(
            configuration: [UInt8](bytes[box.payload]), data: data, codedSize: sequence.size, size: size,
            depths: [UInt8](repeating: UInt8(clamping: bits), count: channels)))
      } catch {
        result = .failure(error)
      }
    }
    guard let result else { throw .libraryFailure("libheif writes an empty file") }
    return try result.get()
  }
}
