// SPDX-License-Identifier: Apache-2.0

import CJXL
import Glibc
import ImageCoderPlugin

/// Carries JPEG files into JPEG XL and back, byte for byte, without decoding a pixel.
///
/// - Format: ISO/IEC 18181-2 §9.8, the `jbrd` box.
enum JXLTranscoder {
  /// Carries a file from one format to the other.
  ///
  /// - Throws: ``CoderError/Code/unsupported`` when this file cannot be carried over without loss.
  static func transcode(_ context: OperationContext) throws(CoderError) {
    if context.to == .jpegXL { try wrapJPEG(context) } else { try reconstructJPEG(context) }
  }

  /// Writes the JPEG file that a JPEG XL file was made of.
  ///
  /// - Throws: ``CoderError/Code/unsupported`` when it was made of something else.
  private static func reconstructJPEG(_ context: OperationContext) throws(CoderError) {
    let boxes = try BoxIndex(parsing: context.source)
    guard boxes.hasReconstruction else { throw .unsupported("the file was not made of a JPEG: it has no jbrd box") }
    guard !context.asksOnly else { return }
    let jpeg = try reconstructed(try context.source.contents(), isTruncated: boxes.isTruncated, host: context.host)
    try withExtendedLifetime(jpeg) { () throws(CoderError) in try context.output.write(jpeg.contents) }
  }

  /// The JPEG file that a JPEG XL file was made of.
  static func reconstructed(_ source: SourceView, host: CoderHost) throws(CoderError) -> [UInt8] {
    let jpeg = try reconstructed(try source.contents(), isTruncated: false, host: host)
    return try withExtendedLifetime(jpeg) { () throws(CoderError) in
      try ArrayMemory.copy(jpeg.contents, for: "a JPEG that is made again")
    }
  }

  /// Makes the JPEG in memory.
  static func reconstructed(
    _ file: UnsafeRawBufferPointer, isTruncated: Bool, host: CoderHost
  ) throws(CoderError) -> JPEGBuffer {
    let decoder = try LibJXL.Decoder(host: host)
    try decoder.begin(
      file, events: JXL_DEC_BASIC_INFO, JXL_DEC_JPEG_RECONSTRUCTION, JXL_DEC_FULL_IMAGE)
    // Metadata boxes may lie after the codestream, and are part of the JPEG: libjxl has to know where they end.
    JxlDecoderCloseInput(decoder.raw)
    let jpeg = try JPEGBuffer(capacity: file.count + file.count / 2 + 4096, host: host)
    var isReconstructing = false
    while true {
      switch decoder.next() {
      case JXL_DEC_BASIC_INFO:
        var info = JxlBasicInfo()
        guard JxlDecoderGetBasicInfo(decoder.raw, &info) == JXL_DEC_SUCCESS else {
          throw .libraryFailure("libjxl does not show the image header")
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
        if host.isCancelled { throw .cancelled }
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
  private static func wrapJPEG(_ context: OperationContext) throws(CoderError) {
    let (source, host) = (context.source, context.host)
    let bytes = try source.contents()
    var reader = try source.reader(at: 0, count: .max, of: "the JPEG")
    guard reader.count >= 3, try reader.unsigned(bytes: 3, at: 0) == 0xff_d8ff else {
      throw .wrongFormat("a file that does not begin as JPEG")
    }
    // libjxl says what is wrong with a file that has no frame header.
    if let frame = try? JPEGFrame(parsing: &reader) { try check(frame.size, limits: host.limits) }
    guard !context.asksOnly else { return }
    try context.output.write(try wrapped(bytes, host: host))
  }

  /// The JPEG XL file of a JPEG file.
  ///
  /// - Throws: ``CoderError/Code/unsupported`` when libjxl cannot hold this file without loss.
  static func wrapped(_ bytes: UnsafeRawBufferPointer, host: CoderHost) throws(CoderError) -> [UInt8] {
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
    return file
  }

  /// Whether a file gives a JPEG back. libjxl 0.7 accepts some JPEGs that it cannot make again byte for byte, such as those
  /// with an ICC profile after the frame header.
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
/// libjxl 0.7 starts again with each larger buffer: the whole file has to fit.
final class JPEGBuffer {
  private var memory: UnsafeMutableRawPointer
  private var capacity: Int
  private var used = 0
  private let host: CoderHost

  init(capacity: Int, host: CoderHost) throws(CoderError) {
    self.capacity = max(min(capacity, host.limits.maxMemory), 1)
    self.host = host
    memory = try host.allocate(bytes: self.capacity, for: "a JPEG that is made again")
  }

  deinit { host.free(memory) }

  /// What was made so far; alive as long as the buffer.
  var contents: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: memory, count: used) }

  func attach(to decoder: LibJXL.Decoder) throws(CoderError) {
    let start = memory.assumingMemoryBound(to: UInt8.self)
    guard JxlDecoderSetJPEGBuffer(decoder.raw, start + used, capacity - used) == JXL_DEC_SUCCESS else {
      throw .libraryFailure("libjxl takes no buffer for a JPEG")
    }
  }

  /// Takes back what libjxl has written, and gives it twice the memory.
  func grow(for decoder: LibJXL.Decoder) throws(CoderError) {
    release(from: decoder)
    let (count, overflow) = capacity.multipliedReportingOverflow(by: 2)
    guard !overflow else { throw .libraryFailure("libjxl wants more than \(capacity) bytes for a JPEG") }
    try host.limits.check(memory: count)
    let larger = try host.allocate(bytes: count, for: "a JPEG that is made again")
    larger.copyMemory(from: memory, byteCount: used)
    host.free(memory)
    (memory, capacity) = (larger, count)
    try attach(to: decoder)
  }

  /// Takes back what libjxl has written.
  func release(from decoder: LibJXL.Decoder) {
    used = max(used, capacity - min(JxlDecoderReleaseJPEGBuffer(decoder.raw), capacity))
  }
}
