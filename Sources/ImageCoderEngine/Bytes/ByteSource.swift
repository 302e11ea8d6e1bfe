// SPDX-License-Identifier: Apache-2.0

public import ImageCoderModel

/// Where the bytes of an image come from.
///
/// A source can be decoded any number of times; each decode opens it again. A literal is a path:
/// `registry.decode("photo.webp")`.
public struct ByteSource: Sendable, ExpressibleByStringLiteral {
  /// Reads a part of a file; see ``reading(size:name:_:)``.
  public typealias Reader = @Sendable (_ range: Range<Int>) throws -> [UInt8]

  /// Fills memory with the bytes of a file from an offset on, all of it; see ``filling(size:name:_:)``.
  package typealias Filler =
    @Sendable (_ target: UnsafeMutableRawBufferPointer, _ offset: Int) throws(CoderError) -> Void

  enum Storage: Sendable {
    case file(path: String)
    case descriptor(FileDescriptor)
    case memory(MemoryBytes)
    case reader(Filler, size: Int)
    /// Bytes that are there so far.
    case arriving(Filler, count: @Sendable () -> Int)
    case standardInput
  }

  let storage: Storage

  /// The source's name in messages: its path, or what the caller calls it.
  public let name: String

  /// The part of the file's name after the last dot, lower case, or nil. Breaks ties between formats that share
  /// signatures, and identifies formats that have no signature.
  public var fileExtension: String? {
    get { hasOwnExtension ? ownExtension : path.flatMap(Self.fileExtension) }
    set { (hasOwnExtension, ownExtension) = (true, newValue) }
  }
  /// Found out for a file when somebody asks, which signatures make rare.
  private var hasOwnExtension = false
  private var ownExtension: String?

  init(storage: Storage, name: String) {
    self.storage = storage
    self.name = name
  }

  /// A file by its path, as ``file(_:)``.
  public init(stringLiteral path: String) { self = .file(path) }

  /// A file by its path. URLs are none: `ImageLoading` loads them.
  ///
  /// Regular files are read in parts as a decoder needs them; pipes and devices are read to their end first.
  public static func file(_ path: String) -> ByteSource {
    ByteSource(storage: .file(path: path), name: path)
  }

  /// A file that is open.
  ///
  /// The descriptor is duplicated, so the caller may close its own at once. A regular file is read from its start,
  /// whatever its position is, which does not change; a pipe or a socket is read from where it is to its end.
  ///
  /// - Parameter name: What messages call it.
  /// - Throws: ``CoderError/Code/io`` if the descriptor cannot be duplicated.
  public static func file(descriptor: Int32, name: String = "file") throws(CoderError) -> ByteSource {
    ByteSource(storage: .descriptor(try FileDescriptor(duplicating: descriptor)), name: name)
  }

  /// Bytes in memory, of any kind of collection; they are copied once. ``unowned(_:owner:)`` avoids the copy.
  public static func bytes(_ bytes: some Collection<UInt8>) -> ByteSource {
    ByteSource(storage: .memory(MemoryBytes(bytes)), name: Self.nameOfBytes)
  }

  /// Bytes in the caller's memory, which must neither change nor be freed while the source or a decoder of it exists.
  ///
  /// - Parameter owner: Kept alive as long as the source, or nil.
  public static func unowned(_ bytes: UnsafeRawBufferPointer, owner: AnyObject? = nil) -> ByteSource {
    ByteSource(storage: .memory(MemoryBytes(bytes, owner: owner)), name: Self.nameOfBytes)
  }

  /// Bytes that the caller reads, from a database or with requests for ranges.
  ///
  /// - Parameters:
  ///   - size: All bytes of the file.
  ///   - name: What messages call it.
  ///   - read: Returns the bytes of a range that lies within the file, all of them. It is called on the thread that
  ///     decodes, for 4 KiB at first, then for 64 KiB or more at a time, and may be called twice for a byte. What it
  ///     throws ends the decode as ``CoderError/Code/io``, or as it is if it is a ``CoderError``.
  public static func reading(size: Int, name: String = "bytes", _ read: @escaping Reader) -> ByteSource {
    filling(size: size, name: name, filler(read))
  }

  /// The same without a copy.
  ///
  /// - Parameter fill: Called as `read` of ``reading(size:name:_:)``, for at least one byte.
  package static func filling(size: Int, name: String = "bytes", _ fill: @escaping Filler) -> ByteSource {
    ByteSource(storage: .reader(fill, size: max(0, size)), name: name)
  }

  /// A reader whose bytes are copied.
  private static func filler(_ read: @escaping Reader) -> Filler {
    { (target, offset) throws(CoderError) in
      let bytes: [UInt8]
      do { bytes = try read(offset..<(offset + target.count)) } catch {
        throw error as? CoderError ?? .io("the source's reader failed: \(error)")
      }
      guard bytes.count == target.count else {
        throw .io("the source's reader returned \(bytes.count) of \(target.count) bytes at \(offset)")
      }
      target.copyBytes(from: bytes)
    }
  }

  /// Bytes of a file that arrives, as far as they are there. Nobody waits for those that are not: who wants them gets
  /// ``CoderError/Code/io``.
  ///
  /// - Parameters:
  ///   - count: How many there are. Called on the thread that decodes, as is `read`.
  ///   - read: Returns those of a range.
  package static func arriving(count: @escaping @Sendable () -> Int, _ read: @escaping Reader) -> ByteSource {
    ByteSource(storage: .arriving(filler(read), count: count), name: nameOfBytes)
  }

  /// The process's standard input, read to its end.
  public static let standardInput = ByteSource(storage: .standardInput, name: "-")

  static let nameOfBytes = "bytes"

  /// The file's path, or nil for bytes from elsewhere.
  package var path: String? {
    guard case .file(let path) = storage else { return nil }
    return path
  }

  private static func fileExtension(of path: String) -> String? {
    let name = path.utf8.split(separator: UInt8(ascii: "/")).last ?? path.utf8[...]
    guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot != name.startIndex else { return nil }
    let suffix = name[name.index(after: dot)...]
    return suffix.isEmpty ? nil : String(Substring(suffix)).lowercased()
  }
}

/// Bytes in memory with what keeps them alive.
package final class MemoryBytes: @unchecked Sendable {
  package let bytes: UnsafeRawBufferPointer
  private let owner: AnyObject?
  private let owned: UnsafeMutableRawBufferPointer?

  /// Copies bytes: an array promises no fixed address.
  init(_ bytes: some Collection<UInt8>) {
    let owned = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 16)
    owned.copyBytes(from: bytes)
    self.owned = owned
    self.bytes = UnsafeRawBufferPointer(owned)
    self.owner = nil
  }

  /// Bytes that `fill` writes.
  ///
  /// - Parameter fill: Gets memory of `count` bytes that is not cleared.
  init(
    count: Int, _ fill: (UnsafeMutableRawBufferPointer) throws(CoderError) -> Void
  ) throws(CoderError) {
    let owned = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
    self.owned = owned
    bytes = UnsafeRawBufferPointer(owned)
    owner = nil
    try fill(owned)
  }

  init(_ bytes: UnsafeRawBufferPointer, owner: AnyObject?) {
    self.bytes = bytes
    self.owner = owner
    self.owned = nil
  }

  deinit { owned?.deallocate() }
}
