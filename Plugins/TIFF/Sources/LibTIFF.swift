// SPDX-License-Identifier: Apache-2.0

import CTIFFShim
import ImageCoderPlugin

/// libtiff's codecs and the conversion of samples; the only place where Swift calls C.
enum LibTIFF {
  static let version = String(cString: ctiff_version())

  /// Whether libtiff was built with a compression scheme.
  static func has(_ compression: Compression) -> Bool {
    guard let code = UInt16(exactly: compression.code) else { return false }
    return compression == .none || ctiff_has_codec(code) != 0
  }

  /// Decodes all rows of a picture into a sink.
  static func decode(_ layout: DecodeLayout, of source: SourceView, into sink: RowSink, host: CoderHost)
    throws(CoderError)
  {
    var failure = ctiff_failure()
    let status = layout.withPicture { picture in
      picture.host = host.raw
      picture.source = source.raw
      return ctiff_decode(&picture, sink.raw, &failure)
    }
    guard status == 0 else { throw CoderError(failure, status: status) }
  }

  /// What a directory of old-style JPEG has, or nil for one that libtiff does not read.
  static func oldJPEG(_ file: UnsafeRawBufferPointer, at offset: Int) -> ctiff_old_jpeg? {
    var found = ctiff_old_jpeg()
    let bytes = file.baseAddress?.assumingMemoryBound(to: UInt8.self)
    return ctiff_read_old_jpeg(bytes, UInt64(file.count), UInt64(offset), &found) != 0 ? found : nil
  }

  /// Bytes that decoding needs beside the host's rows.
  static func memory(_ layout: DecodeLayout) -> Int {
    layout.withPicture { Int(clamping: ctiff_memory(&$0)) }
  }

  /// Compresses some strips or tiles of a page.
  static func encode(
    _ page: inout ctiff_page, first: Int, count: Int, host: CoderHost,
    body: (UnsafeRawBufferPointer) throws(CoderError) -> Void
  ) throws(CoderError) {
    var failure = ctiff_failure()
    page.host = host.raw
    let blocks = UnsafeMutableBufferPointer<ctiff_block>.allocate(capacity: count)
    defer { blocks.deallocate() }
    let status = ctiff_encode(&page, UInt32(first), UInt32(count), blocks.baseAddress, &failure)
    guard status == 0 else { throw CoderError(failure, status: status) }
    defer { for index in 0..<count { ctiff_release(&blocks[index]) } }
    for block in blocks {
      try body(UnsafeRawBufferPointer(start: block.bytes, count: Int(clamping: block.length)))
    }
  }

  /// The tables that all strips or tiles of JPEG share.
  static func jpegTables(_ page: inout ctiff_page, host: CoderHost) throws(CoderError) -> [UInt8] {
    var failure = ctiff_failure()
    var block = ctiff_block()
    page.host = host.raw
    let status = ctiff_jpeg_tables(&page, &block, &failure)
    guard status == 0 else { throw CoderError(failure, status: status) }
    defer { ctiff_release(&block) }
    return [UInt8](UnsafeBufferPointer(start: block.bytes, count: Int(clamping: block.length)))
  }
}

extension CoderError {
  /// What the C part reports.
  fileprivate init(_ failure: ctiff_failure, status: imgcoder_status) {
    let message = withUnsafeBytes(of: failure.message) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    self.init(
      code: Code(rawValue: status), message: message, offset: failure.offset < 0 ? nil : Int(failure.offset))
  }
}
