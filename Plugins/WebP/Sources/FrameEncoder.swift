// SPDX-License-Identifier: Apache-2.0

import CImageCoder
import CWebP
import ImageCoderPlugin

/// One encoded picture: the chunks that a still file or a frame holds.
final class EncodedPicture {
  private var memory: WebPMemoryWriter
  /// ALPH, if there is one, and VP8 or VP8L, padded.
  private let chunks: Range<Int>
  let hasAlpha: Bool
  /// Whether the alpha is in an ALPH chunk, which only an extended file holds.
  let needsExtended: Bool
  let size: Size

  /// Encodes a picture.
  ///
  /// - Throws: ``CoderError/Code/outOfMemory``, ``CoderError/Code/unsupported``, ``CoderError/Code/cancelled``,
  ///   ``CoderError/Code/library``.
  init(_ pixels: PixelView, settings: EncodingSettings, host: CoderHost) throws(CoderError) {
    var memory = WebPMemoryWriter()
    WebPMemoryWriterInit(&memory)
    do throws(CoderError) {
      try Self.encode(pixels, settings: settings, host: host, into: &memory)
      let bytes = UnsafeRawBufferPointer(start: memory.mem, count: memory.size)
      // libwebp writes a whole file: RIFF header, for lossy pictures with alpha a VP8X chunk, and the picture's chunks.
      guard bytes.count > 30, bytes.uint32(at: 0) == FourCC.riff.rawValue else {
        throw .library("libwebp encodes \(bytes.count) bytes that are no file")
      }
      let isExtended = bytes.uint32(at: 12) == FourCC.extended.rawValue
      let isLossless = bytes.uint32(at: 12) == FourCC.lossless.rawValue
      hasAlpha = isExtended || (isLossless && bytes.uint32(at: 21) >> 28 & 1 == 1)
      needsExtended = isExtended
      chunks = (isExtended ? 30 : 12)..<bytes.count
    } catch {
      WebPMemoryWriterClear(&memory)
      throw error
    }
    size = pixels.size
    self.memory = memory
  }

  deinit { WebPMemoryWriterClear(&memory) }

  /// Bytes of all chunks.
  var byteCount: Int { chunks.count }

  func write(to output: ByteOutput) throws(CoderError) {
    try output.write(UnsafeRawBufferPointer(start: memory.mem + chunks.lowerBound, count: chunks.count))
  }

  private static func encode(
    _ pixels: PixelView, settings: EncodingSettings, host: CoderHost, into memory: inout WebPMemoryWriter
  ) throws(CoderError) {
    var picture = WebPPicture()
    guard WebPPictureInit(&picture) != 0 else { throw .library("libwebp has another interface than its header") }
    defer { WebPPictureFree(&picture) }
    // VP8L and the sharp conversion start from RGB; else libwebp converts to 4:2:0 while it takes the rows.
    picture.use_argb = settings.config.lossless != 0 || settings.config.use_sharp_yuv != 0 ? 1 : 0
    picture.width = Int32(clamping: pixels.size.width)
    picture.height = Int32(clamping: pixels.size.height)
    guard let stride = Int32(exactly: pixels.stride) else {
      throw .unsupported("a stride of \(pixels.stride) bytes, 2147483647 are allowed")
    }
    let base = pixels.base.assumingMemoryBound(to: UInt8.self)
    let isTaken: Int32
    switch (pixels.layout.format, pixels.layout.alpha) {
    case (.rgb8, _): isTaken = WebPPictureImportRGB(&picture, base, stride)
    case (.rgba8, .opaque): isTaken = WebPPictureImportRGBX(&picture, base, stride)
    case (.rgba8, .straight): isTaken = WebPPictureImportRGBA(&picture, base, stride)
    case (.bgra8, .opaque): isTaken = WebPPictureImportBGRX(&picture, base, stride)
    case (.bgra8, .straight): isTaken = WebPPictureImportBGRA(&picture, base, stride)
    default: throw .invalidArgument("\(pixels.layout.alpha) \(pixels.layout.format), which was not agreed on")
    }
    guard isTaken != 0 else { throw CoderError(encoding: picture.error_code, size: pixels.size) }

    var config = settings.config
    var raw = host.raw
    let isDone = withUnsafeMutablePointer(to: &memory) { memory in
      withUnsafeMutablePointer(to: &raw) { raw in
        picture.writer = WebPMemoryWrite
        picture.custom_ptr = UnsafeMutableRawPointer(memory)
        picture.user_data = UnsafeMutableRawPointer(raw)
        picture.progress_hook = { percent, picture in
          guard let raw = picture?.pointee.user_data?.load(as: UnsafePointer<imgcoder_host>.self) else { return 1 }
          raw.pointee.progress(raw, Double(percent) / 100)
          return CoderHost(raw).isCancelled ? 0 : 1
        }
        return WebPEncode(&config, &picture) != 0
      }
    }
    guard isDone else { throw CoderError(encoding: picture.error_code, size: pixels.size) }
  }
}
