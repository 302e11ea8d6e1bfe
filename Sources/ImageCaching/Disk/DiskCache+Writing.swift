// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel
import Synchronization

extension DiskCache {
  /// A value that is about to be written; one that is large is in its file already.
  struct PreparedWrite: Sendable {
    let entry: DiskEntry
    let key: NumberedKey
    let file: ValueFile?

    /// The change of the database.
    ///
    /// - Parameter bytes: Have to stay until the change is made.
    func body(
      _ bytes: UnsafeRawBufferPointer
    ) -> @Sendable (WriteTransaction) throws(SQLiteFailure) -> Void {
      let inline = UnownedBytes(bytes: file == nil ? bytes : nil)
      return { (transaction) throws(SQLiteFailure) in
        try transaction.put(entry, bytes: inline.bytes)
      }
    }
  }

  private struct UnownedBytes: @unchecked Sendable {
    // Unchecked: they are only read, by one thread, while their owner waits.
    let bytes: UnsafeRawBufferPointer?
  }

  /// Makes the entry of a value, and the file of a large one.
  ///
  /// - Returns: Nil if the value is not to be kept; then an old one is removed.
  func prepare(
    _ bytes: UnsafeRawBufferPointer, _ key: NumberedKey, _ kind: Kind, _ metadata: [UInt8]
  ) throws(CoderError) -> PreparedWrite? {
    try Self.check(metadata)
    let cost = bytes.count + key.bytes.count + metadata.count
    guard bytes.count <= options.maxValueBytes, cost <= options.maxBytes, options.maxCount > 0, try hasRoom(for: cost)
    else {
      _ = try writer.write { (transaction) throws(SQLiteFailure) in try transaction.remove(key) }
      return nil
    }
    let now = options.now()
    var entry = DiskEntry(
      id: key.id, key: key.bytes, kind: kind.rawValue, size: bytes.count, checksum: ValueChecksum.of(bytes),
      stored: now,
      isInline: bytes.count <= options.maxInlineBytes, metadata: metadata)
    guard !entry.isInline else { return PreparedWrite(entry: entry, key: key, file: nil) }
    let file = try ValueFile.write(bytes, in: store.folder)
    entry.place = Int(bitPattern: UInt(file.name))
    return PreparedWrite(entry: entry, key: key, file: file)
  }

  /// The change for ``updateMetadata(_:for:)``.
  func updating(
    _ metadata: [UInt8], _ key: String
  ) throws(CoderError) -> @Sendable (WriteTransaction) throws(SQLiteFailure) -> Bool {
    try Self.check(metadata)
    let (key, now) = (try Self.numbered(key), options.now())
    return { (transaction) throws(SQLiteFailure) in try transaction.updateMetadata(metadata, of: key, at: now) }
  }

  private static func check(_ metadata: [UInt8]) throws(CoderError) {
    guard metadata.count <= maxMetadataBytes else {
      throw .invalidArgument("metadata of \(metadata.count) bytes; at most \(maxMetadataBytes) are allowed")
    }
  }

  /// Free space is looked at again after so many bytes.
  private static let bytesBetweenChecks = 4 << 20

  /// Whether the file system has enough free space, after evicting what is missing.
  private func hasRoom(for bytes: Int) throws(CoderError) -> Bool {
    guard options.minFreeBytes > 0 else { return true }
    let unchecked = counters.unchecked.load(ordering: .relaxed)
    guard unchecked + bytes > Self.bytesBetweenChecks else {
      counters.unchecked.add(bytes, ordering: .relaxed)
      return true
    }
    let missing = try options.minFreeBytes - options.freeBytes(folder)
    guard missing > -bytes else {
      counters.unchecked.store(bytes, ordering: .relaxed)
      return true
    }
    // Until there is room, each write looks anew.
    counters.unchecked.store(Self.bytesBetweenChecks, ordering: .relaxed)
    try trim(toBytes: max(0, statistics().bytes - missing - bytes))
    return try options.freeBytes(folder) - bytes >= options.minFreeBytes
  }
}
