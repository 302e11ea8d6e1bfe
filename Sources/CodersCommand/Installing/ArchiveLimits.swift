// SPDX-License-Identifier: Apache-2.0

package import ImageCoders

/// How much an archive of a plugin may hold. It is counted before anything is written.
package struct ArchiveLimits {
  package static let files = 1_000
  package static let folders = 1_000
  package static let bytes = 512 << 20
  /// Bytes of a name with its folders.
  static let nameBytes = 1_000
  /// Bytes of one part of a name, as file systems allow them.
  static let partBytes = 255

  private var fileCount = 0
  private var folderCount = 0
  private var byteCount = 0

  package init() {}

  /// Counts a file.
  ///
  /// - Throws: ``CoderError/Code/limitExceeded``.
  mutating func addFile(_ name: String, bytes: Int) throws(CoderError) {
    fileCount += 1
    guard fileCount <= Self.files else {
      throw Self.exceeded("more than \(Self.files) files, as many as an archive may have")
    }
    try addBytes(bytes, of: name)
  }

  /// Counts contents of a file.
  mutating func addBytes(_ bytes: Int, of name: String) throws(CoderError) {
    let (sum, overflow) = byteCount.addingReportingOverflow(bytes)
    guard !overflow, bytes >= 0, sum <= Self.bytes else {
      throw Self.exceeded(
        "\(name.printable) of \(bytes) bytes after \(byteCount); an archive may have \(Self.bytes) bytes, unpacked")
    }
    byteCount = sum
  }

  /// Counts a folder.
  mutating func addFolder() throws(CoderError) {
    folderCount += 1
    guard folderCount <= Self.folders else {
      throw Self.exceeded("more than \(Self.folders) folders, as many as an archive may have")
    }
  }

  static func exceeded(_ message: String) -> CoderError { CoderError(code: .limitExceeded, message: message) }
}

/// Names of files in an archive, relative to its top.
package enum ArchiveName {
  /// A name without `./` before it and `/` after it, or nil for the top itself.
  ///
  /// - Throws: ``CoderError/Code/malformed`` for a name that leads elsewhere, or that no file of a plugin needs.
  package static func checked(_ bytes: some Collection<UInt8>) throws(CoderError) -> String? {
    let shown = String(decoding: bytes.prefix(200), as: UTF8.self).printable
    guard let name = String(validating: bytes, as: UTF8.self) else {
      throw .malformed("the name \(shown) is not UTF-8")
    }
    guard name.utf8.count <= ArchiveLimits.nameBytes else {
      throw .malformed(
        "the name \(shown)… has \(name.utf8.count) bytes, at most \(ArchiveLimits.nameBytes) are allowed")
    }
    guard !name.hasPrefix("/") else {
      throw .malformed("\(shown) is an absolute name; a name below the top is allowed")
    }
    guard name.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "\\") }) else {
      throw .malformed("the name \(shown) has a control character or a backslash")
    }
    var parts = name.split(separator: "/", omittingEmptySubsequences: false)
    while parts.first == "." { parts.removeFirst() }
    if parts.last == "" { parts.removeLast() }
    guard parts.allSatisfy({ !["", ".", ".."].contains($0) }) else {
      throw .malformed("the name \(shown) has an empty part, . or ..; a name below the top is allowed")
    }
    guard parts.allSatisfy({ $0.utf8.count <= ArchiveLimits.partBytes }) else {
      throw .malformed("the name \(shown)… has a part of more than \(ArchiveLimits.partBytes) bytes")
    }
    return parts.isEmpty ? nil : parts.joined(separator: "/")
  }
}
