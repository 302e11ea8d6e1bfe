// SPDX-License-Identifier: Apache-2.0

import COpenJPEG
import ImageCoderPlugin

/// Encodes a picture tile by tile, and writes its codestream as it is made.
final class CodestreamEncoder {
  private let pixels: PixelView
  private let settings: EncodingSettings
  private let host: CoderHost
  private let output: ByteOutput
  /// Bytes that went out.
  private(set) var byteCount = 0
  private var failure: CoderError?

  /// Components, colors first.
  private let componentCount: Int
  private let bytesPerSample: Int
  /// The bits of a sample in the file.
  private let bits: Int

  private static let streamBuffer = 1 << 16
  /// What the library takes for each sample: 32-bit samples, code-blocks, their passes, and the tile's bytes.
  private static let bytesPerEncodedSample = 16

  init(_ pixels: PixelView, bits: Int, settings: EncodingSettings, host: CoderHost, output: ByteOutput) {
    self.pixels = pixels
    self.bits = bits
    self.settings = settings
    self.host = host
    self.output = output
    componentCount = pixels.layout.componentCount
    bytesPerSample = pixels.layout.format.bytesPerChannel
  }

  /// Encodes.
  ///
  /// - Throws: What the output answers; ``CoderError/Code/limitExceeded``, ``CoderError/Code/cancelled``,
  ///   ``CoderError/Code/libraryFailure``.
  func encode() throws(CoderError) {
    if host.isCancelled { throw .cancelled }
    let tiles = try settings.tiles(of: pixels.size)
    let largest = tiles[0].width * tiles[0].height * componentCount
    try host.limits.check(memory: largest * (Self.bytesPerEncodedSample + bytesPerSample))
    let samples = try host.allocate(bytes: largest * bytesPerSample, alignment: 64, for: "samples of a tile")
    defer { host.free(samples) }
    let messages = LibraryMessages(host)
    withExtendedLifetime((self, messages)) {
      let isDone = run(tiles, samples: samples, messages: messages)
      if !isDone, failure == nil {
        failure =
          host.isCancelled
          ? .cancelled
          : .libraryFailure(
            "openjpeg cannot encode a picture of \(pixels.size): \(messages.error ?? "it gives no reason")")
      }
    }
    if let failure { throw failure }
  }

  private func run(_ tiles: [Rect], samples: UnsafeMutableRawPointer, messages: LibraryMessages) -> Bool {
    guard let codec = opj_create_compress(OPJ_CODEC_J2K) else { return false }
    defer { opj_destroy_codec(codec) }
    messages.listen(to: codec)
    guard let image = makeImage() else { return false }
    defer { opj_image_destroy(image) }
    let colors = pixels.layout.format.isGray ? 1 : 3
    var parameters = settings.parameters(for: pixels.size, colors: colors)
    guard opj_setup_encoder(codec, &parameters, image) != 0 else { return false }
    // Whatever OPJ_NUM_THREADS says, threads are the host's.
    opj_codec_set_threads(codec, 0)
    guard let stream = opj_stream_create(Self.streamBuffer, 0) else { return false }
    defer { opj_stream_destroy(stream) }
    opj_stream_set_user_data(stream, Unmanaged.passUnretained(self).toOpaque(), nil)
    opj_stream_set_write_function(stream) { bytes, count, context in
      guard let context, let bytes else { return -1 }
      let encoder = Unmanaged<CodestreamEncoder>.fromOpaque(context).takeUnretainedValue()
      return encoder.write(UnsafeRawBufferPointer(start: bytes, count: count)) ? count : -1
    }
    guard opj_start_compress(codec, image, stream) != 0 else { return false }
    for (index, tile) in tiles.enumerated() {
      if host.isCancelled { return false }
      let count = gather(tile, to: samples)
      let bytes = samples.assumingMemoryBound(to: UInt8.self)
      guard opj_write_tile(codec, UInt32(index), bytes, UInt32(clamping: count), stream) != 0 else { return false }
      host.progress(Double(index + 1) / Double(tiles.count))
    }
    return opj_end_compress(codec, stream) != 0 && failure == nil
  }

  private func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard failure == nil, !host.isCancelled else { return false }
    do throws(CoderError) {
      try output.write(bytes)
      byteCount += bytes.count
      return true
    } catch {
      failure = error
      return false
    }
  }

  /// The picture without its samples.
  private func makeImage() -> UnsafeMutablePointer<opj_image_t>? {
    var component = opj_image_cmptparm_t()
    component.dx = 1
    component.dy = 1
    component.w = UInt32(clamping: pixels.size.width)
    component.h = UInt32(clamping: pixels.size.height)
    component.prec = UInt32(clamping: bits)
    var components = [opj_image_cmptparm_t](repeating: component, count: componentCount)
    let space = pixels.layout.format.isGray ? OPJ_CLRSPC_GRAY : OPJ_CLRSPC_SRGB
    let image = opj_image_tile_create(UInt32(componentCount), &components, space)
    image?.pointee.x1 = UInt32(clamping: pixels.size.width)
    image?.pointee.y1 = UInt32(clamping: pixels.size.height)
    return image
  }

  /// Copies a tile's samples, one component after the other.
  ///
  /// - Returns: Bytes.
  private func gather(_ tile: Rect, to samples: UnsafeMutableRawPointer) -> Int {
    let format = pixels.layout.format
    let count = tile.width * tile.height
    for component in 0..<componentCount {
      let channel = format == .bgra8 && component < 3 ? 2 - component : component
      let plane = samples + component * count * bytesPerSample
      for y in 0..<tile.height {
        let row =
          pixels.base + (tile.y + y) * pixels.stride + tile.x * format.bytesPerPixel + channel * bytesPerSample
        let target = plane + y * tile.width * bytesPerSample
        if bytesPerSample == 1 {
          Self.pick(
            row.assumingMemoryBound(to: UInt8.self), step: format.channelCount,
            to: target.assumingMemoryBound(to: UInt8.self), count: tile.width)
        } else if bits < 16 {
          Self.pick(
            row.assumingMemoryBound(to: UInt16.self), step: format.channelCount, scaledTo: 1 << bits - 1,
            to: target.assumingMemoryBound(to: UInt16.self), count: tile.width)
        } else {
          Self.pick(
            row.assumingMemoryBound(to: UInt16.self), step: format.channelCount,
            to: target.assumingMemoryBound(to: UInt16.self), count: tile.width)
        }
      }
    }
    return count * componentCount * bytesPerSample
  }

  @inline(__always)
  private static func pick<Sample>(
    _ row: UnsafePointer<Sample>, step: Int, to target: UnsafeMutablePointer<Sample>, count: Int
  ) {
    for x in 0..<count { target[x] = row[x &* step] }
  }

  /// Samples of fewer bits than 16, to the nearest.
  private static func pick(
    _ row: UnsafePointer<UInt16>, step: Int, scaledTo top: Int, to target: UnsafeMutablePointer<UInt16>, count: Int
  ) {
    for x in 0..<count { target[x] = UInt16(truncatingIfNeeded: (Int(row[x &* step]) &* top &+ 32_767) / 65_535) }
  }
}

extension PixelLayout {
  /// Components that hold it: opaque alpha is not stored.
  var componentCount: Int { (format.isGray ? 1 : 3) + (hasStoredAlpha ? 1 : 0) }

  var hasStoredAlpha: Bool { format.hasAlpha && alpha != .opaque }
}
