// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoders

/// Where a result goes: standard output, or a file that appears whole or not at all, as ``NewFile`` has it.
struct OutputFile {
  private let path: String

  /// - Parameter path: `-` for standard output.
  init(_ path: String) { self.path = path }

  /// Where an encoder writes. What cannot be replaced, standard output, devices and pipes, gets the file in one piece at
  /// the end: nothing can be taken back from there, and not every format is written from front to back.
  var destination: EncodeDestination {
    guard path != "-" else { return .memory }
    var status = stat()
    guard stat(path, &status) == 0 else { return .file(path) }
    return [S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT) ? .file(path) : .memory
  }

  /// Takes what an encoder made for ``destination``.
  ///
  /// - Throws: ``CoderError/Code/io`` with the system's reason.
  func take(_ file: EncodedFile, _ console: Console) throws(CoderError) {
    if case .memory = destination { try write(file.bytes, to: console) }
  }

  /// Writes a whole file.
  ///
  /// - Throws: ``CoderError/Code/io`` with the system's reason.
  func write(_ bytes: [UInt8], to console: Console) throws(CoderError) {
    guard path == "-" else { return try NewFile.write(bytes, to: path) }
    bytes.withUnsafeBytes { console.write($0) }
  }
}
