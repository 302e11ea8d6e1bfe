// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel

/// Gives a file's bytes to the caller, in blocks.
final class CallerTarget: ByteTarget {
  private static let blockSize = 64 << 10

  private let write: EncodeDestination.Writer
  /// Bytes that the caller has.
  private var given = 0
  /// Those after them.
  private var block: [UInt8] = []

  var count: Int { given + block.count }

  init(_ write: @escaping EncodeDestination.Writer) { self.write = write }

  func append(_ bytes: UnsafeRawBufferPointer) throws(CoderError) {
    if block.count + bytes.count > Self.blockSize { try flush() }
    guard bytes.count < Self.blockSize else {
      try give(bytes, at: given)
      given += bytes.count
      return
    }
    block.append(contentsOf: bytes)
  }

  func patch(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(CoderError) {
    if offset < given {
      try flush()
      try give(bytes, at: offset)
    } else {
      block.replaceSubrange((offset - given)..<(offset - given + bytes.count), with: bytes)
    }
  }

  func end() throws(CoderError) { try flush() }

  private func flush() throws(CoderError) {
    let full = block
    guard !full.isEmpty else { return }
    try full.span.bytes.withUnsafeBytes { (bytes) throws(CoderError) in try give(bytes, at: given) }
    given += full.count
    block = []
  }

  private func give(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(CoderError) {
    guard !bytes.isEmpty else { return }
    do { try write(bytes, offset) } catch {
      throw error as? CoderError ?? .io("the file's bytes were not taken: \(error)")
    }
  }
}
