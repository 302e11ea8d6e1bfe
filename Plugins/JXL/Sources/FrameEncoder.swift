// SPDX-License-Identifier: Apache-2.0

import CJXL
import ImageCoderPlugin

/// Encodes the frames of one file.
///
/// A frame is encoded when the next one is added, because the last one has to be marked; memory holds two at most.
final class FrameEncoder {
  private let encoder: LibJXL.Encoder
  private let output: ByteOutput
  private let host: CoderHost
  private let layout: PixelLayout
  private let canvas: Size
  private var clock: TickClock?
  private let settings: OpaquePointer
  /// Which samples can be encoded, or nil for all.
  private let range: SampleRange?
  private let depth: DepthPlane?
  /// Whether depth is a layer of its own: this libjxl would lose samples of it with those of the picture.
  private let layersDepth: Bool
  private var count = 0
  /// A rectangle that has to be cleared before the next frame is drawn.
  private var clearing: Rect?

  /// The slot in which the canvas is kept for the next frame (ISO/IEC 18181-1 §F.2, save_as_reference); 0 keeps
  /// nothing.
  private static let slot: UInt32 = 1

  init(
    _ output: ByteOutput, host: CoderHost, settings requested: EncodingSettings, header: ImageHeader,
    animation: TickClock?, layout: PixelLayout, bits: Int, metadata: [MetadataKind: [UInt8]],
    light: LightLevels, depth: DepthPlane?
  ) throws(CoderError) {
    encoder = try LibJXL.Encoder(host: host)
    self.output = output
    self.host = host
    self.layout = layout
    self.depth = depth
    layersDepth = depth != nil && !requested.isLossless && jxl_keeps_channels() == 0
    canvas = header.canvas
    clock = animation
    // Colors without a name, and those of a profile, count as sRGB.
    let named = metadata[.icc] == nil ? header.cicp.flatMap { $0.encoding(isGray: false) == nil ? nil : $0 } : nil
    range = requested.isLossless ? nil : SampleRange(transfer: named?.transfer ?? 13)
    settings = try encoder.makeFrameSettings()
    let boxes = metadata.filter { $0.key != .icc }
    if !boxes.isEmpty { try encoder.check(JxlEncoderUseBoxes(encoder.raw), "boxes") }
    let profile = metadata[.icc]
    let keepsColors = requested.isLossless || (profile != nil && requested.keepsProfile)
    var info = JxlBasicInfo(header, layout: layout, bits: bits, keepsColors: keepsColors)
    if let clock {
      info.have_animation = 1
      info.animation.tps_numerator = clock.ticksPerSecond
      info.animation.tps_denominator = 1
      info.animation.num_loops = header.loopCount?.plays ?? 0
    }
    // ISO/IEC 18181-1 §D.3.5: the upper bound of light in PQ. That of HLG is the display's.
    if named?.transfer == 16, let peak = light.contentPeak ?? light.masteringPeak {
      info.intensity_target = Float(peak)
      if let black = light.masteringBlack, black < peak { info.min_nits = Float(black) }
    }
    if depth != nil { info.num_extra_channels += 1 }
    try encoder.check(JxlEncoderSetBasicInfo(encoder.raw, &info), "a picture of \(canvas) in \(layout.format)")
    try depth?.describe(to: encoder, at: depthIndex)
    try setColors(profile: profile, cicp: header.cicp)
    try apply(requested)
    if let exif = metadata[.exif] {
      // ISO/IEC 18181-2 §9.6: the TIFF header follows at once.
      try encoder.add([0, 0, 0, 0] + exif, as: "Exif", isCompressed: requested.compressesMetadata)
    }
    if let packet = metadata[.xmp] { try encoder.add(packet, as: "xml ", isCompressed: requested.compressesMetadata) }
    if !boxes.isEmpty { JxlEncoderCloseBoxes(encoder.raw) }
  }

  /// That of depth among the channels beside those of color; alpha is the first.
  private var depthIndex: Int { layout.alpha == .opaque ? 0 : 1 }

  private func setColors(profile: [UInt8]?, cicp: CodingIndependentCodePoints?) throws(CoderError) {
    if let profile {
      return try encoder.check(
        JxlEncoderSetICCProfile(encoder.raw, profile, profile.count), "an ICC profile of \(profile.count) bytes")
    }
    let isGray = layout.format.isGray
    var encoding = (cicp ?? .sRGB).encoding(isGray: isGray)
    if encoding == nil {
      host.log("colors of \(cicp ?? .sRGB) have no name in JPEG XL; the file says sRGB", severity: .warning)
      encoding = CodingIndependentCodePoints.sRGB.encoding(isGray: isGray)
    }
    guard var encoding else { return }
    try encoder.check(JxlEncoderSetColorEncoding(encoder.raw, &encoding), "a color space")
  }

  private func apply(_ requested: EncodingSettings) throws(CoderError) {
    for (setting, value) in requested.frameSettings {
      try encoder.check(
        JxlEncoderFrameSettingsSetOption(settings, setting, value), "setting \(setting.rawValue) of \(value)")
    }
    if requested.photonNoise > 0, !requested.isLossless {
      try encoder.check(
        JxlEncoderFrameSettingsSetFloatOption(settings, JXL_ENC_FRAME_SETTING_PHOTON_NOISE, requested.photonNoise),
        "noise of ISO \(requested.photonNoise)")
    }
    if requested.isLossless {
      try encoder.check(JxlEncoderSetFrameLossless(settings, 1), "a lossless picture")
    } else {
      // libjxl 0.7 takes 0.01 for the least.
      let distance = Float(max(requested.distance, 0.01))
      try encoder.check(JxlEncoderSetFrameDistance(settings, distance), "a distance of \(distance)")
    }
  }

  func add(_ pixels: PixelView, frame: FrameHeader) throws(CoderError) {
    guard pixels.layout == layout else {
      throw .unsupported("a frame of \(pixels.layout) in an animation of \(layout)")
    }
    if count > 0 {
      if let rect = clearing { try addClearLayer(rect) }
      try drain()
    }
    try range?.check(pixels)
    clearing = frame.disposal == .restoreBackground ? frame.rect : nil
    let ticks = try clock?.advance(by: frame.delay ?? .zero) ?? 0
    // A frame without a delay would be a layer of the next one, and never be shown alone: it gets the shortest delay.
    try setHeader(frame, ticks: max(ticks, 1))
    try withSamples(of: pixels) { (format, base, size) throws(CoderError) in
      var format = format
      try encoder.check(JxlEncoderAddImageFrame(settings, &format, base, size), "frame \(count)")
    }
    if layersDepth { try addDepthLayer() } else { try depth?.add(to: encoder, settings, at: depthIndex) }
    count += 1
  }

  func finish() throws(CoderError) {
    JxlEncoderCloseInput(encoder.raw)
    try drain()
  }

  private func drain() throws(CoderError) {
    try encoder.drain { (bytes) throws(CoderError) in try output.write(bytes) }
  }

  /// A frame is drawn over what slot 1 keeps, and is kept there too unless its disposal restores what was before.
  private func setHeader(_ frame: FrameHeader, ticks: UInt32) throws(CoderError) {
    guard clock != nil else {
      guard frame.rect == Rect(covering: canvas) else {
        throw .unsupported("a still picture of \(frame.rect.size) on a canvas of \(canvas)")
      }
      if layersDepth { try DepthPlane.keepLayer(in: encoder, settings, slot: Self.slot) }
      return
    }
    var header = JxlFrameHeader()
    JxlEncoderInitFrameHeader(&header)
    header.duration = ticks
    if frame.rect != Rect(covering: canvas) {
      header.layer_info.have_crop = 1
      header.layer_info.crop_x0 = Int32(clamping: frame.rect.x)
      header.layer_info.crop_y0 = Int32(clamping: frame.rect.y)
      header.layer_info.xsize = UInt32(clamping: frame.rect.width)
      header.layer_info.ysize = UInt32(clamping: frame.rect.height)
    }
    let isBlended = frame.blend == .over && layout.alpha != .opaque
    var blend = JxlBlendInfo()
    JxlEncoderInitBlendInfo(&blend)
    blend.blendmode = isBlended ? JXL_BLEND_BLEND : JXL_BLEND_REPLACE
    blend.source = Self.slot
    header.layer_info.blend_info = blend
    header.layer_info.save_as_reference = frame.disposal == .restorePrevious ? 0 : Self.slot
    try encoder.check(JxlEncoderSetFrameHeader(settings, &header), "the header of frame \(count)")
    if layout.alpha != .opaque {
      try encoder.check(JxlEncoderSetExtraChannelBlendInfo(settings, 0, &blend), "the header of frame \(count)")
    }
  }

  /// Adds a layer without a delay that makes a rectangle transparent. JPEG XL has no disposal.
  private func addClearLayer(_ rect: Rect) throws(CoderError) {
    let bytes = rect.size.pixelCount * 4 * 4
    let memory = try host.allocate(bytes: bytes, alignment: 64, for: "a cleared rectangle")
    defer { host.free(memory) }
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: bytes)
    try setHeader(FrameHeader(rect: rect, blend: .source), ticks: 0)
    var format = JxlPixelFormat(layout.format, stride: 0)
    format.num_channels = layout.channelCount
    let size = rect.size.pixelCount * Int(format.num_channels) * layout.format.bytesPerChannel
    try encoder.check(JxlEncoderAddImageFrame(settings, &format, memory, size), "a cleared rectangle")
  }

  /// Adds depth in a layer that adds nothing to the colors.
  private func addDepthLayer() throws(CoderError) {
    guard let depth else { return }
    let channels = Int(layout.channelCount)
    let count = canvas.pixelCount * channels * layout.format.bytesPerChannel
    let memory = try host.allocate(bytes: max(count, canvas.pixelCount), alignment: 64, for: "a layer of depth")
    defer { host.free(memory) }
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: max(count, canvas.pixelCount))
    var format = JxlPixelFormat(layout.format, stride: 0)
    format.num_channels = layout.channelCount
    // Below the layer there is no depth.
    var gray = JxlPixelFormat(.gray8, stride: 0)
    let status = JxlEncoderSetExtraChannelBuffer(
      settings, &gray, memory, canvas.pixelCount, UInt32(clamping: depthIndex))
    try encoder.check(status, "a channel of depth")
    let layer = try encoder.makeFrameSettings()
    try DepthPlane.prepareLayer(in: encoder, layer, slot: Self.slot, channels: depthIndex)
    try encoder.check(JxlEncoderAddImageFrame(layer, &format, memory, count), "a layer of depth")
    try depth.add(to: encoder, layer, at: depthIndex)
  }

  /// Calls `body` with samples as libjxl wants them: without an alpha channel where there is none in the file.
  private func withSamples(
    of pixels: PixelView, _ body: (JxlPixelFormat, UnsafeRawPointer, Int) throws(CoderError) -> Void
  ) throws(CoderError) {
    let width = pixels.size.width
    let format = pixels.layout.format
    let rowBytes = width * format.bytesPerPixel
    guard pixels.layout.channelCount != UInt32(format.channelCount) else {
      let size = (pixels.size.height - 1) * pixels.stride + rowBytes
      return try body(JxlPixelFormat(format, stride: pixels.stride), pixels.base, size)
    }
    // 64 or 128 bits of a pixel become 48 or 96.
    let sample = format.bytesPerChannel
    let packed = width * 3 * sample
    let memory = try host.allocate(bytes: packed * pixels.size.height, alignment: 64, for: "opaque pixels")
    defer { host.free(memory) }
    for y in 0..<pixels.size.height {
      let (row, result) = (pixels.base + y * pixels.stride, memory + y * packed)
      for x in 0..<width {
        (result + x &* 3 &* sample).copyMemory(from: row + x &* 4 &* sample, byteCount: 3 &* sample)
      }
    }
    var tight = JxlPixelFormat(format, stride: 0)
    tight.num_channels = 3
    try body(tight, memory, packed * pixels.size.height)
  }
}

extension PixelLayout {
  /// Samples of a pixel in the file.
  fileprivate var channelCount: UInt32 {
    UInt32(alpha == .opaque && format.hasAlpha ? format.channelCount - 1 : format.channelCount)
  }
}

extension JxlBasicInfo {
  /// - Parameters:
  ///   - bits: Of a sample.
  ///   - keepsColors: Whether samples are stored in the colors in which they come, and not as XYB.
  init(_ header: ImageHeader, layout: PixelLayout, bits: Int, keepsColors: Bool) {
    self.init()
    JxlEncoderInitBasicInfo(&self)
    xsize = UInt32(clamping: header.canvas.width)
    ysize = UInt32(clamping: header.canvas.height)
    bits_per_sample = UInt32(clamping: bits)
    exponent_bits_per_sample = layout.format == .rgbaFloat16 ? 5 : layout.format == .rgbaFloat32 ? 8 : 0
    num_color_channels = layout.format.isGray ? 1 : 3
    if layout.alpha != .opaque {
      num_extra_channels = 1
      alpha_bits = bits_per_sample
      alpha_exponent_bits = exponent_bits_per_sample
    }
    uses_original_profile = keepsColors ? 1 : 0
    orientation = JxlOrientation(UInt32(header.orientation.rawValue))
  }
}
