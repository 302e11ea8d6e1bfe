// SPDX-License-Identifier: Apache-2.0

import CRAWShim
import ImageCoderPlugin

/// LibRaw, without its pointers: each call opens the file's bytes in memory, and closes them.
enum LibRaw {
  /// What the library says of itself: `libraw 0.20.2-Release`.
  static var libraryName: String { "libraw \(craw_version().map { String(cString: $0) } ?? "")" }

  /// Describes a file, without decoding it.
  ///
  /// - Throws: ``CoderError/Code/wrongFormat`` for a file that the library does not know.
  static func describe(_ contents: UnsafeRawBufferPointer, host: CoderHost) throws(CoderError) -> CameraFile {
    var description = craw_description()
    try call { craw_describe(host.raw, contents.bytes, contents.count, &description, &$0) }
    return CameraFile(description)
  }

  /// Copies the XMP packet of a file.
  ///
  /// - Parameter count: Its bytes, as the file's description has them, checked against the limits.
  static func xmp(
    of contents: UnsafeRawBufferPointer, count: Int, host: CoderHost
  ) throws(CoderError) -> [UInt8] {
    var packet = [UInt8](repeating: 0, count: count)
    try call { craw_copy_xmp(host.raw, contents.bytes, contents.count, &packet, count, &$0) }
    return packet
  }

  /// Decodes a picture, or half of it.
  static func decode(
    _ contents: UnsafeRawBufferPointer, of file: CameraFile, isHalf: Bool, _ development: Development, host: CoderHost,
    into sink: RowSink
  ) throws(CoderError) {
    var request = craw_request()
    request.host = host.raw
    request.bytes = contents.bytes
    request.length = contents.count
    request.size = isHalf ? file.description.half : file.description.whole
    request.is_half = isHalf ? 1 : 0
    request.colors = file.description.colors
    request.white = development.white
    request.brightness = development.brightness
    request.is_linear = development.output == .linear ? 1 : 0
    try call { craw_decode(&request, sink.raw, &$0) }
  }

  /// Unpacks samples of a picture into part of a file.
  static func unpack(
    _ picture: craw_packed, places: [UInt64], lengths: [UInt64], of contents: UnsafeRawBufferPointer,
    host: CoderHost, into file: inout [UInt8], at start: Int
  ) throws(CoderError) {
    try call { failure in
      places.withUnsafeBufferPointer { places in
        lengths.withUnsafeBufferPointer { lengths in
          file.withUnsafeMutableBufferPointer { file in
            var picture = picture
            picture.places = places.baseAddress
            picture.lengths = lengths.baseAddress
            return craw_unpack(
              &picture, host.raw, contents.bytes, contents.count, file.baseAddress.map { $0 + start }, &failure)
          }
        }
      }
    }
  }

  private static func call(_ body: (inout craw_failure) -> imgcoder_status) throws(CoderError) {
    var failure = craw_failure()
    let status = body(&failure)
    guard status != 0 else { return }
    let code = CoderError.Code(rawValue: status)
    if code == .cancelled { throw .cancelled }
    let message = text(of: failure.message)
    throw CoderError(
      code: code, message: message.isEmpty ? "the host takes no more rows" : message,
      offset: failure.offset > 0 ? Int(clamping: failure.offset) : nil)
  }

  /// The text in an array of C, up to its 0.
  static func text<Characters>(of characters: Characters) -> String {
    withUnsafeBytes(of: characters) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }
}

extension UnsafeRawBufferPointer {
  fileprivate var bytes: UnsafePointer<UInt8>? { baseAddress?.assumingMemoryBound(to: UInt8.self) }
}
