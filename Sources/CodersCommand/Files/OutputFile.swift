// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoderEngine
import ImageCoders

/// Where a result is written: standard output, or a file that appears complete or not at all (see ``NewFile``).
struct OutputFile {
  private let path: String

  /// - Parameter name: `-` for standard output.
  ///
  /// A link is followed, also one that leads to nothing yet: the file is made where it leads.
  init(_ name: String, _ console: Console) {
    path = name == "-" ? name : Path.withoutDanglingLinks(console.location(of: name))
  }

  /// Where the encoder writes: directly to a regular file; to memory for standard output, devices and pipes.
  ///
  /// Some formats are not written from front to back, and bytes sent to a pipe cannot be taken back after an error.
  /// These outputs therefore get the whole file at the end.
  var destination: EncodeDestination {
    guard path != "-" else { return .memory }
    var status = stat()
    guard path.withSystemName({ stat($0, &status) }) == 0 else { return .file(path) }
    return [S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT) ? .file(path) : .memory
  }

  /// Refuses to write an image to a terminal.
  ///
  /// - Throws: ``CoderError/Code/invalidArgument``.
  func refuseTerminal(_ console: Console) throws(CoderError) {
    guard path != "-" || !console.isTerminal else {
      throw .invalidArgument("standard output is a terminal: redirect it, or name a file")
    }
  }

  /// Writes the encoded file, unless the encoder wrote it to ``destination`` already.
  ///
  /// - Throws: ``CoderError/Code/io`` with the system's reason.
  func take(_ file: EncodedFile, _ console: Console) throws(CoderError) {
    if case .memory = destination { try write(file.bytes, to: console) }
  }

  /// Writes the bytes of a whole file.
  ///
  /// - Throws: ``CoderError/Code/io`` with the system's reason.
  func write(_ bytes: [UInt8], to console: Console) throws(CoderError) {
    guard path == "-" else { return try NewFile.write(bytes, to: path) }
    bytes.withUnsafeBytes { console.write($0) }
  }
}
