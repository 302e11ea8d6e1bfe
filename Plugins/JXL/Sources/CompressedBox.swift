// SPDX-License-Identifier: Apache-2.0

import CJXL
import ImageCoderPlugin

/// The content of a `brob` box (ISO/IEC 18181-2 §9.7): the type of a box, and its content compressed with Brotli.
enum CompressedBox {
  private static let chunk = 1 << 16

  /// Inflates a box.
  ///
  /// libjxl gets a file of this one box, so that it does not read the picture.
  ///
  /// - Parameter prefix: Bytes of the content that are no payload and do not count.
  /// - Throws: ``CoderError/Code/limitExceeded`` as soon as more than the limit comes out;
  ///   ``CoderError/Code/malformed``.
  static func contents(
    of box: Box, in source: SourceView, prefix: Int, host: CoderHost
  ) throws(CoderError) -> [UInt8] {
    try host.limits.check(metadata: box.payload.count)
    let content = try ArrayMemory.copy(source.bytes(at: box.content, count: box.payload.count), for: "metadata")
    let file = try file(holding: content)
    let result = file.withUnsafeBytes { bytes -> Result<[UInt8], CoderError> in
      do throws(CoderError) {
        return .success(try inflate(bytes, at: box.start, prefix: prefix, host: host))
      } catch { return .failure(error) }
    }
    return try result.get()
  }

  /// A file of one compressed box, after the signature and `ftyp` that libjxl has to see first.
  private static func file(holding content: [UInt8]) throws(CoderError) -> [UInt8] {
    var writer = ByteWriter()
    try writer.reserve(content.count + 64, for: "metadata")
    writer.put(BoxIndex.signature)
    writer.box(FourCC("ftyp")) { writer in
      writer.put("jxl ")
      writer.put(UInt32(0))
      writer.put("jxl ")
    }
    writer.box(.compressed) { $0.put(content) }
    return writer.bytes
  }

  private static func inflate(
    _ file: UnsafeRawBufferPointer, at offset: Int, prefix: Int, host: CoderHost
  ) throws(CoderError) -> [UInt8] {
    let decoder = try LibJXL.Decoder(host: host)
    guard JxlDecoderSetDecompressBoxes(decoder.raw, 1) == JXL_DEC_SUCCESS else {
      throw .unsupported("compressed metadata, which this libjxl was built without")
    }
    try decoder.begin(file, events: JXL_DEC_BOX)
    var status = decoder.next()
    // The signature and ftyp are boxes as well.
    while status == JXL_DEC_BOX {
      var type: JxlBoxType = (0, 0, 0, 0)
      _ = withUnsafeMutablePointer(to: &type) {
        $0.withMemoryRebound(to: CChar.self, capacity: 4) { JxlDecoderGetBoxType(decoder.raw, $0, 0) }
      }
      if type == (0x62, 0x72, 0x6f, 0x62) { break }
      status = decoder.next()
    }
    guard status == JXL_DEC_BOX else { throw .malformed("a compressed box that libjxl does not find", at: offset) }
    let longest = host.limits.maxMetadata
    var content: [UInt8] = []
    let buffer = UnsafeMutablePointer<UInt8>.allocate(capacity: chunk)
    defer { buffer.deallocate() }
    repeat {
      guard JxlDecoderSetBoxBuffer(decoder.raw, buffer, chunk) == JXL_DEC_SUCCESS else {
        throw .libraryFailure("libjxl takes no buffer for a box")
      }
      status = decoder.next()
      let count = chunk - min(JxlDecoderReleaseBoxBuffer(decoder.raw), chunk)
      try host.countInflated(count)
      try ArrayMemory.grow(&content, by: count, for: "inflated metadata")
      content.append(contentsOf: UnsafeBufferPointer(start: buffer, count: count))
      let found = content.count - prefix
      guard found <= longest else {
        throw .limitExceeded(.maxMetadata, found: found, allowed: longest, what: "a metadata size in bytes of")
      }
    } while status == JXL_DEC_BOX_NEED_MORE_OUTPUT
    guard status != JXL_DEC_ERROR else { throw .malformed("a compressed box that does not inflate", at: offset) }
    return content
  }
}
