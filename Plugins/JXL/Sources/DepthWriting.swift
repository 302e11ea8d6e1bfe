// SPDX-License-Identifier: Apache-2.0

import CJXL
import ImageCoderPlugin

/// Puts depth into a file of JPEG XL, as a channel beside those of color.
///
/// A channel is a part of the codestream, which is encoded again: so the file has to have every sample of its picture. A host
/// that wants a lossy file with depth makes a lossless one first.
///
/// - Format: ISO/IEC 18181-1 §D.3.6.
enum DepthWriting {
  /// Whether the picture stays as it is; the options of the writer say the rest.
  static let lossless = CoderOption.boolean("lossless", default: true, "Keep every sample of the picture.")
  private static let (picture, type, xmp, name) = ("picture", "type", "xmp", "name")

  static let operation = ContainerOperation(
    OperationDescription(
      name: KnownOperation.attachAuxiliary.name, text: KnownOperation.attachAuxiliary.text,
      formats: [.init(from: .jpegXL)], options: [lossless.description] + JXLOption.table,
      blocks: [picture, type, xmp, name]),
    run: attach)

  /// - Throws: ``CoderError/Code/unsupported`` for other pictures than depth, and for a file that would lose something.
  static func attach(_ operation: FileOperation, _ context: OperationContext) throws(CoderError) {
    guard let file = operation.blocks[picture], let type = operation.blocks[type] else {
      throw .invalidArgument("\(operation.name) needs the blocks \(picture) and \(Self.type)")
    }
    let kind = String(decoding: type.prefix(128), as: UTF8.self)
    // H.265 annex G has a number for it.
    let isDepth = ["depth", ":auxid:2"].contains { kind.lowercased().hasSuffix($0) }
    guard isDepth, operation.blocks[xmp] == nil else {
      throw .unsupported("\(kind) beside a picture; JPEG XL has channels of depth, and nothing that says more of them")
    }
    let name = operation.blocks[Self.name].map { String(decoding: $0.prefix(128), as: UTF8.self) } ?? kind
    let host = context.host
    let reader = try JXLReader(context.source, host: host, options: [])
    let header = try reader.header(page: 0)
    guard header.isLossless, !header.isAnimated, header.frameCount == 1, !header.isTruncated, !header.isDamaged else {
      throw .unsupported("depth beside a picture that is not lossless, which would have to be encoded again")
    }
    let others = try reader.metadata(.other, page: 0)
    guard others == nil, header.hiddenPageCount == 0, header.alpha != .premultiplied else {
      throw .unsupported("depth in a file with a gain map, other depth or data of programs, which would be lost")
    }
    let copy = CopiedSource(file)
    let depth = try withExtendedLifetime(copy) { () throws(CoderError) in
      try plane(of: copy.view, named: name, size: header.canvas, host: host)
    }
    guard !context.asksOnly else { return }
    let pixels = try StillSamples(context.source, header, host: host)
    var options = WriteOptions(format: .jpegXL)
    options.isLossless = operation[lossless]
    options.values = operation.values
    options.values[lossless.name] = nil
    let writer = try JXLWriter(context.output, host: host, options: options)
    guard try writer.layout(for: pixels.view.layout) == pixels.view.layout else {
      throw .unsupported("depth beside pixels of \(pixels.view.layout)")
    }
    writer.depth = depth
    try writer.setHeader(header)
    for kind in [MetadataKind.icc, .exif, .xmp] {
      if let payload = try reader.metadata(kind, page: 0) { try writer.add(payload, as: kind) }
    }
    try writer.setLight(try reader.storedColor(page: 0).light)
    try writer.add(pixels.view, frame: FrameHeader(rect: Rect(covering: header.canvas)))
    try writer.finish()
  }

  /// The samples of a file of gray.
  private static func plane(
    of source: SourceView, named name: String, size: Size, host: CoderHost
  ) throws(CoderError) -> DepthPlane {
    let header = try JXLReader(source, host: host, options: []).header(page: 0)
    guard header.canvas == size, [.gray8, .gray16].contains(header.pixelFormat) else {
      throw .invalidArgument("depth of \(header.canvas) in \(header.pixelFormat); gray of \(size) is needed")
    }
    return DepthPlane(
      samples: try StillSamples(source, header, host: host), bits: header.bitsPerChannel, name: name)
  }
}

/// A channel of depth to be written.
struct DepthPlane {
  let samples: StillSamples
  let bits: Int
  let name: String

  /// Describes the channel once the picture is described.
  func describe(to encoder: LibJXL.Encoder, at index: Int) throws(CoderError) {
    var info = JxlExtraChannelInfo()
    JxlEncoderInitExtraChannelInfo(JXL_CHANNEL_DEPTH, &info)
    info.bits_per_sample = UInt32(clamping: samples.view.layout.format == .gray8 ? 8 : bits)
    info.exponent_bits_per_sample = 0
    info.name_length = UInt32(clamping: name.utf8.count)
    try encoder.check(JxlEncoderSetExtraChannelInfo(encoder.raw, index, &info), "a channel of depth")
    let status = name.withCString { JxlEncoderSetExtraChannelName(encoder.raw, index, $0, name.utf8.count) }
    try encoder.check(status, "the name of a channel")
  }

  /// Keeps the picture for the layer of depth that follows.
  static func keepLayer(in encoder: LibJXL.Encoder, _ settings: OpaquePointer, slot: UInt32) throws(CoderError) {
    var header = JxlFrameHeader()
    JxlEncoderInitFrameHeader(&header)
    header.layer_info.save_as_reference = slot
    try encoder.check(JxlEncoderSetFrameHeader(settings, &header), "the header of a picture with depth")
  }

  /// Settings of a layer whose colors and alpha are added to what is in a slot, and whose depth stands in place of that.
  static func prepareLayer(
    in encoder: LibJXL.Encoder, _ settings: OpaquePointer, slot: UInt32, channels: Int
  ) throws(CoderError) {
    var header = JxlFrameHeader()
    JxlEncoderInitFrameHeader(&header)
    var blend = JxlBlendInfo()
    JxlEncoderInitBlendInfo(&blend)
    (blend.blendmode, blend.source) = (JXL_BLEND_ADD, slot)
    header.layer_info.blend_info = blend
    try encoder.check(JxlEncoderSetFrameHeader(settings, &header), "the header of a layer of depth")
    for index in 0..<channels {
      try encoder.check(JxlEncoderSetExtraChannelBlendInfo(settings, index, &blend), "alpha under depth")
    }
    (blend.blendmode, blend.source) = (JXL_BLEND_REPLACE, 0)
    try encoder.check(JxlEncoderSetExtraChannelBlendInfo(settings, channels, &blend), "depth over a picture")
    // libjxl 0.7 quantizes channels by the distance, of which 0.01 is the least, and more of them where coarse samples come
    // first.
    try encoder.check(JxlEncoderSetFrameDistance(settings, 0.01), "a distance of 0.01")
    for setting in [JXL_ENC_FRAME_SETTING_RESPONSIVE, JXL_ENC_FRAME_SETTING_MODULAR] {
      let value: Int64 = setting == JXL_ENC_FRAME_SETTING_MODULAR ? 1 : 0
      try encoder.check(JxlEncoderFrameSettingsSetOption(settings, setting, value), "setting \(setting.rawValue)")
    }
  }

  /// Adds the samples after those of the picture.
  func add(to encoder: LibJXL.Encoder, _ settings: OpaquePointer, at index: Int) throws(CoderError) {
    try encoder.check(jxl_keep_channel(settings, index), "a channel without loss")
    let view = samples.view
    var format = JxlPixelFormat(view.layout.format, stride: view.stride)
    let status = JxlEncoderSetExtraChannelBuffer(
      settings, &format, view.base, view.stride * view.size.height, UInt32(clamping: index))
    try encoder.check(status, "a channel of depth")
  }
}

/// The samples of a still, as its codestream has them.
final class StillSamples {
  let view: PixelView
  private let host: CoderHost
  private let memory: UnsafeMutableRawPointer

  init(_ source: SourceView, _ header: ImageHeader, host: CoderHost) throws(CoderError) {
    let format = header.pixelFormat
    let row = header.canvas.width * format.bytesPerPixel
    let count = row * header.canvas.height
    memory = try host.allocate(bytes: count, alignment: 64, for: "the samples of a picture")
    self.host = host
    view = PixelView(
      layout: PixelLayout(format, header.alpha), size: header.canvas, base: UnsafeRawPointer(memory), stride: row)
    let decoder = try LibJXL.Decoder(host: host)
    try decoder.begin(try source.contents(), events: JXL_DEC_FULL_IMAGE)
    while true {
      switch decoder.next() {
      case JXL_DEC_NEED_IMAGE_OUT_BUFFER:
        var pixels = JxlPixelFormat(format, stride: 0)
        guard JxlDecoderSetImageOutBuffer(decoder.raw, &pixels, memory, count) == JXL_DEC_SUCCESS else {
          throw .libraryFailure("libjxl delivers no \(format)")
        }
      case JXL_DEC_FULL_IMAGE: return
      case JXL_DEC_ERROR:
        if host.isCancelled { throw .cancelled }
        throw .malformed("libjxl finds an error in the picture")
      case let status: throw .libraryFailure("libjxl reports event \(status.rawValue) before the picture is whole")
      }
    }
  }

  deinit { host.free(memory) }
}
