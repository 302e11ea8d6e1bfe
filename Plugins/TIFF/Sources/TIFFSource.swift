// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// The bytes of a TIFF file: its byte order, the width of its offsets, and reads that never leave the file.
///
/// - Format: TIFF 6.0 §2; BigTIFF as libtiff describes it.
struct TIFFSource {
  let source: SourceView
  let order: ByteOrder
  /// Whether offsets and counts have 8 bytes.
  let isBigTIFF: Bool
  /// The offset of the first directory.
  let firstDirectory: Int

  /// Reads the file's header.
  init(_ source: SourceView) throws(CoderError) {
    self.source = source
    let known = try Self.version(source)
    (order, isBigTIFF) = known
    let length = isBigTIFF ? 16 : 8
    let reader = try source.reader(at: 0, count: length, order: order, of: "the header")
    guard reader.count == length else { throw Self.shortHeader(of: length, reader.count) }
    if isBigTIFF {
      let width = try reader.uint16(at: 4)
      guard width == 8 else { throw .wrongFormat("offsets of \(width) bytes, 8 are known", at: 4) }
    }
    let place = isBigTIFF ? 8 : 4
    let offset = try reader.unsigned(bytes: place, at: place)
    firstDirectory = Int(clamping: offset)
    guard firstDirectory >= length else {
      throw .malformed("a first directory at \(offset), \(length) is the first place it can have", at: place)
    }
  }

  /// The byte order and the version, of the first four bytes.
  private static func version(_ source: SourceView) throws(CoderError) -> (ByteOrder, isBigTIFF: Bool) {
    var reader = ByteReader(try source.bytes(at: 0, least: 8, most: 16), of: "the header")
    guard reader.count >= 2 else { throw shortHeader(of: 8, reader.count) }
    guard reader.has("II", at: 0) || reader.has("MM", at: 0) else {
      throw .wrongFormat("no byte order, II or MM", at: 0)
    }
    reader.order = reader.has("MM", at: 0) ? .bigEndian : .littleEndian
    guard reader.count >= 4 else { throw shortHeader(of: 8, reader.count) }
    let version = try reader.uint16(at: 2)
    guard version == 42 || version == 43 else {
      throw .wrongFormat("version \(version), 42 and 43 are known", at: 2)
    }
    return (reader.order, version == 43)
  }

  private static func shortHeader(of length: Int, _ count: Int) -> CoderError {
    .truncated("a header needs \(length) bytes, \(count) are there", at: count)
  }

  /// Bytes in all, or the largest integer as long as an incremental file has not ended.
  var size: Int { source.size }
  /// Whether every byte is there.
  var isComplete: Bool { size < .max }
  /// Bytes of an entry of a directory.
  var entrySize: Int { isBigTIFF ? 20 : 12 }
  /// Bytes of the number of entries.
  var countSize: Int { isBigTIFF ? 8 : 2 }
  /// Bytes of an offset.
  var offsetSize: Int { isBigTIFF ? 8 : 4 }

  /// Reads exactly `count` bytes, and waits for them where the file is incremental.
  ///
  /// - Throws: ``CoderError/Code/truncated`` when the file ends before them; what `body` throws.
  func read<Result>(
    at offset: Int, count: Int, of what: @autoclosure () -> String,
    _ body: (inout ByteReader) throws(CoderError) -> Result
  ) throws(CoderError) -> Result {
    if offset >= 0, count >= 0, offset <= size, count <= size - offset {
      var reader = try source.reader(at: offset, count: count, order: order)
      // Only now is it known where an incremental file ends.
      if reader.count == count { return try body(&reader) }
    }
    try waitForAll()
    throw .truncated("\(what()) needs \(count) bytes at \(offset), the file has \(size)", at: size)
  }

  /// Copies exactly `count` bytes, as ``read(at:count:of:_:)``.
  func bytes(at offset: Int, count: Int, of what: @autoclosure () -> String) throws(CoderError) -> [UInt8] {
    try read(at: offset, count: count, of: what()) { (reader) throws(CoderError) in try reader.array(count) }
  }

  /// Whether the file has bytes; waits until that is known.
  func hasBytes(at offset: Int, count: Int) throws(CoderError) -> Bool {
    if isComplete { return offset <= size && count <= size - offset }
    return try source.view(at: offset, count: count).count == count
  }

  /// Waits until ``size`` is known.
  func waitForAll() throws(CoderError) {
    if !isComplete { _ = try source.view(at: .max, count: 1) }
  }

  /// How many entries a directory says that it has.
  func entryCount(at offset: Int) throws(CoderError) -> Int {
    let count = try read(at: offset, count: countSize, of: "a directory") { (reader) throws(CoderError) in
      try reader.unsigned(bytes: countSize)
    }
    guard count > 0, count <= 65_535 else {
      throw .malformed("a directory of \(count) entries, 1 to 65535 are allowed", at: offset)
    }
    return Int(count)
  }
}

/// What `read` finds, or nil where the file is cut or damaged there, or has something that is not read: such a value
/// counts as missing.
///
/// - Throws: What has another cause than the file: ``CoderError/Code/io``, ``CoderError/Code/cancelled`` and the like.
func ifReadable<Value>(_ read: () throws(CoderError) -> Value?) throws(CoderError) -> Value? {
  do throws(CoderError) {
    return try read()
  } catch {
    switch error.code {
    case .truncated, .malformed, .unsupported, .limitExceeded: return nil
    default: throw error
    }
  }
}
