// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel

/// Where the bytes of an image come from.
///
/// A source can be decoded any number of times; each decode opens it again.
public struct ByteSource: Sendable {
  enum Storage: Sendable {
    case file(path: String)
    case memory(MemoryBytes)
    case standardInput
  }

  let storage: Storage

  /// The part of the file's name after the last dot, lower case, or nil. Breaks ties between formats that share
  /// signatures, and identifies formats that have no signature.
  public var fileExtension: String?

  /// A file by its path.
  ///
  /// Regular files are read in parts as a decoder needs them; pipes and devices are read to their end first.
  public static func file(_ path: String) -> ByteSource {
    ByteSource(storage: .file(path: path), fileExtension: Self.fileExtension(of: path))
  }

  /// Bytes in memory; they are copied once. ``unowned(_:owner:)`` avoids the copy.
  public static func bytes(_ bytes: [UInt8]) -> ByteSource {
    ByteSource(storage: .memory(MemoryBytes(bytes)), fileExtension: nil)
  }

  /// Bytes in the caller's memory, which must neither change nor be freed while the source or a decoder of it exists.
  ///
  /// - Parameter owner: Kept alive as long as the source, or nil.
  public static func unowned(_ bytes: UnsafeRawBufferPointer, owner: AnyObject? = nil) -> ByteSource {
    ByteSource(storage: .memory(MemoryBytes(bytes, owner: owner)), fileExtension: nil)
  }

  /// The process's standard input, read to its end.
  public static let standardInput = ByteSource(storage: .standardInput, fileExtension: nil)

  /// The file's path, or nil for bytes from elsewhere.
  package var path: String? {
    guard case .file(let path) = storage else { return nil }
    return path
  }

  /// The source's name in messages: its path, or `-`.
  public var name: String {
    switch storage {
    case .file(let path): path
    case .memory: "bytes"
    case .standardInput: "-"
    }
  }

  private static func fileExtension(of path: String) -> String? {
    let name = path.utf8.split(separator: UInt8(ascii: "/")).last ?? path.utf8[...]
    guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot != name.startIndex else { return nil }
    let suffix = name[name.index(after: dot)...]
    return suffix.isEmpty ? nil : String(Substring(suffix)).lowercased()
  }
}

/// Bytes in memory with what keeps them alive.
final class MemoryBytes: @unchecked Sendable {
  let bytes: UnsafeRawBufferPointer
  private let owner: AnyObject?
  private let owned: UnsafeMutableRawBufferPointer?

  /// Takes bytes over. They are copied once: an array promises no fixed address.
  init(_ array: [UInt8]) {
    let owned = UnsafeMutableRawBufferPointer.allocate(byteCount: array.count, alignment: 16)
    owned.copyBytes(from: array)
    self.owned = owned
    self.bytes = UnsafeRawBufferPointer(owned)
    self.owner = nil
  }

  init(_ bytes: UnsafeRawBufferPointer, owner: AnyObject?) {
    self.bytes = bytes
    self.owner = owner
    self.owned = nil
  }

  deinit { owned?.deallocate() }
}
