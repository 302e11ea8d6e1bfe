// SPDX-License-Identifier: Apache-2.0

import CJXL
import ImageCoderPlugin

/// The content of a `brob` box (ISO/IEC 18181-2 §9.7): a name, and bytes that Brotli has compressed.
enum CompressedBox {
  /// What libjxl has to see before it looks at any other box: the signature and `ftyp`.
  private static let prologue: [UInt8] = [
    0, 0, 0, 12, 0x4a, 0x58, 0x4c, 0x20, 0x0d, 0x0a, 0x87, 0x0a,
    0, 0, 0, 20, 0x66, 0x74, 0x79, 0x70, 0x6a, 0x78, 0x6c, 0x20, 0, 0, 0, 0, 0x6a, 0x78, 0x6c, 0x20,
  ]

  private static let chunk = 1 << 16

  /// Inflates a box.
  ///
  /// libjxl gets a file of this one box, so that it never touches the picture.
  ///
  /// - Parameter prefix: Bytes of the content that are no payload and do not count.
  /// - Throws: ``CoderError/Code/limitExceeded`` as soon as more than the limit comes out;
  ///   ``CoderError/Code/malformed``.
  static func contents(
    of box: Box, in source: SourceView, prefix: Int, host: CoderHost
  ) throws(CoderError) -> [UInt8] {
    try host.limits.check(metadata: box.payload.count)
    let payload = try source.view(at: box.payload.lowerBound, count: box.payload.count)
    let size = UInt32(clamping: payload.count + 8)
    let header = (0..<4).reversed().map { UInt8(truncatingIfNeeded: size >> ($0 * 8)) } + [0x62, 0x72, 0x6f, 0x62]
    let file = prologue + header + payload
    let result = file.withUnsafeBytes { bytes -> Result<[UInt8], CoderError> in
      do throws(CoderError) {
        return .success(try inflate(bytes, at: box.offset, prefix: prefix, host: host))
      } catch { return .failure(error) }
    }
    return try result.get()
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
        throw .library("libjxl takes no buffer for a box")
      }
      status = decoder.next()
      let count = chunk - min(JxlDecoderReleaseBoxBuffer(decoder.raw), chunk)
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
