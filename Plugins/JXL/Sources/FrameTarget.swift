// SPDX-License-Identifier: Apache-2.0

import CJXL
import Glibc
import ImageCoderPlugin

/// The host's rows as libjxl writes them.
final class FrameTarget {
  let rows: RowSink.Rows
  let format: PixelFormat
  let width: Int

  init(rows: RowSink.Rows, format: PixelFormat, width: Int) {
    self.rows = rows
    self.format = format
    self.width = width
  }

  /// Asks the host for all rows of an offer.
  convenience init(_ offer: DecodeOffer, from sink: RowSink) throws(CoderError) {
    let size = offer.size
    let rows = try sink.rows(at: 0, count: size.height)
    guard rows.count == size.height else {
      throw .libraryFailure("the host grants \(rows.count) of \(size.height) rows, which come in any order")
    }
    let rowBytes = size.width * offer.pixelFormat.bytesPerPixel
    guard rows.stride >= rowBytes else {
      throw .libraryFailure("the host grants a stride of \(rows.stride) bytes for rows of \(rowBytes)")
    }
    self.init(rows: rows, format: offer.pixelFormat, width: size.width)
  }

  private var rowBytes: Int { width &* format.bytesPerPixel }

  /// Sets every pixel to 0.
  func clear() {
    for y in 0..<rows.count { memset(rows.base + y &* rows.stride, 0, rowBytes) }
  }

  /// Hands the rows to libjxl for the frame that it comes to next.
  func attach(to decoder: LibJXL.Decoder) throws(CoderError) {
    // Bytes between rows belong to the host; libjxl steps over them.
    var pixels = JxlPixelFormat(format, stride: format == .rgbaFloat32 ? 0 : rows.stride)
    if format == .rgbaFloat32 {
      // libjxl converts 32-bit floating point row by row without a copy of the picture when it may call back.
      let status = JxlDecoderSetMultithreadedImageOutCallback(
        decoder.raw, &pixels, { opaque, _, _ in opaque },
        { opaque, _, x, y, count, samples in
          guard let opaque, let samples else { return }
          Unmanaged<FrameTarget>.fromOpaque(opaque).takeUnretainedValue().take(samples, x: x, y: y, count: count)
        }, { _ in }, Unmanaged.passUnretained(self).toOpaque())
      guard status == JXL_DEC_SUCCESS else { throw .libraryFailure("libjxl delivers no \(format)") }
      return
    }
    // libjxl counts the bytes after the last row as well, which may not be the host's to give, and does not touch them.
    let (size, overflow) = rows.count.multipliedReportingOverflow(by: rows.stride)
    guard !overflow else { throw .libraryFailure("\(rows.count) rows of \(rows.stride) bytes") }
    guard JxlDecoderSetImageOutBuffer(decoder.raw, &pixels, rows.base, size) == JXL_DEC_SUCCESS else {
      throw .libraryFailure("libjxl delivers no \(format)")
    }
  }

  /// Takes a part of a row, from any thread; no two calls have the same pixels.
  private func take(_ samples: UnsafeRawPointer, x: Int, y: Int, count: Int) {
    guard x >= 0, y >= 0, count >= 0, y < rows.count, x <= width, count <= width - x else { return }
    let place = rows.base + (y &* rows.stride &+ x &* format.bytesPerPixel)
    memcpy(place, samples, count &* format.bytesPerPixel)
  }
}

/// The channel of black ink beside cyan, magenta and yellow.
///
/// Samples say what an ink leaves of the light (ISO/IEC 18181-1 §L.2.1), so that a pixel's red is what cyan and black
/// leave together: their product.
final class BlackPlane {
  private let index: Int
  private let size: Size
  private let host: CoderHost
  private var samples: UnsafeMutableRawPointer?
  private var bytes = 0

  init(_ index: Int, size: Size, host: CoderHost) {
    self.index = index
    self.size = size
    self.host = host
  }

  deinit { host.free(samples) }

  func attach(to decoder: LibJXL.Decoder, format: PixelFormat) throws(CoderError) {
    var pixels = JxlPixelFormat(format, stride: 0)
    guard
      JxlDecoderExtraChannelBufferSize(decoder.raw, &pixels, &bytes, UInt32(truncatingIfNeeded: index))
        == JXL_DEC_SUCCESS,
      bytes == size.pixelCount * format.bytesPerChannel
    else { throw .libraryFailure("libjxl wants \(bytes) bytes for a channel of \(size) pixels") }
    let samples = try host.allocate(bytes: bytes, alignment: 64, for: "black ink")
    self.samples = samples
    memset(samples, 0xff, bytes)
    guard
      JxlDecoderSetExtraChannelBuffer(decoder.raw, &pixels, samples, bytes, UInt32(truncatingIfNeeded: index))
        == JXL_DEC_SUCCESS
    else { throw .libraryFailure("libjxl delivers no black ink") }
  }

  func multiply(into target: FrameTarget) {
    switch target.format.bytesPerChannel {
    case 1: multiply(into: target, as: UInt8.self) { UInt8(truncatingIfNeeded: (Int($0) * Int($1) + 127) / 255) }
    case 2 where target.format.isFloat:
      multiply(into: target, as: Float16.self) { $0 * $1 }
    case 2:
      multiply(into: target, as: UInt16.self) { UInt16(truncatingIfNeeded: (Int($0) * Int($1) + 32_767) / 65_535) }
    default: multiply(into: target, as: Float.self) { $0 * $1 }
    }
  }

  @inline(__always)
  private func multiply<Sample>(
    into target: FrameTarget, as type: Sample.Type, _ product: (Sample, Sample) -> Sample
  ) {
    guard let black = samples?.assumingMemoryBound(to: Sample.self) else { return }
    let channels = target.format.channelCount
    for y in 0..<size.height {
      let row = (target.rows.base + y &* target.rows.stride).assumingMemoryBound(to: Sample.self)
      let ink = black + y &* size.width
      for x in 0..<size.width {
        let pixel = row + x &* channels
        for channel in 0..<min(3, channels) { pixel[channel] = product(pixel[channel], ink[x]) }
      }
    }
  }
}
