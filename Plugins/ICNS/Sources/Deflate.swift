// SPDX-License-Identifier: Apache-2.0

import CZlib
import ImageCoderPlugin

/// zlib: the only file that calls it.
enum Deflate {
  static var name: String? { zlibVersion().map { "zlib \(String(cString: $0))" } }

  /// The bytes as a zlib stream (RFC 1950), packed as small as zlib can.
  static func packed(_ bytes: [UInt8]) throws(CoderError) -> [UInt8] {
    var length = compressBound(uLong(bytes.count))
    var status = Z_OK
    try ArrayMemory.check(bytes: Int(length), for: "a picture's file")
    let stream = [UInt8](unsafeUninitializedCapacity: Int(length)) { buffer, count in
      status = compress2(buffer.baseAddress, &length, bytes, uLong(bytes.count), Z_BEST_COMPRESSION)
      count = status == Z_OK ? Int(length) : 0
    }
    guard status == Z_OK else {
      throw .libraryFailure("zlib's compress2 failed with \(status) on \(bytes.count) bytes")
    }
    return stream
  }
}
