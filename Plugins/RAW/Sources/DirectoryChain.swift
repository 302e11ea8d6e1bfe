// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// The chain of directories of a file that is a kind of TIFF.
///
/// - Format: TIFF 6.0 §2.
enum DirectoryChain {
  /// Directories that are looked at.
  private static let most = 16

  /// Throws if bytes of a header or of a directory are missing. LibRaw says of such a file that it does not know it.
  ///
  /// - Throws: ``CoderError/Code/truncated``.
  static func checkIsWhole(_ contents: UnsafeRawBufferPointer) throws(CoderError) {
    let bytes = RawSpan(_unsafeBytes: contents)
    guard let order = ExifPayload.byteOrder(of: bytes) else { return }
    let reader = ByteReader(bytes, order: order, of: "the file")
    var place = Int(try reader.uint32(at: 4, "the first directory's place"))
    for _ in 0..<most where place > 0 {
      let count = Int(try reader.uint16(at: place, "the size of a directory"))
      place = Int(try reader.uint32(at: place + 2 + 12 * count, "the next directory's place"))
    }
  }
}
