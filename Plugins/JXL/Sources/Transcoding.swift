// SPDX-License-Identifier: Apache-2.0

import CJXL
import Glibc
import ImageCoderPlugin

/// Carries JPEG files into JPEG XL and back, byte for byte, without decoding a pixel.
///
/// - Format: ISO/IEC 18181-2 §9.8, the `jbrd` box.
enum JXLTranscoder: ContainerTranscoder {
  /// Carries a file from one format to the other.
  ///
  /// - Throws: ``CoderError/Code/unsupported`` for other formats, and when this file cannot be carried over without loss.
  static func transcode(
    _ source: SourceView, from: ImageFormat, to: ImageFormat, output: ByteOutput, host: CoderHost
  ) throws(CoderError) {
    switch (from, to) {
    case (.jpeg, .jpegXL): try wrapJPEG(source, output: output, host: host)
    case (.jpegXL, .jpeg): try reconstructJPEG(source, output: output, host: host)
    default: throw .unsupported("from \(from) to \(to); JPEG and JPEG XL are carried over into each other")
    }
  }

  /// Writes the JPEG file that a JPEG XL file was made of.
  ///
  /// - Throws: ``CoderError/Code/unsupported`` when it was made of something else.
  static func reconstructJPEG(_ source: SourceView, output: ByteOutput, host: CoderHost) throws(CoderError) {
    let boxes = try BoxIndex(parsing: source)
    guard boxes.hasReconstruction else { throw .unsupported("the file was not made of a JPEG: it has no jbrd box") }
    let jpeg = try reconstructed(try source.contents(), isTruncated: boxes.isTruncated, host: host)
    try withExtendedLifetime(jpeg) { () throws(CoderError) in try output.write(jpeg.contents) }
  }

  /// Makes the JPEG in memory.
  private static func reconstructed(
    _ file: UnsafeRawBufferPointer, isTruncated: Bool, host: CoderHost
  ) throws(CoderError) -> JPEGBuffer {
    let decoder = try LibJXL.Decoder(host: host)
    try decoder.begin(
      file, events: JXL_DEC_BASIC_INFO, JXL_DEC_JPEG_RECONSTRUCTION, JXL_DEC_FULL_IMAGE)
    // Metadata boxes may lie behind the codestream, and are part of the JPEG: libjxl has to know where they end.
    JxlDecoderCloseInput(decoder.raw)
    let jpeg = JPEGBuffer(capacity: file.count + file.count / 2 + 4096, limits: host.limits)
    var isReconstructing = false
    while true {
      switch decoder.next() {
      case JXL_DEC_BASIC_INFO:
        var info = JxlBasicInfo()
        guard JxlDecoderGetBasicInfo(decoder.raw, &info) == JXL_DEC_SUCCESS else {
          throw .library("libjxl does not show the image header")
        }
        try check(Size(width: Int(info.xsize), height: Int(info.ysize)), limits: host.limits)
      case JXL_DEC_JPEG_RECONSTRUCTION:
        isReconstructing = true
        try jpeg.attach(to: decoder)
      case JXL_DEC_JPEG_NEED_MORE_OUTPUT: try jpeg.grow(for: decoder)
      case JXL_DEC_FULL_IMAGE:
        guard isReconstructing else { throw .unsupported("libjxl cannot make the JPEG again") }
        jpeg.release(from: decoder)
        return jpeg
      case JXL_DEC_NEED_IMAGE_OUT_BUFFER: throw .unsupported("libjxl makes pixels and not the JPEG of this file")
      case JXL_DEC_NEED_MORE_INPUT:
        throw .truncated("a file of \(file.count) bytes that ends before the JPEG is whole", at: file.count)
      case JXL_DEC_ERROR:
        if decoder.isCancelled || host.isCancelled { throw .cancelled }
        if isTruncated {
          throw .truncated("a file of \(file.count) bytes that ends before the JPEG is whole", at: file.count)
        }
        throw .malformed("libjxl cannot make the JPEG again")
      case let status: throw .malformed("the file ends before the JPEG is whole, with event \(status.rawValue)")
      }
    }
  }

  /// Writes a JPEG file as JPEG XL from which it can be made again byte for byte.
  ///
  /// - Throws: ``CoderError/Code/unsupported`` when libjxl cannot hold this file without loss.
  static func wrapJPEG(_ source: SourceView, output: ByteOutput, host: CoderHost) throws(CoderError) {
    let bytes = try source.contents()
    guard bytes.count >= 3, bytes[0] == 0xff, bytes[1] == 0xd8, bytes[2] == 0xff else {
      throw .wrongFormat("a file that does not begin as JPEG")
    }
    if let size = JPEGSize.read(bytes) { try check(size, limits: host.limits) }
    let encoder = try LibJXL.Encoder(host: host)
    let settings = try encoder.makeFrameSettings()
    try encoder.check(JxlEncoderUseContainer(encoder.raw, 1), "a container")
    try encoder.check(JxlEncoderStoreJPEGMetadata(encoder.raw, 1), "a JPEG's other bytes")
    let start = bytes.assumingMemoryBound(to: UInt8.self).baseAddress
    guard JxlEncoderAddJPEGFrame(settings, start, bytes.count) == JXL_ENC_SUCCESS else {
      if host.isCancelled { throw .cancelled }
      let code = JxlEncoderGetError(encoder.raw).rawValue
      throw .unsupported("libjxl cannot hold this JPEG without loss, with error \(code)")
    }
    JxlEncoderCloseInput(encoder.raw)
    var file: [UInt8] = []
    try encoder.drain { (piece) throws(CoderError) in
      try host.limits.check(memory: file.count + piece.count)
      file.append(contentsOf: piece)
    }
    guard isReversible(file, to: bytes, host: host) else {
      if host.isCancelled { throw .cancelled }
      throw .unsupported("libjxl does not make this JPEG again byte for byte")
    }
    try output.write(file)
  }

  /// Whether a file gives a JPEG back. libjxl 0.7 takes some of which it cannot make the same again, with an ICC profile
  /// behind the frame header for one.
  private static func isReversible(_ file: [UInt8], to jpeg: UnsafeRawBufferPointer, host: CoderHost) -> Bool {
    file.withUnsafeBytes { file in
      do throws(CoderError) {
        let again = try reconstructed(file, isTruncated: false, host: host)
        return withExtendedLifetime(again) {
          guard let made = again.contents.baseAddress, let given = jpeg.baseAddress else { return false }
          return again.contents.count == jpeg.count && memcmp(made, given, jpeg.count) == 0
        }
      } catch {
        return false
      }
    }
  }

  /// Checks a canvas, and the coefficients that libjxl holds of it: three planes of 16 bits, and more while it works.
  private static func check(_ size: Size, limits: Limits) throws(CoderError) {
    try limits.check(canvas: size)
    try limits.check(memory: size.pixelCount.multipliedReportingOverflow(by: 12).partialValue)
  }
}

/// Memory for a JPEG that is made again.
///
/// libjxl 0.7 begins anew with each larger buffer: all of the file has to fit at once.
private final class JPEGBuffer {
  private var bytes: UnsafeMutableBufferPointer<UInt8>
  private var used = 0
  private let limits: Limits

  init(capacity: Int, limits: Limits) {
    bytes = .allocate(capacity: max(min(capacity, limits.maxMemory), 1))
    self.limits = limits
  }

  deinit { bytes.deallocate() }

  /// What was made so far; alive as long as the buffer.
  var contents: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[..<used]) }

  func attach(to decoder: LibJXL.Decoder) throws(CoderError) {
    guard let start = bytes.baseAddress,
      JxlDecoderSetJPEGBuffer(decoder.raw, start + used, bytes.count - used) == JXL_DEC_SUCCESS
    else { throw .library("libjxl takes no buffer for a JPEG") }
  }

  /// Takes back what libjxl has written, and gives it twice the memory.
  func grow(for decoder: LibJXL.Decoder) throws(CoderError) {
    release(from: decoder)
    let count = bytes.count.multipliedReportingOverflow(by: 2).partialValue
    guard count > bytes.count else { throw .library("libjxl wants \(bytes.count) bytes and more for a JPEG") }
    try limits.check(memory: count)
    let larger = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: count)
    _ = larger.update(fromContentsOf: UnsafeMutableBufferPointer(rebasing: bytes[..<used]))
    bytes.deallocate()
    bytes = larger
    try attach(to: decoder)
  }

  /// Takes back what libjxl has written.
  func release(from decoder: LibJXL.Decoder) {
    used = max(used, bytes.count - min(JxlDecoderReleaseJPEGBuffer(decoder.raw), bytes.count))
  }
}

/// The size in a JPEG file's frame header (ITU-T T.81 §B.2.2).
private enum JPEGSize {
  static func read(_ bytes: UnsafeRawBufferPointer) -> Size? {
    var offset = 2
    while offset <= bytes.count - 9 {
      guard bytes[offset] == 0xff else { return nil }
      let marker = bytes[offset + 1]
      if marker == 0xff {
        offset += 1
        continue
      }
      // SOF0 to SOF15 without DHT, JPG and DAC, which lie among them.
      if (0xc0...0xcf).contains(marker), marker != 0xc4, marker != 0xc8, marker != 0xcc {
        return Size(
          width: Int(bytes[offset + 7]) << 8 | Int(bytes[offset + 8]),
          height: Int(bytes[offset + 5]) << 8 | Int(bytes[offset + 6]))
      }
      offset += 2 + max(2, Int(bytes[offset + 2]) << 8 | Int(bytes[offset + 3]))
    }
    return nil
  }
}
