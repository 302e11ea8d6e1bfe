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
  /// - Parameter part: Which attempt of how many this is.
  /// - Throws: ``CoderError/Code/outOfMemory``, ``CoderError/Code/unsupported``, ``CoderError/Code/cancelled``,
  ///   ``CoderError/Code/libraryFailure``.
  init(
    _ pixels: PixelView, config: WebPConfig, part: (index: Int, count: Int), host: CoderHost
  ) throws(CoderError) {
    var memory = WebPMemoryWriter()
    WebPMemoryWriterInit(&memory)
    do throws(CoderError) {
      try Self.encode(pixels, config: config, part: part, host: host, into: &memory)
      let bytes = UnsafeRawBufferPointer(start: memory.mem, count: memory.size)
      // libwebp writes a whole file: RIFF header, for lossy pictures with alpha a VP8X chunk, and the picture's chunks.
      let reader = ByteReader(bytes.bytes, order: .littleEndian, of: "libwebp's file")
      guard bytes.count > 30, reader.has("RIFF", at: 0) else {
        throw .libraryFailure("libwebp encodes \(bytes.count) bytes that are no file")
      }
      let isExtended = reader.has("VP8X", at: 12)
      // The alpha hint of VP8L (RFC 9649 §3.4).
      let isLossless = reader.has("VP8L", at: 12)
      let fields = try reader.uint32(at: 21, "VP8L's fields")
      hasAlpha = isExtended || (isLossless && fields >> 28 & 1 == 1)
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

  /// What the hook of libwebp needs.
  private struct Progress {
    let host: UnsafePointer<imgcoder_host>
    let part: (index: Int, count: Int)
  }

  private static func encode(
    _ pixels: PixelView, config: WebPConfig, part: (index: Int, count: Int), host: CoderHost,
    into memory: inout WebPMemoryWriter
  ) throws(CoderError) {
    var picture = WebPPicture()
    guard WebPPictureInit(&picture) != 0 else { throw .libraryFailure("libwebp has another interface than its header") }
    defer { WebPPictureFree(&picture) }
    try picture.take(pixels, for: config)
    var config = config
    var progress = Progress(host: host.raw, part: part)
    let isDone = withUnsafeMutablePointer(to: &memory) { memory in
      withUnsafeMutablePointer(to: &progress) { progress in
        picture.writer = WebPMemoryWrite
        picture.custom_ptr = UnsafeMutableRawPointer(memory)
        picture.user_data = UnsafeMutableRawPointer(progress)
        picture.progress_hook = { percent, picture in
          guard let progress = picture?.pointee.user_data?.load(as: Progress.self) else { return 1 }
          let done = Double(progress.part.index) + Double(percent) / 100
          progress.host.pointee.progress(progress.host, done / Double(progress.part.count))
          return CoderHost(progress.host).isCancelled ? 0 : 1
        }
        return WebPEncode(&config, &picture) != 0
      }
    }
    guard isDone else { throw CoderError(encoding: picture.error_code, size: pixels.size) }
  }
}
