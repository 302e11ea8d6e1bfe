// SPDX-License-Identifier: Apache-2.0

package import ImageCoders

/// The lines of `SHA256SUMS`, as `sha256sum` of the GNU core utilities writes and computes them.
package struct ChecksumList: Equatable {
  package static let fileName = "SHA256SUMS"
  static let maxBytes = 2 << 20

  /// Digests in 64 hexadecimal digits, by name.
  package private(set) var digests: [String: String] = [:]

  /// Reads lines of a digest, two characters and a name.
  ///
  /// - Throws: ``CoderError/Code/malformed``; ``CoderError/Code/limitExceeded``.
  package init(parsing bytes: [UInt8]) throws(CoderError) {
    for (index, line) in bytes.split(separator: UInt8(ascii: "\n")).enumerated() {
      let place = "line \(index + 1) of \(Self.fileName)"
      guard line.count > 66, let digest = Self.digest(line.prefix(64)),
        line.dropFirst(64).starts(with: "  ".utf8) || line.dropFirst(64).starts(with: " *".utf8)
      else { throw .malformed("\(place) is not a SHA-256 digest in 64 digits, two characters and a name") }
      guard let name = try ArchiveName.checked(line.dropFirst(66)) else { throw .malformed("\(place) names no file") }
      guard digests.updateValue(digest, forKey: name) == nil else {
        throw .malformed("\(place) names \(name.printable) a second time")
      }
      guard digests.count <= ArchiveLimits.files else {
        throw ArchiveLimits.exceeded(
          "more than \(ArchiveLimits.files) files in \(Self.fileName), as many as an archive may have")
      }
    }
  }

  private static func digest(_ digits: some Collection<UInt8>) -> String? {
    let text = String(decoding: digits, as: UTF8.self).lowercased()
    return text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) } ? text : nil
  }

  /// The digests of files, by path.
  ///
  /// - Throws: ``CoderError/Code/io`` if `sha256sum` cannot be started or cannot read one.
  static func digests(of paths: [String]) throws(CoderError) -> [String: String] {
    var found: [String: String] = [:]
    // A list of arguments may have 2 MiB.
    for start in stride(from: 0, to: paths.count, by: 200) {
      let some = paths[start..<min(start + 200, paths.count)]
      let result = try ChildProgram.run("sha256sum", ["--zero", "--"] + some)
      let lines = result.output.split(separator: 0)
      guard result.status == 0, lines.count == some.count else {
        throw .io("sha256sum ends with status \(result.status) and \(lines.count) of \(some.count) digests")
      }
      for (line, path) in zip(lines, some) {
        guard let digest = digest(line.prefix(64)), line.dropFirst(66).elementsEqual(path.utf8) else {
          throw .io("sha256sum prints no digest of \(path.printable)")
        }
        found[path] = digest
      }
    }
    return found
  }
}
