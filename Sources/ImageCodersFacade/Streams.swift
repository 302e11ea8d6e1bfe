// SPDX-License-Identifier: Apache-2.0

import CImageCodersFacade
import Glibc
import ImageCoderEngine
import ImageCoderModel
import ImageCoders

/// Functions of the caller that move bytes.
struct CallerFunctions: @unchecked Sendable {
  // Unchecked: they are called on the thread of the call that they are given to, and on no other.

  /// What they get.
  let context: UnsafeMutableRawPointer?

  func reading(_ read: @escaping ic_read_function) -> ByteSource.Filler {
    { (target, offset) throws(CoderError) in
      guard let base = target.baseAddress else { return }
      try check(
        read(context, UInt64(offset), base, UInt64(target.count)), of: target.count, at: offset, "ic_source.read")
    }
  }

  func writing(_ write: @escaping ic_write_function) -> EncodeDestination.Writer {
    { bytes, offset in
      guard let base = bytes.baseAddress else { return }
      try check(write(context, UInt64(offset), base, UInt64(bytes.count)), of: bytes.count, at: offset, "ic_sink.write")
    }
  }

  /// - Parameter answer: What a function returned.
  private func check(_ answer: Int64, of count: Int, at offset: Int, _ name: String) throws(CoderError) {
    guard answer != count else { return }
    // The numbers of errno.
    let reason = (-4095 ... -1).contains(answer) ? ", \(String(cString: strerror(Int32(-answer))).lowercased())," : ""
    throw .io("\(name) returned \(answer)\(reason) for \(count) bytes at \(offset)")
  }
}

/// Where a file of the caller's goes.
struct Sink {
  let destination: EncodeDestination
  /// The path of the file, or nil.
  let path: String?

  /// What reports call the file.
  var name: String { path ?? "-" }

  init(_ sink: UnsafePointer<ic_sink>?) throws(CoderError) {
    let given = sink == nil ? ic_sink() : try sink!.known()
    switch Int(given.kind) {
    case Int(IC_SINK_BYTES): (destination, path) = (.memory, nil)
    case Int(IC_SINK_PATH):
      guard let pointer = given.path else { throw .invalidArgument("ic_sink.path is null") }
      let name = SystemName.string(pointer: pointer)
      (destination, path) = (.file(name), name)
    case Int(IC_SINK_FUNCTION):
      guard let write = given.write else { throw .invalidArgument("ic_sink.write is null") }
      (destination, path) = (.writing(CallerFunctions(context: given.context).writing(write)), nil)
    default: throw .invalidArgument("ic_sink.kind is \(given.kind), none of IC_SINK_…")
    }
  }

  /// Clears what takes the bytes of a file in memory.
  ///
  /// - Throws: ``CoderError/Code/invalidArgument`` if it is null where it is needed.
  func prepare(_ file: UnsafeMutablePointer<ic_bytes>?) throws(CoderError) {
    try file?.clear()
    guard case .memory = destination, file == nil else { return }
    throw .invalidArgument("the file goes to memory, and what takes its bytes is null")
  }
}

extension UnsafeMutablePointer<ic_bytes>? {
  /// Fills the struct, if there is one.
  func fill(_ bytes: some Collection<UInt8>, problem: CoderError? = nil) throws(CoderError) {
    if let self { try self.fill(ic_bytes(bytes, problem: problem)) }
  }
}
